"""Training records: a judged translation with its score on [0, 1] and its error spans.

Scores derived from MQM are mapped to [0, 1] by equation 6 of Guerreiro et al. (2023). Direct assessments are z-scores, centred
at 0 and unbounded. Min-max scaling between a practical minimum and maximum maps them to the same range (section 4.3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assay.core.errors import InputError
from assay.core.spans import ErrorSpan

TAGS = ("ok", "minor", "major", "critical")
"""Word-level classes in the order of the class weights (Listing 2)."""
CAP = 25.0
"""MQM penalty at which a translation's score reaches 0 (equation 6)."""


@dataclass(frozen=True, slots=True)
class Record:
    """One judged translation.

    `score` is on [0, 1] if `scale` is ``unit``, a z-score if it is ``z``, and NaN if there is none. `spans` is None if
    errors were not annotated, which differs from an annotation without errors. `unanimous` is the raw assessment (0 or
    100) if at least two annotators gave exactly that.
    """

    source: str
    hypothesis: str
    reference: str = ""
    score: float = math.nan
    spans: tuple[ErrorSpan, ...] | None = None
    langpair: str = ""
    origin: str = ""
    document: str = ""
    scale: Literal["unit", "z"] = "unit"
    unanimous: int | None = None

    def texts(self) -> dict[str, str]:
        """Return the texts by field, for the contamination guard."""
        return {"source": self.source, "reference": self.reference, "hypothesis": self.hypothesis}


@dataclass(frozen=True, slots=True)
class ZRange:
    """The z-scores that are mapped to 0 and to 1."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(f"z_range must be two finite numbers, the smaller first, not {self.low}, {self.high}.")

    def unit(self, z: float) -> float:
        """Map a z-score to [0, 1], and clip values outside the practical range."""
        return min(1.0, max(0.0, (z - self.low) / (self.high - self.low)))


WMT_RANGE = ZRange(-1.41, 0.98)
"""Default range, computed from newstest2020 (en-de, zh-en) and MLQE-PE, with 10 unanimous zeros and 910 unanimous hundreds."""


def practical_range(records: Iterable[Record]) -> ZRange | None:
    """Return the mean z-scores of translations that several annotators unanimously rated 0 and 100.

    This follows section 4.3 and BLEURT-20. Return None if the records have no unanimous 0 or no unanimous 100.
    """
    unanimous: dict[int, list[float]] = {0: [], 100: []}
    for record in records:
        if record.scale == "z" and record.unanimous in unanimous and math.isfinite(record.score):
            unanimous[record.unanimous].append(record.score)
    if not (unanimous[0] and unanimous[100]):
        return None
    low, high = (math.fsum(unanimous[raw]) / len(unanimous[raw]) for raw in (0, 100))
    return ZRange(low, high) if low < high else None


def scaled(records: Sequence[Record], z_range: ZRange) -> list[Record]:
    """Map all scores to [0, 1]."""
    return [
        replace(record, score=z_range.unit(record.score) if math.isfinite(record.score) else math.nan, scale="unit")
        if record.scale == "z"
        else record
        for record in records
    ]


def mqm_unit(penalty: float) -> float:
    """Return the score for a translation with this MQM penalty according to equation 6 (a penalty of 0 is perfect)."""
    return 1.0 - min(max(penalty, 0.0), CAP) / CAP


def tags(
    offsets: Sequence[tuple[int, int]], text: str, spans: Iterable[ErrorSpan], ignore: Sequence[int] = ()
) -> list[int]:
    """Return the class of every translation subword: the worst severity among the spans that overlap it.

    Whitespace that a tokenizer assigns to a subword does not count as overlap. An empty span marks the character at its start
    (the last one at the end of the text), as in `assay.stats.spans`. Tokens in `ignore` get -1.
    """
    marked = bytearray(len(text))
    for span in spans:
        if span.side != "target" or not text:
            continue
        start = min(span.start, len(text) - 1)
        level = TAGS.index(span.severity) if span.severity in TAGS else 0
        for position in range(start, max(span.end, start + 1)):
            marked[position] = max(marked[position], level)
    for position, character in enumerate(text):
        if character.isspace():
            marked[position] = 0
    skipped = set(ignore)
    return [
        -1 if position in skipped else max(marked[start:end], default=0)
        for position, (start, end) in enumerate(offsets)
    ]
