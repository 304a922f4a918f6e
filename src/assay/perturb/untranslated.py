"""Text left in the source language (DEMETR 4 and ACES section 5.9), and names that must not be translated (5.10).

`language/alignment.py` finds the source word of a translated word: both occur in the same segments of the pool or look alike,
and each is the other's best match in the sentence. If no pair is certain, DEMETR's rule takes the nearest pair by position and
frequency with a low confidence, which ``assay make`` refuses. The columns `source_word` and `target_word` name a pair directly.
"""

from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import SURE, Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.data import rows
from assay.perturb.cards import card_of, variant
from assay.perturb.demetr.rules import TextRule
from assay.perturb.language.alignment import READ, aligned, content_words
from assay.perturb.language.hash_ring import HashRing
from assay.perturb.language.texts import capital, like_case, reference_of, word_at

Span = tuple[int, int]


class UntranslatedWord(TextRule):
    """DEMETR 4: one content word of the translation replaced by its source word."""

    card = card_of("untranslated-word")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Draw one of the certain word pairs; if there is none, take the nearest of the others."""
        pair = segment.langpair or ""
        source_language = pair.rpartition("-")[0]
        if not source_language:
            return Refused("the source language is not known")
        source, text = segment.source or "", segment.hypothesis
        lowered = text.lower()
        theirs = [
            e for e in content_words(source, source_language, tools) if source[slice(*e[0])].lower() not in lowered
        ]
        ours = content_words(text, language, tools)
        if not theirs or not ours:
            return Refused("no content word")
        found = aligned(pair, tools).pairs(source, [span for span, _ in theirs], text, [span for span, _ in ours])
        sure = [entry for entry in found if entry[2] >= SURE]
        if sure:
            mine, other, confidence = HashRing(sure, lambda entry: text[slice(*entry[0])]).draw(rng)
        else:
            mine, other = _nearest(source, theirs, text, ours)
            confidence = next((value for a, b, value in found if (a, b) == (mine, other)), 0.1)
        new = source[slice(*other)]
        if not source[: other[0]].strip(" \"'“„«‘(-–—") and source_language != "de" and text[mine[0]].islower():
            new = new[:1].lower() + new[1:]
        elif text[mine[0]].isupper() and mine[0] == 0:
            new = capital(new)
        made = Perturbed((Change(*mine, new),), f"{text[slice(*mine)]} -> {new}")
        return made.with_confidence(alignment=confidence if pair in READ or confidence < SURE else SURE - 0.01)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the new word is in the source and was not in the translation."""
        found = super().problems(segment, perturbed, language, tools)
        word = perturbed.changes[0].text
        if word.lower() not in (segment.source or "").lower() or word.lower() in segment.hypothesis.lower():
            found.append(f"{word!r} is not only in the source")
        return found


def _nearest(
    source: str, theirs: list[tuple[Span, float]], text: str, ours: list[tuple[Span, float]]
) -> tuple[Span, Span]:
    """Return the translated word and the source word that are nearest in position and frequency."""

    def distance(mine: tuple[Span, float], other: tuple[Span, float]) -> float:
        apart = abs(sum(mine[0]) / (2 * len(text)) - sum(other[0]) / (2 * len(source)))
        return 6 * apart + abs(mine[1] - other[1])

    _, mine, other = min((distance(mine, other), mine[0], other[0]) for mine in ours for other in theirs)
    return mine, other


_LEAST = 0.3
"""The lowest confidence of a word pair that is used at all."""


class CopySource(Perturbation):
    """The source text in place of the translation."""

    card = card_of("copy-source")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        if not segment.source or not segment.source.strip():
            return Refused("no source")
        if segment.source.strip() in (segment.hypothesis.strip(), (reference_of(segment) or "").strip()):
            return Refused("source and translation are the same")
        return Perturbed((Change(0, len(segment.hypothesis), segment.source),), "source copied")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the incorrect text is the source."""
        found = super().problems(segment, perturbed, language, tools)
        return found if perturbed.incorrect(segment) == segment.source else [*found, "the text is not the source"]


class SourceWordKept(Perturbation):
    """One word of the translation replaced by its source word; `in_reference` tells whether the reference has the good word."""

    in_reference = True

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Put a source word in place of its translation."""
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
        target, word, sure = HashRing(found, lambda entry: entry[0]).draw(rng)
        start, end = word_at(text, target)[0]
        new = like_case(word, target) if start == 0 else word
        made = Perturbed((Change(start, end, new),), f"{target} -> {new}", {"old": target, "new": new})
        return made if sure == 1 else made.with_confidence(alignment=sure)

    def _pairs(self, segment: Segment, tools: Tools) -> list[tuple[str, str, float]]:
        """Return words of the translation with their source words and confidences; only certain pairs if there are any."""
        pair, source, text = segment.langpair or "", segment.source or "", segment.hypothesis
        languages = pair.rpartition("-")
        ours = [span for span, _ in content_words(text, languages[2], tools)]
        theirs = [span for span, _ in content_words(source, languages[0], tools)]
        found = [
            (text[slice(*mine)], source[slice(*other)], value if pair in READ else min(value, SURE - 0.01))
            for mine, other, value in aligned(pair, tools).pairs(source, theirs, text, ours)
        ]
        sure = [entry for entry in found if entry[2] >= SURE]
        return sure or [entry for entry in found if entry[2] > _LEAST]

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the new word is in the source."""
        found = super().problems(segment, perturbed, language, tools)
        if perturbed.changes[0].text.lower() not in (segment.source or "").lower():
            found.append("the word is not in the source")
        return found


UntranslatedVersusReference = variant(SourceWordKept, "untranslated-versus-reference", in_reference=True)
UntranslatedVersusSynonym = variant(SourceWordKept, "untranslated-versus-synonym", in_reference=False)


def _literal() -> dict[str, dict[str, str]]:
    names = rows("words/do_not_translate.tsv")
    return {row.pop("name"): {language: form for language, form in row.items() if form} for row in names}


LITERAL = _literal()
"""Names that should stay untranslated, with literal translations by language; assay's own list."""


class DoNotTranslate(Perturbation):
    """A literal translation of a name or title that should stay as in the source."""

    card = card_of("do-not-translate")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Use the columns `do_not_translate` and `translated`, or assay's list of names."""
        given = segment.meta.get("do_not_translate"), segment.meta.get("translated")
        if given[0] and given[1]:
            options = {given[0]: given[1]}
        else:
            options = {name: forms[language] for name, forms in LITERAL.items() if language in forms}
        source, text = segment.source or "", segment.hypothesis
        found = [(name, place) for name in sorted(options, key=len, reverse=True) for place in word_at(text, name)[:1]]
        found = [(name, place) for name, place in found if name in source]
        if not found:
            return Refused("no name that must stay untranslated (give the columns do_not_translate and translated)")
        name, (start, end) = found[0]
        return Perturbed(
            (Change(start, end, options[name]),), f"{name} -> {options[name]}", {"old": name, "new": options[name]}
        )

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the replaced text is in the source."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if segment.hypothesis[change.start : change.end] not in (segment.source or ""):
            found.append("the translated name is not in the source")
        return found
