"""DEMETR 8, 17 and 18: the main verb negated (or no longer), in another tense, in another aspect."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.batch import Segment
from assay.core.perturbation import Change, PerturbationCard, Perturbed, Refused, Tools
from assay.perturb import verbs
from assay.perturb.rules import ParsedRule, first_fit, like, removed
from assay.perturb.sentence import Sentence
from assay.perturb.verbs import Group, word_of

if TYPE_CHECKING:
    import numpy as np

_DO = {"VBD": "did", "VBZ": "does", "VBP": "do"}
_NOT = ("not", "n't", "n’t", "never")


def _at(sentence: Sentence, i: int, text: str) -> Change:
    """Token `i` becomes `text`, capitals kept; a contraction gets the space it stood without."""
    word = sentence.words[i]
    new = like(word, text) if word != "I" else text
    glued = word[:1] in "'’" and sentence.starts[i] and sentence.text[sentence.starts[i] - 1] != " "
    return Change(sentence.starts[i], sentence.ends[i], (" " if glued else "") + new)


def _after(sentence: Sentence, i: int, text: str) -> Change:
    return Change(sentence.ends[i], sentence.ends[i], " " + text)


def _glued(sentence: Sentence, i: int) -> bool:
    """True where ``n't`` hangs on token `i`."""
    return i + 1 < len(sentence) and sentence.lower[i + 1] in ("n't", "n’t")


def _made(sentence: Sentence, changes: list[Change]) -> Perturbed | None:
    """The changes as a result with what became of the words between the first and the last."""
    ordered = tuple(sorted(changes, key=lambda change: (change.start, change.end)))
    if any(sentence.text[c.start : c.end] == c.text for c in ordered):
        return None
    start, end = ordered[0].start, ordered[-1].end
    inner = Perturbed(tuple(Change(c.start - start, c.end - start, c.text) for c in ordered))
    new = inner.apply(sentence.text[start:end])
    return Perturbed(ordered, f"{sentence.text[start:end].strip() or '-'} -> {new.strip() or '-'}")


class VerbRule(ParsedRule):
    """A rule over finite verb groups: main clauses first, other clauses where no main clause allows it."""

    most_places = 3
    nothing = "no finite verb that fits"

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """The first group that allows a change."""
        inflection = tools.get("inflection", "en")
        for group in verbs.groups(sentence):
            options = [option for option in self.options(sentence, group, inflection) if option]
            made = first_fit(rng, options, lambda option: _made(sentence, option), "") if options else None
            if isinstance(made, Perturbed):
                return made
        return Refused(self.nothing)

    @abstractmethod
    def options(self, sentence: Sentence, group: Group, inflection: Any) -> Iterator[list[Change]]:
        """The possible changes to one group."""


