"""MQM annotation session for a web page: error spans with category and severity in translation or source, by annotator."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from assay.core.errors import InputError
from assay.core.review import Stale
from assay.core.schema import Count, Place, shorten, typed
from assay.core.spans import SEVERITIES, ErrorSpan
from assay.io.judgements.annotations import AnnotatedText, AnnotationFile, Errors
from assay.io.judgements.mqm import CATEGORIES, GOOGLE
from assay.io.judgements.tables import read_judged_table
from assay.review.decisions import current_user
from assay.review.page_session import ItemStatus, PageSession

MOST_ERRORS = 200
"""The highest number of errors in one translation."""


@dataclass(frozen=True, slots=True)
class MarkedError:
    """One error from the page. `text` is the page's text of the span, to check that both count characters alike."""

    side: Literal["source", "target"]
    start: Count
    end: Count
    severity: str
    category: str
    text: str


@dataclass(frozen=True, slots=True)
class Marking:
    """A message from the page: an item, the errors that the page showed, and all errors now; None withdraws the judgement."""

    item: Count
    seen: tuple[MarkedError, ...] | None
    errors: tuple[MarkedError, ...] | None


class MqmSession(PageSession):
    """Session over translations to annotate and their annotation file."""

    kind = "mqm"

    def __init__(self, texts: list[AnnotatedText], file: AnnotationFile, annotator: str | None, title: str) -> None:
        super().__init__(title, check_annotator(annotator or current_user()), str(file.path))
        self.texts, self.annotations = texts, file
        if len({file.form.key(text, "") for text in texts}) < len(texts):
            raise InputError(
                "these texts have several language pairs, which Google's MQM format does not distinguish. Use "
                f"--annotate {file.path.with_suffix('.jsonl')}"
            )
        for text in texts:
            if problem := file.form.problem(text):
                raise InputError(
                    f"the text of segment {text.segment} {problem}, which Google's MQM format cannot store. Use "
                    f"--annotate {file.path.with_suffix('.jsonl')}"
                )
            if (other := file.other_text(text)) is not None:
                raise InputError(
                    f"{file.path} has another translation of segment {text.segment}"
                    + (f" by {text.system}" if text.system else "")
                    + f" ({shorten(other, 40)}). Use a new file for these texts."
                )
        self._count()

    def __len__(self) -> int:
        return len(self.texts)

    def head(self) -> dict[str, Any]:
        """Add the available categories and severities to the session's head."""
        used = (span.category for text in self.texts for span in self.annotations.of(text, self.annotator) or ())
        return super().head() | {
            "categories": list(dict.fromkeys([*CATEGORIES, *used])),
            "severities": list(SEVERITIES),
        }

    def _refresh(self) -> None:
        if self.annotations.reload():
            self._count()

    def _annotations_of(self, text: AnnotatedText) -> dict[str, Errors]:
        by_rater = {rater: self.annotations.of(text, rater) for rater in self.annotations.raters()}
        return {rater: errors for rater, errors in by_rater.items() if errors is not None}

    def _status(self, number: int) -> ItemStatus:
        annotations = self._annotations_of(self.texts[number])
        is_mine = self.annotator in annotations
        marks = {
            frozenset((span.side, span.start, span.end, span.severity) for span in errors)
            for errors in annotations.values()
        }
        return ItemStatus(
            decided=is_mine, mine=is_mine, others=len(annotations) > is_mine, disagreeing=len(marks) > 1, skipped=False
        )  # fmt: skip

    def _describe(self, number: int) -> dict[str, Any]:
        text, annotations = self.texts[number], self._annotations_of(self.texts[number])
        own_errors = annotations.pop(self.annotator, None)
        own_marks = None if own_errors is None else [_to_marked_error(span) for span in own_errors]
        return {
            "number": number,
            "title": " · ".join(filter(None, [text.system, text.document, f"segment {text.segment}", text.langpair])),
            **{name: getattr(text, name) for name in ("source", "target", "reference", "langpair")},
            "mine": own_marks,
            "others": {}
            if own_errors is None
            else {rater: [_to_marked_error(span) for span in errors] for rater, errors in annotations.items()},
            "waiting": len(annotations),
            "score": None
            if own_errors is None
            else 0.0 - sum(GOOGLE.of(span.severity, span.category) for span in own_errors),
            "seen": own_marks,
        }

    def _parse_message(self, message: Any) -> tuple[int, Marking]:
        marking = typed(Marking, message, Place("annotation"))
        return marking.item, marking

    def _store(self, number: int, marking: Marking) -> None:
        text = self.texts[number]
        if marking.errors is not None and len(marking.errors) > MOST_ERRORS:
            raise InputError(f"a translation may have at most {MOST_ERRORS} errors, not {len(marking.errors):,}.")
        errors = None if marking.errors is None else tuple(_checked_span(error, text) for error in marking.errors)
        seen = None if marking.seen is None else tuple(_checked_span(error, text) for error in marking.seen)
        if not self.annotations.put(text, self.annotator, errors, seen):
            raise Stale(
                f"{self.annotator} has annotated this translation in another window. "
                "Nothing was saved; the page shows the latest state."
            )


