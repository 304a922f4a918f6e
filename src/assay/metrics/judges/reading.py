"""Parser for a judge's answers: score and error spans of one translation, and the mean of several samples."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.errors import InputError
from assay.core.spans import ErrorSpan
from assay.io.judgements.answers import NamedError, named_errors, read_answer
from assay.io.judgements.prompts import Prompt
from assay.io.judgements.ratings import read_class, read_number, read_stars

_REFUSAL = re.compile(
    r"\W*(?:(?:i['’]m|i am) (?:(?:really |very |so )?sorry|unable|not able)|sorry\b|i (?:can ?not|can['’]t|won['’]t|will not)\b"
    r"|i must decline\b|as an ai\b|i apologi[sz]e)",
    re.IGNORECASE,
)
_WORST_FIRST = ("critical", "major", "minor", "neutral")


@dataclass(frozen=True, slots=True)
class JudgeReading:
    """Result of the answers in one sample. If they contain no score, `value` is NaN and `flags` state the reason."""

    value: float = math.nan
    spans: tuple[ErrorSpan, ...] = ()
    flags: frozenset[str] = frozenset()

    @property
    def scored(self) -> bool:
        """Whether the reading has a score."""
        return not math.isnan(self.value)


UNREADABLE = JudgeReading(flags=frozenset({"unreadable_answer"}))
REFUSED = JudgeReading(flags=frozenset({"refused_answer"}))


def rating(prompt: Prompt, answer: str, translation: str, source: str) -> JudgeReading:
    """Return the score in the answer to the prompt's last question, with the errors listed in that answer."""
    reading = _rating(prompt, answer, translation, source)
    return REFUSED if reading is UNREADABLE and _REFUSAL.match(answer) else reading


def _rating(prompt: Prompt, answer: str, translation: str, source: str) -> JudgeReading:
    if prompt.answer == "errors":
        try:
            value = points(prompt, named_errors(answer))
        except InputError:
            return UNREADABLE
        return replace(errors(answer, translation, source), value=value)
    low, high = prompt.low or 0.0, prompt.high or 0.0
    if prompt.answer == "classes":
        score = read_class(answer, prompt.classes)
    else:
        score = (read_stars if prompt.answer == "stars" else read_number)(answer, low, high)
    return UNREADABLE if score is None else JudgeReading(score)


def errors(answer: str, translation: str, source: str) -> JudgeReading:
    """Return the error spans in an answer. Flags mark quotes found in neither text, unparsed lines, and answers that name no
    errors.
    """
    try:
        errors_read = read_answer(answer, translation, source)
    except InputError:
        return JudgeReading(flags=frozenset({"unread_spans"}))
    flags = {"lost_span": any(errors_read.unlocated), "unread_lines": bool(errors_read.unread)}
    return JudgeReading(spans=errors_read.spans, flags=frozenset(flag for flag, raised in flags.items() if raised))


def points(prompt: Prompt, named: Sequence[NamedError]) -> float:
    """Return the penalty for the errors, worst first, down to the prompt's lowest score. Untranslated text counts as critical."""
    severities = ["critical" if "non-translation" in error.category else error.severity for error in named]
    counted = sorted(severities, key=_WORST_FIRST.index)[: prompt.most_errors]
    off = sum(prompt.points.get(severity, 0.0) for severity in counted)
    return max(-off, -math.inf if prompt.low is None else prompt.low) + 0.0


def combine_samples(samples: Sequence[JudgeReading]) -> tuple[JudgeReading, float]:
    """Combine several samples: the mean score, every error with the share of samples that name it, and the spread.

    The spread is the standard deviation of the scores; NaN if there are fewer than two.
    """
    if len(samples) == 1:
        return samples[0], math.nan
    values = [sample.value for sample in samples if sample.scored]
    mean = math.fsum(values) / len(values) if values else math.nan
    spread = math.nan
    if len(values) > 1:
        spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    named = Counter(span for sample in samples for span in set(sample.spans))
    spans = tuple(
        replace(span, confidence=times / len(samples))
        for span, times in sorted(named.items(), key=lambda found: (found[0].side, found[0].start, found[0].end))
    )
    return JudgeReading(mean, spans, frozenset().union(*(sample.flags for sample in samples))), spread
