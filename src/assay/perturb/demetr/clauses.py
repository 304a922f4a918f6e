"""Perturbations of main clauses: negated or affirmed (DEMETR 8), or turned into a question (19)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr import japanese_verbs, russian_forms
from assay.perturb.demetr.rules import ParsedRule, in_languages, remove_span
from assay.perturb.demetr.verbs import VerbRule, change_token, to_perturbed
from assay.perturb.language import verbs
from assay.perturb.language.sentence import NAME_TYPES, Sentence
from assay.perturb.language.texts import base_language, capitalise, match_case
from assay.perturb.language.verbs import VerbGroup, word_of

_NOT = ("not", "n't", "n’t", "never")
_DENYING = frozenset(word_list("negations"))


class Negation(VerbRule):
    """Perturbation that negates an affirmative main clause, or affirms a negative one (DEMETR 8)."""

    card = card_of("negation")
    other_languages = in_languages(ru=russian_forms.negation, ja=japanese_verbs.negation)

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Change a main clause, or else a command (Do not …)."""
        result = super().change(sentence, rng, tools)
        if isinstance(result, Perturbed):
            return result
        for i in sentence.roots:
            if sentence.tags[i] == "VB" and sentence.child(i, "nsubj", "aux", "neg") is None:
                new = match_case("do", sentence.words[i]) + f" not {sentence.lower[i]}"
                order = to_perturbed(sentence, [Change(sentence.starts[i], sentence.ends[i], new)])
                if order:
                    return order
        return result

    def options(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> Iterator[list[Change]]:
        """Yield at most one change per verb group."""
        if group.negation is not None and sentence.lower[group.negation] in _NOT:
            yield self._affirm(sentence, group, inflection)
            return
        below = (i for child in sentence.children[group.main] for i in sentence.children[child])
        no = next((i for i in below if sentence.lower[i] == "no"), None)
        if _has_negation(sentence, group) and no is None:
            return
        if no is not None and (sentence.deps[no] != "det" or sentence.lower[no + 1 : no + 2] == ["one"]):
            return
        if no is not None and no > group.finite:
            yield [change_token(sentence, no, "some")]
        elif not group.simple or sentence.lemmas[group.main] == "be":
            inverted = group.subject is not None and group.finite < group.subject < group.main
            last = _subject_end(sentence, group) if inverted else group.finite
            fused = sentence.lower[last] == "can"
            yield [Change(sentence.ends[last], sentence.ends[last], "not" if fused else " not")]
        elif sentence.tags[group.main] in verbs.INFLECTED:
            lemma = verbs.lemma_of(sentence, group.main, inflection)
            yield [change_token(sentence, group.main, f"{verbs.do(sentence, group)} not {lemma}")]

    def _affirm(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> list[Change]:
        negation, finite = group.negation, group.finite
        assert negation is not None
        word = word_of(sentence, finite)
        fused = sentence.starts[negation] == sentence.ends[finite]
        helped = word in ("do", "does", "did") and not group.simple
        if helped and (negation, group.main) == (finite + 1, finite + 2):
            lemma = verbs.lemma_of(sentence, group.main, inflection)
            inflect = verbs.past if word == "did" else verbs.present
            form = inflect(sentence, group, lemma, inflection)
            new = match_case(form or lemma, sentence.words[finite])
            return [Change(sentence.starts[finite], sentence.ends[group.main], new)]
        if fused:
            return [Change(sentence.starts[finite], sentence.ends[negation], match_case(word, sentence.words[finite]))]
        return [remove_span(sentence.text, sentence.starts[negation], sentence.ends[negation])]

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the number of negations changed by one."""
        problems = super().problems(segment, perturbed, language, tools)
        good, bad = segment.hypothesis, perturbed.apply(segment.hypothesis)
        if abs(_negations(good, language) - _negations(bad, language)) != 1:
            problems.append("the number of negations did not change by one")
        return problems


def _has_negation(sentence: Sentence, group: VerbGroup) -> bool:
    """Return whether a clause already contains a negative word: *there is neither*, *nobody came*."""
    below = [i for child in (group.main, *sentence.children[group.main]) for i in (child, *sentence.children[child])]
    return any(sentence.lower[i] in _DENYING for i in below)


_COUNTED = {"ru": re.compile(r"\bне\b", re.I), "ja": re.compile("ない|なかった|ません")}


def _negations(text: str, language: str) -> int:
    if (counted := _COUNTED.get(base_language(language))) is not None:
        return len(counted.findall(text))
    words = text.lower().replace("n't", " not").replace("n’t", " not").replace("cannot", "can not").split()
    return sum(word.strip("\"'.,;:!?()“”") in ("not", "never", "no") for word in words)


def _subject_end(sentence: Sentence, group: VerbGroup) -> int:
    """Return the last token of an inverted subject."""
    assert group.subject is not None
    return min(sentence.edges[group.subject][1], group.main - 1)


_FINAL = re.compile(r"[.!。…]*(?=[\"'”’»)\]]*\s*$)")


class Interrogative(ParsedRule):
    """Perturbation that turns a statement into a question (DEMETR 19).

    The auxiliary (or a form of ``do``) moves before the subject, and a question mark ends the text.
    """

    most_places = 4
    card = card_of("interrogative")
    other_languages = in_languages(ja=japanese_verbs.interrogative)

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Change the last main clause with a subject."""
        if sentence.text.rstrip("\"'”’ ").endswith("?"):
            return Refused("already a question")
        main = [group for group in verbs.groups(sentence) if sentence.deps[group.main] == "ROOT"]
        for group in reversed(main):
            changes = self._turn(sentence, group, tools.get("inflection", "en"))
            if changes:
                mark = _FINAL.search(sentence.text)
                start, end = mark.span() if mark else (len(sentence.text), len(sentence.text))
                if any(change.end > start for change in changes):
                    continue
                result = Perturbed((*changes, Change(start, end, "?")), "a question")
                return result.with_confidence(parse=verbs.parse_confidence(sentence, group))
        return Refused("no main clause with subject and finite verb")

    def _turn(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> tuple[Change, ...]:
        subject, finite = group.subject, group.finite
        if subject is None or sentence.deps[subject].startswith("csubj"):
            return ()
        if subject > finite:
            return self._invert_reporting_clause(sentence, group, inflection)
        first = sentence.edges[subject][0]
        helped = not group.simple or sentence.lemmas[group.main] == "be"
        fused = verbs.contracted(sentence, finite)
        if helped:
            auxiliary = word_of(sentence, finite) if not fused else sentence.span(finite, finite + 1).lower()
            last = finite + 1 if fused else finite
            leave = remove_span(sentence.text, sentence.starts[finite], sentence.ends[last], opens=False)
        else:
            auxiliary = verbs.do(sentence, group)
            lemma = verbs.lemma_of(sentence, finite, inflection)
            leave = Change(sentence.starts[finite], sentence.ends[finite], lemma)
            if sentence.span(finite, finite) == lemma:
                return self._front(sentence, first, auxiliary)
        fronted = self._front(sentence, first, auxiliary)
        return (*fronted, leave) if fronted and fronted[-1].end <= leave.start else ()

    def _front(self, sentence: Sentence, first: int, auxiliary: str) -> tuple[Change, ...]:
        """Move the auxiliary before token `first`, with the capital if that token opens the sentence."""
        start, word = sentence.starts[first], sentence.words[first]
        opens = first in sentence.firsts or not sentence.text[:start].strip("\"'“‘( ")
        if not (opens and word[:1].isupper()):
            return (Change(start, start, auxiliary + " "),)
        keeps = (
            word == "I"
            or (sentence.named[first] in NAME_TYPES and word.lower() != "the")
            or sentence.tags[first].startswith("NNP")
            or (sentence.tags[first] == "NN" and sentence.deps[first].startswith("nsubj") and first + 1 < len(sentence))
        )
        uncapitalised = word[0] if keeps or any(letter.isupper() for letter in word[1:]) else word[0].lower()
        return (Change(start, start + 1, f"{capitalise(auxiliary)} {uncapitalised}"),)

    def _invert_reporting_clause(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> tuple[Change, ...]:
        """Turn ``…, said the operator`` into ``…, did the operator say``."""
        if not group.simple or sentence.tags[group.finite] not in verbs.INFLECTED or group.subject is None:
            return ()
        if sentence.lemmas[group.main] == "be" or sentence.deps[group.subject] == "expl":
            return ()
        end = sentence.ends[group.subject]
        lemma = verbs.lemma_of(sentence, group.finite, inflection)
        return (
            Change(sentence.starts[group.finite], sentence.ends[group.finite], verbs.do(sentence, group)),
            Change(end, end, f" {lemma}"),
        )

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the text ends as a question."""
        problems = super().problems(segment, perturbed, language, tools)
        ends_as_question = perturbed.apply(segment.hypothesis).rstrip("\"'”’») ]")
        if not ends_as_question.endswith(("?", "か。")):
            problems.append("no question mark at the end")
        return problems
