"""Google's MQM files: one error per line, its span marked with ``<v>`` and ``</v>`` in the target or the source.

The columns are system, doc, doc_id, seg_id, rater, source, target, category, severity and optionally a comment. The 2020
files passed through a spreadsheet, which doubled the quotes. Some raters typed a correction into the target, so one segment
may have several texts. The most frequent text among raters counts as the translation, and spans in the other texts are mapped to
it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import count
from assay.core.judged import Judgement
from assay.core.spans import SEVERITIES, ErrorSpan, Side
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import read_fields
from assay.io.table.quoting import strip_leftover_quotes
from assay.io.table.vocabulary import Wanted, assign

WANTED = Wanted(
    {
        "system": ("system",),
        "doc": ("document",),
        "doc_id": ("document id",),
        "seg_id": ("segment id",),
        "rater": ("rater",),
        "source": ("source",),
        "target": ("target",),
        "category": ("category",),
        "severity": ("severity",),
    },
    required=("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"),
    missing="{file} line 1: no column {names}. It has {listing}.",
)
NO_ERROR, PLANTED = "no-error", "hotw-test"
CATEGORIES = (
    "Accuracy/Mistranslation", "Accuracy/Omission", "Accuracy/Addition", "Accuracy/Untranslated text",
    "Accuracy/Creative reinterpretation",
    "Fluency/Grammar", "Fluency/Spelling", "Fluency/Punctuation", "Fluency/Register", "Fluency/Inconsistency",
    "Fluency/Character encoding",
    "Terminology/Inappropriate for context", "Terminology/Inconsistent",
    "Style/Awkward", "Style/Bad sentence structure",
    "Locale convention/Address format", "Locale convention/Currency format", "Locale convention/Date format",
    "Locale convention/Name format", "Locale convention/Telephone format", "Locale convention/Time format",
    "Non-translation!", "Source issue", "Other",
)  # fmt: skip
"""The categories that annotators choose from: those of the WMT campaigns (Freitag et al. 2021, Table 10, and the later
guidelines). Readers accept any other."""
_TAG = re.compile(r"</?v>")


@dataclass(frozen=True)
class Weights:
    """Error weights (Freitag et al. 2021, Table 1); `critical` is Unbabel's severity (Guerreiro et al. 2023)."""

    neutral: float = 0.0
    minor: float = 1.0
    major: float = 5.0
    critical: float = 10.0
    punctuation: float = 0.1
    """A minor error of Fluency/Punctuation."""
    non_translation: float = 25.0
    """A major Non-translation!"""

    def of(self, severity: str, category: str) -> float:
        if severity == "minor" and category.lower() == "fluency/punctuation":
            return self.punctuation
        if severity == "major" and category.lower().startswith("non-translation"):
            return self.non_translation
        return float(getattr(self, severity))


GOOGLE = Weights()


@dataclass(frozen=True)
class MqmSegment:
    """One system's translation of one segment, with every rater's judgement.

    `texts` counts the different targets in the file; `settled` is whether one of them has more raters than any other.
    """

    system: str
    document: str
    position: str
    segment: str
    source: str
    target: str
    judgements: tuple[Judgement, ...]
    texts: int = 1
    settled: bool = True

    @property
    def score(self) -> float:
        """Return negated MQM: the sum of error weights, averaged over raters."""
        return -sum(-(judgement.score or 0.0) for judgement in self.judgements) / len(self.judgements)


@dataclass(frozen=True)
class _Error:
    rater: str
    source: str
    target: str
    severity: str
    category: str
    side: Side | None
    start: int = 0
    end: int = 0


def read_mqm(path: Path, weights: Weights = GOOGLE, *, skip_bad: bool = False) -> list[MqmSegment]:
    """Return every judged segment in a file, in order of first appearance."""
    bad = BadRows(skip_bad)
    cells = list(_rows(path, bad))
    doubled = _all_quotes_doubled(row[5] for _, row in cells)
    segments: dict[tuple[str, str, str, str], list[_Error]] = {}
    for line, (system, document, position, segment, rater, source, target, category, severity) in cells:
        if severity.lower() == PLANTED:
            continue
        error = _error(rater, source, target, severity, category, doubled)
        if error is None:
            bad(path, line, f"severity {severity!r} is unknown. Use {', '.join(SEVERITIES)} or no-error.")
            continue
        key = (system, document, position, segment if segment != "-1" else f"{document}:{position}")
        segments.setdefault(key, []).append(error)
    return [_segment(*key, errors, weights) for key, errors in segments.items()]