class Negation(VerbRule):
    """DEMETR 8: an affirmative main clause is negated; a negated one becomes affirmative."""

    card = PerturbationCard(
        name="negation",
        about="negated, or a negation dropped: recommended the -> did not recommend the",
        phenomenon="mistranslation - negation",
        category="accuracy/mistranslation",
        severity="critical",
        follows=("DEMETR 8",),
        languages=("en",),
        needs=("parse", "inflection"),
        extra="make",
        manual=True,
    )

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Main clauses, else an order (Do not …)."""
        made = super().change(sentence, segment, rng, tools)
        if isinstance(made, Perturbed):
            return made
        for i in sentence.roots:
            if sentence.tags[i] == "VB" and sentence.child(i, "nsubj", "aux", "neg") is None:
                changed = _made(
                    sentence,
                    [
                        Change(
                            sentence.starts[i],
                            sentence.ends[i],
                            like(sentence.words[i], "do") + f" not {sentence.lower[i]}",
                        )
                    ],
                )
                if changed:
                    return changed
        return made

    def options(self, sentence: Sentence, group: Group, inflection: Any) -> Iterator[list[Change]]:
        """One way for each group."""
        if group.negation is not None and sentence.lower[group.negation] in _NOT:
            yield self._affirmed(sentence, group, inflection)
            return
        no = next(
            (i for i in sentence.children[group.main] for i in sentence.children[i] if sentence.lower[i] == "no"), None
        )
        if no is not None and no > group.finite:
            yield [_at(sentence, no, "some")]
        elif not group.simple or sentence.lemmas[group.main] == "be":
            inverted = group.subject is not None and group.finite < group.subject < group.main
            place = verbs_subject_end(sentence, group) if inverted else group.finite
            fused = sentence.lower[place] == "can"
            yield [Change(sentence.ends[place], sentence.ends[place], "not" if fused else " not")]
        elif sentence.tags[group.main] in _DO:
            auxiliary = (
                "did" if sentence.tags[group.main] == "VBD" else verbs.present(sentence, group, "do", inflection)
            )
            lemma = verbs.lemma_of(sentence, group.main, inflection)
            yield [_at(sentence, group.main, f"{auxiliary} not {lemma}")]

    def _affirmed(self, sentence: Sentence, group: Group, inflection: Any) -> list[Change]:
        negation, finite = group.negation, group.finite
        assert negation is not None
        word = word_of(sentence, finite)
        fused = sentence.starts[negation] == sentence.ends[finite]
        if (
            word in ("do", "does", "did")
            and not group.simple
            and (finite, negation, group.main) == (finite, finite + 1, finite + 2)
        ):
            lemma = verbs.lemma_of(sentence, group.main, inflection)
            form = (
                verbs.past(sentence, group, lemma, inflection)
                if word == "did"
                else verbs.present(sentence, group, lemma, inflection)
            )
            new = like(sentence.words[finite], form or lemma)
            return [Change(sentence.starts[finite], sentence.ends[group.main], new)]
        if fused:
            return [Change(sentence.starts[finite], sentence.ends[negation], like(sentence.words[finite], word))]
        return [removed(sentence.text, sentence.starts[negation], sentence.ends[negation])]

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """One text has one negation more than the other."""
        found = super().problems(segment, perturbed, language, tools)
        good, bad = segment.hypothesis, perturbed.apply(segment.hypothesis)
        if abs(_negations(good) - _negations(bad)) != 1:
            found.append("the number of negations did not change by one")
        return found


def _negations(text: str) -> int:
    words = text.lower().replace("n't", " not").replace("n’t", " not").replace("cannot", "can not").split()
    return sum(word.strip("\"'.,;:!?()“”") in ("not", "never", "no") for word in words)


def verbs_subject_end(sentence: Sentence, group: Group) -> int:
    """The last token of an inverted subject."""
    assert group.subject is not None
    return min(sentence.edges[group.subject][1], group.main - 1)


class Tense(VerbRule):
    """DEMETR 17: past for present, present for past, or the future; the aspect stays."""

    card = PerturbationCard(
        name="tense",
        about="another tense: were both found in -> are both found in",
        phenomenon="grammar - tense",
        category="fluency/grammar",
        severity="major",
        follows=("DEMETR 17",),
        languages=("en",),
        needs=("parse", "inflection"),
        extra="make",
        manual=True,
    )

    def options(self, sentence: Sentence, group: Group, inflection: Any) -> Iterator[list[Change]]:
        """The other tenses of the finite verb."""
        finite, word = group.finite, word_of(sentence, group.finite)
        glued = _glued(sentence, finite)
        future = not glued and group.negation is None and (group.subject is None or group.subject < finite)
        if word == "will":
            following = finite + 1
            if following < len(sentence) and sentence.tags[following] == "VB" and not glued:
                lemma = verbs.lemma_of(sentence, following, inflection)
                form = verbs.past(sentence, group, lemma, inflection)
                if form:
                    yield [Change(*_joined(sentence, finite, following), _spaced(sentence, finite, form))]
            else:
                yield [_at(sentence, finite, "would")]
        elif word in _MODALS:
            yield [_at(sentence, finite, _MODALS[word])]
        elif sentence.tags[finite] in ("VBD", "VBZ", "VBP"):
            lemma = _AUXILIARIES.get(word) or verbs.lemma_of(sentence, finite, inflection)
            other = verbs.present if sentence.tags[finite] == "VBD" else verbs.past
            form = other(sentence, group, lemma, inflection)
            if form and form != word:
                yield [_at(sentence, finite, form)]
            if (future and lemma not in ("do",)) or (lemma == "do" and group.simple and future):
                yield [_at(sentence, finite, f"will {lemma}")]


_AUXILIARIES = {
    "is": "be",
    "are": "be",
    "am": "be",
    "was": "be",
    "were": "be",
    "has": "have",
    "had": "have",
    "have": "have",
}
_MODALS = {
    "can": "could",
    "could": "can",
    "may": "might",
    "might": "may",
    "would": "will",
    "must": "had to",
    "shall": "should",
}


def _joined(sentence: Sentence, first: int, last: int) -> tuple[int, int]:
    return sentence.starts[first], sentence.ends[last]


def _spaced(sentence: Sentence, i: int, form: str) -> str:
    glued = sentence.words[i][:1] in "'’" and sentence.starts[i] and sentence.text[sentence.starts[i] - 1] != " "
    return f" {form}" if glued else like(sentence.words[i], form)


class Aspect(VerbRule):
    """DEMETR 18: progressive for simple or perfect, and the other way round; the tense stays."""

    card = PerturbationCard(
        name="aspect",
        about="another aspect: He has been unable -> He is being unable",
        phenomenon="grammar - aspect",
        category="fluency/grammar",
        severity="major",
        follows=("DEMETR 18",),
        languages=("en",),
        needs=("parse", "inflection"),
        extra="make",
        manual=True,
    )

    def options(self, sentence: Sentence, group: Group, inflection: Any) -> Iterator[list[Change]]:
        """The one way that fits how the group is built."""
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
                yield [_at(sentence, finite, form), _at(sentence, main, going)]
            elif been and tag == "VBN":
                yield [_at(sentence, finite, form), _at(sentence, been[0], "being")]
            elif been:
                yield [
                    _at(sentence, finite, form),
                    removed(sentence.text, sentence.starts[been[0]], sentence.ends[been[0]]),
                ]
        elif word in ("is", "are", "am", "was", "were"):
            last = group.auxiliaries[-1]
            place = group.negation if group.negation is not None and last < group.negation < main else last
            if tag == "VBN" and sentence.lower[last] != "being":
                yield [_after(sentence, place, "being")]
            elif tag == "VBN":
                yield [removed(sentence.text, sentence.starts[last], sentence.ends[last])]
            elif not _glued(sentence, finite):
                had = "had" if word in ("was", "were") else verbs.present(sentence, group, "have", inflection)
                yield [_at(sentence, finite, f"{had} been")]
        elif word in ("do", "does", "did") and going:
            yield [_at(sentence, finite, verbs.be(sentence, group, past=word == "did")), _at(sentence, main, going)]
        elif sentence.tags[finite] == "MD":
            yield from self._modal(sentence, group, going)

    def _simple(self, sentence: Sentence, group: Group, going: str | None) -> Iterator[list[Change]]:
        main = group.main
        if sentence.lemmas[main] == "be" or sentence.lower[main] in ("is", "are", "was", "were", "'s", "'re", "'m"):
            end = group.subject if group.subject is not None and group.subject > main else main
            last = group.negation if group.negation is not None and group.negation > main else end
            if sentence.deps[end] != "expl" and (end == main or sentence.deps[end].startswith("nsubj")):
                yield [_after(sentence, max(last, main) if end == main else main, "being")]
        elif going and sentence.tags[main] in ("VBD", "VBZ", "VBP"):
            form = verbs.be(sentence, group, past=sentence.tags[main] == "VBD")
            yield [_at(sentence, main, f"{form} {going}")]

    def _modal(self, sentence: Sentence, group: Group, going: str | None) -> Iterator[list[Change]]:
        """may appeal -> may be appealing; can be used -> can have been used; may have appealed -> may be appealing."""
        main, rest = group.main, [sentence.lower[i] for i in group.auxiliaries[1:]]
        if sentence.lower[main] == "be":
            yield [_at(sentence, main, "have been")]
        elif not rest and going:
            yield [_at(sentence, main, f"be {going}")]
        elif rest == ["be"]:
            yield [_at(sentence, group.auxiliaries[1], "have been")]
        elif rest == ["have"] and going:
            yield [_at(sentence, group.auxiliaries[1], "be"), _at(sentence, main, going)]
