"""Error spans: position, severity and category of errors in a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from assay.core.errors import InputError, listing

Side = Literal["source", "target"]
SEVERITIES = ("neutral", "minor", "major", "critical")
PENALTIES = {"minor": 1, "major": 5, "critical": 10}
"""Penalty points of an error in the MQM score inferred from spans (Guerreiro et al. 2023, section 4.2.2)."""


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """An error in characters ``start`` to ``end`` of one side's text, with severity and category.

    ``text`` always equals ``side_text[start:end]``. Create spans with `ErrorSpan.of`, which sets it.

    Example:
        ```python
        span = assay.ErrorSpan.of("Das Haus is rot.", 9, 11, "minor", "spelling")
        span.text  # "is"
        ```
    """

    side: Side
    start: int
    end: int
    severity: str
    category: str = ""
    text: str = ""
    confidence: float | None = None

    @classmethod
    def of(
        cls,
        side_text: str,
        start: int,
        end: int,
        severity: str,
        category: str = "",
        side: Side = "target",
        confidence: float | None = None,
    ) -> ErrorSpan:
        """Return the span from `start` to `end` of `side_text`.

        Args:
            side_text: The text that the error is in.
            start: Offset of the first character.
            end: Offset after the last character.
            severity: ``neutral``, ``minor``, ``major`` or ``critical``.
            category: The kind of error.
            side: ``target`` for the translation, ``source`` for the source.
            confidence: How certain the metric is, from 0 to 1.

        Raises:
            InputError: The offsets are outside the text, or the severity is unknown.
        """
        if not 0 <= start <= end <= len(side_text):
            raise InputError(f"span {start}:{end} is outside the text, which has {len(side_text)} characters.")
        if severity not in SEVERITIES:
            raise InputError(f"unknown severity {severity!r}. Available: {', '.join(SEVERITIES)}.")
        return cls(side, start, end, severity, category, side_text[start:end], confidence)

    def fields(self) -> tuple[Side, int, int, str, str, str, float | None]:
        """Return the arguments from which ``ErrorSpan(*fields)`` rebuilds this span."""
        return (self.side, self.start, self.end, self.severity, self.category, self.text, self.confidence)


def no_spans_message(*metrics: str) -> str:
    """Return the error message for metrics that do not mark error spans."""
    subject = f"{listing(metrics)} {'does' if len(metrics) == 1 else 'do'}"
    return f"{subject} not mark error spans. Use a metric that does: assay-mini, xcomet-xl, another xCOMET checkpoint or judge-mqm."


def mqm(spans: Iterable[ErrorSpan]) -> float:
    """Return the inferred MQM score (Guerreiro et al. 2023, equations 5 and 6): 1 without errors, 0 from 25 penalty points on."""
    return (25 - min(25, sum(PENALTIES.get(span.severity, 0) for span in spans))) / 25
