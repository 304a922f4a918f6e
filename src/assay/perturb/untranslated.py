"""Perturbations that leave words untranslated (DEMETR 4, ACES section 5.9) or translate names that should stay (5.10).

`language/alignment.py` finds the source word of a translated word. Both occur in the same segments of the pool or look alike,
and each is the other's best match in the sentence. If no pair is certain, DEMETR's rule takes the nearest pair by position and
frequency with a low confidence, which ``assay make`` refuses. The columns `source_word` and `target_word` name a pair directly.
"""

from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import SURE, Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.data import rows
from assay.perturb.cards import card_of, variant
from assay.perturb.demetr.rules import TextRule
from assay.perturb.language.alignment import READ, align_words, content_words
from assay.perturb.language.hash_ring import HashRing
from assay.perturb.language.texts import capitalise, find_word, first_reference, match_case, replace_span

Span = tuple[int, int]


class UntranslatedWord(TextRule):
    """Perturbation that replaces one content word with its source word (DEMETR 4)."""

    card = card_of("untranslated-word")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Draw one of the certain word pairs, or take the nearest of the others."""
        pair = segment.langpair or ""
        source_language = pair.rpartition("-")[0]
        if not source_language:
            return Refused("the source language is not known")
        source, text = segment.source or "", segment.hypothesis
        lowered = text.lower()
        source_words = [
            e for e in content_words(source, source_language, tools) if source[slice(*e[0])].lower() not in lowered
        ]
        target_words = content_words(text, language, tools)
        if not source_words or not target_words:
            return Refused("no content word")
        aligned_words = align_words(pair, tools).pairs(
            source, [span for span, _ in source_words], text, [span for span, _ in target_words]
        )
        certain = [entry for entry in aligned_words if entry[2] >= SURE]
        if certain:
            target_span, source_span, confidence = HashRing(certain, lambda entry: text[slice(*entry[0])]).draw(rng)
        else:
            target_span, source_span = _nearest(source, source_words, text, target_words)
            confidence = next((value for a, b, value in aligned_words if (a, b) == (target_span, source_span)), 0.1)
        new = source[slice(*source_span)]
        if (
            not source[: source_span[0]].strip(" \"'“„«‘(-–—")
            and source_language != "de"
            and text[target_span[0]].islower()
        ):
            new = new[:1].lower() + new[1:]
        elif text[target_span[0]].isupper() and target_span[0] == 0:
            new = capitalise(new)
        result = Perturbed((Change(*target_span, new),), f"{text[slice(*target_span)]} -> {new}")
        return result.with_confidence(alignment=confidence if pair in READ or confidence < SURE else SURE - 0.01)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the new word is in the source and was not in the translation."""
        problems = super().problems(segment, perturbed, language, tools)
        word = perturbed.changes[0].text
        if word.lower() not in (segment.source or "").lower() or word.lower() in segment.hypothesis.lower():
            problems.append(f"{word!r} is not only in the source")
        return problems


def _nearest(
    source: str, source_words: list[tuple[Span, float]], text: str, target_words: list[tuple[Span, float]]
) -> tuple[Span, Span]:
    """Return the translated word and the source word that are closest in position and frequency."""

    def distance(target_word: tuple[Span, float], source_word: tuple[Span, float]) -> float:
        apart = abs(sum(target_word[0]) / (2 * len(text)) - sum(source_word[0]) / (2 * len(source)))
        return 6 * apart + abs(target_word[1] - source_word[1])

    _, target_word, source_word = min(
        (distance(target_word, source_word), target_word[0], source_word[0])
        for target_word in target_words
        for source_word in source_words
    )
    return target_word, source_word


_LEAST = 0.3
"""Minimum confidence of a word pair that is used at all."""


