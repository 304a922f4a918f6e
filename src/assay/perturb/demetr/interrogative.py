"""DEMETR 19: a statement becomes a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.elsewhere import japanese_verbs
from assay.perturb.demetr.rules import ParsedRule, in_languages, removed
from assay.perturb.language import verbs
from assay.perturb.language.confidence import confident
from assay.perturb.language.sentence import NAME_TYPES, Sentence
from assay.perturb.language.texts import capital
from assay.perturb.language.verbs import VerbGroup, word_of

if TYPE_CHECKING:
    import numpy as np

_FINAL = re.compile(r"[.!。…]*(?=[\"'”’»)\]]*\s*$)")


class Interrogative(ParsedRule):
    """The auxiliary (or a form of ``do``) moves before the subject, and a question mark ends the text."""

    most_places = 4
    card = card_of("interrogative")
    elsewhere = in_languages(ja=japanese_verbs.interrogative)

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Turn the last main clause with a subject."""
        if sentence.text.rstrip("\"'”’ ").endswith("?"):
            return Refused("already a question")
        main = [group for group in verbs.groups(sentence) if sentence.deps[group.main] == "ROOT"]
        for group in reversed(main):
            changes = self._turned(sentence, group, tools.get("inflection", "en"))
            if changes:
                mark = _FINAL.search(sentence.text)
                start, end = mark.span() if mark else (len(sentence.text), len(sentence.text))
                if any(change.end > start for change in changes):
                    continue
                made = Perturbed((*changes, Change(start, end, "?")), "a question")
                return confident(made, parse=verbs.parse_confidence(sentence, group))
        return Refused("no main clause with subject and finite verb")

    def _turned(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> tuple[Change, ...]:
        subject, finite = group.subject, group.finite
        if subject is None or sentence.deps[subject].startswith("csubj"):
            return ()
        if subject > finite:
            return self._said(sentence, group, inflection)
        first = sentence.edges[subject][0]
        helped = not group.simple or sentence.lemmas[group.main] == "be"
        fused = verbs.contracted(sentence, finite)
        if helped:
            auxiliary = word_of(sentence, finite) if not fused else sentence.span(finite, finite + 1).lower()
            last = finite + 1 if fused else finite
            leave = removed(sentence.text, sentence.starts[finite], sentence.ends[last], opens=False)
        else:
            auxiliary = verbs.do(sentence, group)
            lemma = verbs.lemma_of(sentence, finite, inflection)
            leave = Change(sentence.starts[finite], sentence.ends[finite], lemma)
            if sentence.span(finite, finite) == lemma:
                return self._fronted(sentence, first, auxiliary)
        fronted = self._fronted(sentence, first, auxiliary)
        return (*fronted, leave) if fronted and fronted[-1].end <= leave.start else ()

    def _fronted(self, sentence: Sentence, first: int, auxiliary: str) -> tuple[Change, ...]:
        """The auxiliary before token `first`, which hands its capital over where it opened the sentence."""
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
        kept = word[0] if keeps or any(letter.isupper() for letter in word[1:]) else word[0].lower()
        return (Change(start, start + 1, f"{capital(auxiliary)} {kept}"),)

    def _said(self, sentence: Sentence, group: VerbGroup, inflection: Any) -> tuple[Change, ...]:
        """``…, said the operator`` becomes ``…, did the operator say``."""
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
        """It ends as a question."""
        found = super().problems(segment, perturbed, language, tools)
        asked = perturbed.apply(segment.hypothesis).rstrip("\"'”’») ]")
        if not asked.endswith(("?", "か。")):
            found.append("no question mark at the end")
        return found
