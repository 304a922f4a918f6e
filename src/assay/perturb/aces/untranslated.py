"""Text left in the source language (ACES section 5.9) and names that must not be translated (5.10).

A whole sentence is copied. A word is copied where it is known which source word it translates: from the columns
`source_word` and `target_word`, or by what the pool shows of the two words (`alignment`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Tools
from assay.data import rows
from assay.perturb.cards import card_of
from assay.perturb.language.alignment import READ, WordAlignment, aligned, content_words
from assay.perturb.language.confidence import SURE, confident
from assay.perturb.language.ring import Ring
from assay.perturb.language.texts import like_case, reference_of, word_at

if TYPE_CHECKING:
    import numpy as np

_LEAST = 0.3
"""The confidence from which a pair of words is offered at all."""


class CopySource(Perturbation):
    """The source in place of the translation."""

    card = card_of("copy-source")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Replace everything by the source."""
        if not segment.source or not segment.source.strip():
            return Refused("no source")
        if segment.source.strip() in (segment.hypothesis.strip(), (reference_of(segment) or "").strip()):
            return Refused("source and translation are the same")
        return Perturbed((Change(0, len(segment.hypothesis), segment.source),), "source copied")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The incorrect text is the source."""
        found = super().problems(segment, perturbed, language, tools)
        return found if perturbed.incorrect(segment) == segment.source else [*found, "the text is not the source"]


class SourceWordKept(Perturbation):
    """One word of the translation replaced by the source word; `in_reference` says whether the reference has the good word."""

    in_reference = True

    def __init__(self) -> None:
        self._known: dict[str, WordAlignment] = {}

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Copy a source word over its translation."""
        reference, text = reference_of(segment) or "", segment.hypothesis
        given = segment.meta.get("target_word"), segment.meta.get("source_word")
        if given[0] and given[1]:
            pairs = [(given[0], given[1], 1.0)]
        else:
            pairs = self._pairs(segment, tools)
            if not pairs:
                return Refused("no word whose source word is known (give the columns source_word and target_word)")
        fitting = [
            (target, word, sure)
            for target, word, sure in pairs
            if bool(word_at(reference, target)) == self.in_reference and word.lower() != target.lower()
        ]
        found = [entry for entry in fitting if word_at(text, entry[0])]
        if not found:
            return Refused("the reference has no such word" if self.in_reference else "the reference has the same word")
        target, word, sure = Ring(found, lambda entry: entry[0]).draw(rng)
        start, end = word_at(text, target)[0]
        new = like_case(word, target) if start == 0 else word
        made = Perturbed((Change(start, end, new),), f"{target} -> {new}", {"old": target, "new": new})
        return made if sure == 1 else confident(made, alignment=sure)

    def _pairs(self, segment: Segment, tools: Tools) -> list[tuple[str, str, float]]:
        """Words of the translation with their source words; only those that are sure, where there are any."""
        pair, source, text = segment.langpair or "", segment.source or "", segment.hypothesis
        if pair not in self._known:
            self._known[pair] = aligned(pair, tools)
        languages = pair.rpartition("-")
        ours = [span for span, _ in content_words(text, languages[2], tools)]
        theirs = [span for span, _ in content_words(source, languages[0], tools)]
        found = [
            (text[slice(*mine)], source[slice(*other)], value if pair in READ else min(value, SURE - 0.01))
            for mine, other, value in self._known[pair].pairs(source, theirs, text, ours)
        ]
        sure = [entry for entry in found if entry[2] >= SURE]
        return sure or [entry for entry in found if entry[2] > _LEAST]

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """What was put in stands in the source."""
        found = super().problems(segment, perturbed, language, tools)
        if perturbed.changes[0].text.lower() not in (segment.source or "").lower():
            found.append("the word does not stand in the source")
        return found


class UntranslatedVersusReference(SourceWordKept):
    """The good translation has the reference's word."""

    card = card_of("untranslated-versus-reference")
    in_reference = True


class UntranslatedVersusSynonym(SourceWordKept):
    """The good translation has another word than the reference."""

    card = card_of("untranslated-versus-synonym")
    in_reference = False


def _literal() -> dict[str, dict[str, str]]:
    names = rows("words/do_not_translate.tsv")
    return {row.pop("name"): {language: form for language, form in row.items() if form} for row in names}


LITERAL = _literal()
"""Names that stay as they are, and what they would be if somebody translated them; ours."""


class DoNotTranslate(Perturbation):
    """A name or title of the source, rightly copied, translated word for word."""

    card = card_of("do-not-translate")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """From the columns `do_not_translate` and `translated`, or from our list of names."""
        given = segment.meta.get("do_not_translate"), segment.meta.get("translated")
        if given[0] and given[1]:
            options = {given[0]: given[1]}
        else:
            options = {name: forms[language] for name, forms in LITERAL.items() if language in forms}
        source, text = segment.source or "", segment.hypothesis
        found = [(name, place) for name in sorted(options, key=len, reverse=True) for place in word_at(text, name)[:1]]
        found = [(name, place) for name, place in found if name in source]
        if not found:
            return Refused("no name that must stay (give the columns do_not_translate and translated)")
        name, (start, end) = found[0]
        return Perturbed(
            (Change(start, end, options[name]),), f"{name} -> {options[name]}", {"old": name, "new": options[name]}
        )

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """What was replaced stands in the source as it was."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if segment.hypothesis[change.start : change.end] not in (segment.source or ""):
            found.append("what was translated does not stand in the source")
        return found