class CopySource(Perturbation):
    """Perturbation that copies the source in place of the translation."""

    card = card_of("copy-source")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        if not segment.source or not segment.source.strip():
            return Refused("no source")
        if segment.source.strip() in (segment.hypothesis.strip(), (first_reference(segment) or "").strip()):
            return Refused("source and translation are the same")
        return Perturbed((Change(0, len(segment.hypothesis), segment.source),), "source copied")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the incorrect text is the same as the source."""
        problems = super().problems(segment, perturbed, language, tools)
        return problems if perturbed.incorrect(segment) == segment.source else [*problems, "the text is not the source"]


class SourceWordKept(Perturbation):
    """Perturbation that keeps one source word; `in_reference` requires the good word in the reference, or forbids it."""

    in_reference = True

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Put a source word in place of its translation."""
        reference, text = first_reference(segment) or "", segment.hypothesis
        from_columns = segment.meta.get("target_word"), segment.meta.get("source_word")
        if from_columns[0] and from_columns[1]:
            pairs = [(from_columns[0], from_columns[1], 1.0)]
        else:
            pairs = self._pairs(segment, tools)
            if not pairs:
                return Refused("no word whose source word is known (give the columns source_word and target_word)")
        fitting = [
            (target, word, confidence)
            for target, word, confidence in pairs
            if bool(find_word(reference, target)) == self.in_reference and word.lower() != target.lower()
        ]
        candidates = [entry for entry in fitting if find_word(text, entry[0])]
        if not candidates:
            return Refused("the reference has no such word" if self.in_reference else "the reference has the same word")
        target, word, confidence = HashRing(candidates, lambda entry: entry[0]).draw(rng)
        start, end = find_word(text, target)[0]
        new = match_case(word, target) if start == 0 else word
        result = replace_span(text, start, end, new)
        return result if confidence == 1 else result.with_confidence(alignment=confidence)

    def _pairs(self, segment: Segment, tools: Tools) -> list[tuple[str, str, float]]:
        """Return the translation's words with their source words and confidences; only certain pairs if there are any."""
        pair, source, text = segment.langpair or "", segment.source or "", segment.hypothesis
        languages = pair.rpartition("-")
        target_spans = [span for span, _ in content_words(text, languages[2], tools)]
        source_spans = [span for span, _ in content_words(source, languages[0], tools)]
        word_pairs = [
            (text[slice(*target_span)], source[slice(*source_span)], value if pair in READ else min(value, SURE - 0.01))
            for target_span, source_span, value in align_words(pair, tools).pairs(
                source, source_spans, text, target_spans
            )
        ]
        certain = [entry for entry in word_pairs if entry[2] >= SURE]
        return certain or [entry for entry in word_pairs if entry[2] > _LEAST]

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the new word is in the source."""
        problems = super().problems(segment, perturbed, language, tools)
        if perturbed.changes[0].text.lower() not in (segment.source or "").lower():
            problems.append("the word is not in the source")
        return problems


UntranslatedVersusReference = variant(SourceWordKept, "untranslated-versus-reference", in_reference=True)
UntranslatedVersusSynonym = variant(SourceWordKept, "untranslated-versus-synonym", in_reference=False)


def _literal() -> dict[str, dict[str, str]]:
    names = rows("words/do_not_translate.tsv")
    return {row.pop("name"): {language: form for language, form in row.items() if form} for row in names}


LITERAL = _literal()
"""Names that should stay untranslated, with literal translations by language (built-in list)."""


class DoNotTranslate(Perturbation):
    """Perturbation that translates a name or title literally that should stay as in the source."""

    card = card_of("do-not-translate")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Use the columns `do_not_translate` and `translated`, or the built-in list of names."""
        from_columns = segment.meta.get("do_not_translate"), segment.meta.get("translated")
        if from_columns[0] and from_columns[1]:
            options = {from_columns[0]: from_columns[1]}
        else:
            options = {name: forms[language] for name, forms in LITERAL.items() if language in forms}
        source, text = segment.source or "", segment.hypothesis
        matches = [
            (name, span) for name in sorted(options, key=len, reverse=True) for span in find_word(text, name)[:1]
        ]
        matches = [(name, span) for name, span in matches if name in source]
        if not matches:
            return Refused("no name that must stay untranslated (give the columns do_not_translate and translated)")
        name, span = matches[0]
        return replace_span(text, *span, options[name])

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the replaced text is in the source."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if segment.hypothesis[change.start : change.end] not in (segment.source or ""):
            problems.append("the translated name is not in the source")
        return problems
