"""Error spans as JSON: the ``.seg.rating`` files of mt-metrics-eval (MQM) and the span lists of ESA campaigns.

A rating line is ``system<TAB>{"errors": [{"start", "end", "category", "severity", "score", "is_source_error"}]}``, with
``None`` for an unseen segment, and optionally the rater's name in a third column. ESA lists (WMT24) have ``start_i`` and
``end_i``, the last marked character. An omission has ``"missing"`` there and becomes an empty span of the source. A span
with a ``text`` must have that text at its offsets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.errors import InputError, count, unknown
from assay.core.judged import Judgement
from assay.core.numbers import to_number
from assay.core.schema import shorten
from assay.core.spans import SEVERITIES, ErrorSpan, Side
from assay.io.documents import decode

Ratings = dict[str, list[Judgement | None]]
"""System to one judgement per segment; None for an unseen segment."""


def read_ratings(
    data: bytes, where: str, sources: Sequence[str], outputs: Mapping[str, Sequence[str]], rater: str = ""
) -> Ratings:
    """Return the ratings in one file; a judgement's score is the negated sum of its error scores, as in MQM score files."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 at byte {error.start:,}.") from error
    ratings: Ratings = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        system, *cells = line.split("\t")
        if system not in outputs:
            raise unknown("system", system, outputs, f"in {where} line {number}")
        row = ratings.setdefault(system, [])
        at = len(row)
        if not cells or at >= len(sources):
            problem = (
                "SYSTEM<TAB>JSON expected" if not cells else f"system {system!r} has more than {len(sources):,} ratings"
            )
            raise InputError(f"{where} line {number}: {problem}.")
        name = cells[1] if len(cells) > 1 else rater
        row.append(_judgement(cells[0], f"{where} line {number}", sources[at], outputs[system][at], name))
    for system, row in ratings.items():
        if len(row) != len(sources):
            raise InputError(f"{where}: system {system!r} has {count(len(row), 'rating')}, expected {len(sources):,}.")
    return ratings


def _judgement(text: str, where: str, source: str, output: str, rater: str) -> Judgement | None:
    if text == "None":
        return None
    if text == '{"errors": []}':
        return Judgement(-0.0, (), rater)
    try:
        read = decode(text)
    except ValueError as error:
        raise InputError(f"{where}: not a rating: {error}.") from error
    if not isinstance(read, dict) or "errors" not in read:
        raise InputError(f"{where}: not a rating: an object with the key 'errors' was expected, not {shorten(read)}.")
    spans = parse_spans(read["errors"], source, output, where)
    return Judgement(-sum(_weight(error.get("score"), where) for error in read["errors"]), spans, rater)


def _weight(score: object, where: str) -> float:
    number = to_number(score or 0.0)
    if number is None or not math.isfinite(number):
        raise InputError(f"{where}: not a rating: the score of an error is {shorten(score)}, not a finite number.")
    return number


def parse_spans(errors: Any, source: str, output: str, where: str) -> tuple[ErrorSpan, ...]:
    """Return the spans of one segment from a list of JSON objects; reject a span outside its text."""
    if not isinstance(errors, list):
        raise InputError(f"{where}: a list of error spans was expected, not {type(errors).__name__}.")
    return tuple(_span(error, source, output, where) for error in errors)


def _span(error: Any, source: str, output: str, where: str) -> ErrorSpan:
    if not isinstance(error, dict):
        raise InputError(f"{where}: an error span must be a JSON object, not {type(error).__name__}.")
    side: Side = "source" if error.get("is_source_error") or error.get("side") == "source" else "target"
    start, end = _ends(error)
    severity = str(error.get("severity") or "").lower()
    category = str(error.get("category") or error.get("error_type") or "")
    if severity not in SEVERITIES:
        raise InputError(f"{where}: severity {shorten(error.get('severity'))} is unknown. Use {', '.join(SEVERITIES)}.")
    if start == "missing" or end == "missing":
        return ErrorSpan.of(source, 0, 0, severity, category, "source")
    text = source if side == "source" else output
    if not (type(start) is int and type(end) is int):
        raise InputError(
            f"{where}: the start and end of a span must be whole numbers, not {shorten(start)} and {shorten(end)}."
        )
    if "end" not in error and end == len(text) + 1:
        end = len(text)  # the annotation tool allows the position after the last character
    if not 0 <= start <= end <= len(text):
        raise InputError(
            f"{where}: span {shorten(start)}:{shorten(end)} is outside the {side}, which has {len(text)} characters."
        )
    quoted = error.get("text")
    if isinstance(quoted, str) and quoted and quoted != text[start:end]:
        raise InputError(
            f"{where}: span {start}:{end} is {shorten(text[start:end])} in the {side}, but the file has "
            f"{shorten(quoted)}. Offsets count characters from 0, and the end is exclusive."
        )
    return ErrorSpan.of(text, start, end, severity, category, side, _confidence(error.get("confidence"), where))


def _ends(error: dict[str, Any]) -> tuple[Any, Any]:
    """Return the start of a span and the position after its last character."""
    start, end = error.get("start", error.get("start_i")), error.get("end", error.get("end_i"))
    return start, end + 1 if "end" not in error and type(end) is int else end


def _confidence(value: object, where: str) -> float | None:
    if value is None:
        return None
    number = to_number(value)
    if number is None or not 0 <= number <= 1:
        raise InputError(f"{where}: the confidence of a span is {shorten(value)}, not a number from 0 to 1.")
    return number