def _to_marked_error(span: ErrorSpan) -> dict[str, Any]:
    return asdict(MarkedError(span.side, span.start, span.end, span.severity, span.category, span.text))


def _checked_span(error: MarkedError, text: AnnotatedText) -> ErrorSpan:
    """Return the span; raise an error if the page counts characters differently or the category cannot be stored."""
    annotated_text = text.source if error.side == "source" else text.target
    span = ErrorSpan.of(annotated_text, error.start, error.end, error.severity, error.category, error.side)
    if span.text != error.text:
        raise InputError(
            f"characters {error.start} to {error.end} of the {error.side} are {shorten(span.text)}, not {shorten(error.text)}."
        )
    if not error.category.strip() or len(error.category) > 100 or not error.category.isprintable():
        raise InputError(f"a category must be a short name, not {shorten(error.category)}.")
    return span


def check_annotator(annotator: str) -> str:
    """Return an annotator's name if a file can hold it."""
    if not annotator.strip() or len(annotator) > 100 or not annotator.isprintable():
        raise InputError(f"an annotator's name must be a short text, not {shorten(annotator)}.")
    return annotator


def open_mqm(
    table: Path,
    out: str | os.PathLike[str],
    annotator: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
) -> MqmSession:
    """Return the session for a table of texts; annotations are written to `out`, which may contain earlier ones."""
    file = AnnotationFile(Path(out))
    texts = _texts(table, columns)
    return MqmSession(texts, file, annotator, f"MQM annotation of {table.name}")


def _texts(table: Path, columns: Mapping[str, str] | None) -> list[AnnotatedText]:
    """Return every translation of a table once; raise an error if one name has two different translations."""
    batch = read_judged_table(table, columns=columns, scores=()).batch
    positions: dict[tuple[str, str, str], int] = {}
    numbers: dict[tuple[str, str], int] = {}
    texts: dict[tuple[str, str, str], AnnotatedText] = {}
    for number in range(len(batch)):
        segment = batch[number]
        pair, system, document = segment.langpair or "", segment.system or "", segment.document or ""
        numbers[pair, system] = numbers.get((pair, system), 0) + 1
        name = segment.id or str(numbers[pair, system])
        position = positions[pair, system, document] = positions.get((pair, system, document), 0) + 1
        references = [text for text in segment.references if text]
        text = AnnotatedText(
            pair, system, document, str(position), name, segment.source or "", segment.hypothesis,
            references[0] if references else "",
        )  # fmt: skip
        first = texts.setdefault((pair, system, name), text)
        if first.target != text.target:
            raise InputError(
                f"{table}: row {number + 1} has the same system and segment ({name}) as another row with a different translation. "
                "Number the segments, or specify the column that identifies them (--columns id=COLUMN)."
            )
    return list(texts.values())
