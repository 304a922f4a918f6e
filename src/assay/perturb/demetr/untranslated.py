"""DEMETR 4: a word left in the source language.

Which source word belongs to which translated word is not known; the rule pairs words that occur together in the other segments
of the corpus, stand in about the same place, are about as common and may look alike, and draws from the likeliest pairs. The
larger the corpus, the better; where a pair is wrong, the text still has exactly one untranslated word in place of a translated
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.demetr.cards import demetr_card
from assay.perturb.demetr.rules import TextRule
from assay.perturb.language.texts import pick, spaceless

if TYPE_CHECKING:
    import numpy as np

Span = tuple[int, int]
Together = Callable[[str, Span, str, Span], float]

_COMMON = 5.7
"""Zipf frequency from which a word counts as grammar rather than content."""
_RARE = 1.0
_EVIDENCE = 5.0
_BEST = 0.2
"""The share of pairs, the likeliest ones, that one is drawn from."""


class UntranslatedWord(TextRule):
    """One content word of the translation is replaced by the source word it seems to come from."""

    card = demetr_card(
        4,
        name="untranslated-word",
        about="a word left in the source language: fighters manufactured by -> fighters produkowane by",
        category="accuracy/untranslated",
        needs=("words", "frequency"),
        wants=("source",),
        extra="make",
        manual=True,
    )

    def __init__(self) -> None:
        self._gathered: dict[str, Together] = {}

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Draw from the likeliest pairs of words."""
        source_language = (segment.langpair or "").rpartition("-")[0]
        if not source_language:
            return Refused("the source language is not known")
        together = self._together(source_language, language, segment.langpair or "", tools)
        source, text = segment.source or "", segment.hypothesis
        theirs = _content(source, source_language, tools)
        ours = _content(text, language, tools)
        lowered = text.lower()
        theirs = [entry for entry in theirs if source[entry[0][0] : entry[0][1]].lower() not in lowered]
        if not theirs or not ours:
            return Refused("no content word")
        scored = sorted(
            (_distance(source, theirs[j], text, ours[i]) - together(source, theirs[j][0], text, ours[i][0]), i, j)
            for i in range(len(ours))
            for j in range(len(theirs))
        )
        best: dict[int, int] = {}
        taken: set[int] = set()
        for _, i, j in scored:
            if i not in best and j not in taken:
                best[i] = j
                taken.add(j)
        likely = list(best)[: max(1, round(_BEST * len(best)))]
        i = pick(likely, rng)
        (start, end), (a, b) = ours[i][0], theirs[best[i]][0]
        return Perturbed((Change(start, end, source[a:b]),), f"{text[start:end]} -> {source[a:b]}")

    def _together(self, source_language: str, language: str, langpair: str, tools: Tools) -> Together:
        """The evidence of the other segments of this language pair, gathered once."""
        if langpair not in self._gathered:
            self._gathered[langpair] = gather(source_language, language, langpair, tools)
        return self._gathered[langpair]

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The new word stands in the source and did not stand in the translation."""
        found = super().problems(segment, perturbed, language, tools)
        word = perturbed.changes[0].text
        if word not in (segment.source or "") or word.lower() in segment.hypothesis.lower():
            found.append(f"{word!r} is not a word of the source alone")
        return found


def _content(text: str, language: str, tools: Tools) -> list[tuple[Span, float]]:
    """The content words with their frequencies: letters only, neither grammar nor too short to carry meaning."""
    spans = tools.get("words", language)(text)
    frequency: Any = tools.get("frequency", language)
    shortest = 1 if spaceless(language) else 3
    found = []
    for start, end in spans:
        word = text[start:end]
        if len(word) < shortest or any(character.isdigit() for character in word):
            continue
        zipf = frequency(word)
        if _RARE < zipf < _COMMON and not (word[0].isupper() and start and language != "de"):
            found.append(((start, end), zipf))
    return found


def _distance(source: str, theirs: tuple[Span, float], text: str, ours: tuple[Span, float]) -> float:
    """How unlikely two words are each other's translation, by place, frequency and looks."""
    (a, b), zipf = theirs
    (c, d), our_zipf = ours
    apart = abs((a + b) / (2 * len(source)) - (c + d) / (2 * len(text))) * 6
    pairs = enumerate(zip(source[a:b].lower(), text[c:d].lower(), strict=False))
    alike = next((i for i, (x, y) in pairs if x != y), min(b - a, d - c))
    return apart + abs(zipf - our_zipf) - (1.5 if alike > 2 else 0)


def gather(source_language: str, language: str, langpair: str, tools: Tools) -> Together:
    """How often content words of the two languages share a segment of the corpus, as a bonus of up to `_EVIDENCE`."""
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for other in tools.others():
        if other.langpair != langpair or not other.source:
            continue
        theirs = {other.source[a:b].lower() for (a, b), _ in _content(other.source, source_language, tools)}
        ours = {other.hypothesis[a:b].lower() for (a, b), _ in _content(other.hypothesis, language, tools)}
        first.update(theirs)
        second.update(ours)
        both.update((x, y) for x in theirs for y in ours)

    def bonus(source: str, theirs: Span, text: str, ours: Span) -> float:
        x, y = source[slice(*theirs)].lower(), text[slice(*ours)].lower()
        shared = both[x, y]
        return _EVIDENCE * 2 * shared / (first[x] + second[y]) if shared > 1 else 0.0

    return bonus
