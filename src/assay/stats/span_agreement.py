"""Span agreement (EM, MP, MPP, WMT25): precision, recall and F of predicted error spans against reference spans.

The variants are those of span-mt-metrics-eval (arXiv 2603.19921), named MEASURE/MATCHING/AVERAGE/SEVERITY:

- measure: ``EM`` (same start and end), ``MP`` (any overlap), ``MPP`` (share of each span that is covered), ``WMT25`` (characters);
- matching: ``one_to_one-optimal``, ``one_to_one-greedy`` or ``many_to_many``;
- average: ``micro`` adds credits over segments, ``macro`` averages precision, recall and F of segments;
- severity: ``penalty=X`` (a pair of different severities earns 1 - X) or, for MPP, ``weights=NAME``.

>>> span_agreement([[(0, 4, "target", "major")]], [[(2, 6, "target", "major")]], "MPP/one_to_one-optimal/micro/penalty=0")
(0.5, 0.5, 0.5)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError, listing
from assay.kernels import _native

if TYPE_CHECKING:
    from numpy.typing import NDArray

Span = tuple[int, int, str, str] | Sequence[int | str]
"""Start, end (code points, half open), side (source or target) and severity."""

MEASURES = ("EM", "MP", "MPP", "WMT25")
MATCHINGS = ("one_to_one-optimal", "one_to_one-greedy", "many_to_many")
AVERAGES = ("micro", "macro")
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "w1": {"minor": 0.2, "major": 1.0, "critical": 1.0},
    "w2": {"minor": 1.0, "major": 5.0, "critical": 10.0},
}
"""Named severity weights: those of the span-mt-metrics-eval paper."""


@dataclass(frozen=True)
class SpanVariant:
    """One variant of span agreement: which spans count as a match, and how credits are averaged."""

    measure: str
    matching: str
    average: str
    penalty: float = 0.0
    weights: str | None = None

    @classmethod
    def parse(cls, name: str) -> SpanVariant:
        """Parse a name such as ``MPP/one_to_one-optimal/micro/penalty=0.5``."""
        parts = name.split("/")
        if len(parts) != 4:
            raise InputError(f"span statistic {name!r}: expected MEASURE/MATCHING/AVERAGE/SEVERITY, four parts.")
        measure, matching, average, severity = parts
        for part, choices in ((measure, MEASURES), (matching, MATCHINGS), (average, AVERAGES)):
            if part not in choices:
                raise InputError(f"span statistic {name!r}: {part!r} is not one of {listing(choices)}.")
        option, _, value = severity.partition("=")
        if option == "weights" and value in WEIGHTS:
            if measure != "MPP":
                raise InputError(f"span statistic {name!r}: weights are defined for MPP only. Use penalty=X.")
            return cls(measure, matching, average, weights=value)
        if option == "penalty":
            try:
                penalty = float(value)
            except ValueError:
                penalty = -1.0
            if 0 <= penalty <= 1:
                return cls(measure, matching, average, penalty)
        raise InputError(
            f"span statistic {name!r}: {severity!r} is not penalty=X (X from 0 to 1) or weights={'|'.join(WEIGHTS)}."
        )


def span_agreement(
    predictions: Sequence[Sequence[Span]], references: Sequence[Sequence[Span]], variant: str
) -> tuple[float, float, float]:
    """Return precision, recall and F of predicted spans.

    Args:
        predictions: The predicted spans of each segment: (start, end, side, severity).
        references: The reference spans of the same segments.
        variant: The name of the statistic, ``MEASURE/MATCHING/AVERAGE/SEVERITY``.

    Returns:
        Precision, recall and F. A side without spans has a ratio of 1, so a segment without any span scores 1.

    Raises:
        InputError: The variant is unknown, the numbers of segments differ, or a span is empty or malformed.
    """
    parsed = SpanVariant.parse(variant)
    return averaged(segment_credits(predictions, references, parsed), parsed.average)


def segment_credits(
    predictions: Sequence[Sequence[Span]], references: Sequence[Sequence[Span]], variant: SpanVariant
) -> NDArray[np.float64]:
    """Return one row per segment: credit and total for the predictions, credit and total for the references."""
    if len(predictions) != len(references):
        raise InputError(
            f"{len(predictions):,} segments have predicted spans and {len(references):,} have reference spans; "
            "they must match."
        )
    weights = WEIGHTS[variant.weights] if variant.weights else None
    try:
        return _native.span_credits(
            predictions, references, variant.measure, variant.matching, variant.penalty, dict(weights or {})
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(str(error)) from None


def averaged(credits: NDArray[np.float64], average: str) -> tuple[float, float, float]:
    """Return precision, recall and F computed from rows of credits, as a micro or macro average."""
    if average == "micro":
        whole = ratios(credits.sum(axis=0)[None])
        return float(whole[0, 0]), float(whole[0, 1]), float(whole[0, 2])
    means = ratios(credits).mean(axis=0) if len(credits) else np.array([1.0, 1.0, 1.0])
    return float(means[0]), float(means[1]), float(means[2])


def ratios(credits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return precision, recall and F for each row of credits; a total of 0 gives a ratio of 1."""
    out = np.ones((len(credits), 3))
    for side in (0, 1):
        total = credits[:, 2 * side + 1]
        np.divide(credits[:, 2 * side], total, out=out[:, side], where=total > 0)
    added = out[:, 0] + out[:, 1]
    out[:, 2] = 0.0
    np.divide(2 * out[:, 0] * out[:, 1], added, out=out[:, 2], where=added > 0)
    return out
