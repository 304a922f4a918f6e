"""Perturbations of tense (DEMETR 17) and aspect (18), and the base class of rules for verbs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data import rows
from assay.perturb.cards import card_of
from assay.perturb.demetr import japanese_verbs, russian_forms
from assay.perturb.demetr.rules import ParsedRule, first_fit, in_languages, remove_span
from assay.perturb.language import verbs
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.texts import match_case
from assay.perturb.language.verbs import VerbGroup, word_of

_FORMS = {"be": "is are am was were", "have": "has had have"}
_AUXILIARIES = {form: lemma for lemma, forms in _FORMS.items() for form in forms.split()}
_MODALS = {row["modal"]: row["other"] for row in rows("words/modal_tenses.tsv")}


def change_token(sentence: Sentence, i: int, text: str) -> Change:
    """Replace token `i` with `text` in the same capitals; a contraction gets the missing space."""
    word = sentence.words[i]
    new = match_case(text, word) if word != "I" else text
    return Change(sentence.starts[i], sentence.ends[i], (" " if _is_attached(sentence, i) else "") + new)


def _insert_after(sentence: Sentence, i: int, text: str) -> Change:
    return Change(sentence.ends[i], sentence.ends[i], " " + text)


def _is_attached(sentence: Sentence, i: int) -> bool:
    """Return whether token `i` is a contraction attached to the word before it: ``'ll``."""
    start = sentence.starts[i]
    return sentence.words[i][:1] in "'’" and start > 0 and sentence.text[start - 1] != " "


def to_perturbed(sentence: Sentence, changes: list[Change]) -> Perturbed | None:
    """Return the changes as a result that describes the text between the first and the last one."""
    ordered = tuple(sorted(changes, key=lambda change: (change.start, change.end)))
    if any(sentence.text[c.start : c.end] == c.text for c in ordered):
        return None
    start, end = ordered[0].start, ordered[-1].end
    inner = Perturbed(tuple(Change(c.start - start, c.end - start, c.text) for c in ordered))
    new = inner.apply(sentence.text[start:end])
    return Perturbed(ordered, f"{sentence.text[start:end].strip() or '-'} -> {new.strip() or '-'}")


