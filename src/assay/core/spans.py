"""Error spans: where in a text an error stands, and how bad it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from assay.core.errors import InputError, listing

Side = Literal["source", "target"]
SEVERITIES = ("neutral", "minor", "major", "critical")
PENALTIES = {"minor": 1, "major": 5, "critical": 10}
"""Points that an error costs in the MQM score inferred from spans (Guerreiro et al. 2023, section 4.2.2)."""


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """Characters ``start`` to ``end`` of one side's text, with severity and category.

    ``text == side_text[start:end]`` always: build spans with `ErrorSpan.of`, which cuts the text itself.
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
        """The span of `side_text` from `start` to `end`; offsets outside the text are an error."""
        if not 0 <= start <= end <= len(side_text):
            raise InputError(f"span {start}:{end} lies outside its text of {len(side_text)} characters.")
        if severity not in SEVERITIES:
            raise InputError(f"severity {severity!r} is none of {', '.join(SEVERITIES)}.")
        return cls(side, start, end, severity, category, side_text[start:end], confidence)

    def fields(self) -> tuple[Side, int, int, str, str, str, float | None]:
        """What ``ErrorSpan(*fields)`` makes this span of again."""
        return (self.side, self.start, self.end, self.severity, self.category, self.text, self.confidence)


def marks_none(*metrics: str) -> str:
    """What is said where error spans are asked for and these metrics have none."""
    who = f"{listing(metrics)} {'marks' if len(metrics) == 1 else 'mark'}"
    return f"{who} no error spans. Use one that does: assay-mini, xcomet-xl, or a checkpoint of its class; judge-mqm."


def mqm(spans: Iterable[ErrorSpan]) -> float:
    """Guerreiro et al. 2023, equations 5 and 6: 1 without errors, less the penalties of 25 points; never below 0."""
    return (25 - min(25, sum(PENALTIES.get(span.severity, 0) for span in spans))) / 25