def _rows(path: Path, bad: BadRows) -> Iterator[tuple[int, list[str]]]:
    """Yield numbered rows with the nine columns in the standard order; the comment after them may be missing."""
    rows = read_fields(path, bad, quoting="none")
    _, header = next(rows, (0, []))
    places = assign(header, WANTED, None, str(path)).places
    at = [places[name] for name in WANTED.required]
    for line, row in rows:
        if len(row) <= max(at) or len(row) > len(header):
            bad(path, line, f"{count(len(row), 'column')}, but the header has {len(header)}.")
            continue
        yield line, [row[index] for index in at]


def _all_quotes_doubled(sources: Iterable[str]) -> bool:
    """Return whether the column contains quotation marks and all of them are doubled."""
    seen = False
    for source in sources:
        if '"' in source:
            seen = True
            if '"' in source.replace('""', ""):
                return False
    return seen


def _error(rater: str, source: str, target: str, severity: str, category: str, doubled: bool) -> _Error | None:
    level = severity.lower()
    plain_source, source_span = _clean_text(source, doubled)
    plain_target, target_span = _clean_text(target, False)
    if level == NO_ERROR:
        return _Error(rater, plain_source, plain_target, level, category, None)
    if level not in SEVERITIES:
        return None
    side: Side = "source" if target_span is None and source_span is not None else "target"
    start, end = (source_span if side == "source" else target_span) or (0, 0)
    marked = target_span is not None or source_span is not None
    return _Error(rater, plain_source, plain_target, level, category, side if marked else None, start, end)


def _clean_text(text: str, doubled: bool) -> tuple[str, tuple[int, int] | None]:
    """Strip span tags and leftover quotes; return the text and the range of the marked characters."""
    plain, span = without_tags(text)
    if '""' not in plain:
        return plain, span
    clean = plain.replace('""', '"') if doubled else strip_leftover_quotes(plain)
    if span is None or clean == plain:
        return clean, span
    # Unquoting the text before an offset gives the new offset; a wrapped text loses its first quote.
    cut = 0 if doubled else 1
    start, end = (min(len(clean), len(plain[cut:offset].replace('""', '"'))) for offset in span)
    return clean, (start, end)


def without_tags(text: str) -> tuple[str, tuple[int, int] | None]:
    """Strip span tags; return the text and the range of the marked characters. An unclosed span extends to the end."""
    start = text.find("<v>")
    plain = _TAG.sub("", text)
    if start < 0:
        return plain, None
    close = text.find("</v>", start)
    begin = len(_TAG.sub("", text[:start]))
    return plain, (begin, len(plain) if close < 0 else len(_TAG.sub("", text[:close])))


def _segment(
    system: str, document: str, position: str, segment: str, errors: Sequence[_Error], weights: Weights
) -> MqmSegment:
    source, _ = _majority_text([(error.rater, error.source) for error in errors])
    target, settled = _majority_text([(error.rater, error.target) for error in errors])
    judgements = []
    for rater in dict.fromkeys(error.rater for error in errors):
        own = [error for error in errors if error.rater == rater]
        spans = tuple(span for error in own if (span := _span(error, source, target)) is not None)
        score = -sum(weights.of(error.severity, error.category) for error in own if error.severity != NO_ERROR)
        judgements.append(Judgement(score, spans, rater))
    texts = len({error.target for error in errors})
    return MqmSegment(system, document, position, segment, source, target, tuple(judgements), texts, settled)


def _majority_text(shown: Sequence[tuple[str, str]]) -> tuple[str, bool]:
    """Return the text of most raters (ties: the one on most rows, then the first) and whether it has a clear majority."""
    raters = Counter(text for _, text in dict.fromkeys(shown))
    rows = Counter(text for _, text in shown)
    best, *others = sorted(raters, key=lambda text: (-raters[text], -rows[text]))
    return best, not others or raters[others[0]] < raters[best]


def _span(error: _Error, source: str, target: str) -> ErrorSpan | None:
    if error.side is None:
        return None
    own, onto = (error.source, source) if error.side == "source" else (error.target, target)
    start, end = carry_span(error.start, error.end, own, onto)
    return ErrorSpan.of(onto, start, end, error.severity, error.category, error.side)


def carry_span(start: int, end: int, text: str, onto: str) -> tuple[int, int]:
    """Map the characters from start to end of `text` to their position in `onto`, an edited copy.

    A span before the first or after the last difference keeps its characters; one that touches the difference is extended to
    cover it.
    """
    if text == onto:
        return start, end
    prefix = 0
    while prefix < min(len(text), len(onto)) and text[prefix] == onto[prefix]:
        prefix += 1
    suffix = 0
    while suffix < min(len(text), len(onto)) - prefix and text[-1 - suffix] == onto[-1 - suffix]:
        suffix += 1
    shift = len(onto) - len(text)
    begin = start if start <= prefix else start + shift if start >= len(text) - suffix else prefix
    finish = end if end <= prefix else end + shift if end >= len(text) - suffix else len(onto) - suffix
    return begin, max(begin, finish)