class VerbRule(ParsedRule):
    """Base class of rules for finite verb groups: main clauses first, other clauses if no main clause fits."""

    most_places = 3
    nothing = "no finite verb that fits"

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Change the first group that has an option."""
        inflection = tools.get("inflection", "en")
        for group in verbs.groups(sentence):
            options = [option for option in self.options(sentence, group, inflection) if option]
            result = first_fit(rng, options, lambda option: to_perturbed(sentence, option), "") if options else None
            if isinstance(result, Perturbed):
                return result.with_confidence(parse=verbs.parse_confidence(sentence, group))
        return Refused(self.nothing)

    @abstractmethod
    def options(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> Iterator[list[Change]]:
        """Yield the possible changes to one group."""


class Tense(VerbRule):
    """Perturbation that switches between past and present, or uses the future (DEMETR 17); the aspect stays the same."""

    card = card_of("tense")
    other_languages = in_languages(ru=russian_forms.tense, ja=japanese_verbs.tense)

    def options(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> Iterator[list[Change]]:
        """Yield the other tenses of the finite verb."""
        finite, word = group.finite, word_of(sentence, group.finite)
        contracted = verbs.contracted(sentence, finite)
        future = not contracted and group.negation is None and (group.subject is None or group.subject < finite)
        if word == "will":
            following = finite + 1
            if following < len(sentence) and sentence.tags[following] == "VB" and not contracted:
                lemma = verbs.lemma_of(sentence, following, inflection)
                form = verbs.past(sentence, group, lemma, inflection)
                if form:
                    new = f" {form}" if _is_attached(sentence, finite) else match_case(form, sentence.words[finite])
                    yield [Change(sentence.starts[finite], sentence.ends[following], new)]
            else:
                yield [change_token(sentence, finite, "would")]
        elif word in _MODALS:
            yield [change_token(sentence, finite, _MODALS[word])]
        elif sentence.tags[finite] in verbs.INFLECTED:
            lemma = _AUXILIARIES.get(word) or verbs.lemma_of(sentence, finite, inflection)
            other = verbs.present if sentence.tags[finite] == "VBD" else verbs.past
            form = other(sentence, group, lemma, inflection)
            if form and form != word:
                yield [change_token(sentence, finite, form)]
            if future and (lemma != "do" or group.simple):
                yield [change_token(sentence, finite, f"will {lemma}")]


class Aspect(VerbRule):
    """Perturbation that switches between the progressive and the simple or perfect form (DEMETR 18); the tense stays the same."""

    card = card_of("aspect")

    def options(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> Iterator[list[Change]]:
        """Yield the one change that fits the form of the group."""
        main, finite = group.main, group.finite
        if group.subject is not None and group.subject > finite and not group.simple:
            return
        word, tag = word_of(sentence, finite), sentence.tags[main]
        going = inflection.inflect(verbs.lemma_of(sentence, main, inflection), "VBG")
        if group.simple:
            yield from self._simple(sentence, group, going)
        elif word in ("has", "have", "had"):
            form = verbs.be(sentence, group, past=word == "had")
            been = [i for i in group.auxiliaries[1:] if sentence.lower[i] == "been"]
            if not been and going:
                yield [change_token(sentence, finite, form), change_token(sentence, main, going)]
            elif been and tag == "VBN":
                yield [change_token(sentence, finite, form), change_token(sentence, been[0], "being")]
            elif been:
                yield [
                    change_token(sentence, finite, form),
                    remove_span(sentence.text, sentence.starts[been[0]], sentence.ends[been[0]]),
                ]
        elif word in ("is", "are", "am", "was", "were"):
            last = group.auxiliaries[-1]
            after = group.negation if group.negation is not None and last < group.negation < main else last
            if tag == "VBN" and sentence.lower[last] != "being":
                yield [_insert_after(sentence, after, "being")]
            elif tag == "VBN":
                yield [remove_span(sentence.text, sentence.starts[last], sentence.ends[last])]
            elif not verbs.contracted(sentence, finite):
                had = "had" if word in ("was", "were") else verbs.present(sentence, group, "have", inflection)
                yield [change_token(sentence, finite, f"{had} been")]
        elif word in ("do", "does", "did") and going:
            yield [
                change_token(sentence, finite, verbs.be(sentence, group, past=word == "did")),
                change_token(sentence, main, going),
            ]
        elif sentence.tags[finite] == "MD":
            yield from self._modal(sentence, group, going)

    def _simple(self, sentence: Sentence, group: VerbGroup, going: str | None) -> Iterator[list[Change]]:
        main = group.main
        if sentence.lemmas[main] == "be" or sentence.lower[main] in ("is", "are", "was", "were", "'s", "'re", "'m"):
            end = group.subject if group.subject is not None and group.subject > main else main
            last = group.negation if group.negation is not None and group.negation > main else end
            if group.subject is not None and sentence.deps[group.subject] == "expl":
                return
            if sentence.deps[end] != "expl" and (end == main or sentence.deps[end].startswith("nsubj")):
                yield [_insert_after(sentence, max(last, main) if end == main else main, "being")]
        elif going and sentence.tags[main] in verbs.INFLECTED:
            form = verbs.be(sentence, group, past=sentence.tags[main] == "VBD")
            yield [change_token(sentence, main, f"{form} {going}")]

    def _modal(self, sentence: Sentence, group: VerbGroup, going: str | None) -> Iterator[list[Change]]:
        """Change a modal group: may appeal -> may be appealing; can be used -> can have been used."""
        main, rest = group.main, [sentence.lower[i] for i in group.auxiliaries[1:]]
        if sentence.lower[main] == "be":
            yield [change_token(sentence, main, "have been")]
        elif not rest and going:
            yield [change_token(sentence, main, f"be {going}")]
        elif rest == ["be"]:
            yield [change_token(sentence, group.auxiliaries[1], "have been")]
        elif rest == ["have"] and going:
            yield [change_token(sentence, group.auxiliaries[1], "be"), change_token(sentence, main, going)]
