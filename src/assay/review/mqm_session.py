"""MQM annotation session of a page: error spans with category and severity in translation or source, by annotator."""

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
    """Session over translations to annotate and their file of annotations."""

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
                    + f" ({shorten(other, 40)}): annotate these texts into a new file."
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

    def _freshen(self) -> None:
        if self.annotations.reload():
            self._count()

    def _everyone(self, text: AnnotatedText) -> dict[str, Errors]:
        found = {rater: self.annotations.of(text, rater) for rater in self.annotations.raters()}
        return {rater: errors for rater, errors in found.items() if errors is not None}

    def _standing(self, number: int) -> ItemStatus:
        said = self._everyone(self.texts[number])
        mine = self.annotator in said
        marks = {
            frozenset((span.side, span.start, span.end, span.severity) for span in errors) for errors in said.values()
        }
        return ItemStatus(
            decided=mine, mine=mine, others=len(said) > mine, disagreeing=len(marks) > 1, skipped=False
        )  # fmt: skip

    def _described(self, number: int) -> dict[str, Any]:
        text, said = self.texts[number], self._everyone(self.texts[number])
        mine = said.pop(self.annotator, None)
        own = None if mine is None else [_plain(span) for span in mine]
        return {
            "number": number,
            "title": " · ".join(filter(None, [text.system, text.document, f"segment {text.segment}", text.langpair])),
            **{name: getattr(text, name) for name in ("source", "target", "reference", "langpair")},
            "mine": own,
            "others": {} if mine is None else {who: [_plain(span) for span in errors] for who, errors in said.items()},
            "waiting": len(said),
            "score": None if mine is None else 0.0 - sum(GOOGLE.of(span.severity, span.category) for span in mine),
            "seen": own,
        }

    def _number(self, said: Any) -> tuple[int, Marking]:
        marking = typed(Marking, said, Place("annotation"))
        return marking.item, marking

    def _keep(self, number: int, said: Marking) -> None:
        text = self.texts[number]
        if said.errors is not None and len(said.errors) > MOST_ERRORS:
            raise InputError(f"a translation may have at most {MOST_ERRORS} errors, not {len(said.errors):,}.")
        errors = None if said.errors is None else tuple(_span(error, text) for error in said.errors)
        seen = None if said.seen is None else tuple(_span(error, text) for error in said.seen)
        if not self.annotations.put(text, self.annotator, errors, seen):
            raise Stale(
                f"{self.annotator} has annotated this translation in another window. "
                "Nothing was saved; the page shows the latest state."
            )


def _plain(span: ErrorSpan) -> dict[str, Any]:
    return asdict(MarkedError(span.side, span.start, span.end, span.severity, span.category, span.text))


def _span(error: MarkedError, text: AnnotatedText) -> ErrorSpan:
    """Return the span; raise an error if the page counts characters differently or the category cannot be stored."""
    own = text.source if error.side == "source" else text.target
    span = ErrorSpan.of(own, error.start, error.end, error.severity, error.category, error.side)
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
    """Return the session for a table of texts; annotations go to `out`, which may have earlier ones."""
    file = AnnotationFile(Path(out))
    texts = _texts(table, columns)
    return MqmSession(texts, file, annotator, f"MQM annotation of {table.name}")


def _texts(table: Path, columns: Mapping[str, str] | None) -> list[AnnotatedText]:
    """Return every translation of a table once; raise an error if one name has two different translations."""
    batch = read_judged_table(table, columns=columns, scores=()).batch
    places: dict[tuple[str, str, str], int] = {}
    numbers: dict[tuple[str, str], int] = {}
    found: dict[tuple[str, str, str], AnnotatedText] = {}
    for number in range(len(batch)):
        segment = batch[number]
        pair, system, document = segment.langpair or "", segment.system or "", segment.document or ""
        numbers[pair, system] = numbers.get((pair, system), 0) + 1
        name = segment.id or str(numbers[pair, system])
        position = places[pair, system, document] = places.get((pair, system, document), 0) + 1
        references = [text for text in segment.references if text]
        text = AnnotatedText(
            pair, system, document, str(position), name, segment.source or "", segment.hypothesis,
            references[0] if references else "",
        )  # fmt: skip
        known = found.setdefault((pair, system, name), text)
        if known.target != text.target:
            raise InputError(
                f"{table}: row {number + 1} has the same system and segment ({name}) as another row with a different translation: "
                "number the segments, or name the column that identifies them (--columns id=COLUMN)."
            )
    return list(found.values())
