"""Reader for judgements under any protocol: MQM, error span annotation, direct assessment, span lists, model answers.

- Google's MQM files (`assay.io.judgements.mqm`).
- Exports of Appraise without a header (direct assessment, ESA of WMT24): rater, system, segment, type, two languages, score,
document, a whole-document flag, optionally spans, two timestamps. Attention checks, tutorials, and repeated or incomplete
documents are left out. If a rater judged a translation several times, the last judgement counts, as in WMT24.
- Tables with a translation column and a column of spans (a JSON list, or lists by metric as in assay's output), of language
model answers, or of start, end and severity lists as in the WMT23 quality estimation task (the end is the last marked
character).
- Tables with the columns system, segment and score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.core.campaign import Campaign, Cell, JudgedText, Protocol
from assay.core.errors import InputError, count, listing
from assay.core.judged import Judgement
from assay.core.numbers import to_number
from assay.core.rows import SCORES
from assay.core.schema import shorten
from assay.io.documents import decode, read_document
from assay.io.judgements.answers import AnswerSpans, read_answer
from assay.io.judgements.mqm import WANTED as MQM
from assay.io.judgements.mqm import read_mqm
from assay.io.judgements.spans_json import parse_spans
from assay.io.scores.cards import stem
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import open_table, read_fields
from assay.io.table.objects import look_at_scores
from assay.io.table.vocabulary import Layout, Wanted, assign

WANTED = Wanted(
    {
        "mt": ("hypothesis", "target"),
        "source": ("source", "source sentence"),
        "reference": ("reference", "reference translation"),
        "langpair": ("langpair",),
        "system": ("system",),
        "document": ("document", "document id"),
        "segment": ("segment", "segment id", "id", "item"),
        "rater": ("rater", "metric"),
        "score": ("esa", "mqm", "da", "da sqm", "human", "score", "raw", "raw score"),
        "spans": ("spans",),
        "starts": ("starts",),
        "ends": ("ends",),
        "severities": ("severities", "error type"),
        "answer": ("answer",),
    },
    missing="{file} has no column {names}. It has {listing}.",
)
APPRAISE_TYPES = ("TGT", "BAD", "REF", "CHK", "DUP")
SPAN_COLUMNS = ("spans", "starts", "answer")


@dataclass
class _CampaignRows:
    """Rows that a reader has collected so far."""

    judgements: dict[Cell, dict[str, Judgement]] = field(default_factory=dict)
    texts: dict[Cell, JudgedText] = field(default_factory=dict)
    repeated: int = 0
    notes: list[str] = field(default_factory=list)
    counted: bool = False
    """Whether segments have no names, so that they were numbered."""

    def add(self, cell: Cell, judgement: Judgement, text: JudgedText) -> str:
        """Add a judgement; return the problem with it, if any."""
        first = self.texts.setdefault(cell, text)
        if first.text != text.text:
            return f"{cell} has two translations, {shorten(first.text)} and {shorten(text.text)}."
        raters = self.judgements.setdefault(cell, {})
        self.repeated += judgement.rater in raters and raters[judgement.rater] != judgement
        raters[judgement.rater] = judgement
        return ""

    def campaign(self, path: Path, protocol: Protocol, marked: bool, bad: BadRows) -> Campaign:
        """Return all judgements; reject a file without any."""
        if not self.judgements:
            raise InputError(f"{path} contains no judgements.")
        if self.repeated:
            self.notes.append(f"{count(self.repeated, 'judgement')} repeated by the same rater; the last one counts")
        judgements = {cell: tuple(raters.values()) for cell, raters in self.judgements.items()}
        notes = [*self.notes, *bad.sentences()]
        return Campaign(path.name, protocol, judgements, self.texts, marked, notes=notes, counted=self.counted)


def read_campaign(
    path: Path, *, langpair: str = "", columns: Mapping[str, str] | None = None, skip_bad: bool = False
) -> Campaign:
    """Read the judgements in a file.

    Args:
        path: The file.
        langpair: The language pair, if the file does not contain one.
        columns: Role to column, for columns with other names.
        skip_bad: Leave out unusable rows, with a note.
    """
    bad = BadRows(skip_bad)
    document = read_document(path) if path.suffix == ".json" else None
    if isinstance(document, dict) and isinstance(document.get("segments"), list):
        return _read_rows(path, *_objects(document["segments"], path), langpair, columns, bad)
    with open_table(path, BadRows(skip_bad)) as table:
        names = list(table.names)
    if not names:
        raise InputError(f"{path} is empty.")
    if _is_appraise(names):
        return _read_appraise(path, bad)
    if all(name in assign(names, MQM_ROLES, None, str(path)).places for name in MQM.required):
        return _read_mqm_file(path, langpair, bad)
    with open_table(path, bad) as table:
        if "spans" not in assign(names, WANTED, columns, str(path)).places:
            look_at_scores(table, stem(path))
        return _read_rows(path, table.names, table.rows(), langpair, columns, bad)


MQM_ROLES = Wanted(MQM.roles)


def _read_mqm_file(path: Path, langpair: str, bad: BadRows) -> Campaign:
    judgements, texts = {}, {}
    for segment in read_mqm(path, skip_bad=bad.skip):
        cell = Cell(langpair, segment.system, segment.segment)
        judgements[cell] = segment.judgements
        texts[cell] = JudgedText(segment.target, segment.source, document=segment.document)
    if not judgements:
        raise InputError(f"{path} contains no judgements.")
    return Campaign(path.name, "MQM", judgements, texts, marked=True)


def _is_appraise(names: Sequence[str]) -> bool:
    return len(names) >= 8 and names[3] in APPRAISE_TYPES and to_number(names[6]) is not None


def _read_appraise(path: Path, bad: BadRows) -> Campaign:
    gathered, left, with_spans = _CampaignRows(), 0, False
    rows: list[tuple[float, int, list[str]]] = []
    for line, row in read_fields(path, bad):
        if len(row) < 8:
            bad(path, line, f"{count(len(row), 'column')}, but an export of Appraise has 11 or 12.")
            continue
        rows.append((to_number(row[-1]) or 0.0, line, row))
    for _, line, row in sorted(rows, key=lambda entry: entry[:2]):
        rater, system, segment, kind, source, target, score, document = row[:8]
        checks = "tutorial" in system or "#" in document or (len(row) > 8 and row[8] == "True")
        if kind != "TGT" or checks:
            left += 1
            continue
        value = to_number(score)
        if value is None or not math.isfinite(value):
            bad(path, line, f"the score is {shorten(score)}, not a finite number.")
            continue
        with_spans = with_spans or (len(row) > 9 and row[9].startswith("["))
        text = JudgedText(document=document)
        gathered.add(Cell(f"{source}-{target}", system, segment), Judgement(value, (), rater), text)
    if left:
        gathered.notes.append(f"{count(left, 'row')} of attention checks, tutorials and repetitions left out")
    if with_spans:
        gathered.notes.append("the export has no texts, so its error spans are left out")
    return gathered.campaign(path, "ESA" if with_spans else "DA", False, bad)


def _objects(rows: Sequence[Any], path: Path) -> tuple[list[str], Iterator[tuple[int, list[Any]]]]:
    """Return the rows in the output of ``assay score --spans --format json``."""
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: 'segments' must be a list of objects with spans.")
    names = list(rows[0])
    return names, ((number, [row.get(name) for name in names]) for number, row in enumerate(rows, 1))


def _read_rows(
    path: Path,
    names: Sequence[str],
    rows: Iterable[tuple[int, list[Any]]],
    langpair: str,
    columns: Mapping[str, str] | None,
    bad: BadRows,
) -> Campaign:
    layout = assign(names, WANTED, columns, str(path))
    marked = _check_columns(path, names, layout)
    gathered, numbers, unlocated, unread = _CampaignRows(), dict[tuple[str, str, str], int](), 0, 0
    gathered.counted = "segment" not in layout.places
    for line, row in rows:
        values = {role: row[index] for role, index in layout.places.items()}
        by_metric = _by_metric(values.get("spans"))
        rater = "" if by_metric is not None else str(values.get("rater") or "")
        cell = _cell(values, langpair, rater, numbers)
        reference = row[layout.references[0]] if layout.references else None
        mt, source, reference = (_text(one) for one in (values.get("mt"), values.get("source"), reference))
        text = JudgedText(mt, source, reference, _document(values))
        problem, where = "", f"{path} line {line}"
        try:
            if by_metric is not None:
                scores = _scores_by_metric(names, row)
                for metric, listed in by_metric.items():
                    spans = parse_spans(listed or [], text.source or "", text.text or "", where)
                    judgement = Judgement(_score(scores.get(metric), path, line), spans, metric)
                    problem = problem or gathered.add(cell, judgement, text)
            else:
                answer = _spans(values, text, where) if marked else AnswerSpans()
                unlocated += len(answer.unlocated)
                unread += len(answer.unread)
                problem = gathered.add(
                    cell, Judgement(_score(values.get("score"), path, line), answer.spans, rater), text
                )
        except InputError as error:
            problem = str(error).removeprefix(f"{where}: ")
        if problem:
            bad(path, line, problem)
    if (
        not marked
        and gathered.judgements
        and all(j.score is None for row in gathered.judgements.values() for j in row.values())
    ):
        column = names[layout.places["score"]]
        raise InputError(
            f"{path} has no scores in column {column!r}. Choose a different column with --columns score=COLUMN."
        )
    if unread:
        gathered.notes.append(f"{count(unread, 'line')} of answers named no error (left out)")
    if unlocated:
        gathered.notes.append(f"{count(unlocated, 'quoted error')} found in neither text (left out)")
    return gathered.campaign(path, _protocol(names, layout, marked), marked, bad)


def _check_columns(path: Path, names: Sequence[str], layout: Layout) -> bool:
    """Return whether the table has spans; reject one with neither spans nor scores, or with spans but no texts."""
    places = layout.places
    marked = any(column in places for column in SPAN_COLUMNS)
    if not marked and "score" not in places:
        raise InputError(
            f"{path} has no column with spans, answers or scores; it has {listing(names)}. Specify the columns with --columns."
        )
    if marked and "mt" not in places:
        raise InputError(f"{path} has spans but no translation column (mt, target). It has {listing(names)}.")
    if "starts" in places and not {"ends", "severities"} <= set(places):
        raise InputError(f"{path} has start indices but no end indices or error types. Add these columns.")
    return marked


def _protocol(names: Sequence[str], layout: Layout, marked: bool) -> Protocol:
    if "score" not in layout.places or "answer" in layout.places:
        return "spans"
    if names[layout.places["score"]].lower() == "mqm":
        return "MQM"
    return "ESA" if marked else "DA"


def _cell(values: Mapping[str, Any], langpair: str, rater: str, numbers: dict[tuple[str, str, str], int]) -> Cell:
    """Return the translation that a row rates; number the segments if there is no segment column."""
    pair, system = str(values.get("langpair") or langpair), str(values.get("system") or "")
    if "segment" in values:
        return Cell(pair, system, str(values["segment"]))
    numbers[pair, system, rater] = number = numbers.get((pair, system, rater), 0) + 1
    return Cell(pair, system, str(number))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _document(values: Mapping[str, Any]) -> str:
    return str(values.get("document") or "")


def _score(value: Any, path: Path, line: int) -> float | None:
    if value is None or str(value).strip() in ("", "None"):
        return None
    number = to_number(value)
    if number is None or not math.isfinite(number):
        raise InputError(f"{path} line {line}: the score is {shorten(value)}, not a finite number.")
    return number


def _by_metric(value: Any) -> dict[str, Any] | None:
    """Return the error spans in a row written by assay, one list per metric; None for spans in any other format."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = decode(value)
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def _scores_by_metric(names: Sequence[str], row: Sequence[Any]) -> Mapping[str, Any]:
    """Return the scores in a row written by assay: a nested object in JSON, columns in other formats."""
    cells = dict(zip(names, row, strict=False))
    inside = cells.get(SCORES)
    return inside if isinstance(inside, dict) else cells


def _spans(values: Mapping[str, Any], text: JudgedText, where: str) -> AnswerSpans:
    """Return the spans in one row, and the parts of an answer that could not be located or read."""
    output, source = text.text or "", text.source or ""
    if "spans" in values:
        value = values["spans"]
        if isinstance(value, str):
            try:
                value = decode(value) if value.strip() not in ("", "None") else []
            except ValueError as error:
                raise InputError(f"{where}: the spans are not valid JSON: {error}.") from error
        return AnswerSpans(parse_spans([] if value is None else value, source, output, where))
    if "answer" in values:
        return read_answer(str(values["answer"] or ""), output, source)
    return AnswerSpans(parse_spans(_indexed(values, where), source, output, where))


def _indexed(values: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Return spans in the format of the quality estimation task, lists of numbers and severities; -1 and no-error mean no span."""
    starts, ends, levels = (
        str(values[key] or "").replace(",", " ").split() for key in ("starts", "ends", "severities")
    )
    if starts in ([], ["-1"]) or levels == ["no-error"]:
        return []
    if not len(starts) == len(ends) == len(levels):
        raise InputError(
            f"{where}: {len(starts)} starts, {len(ends)} ends and {count(len(levels), 'severity', 'severities')}."
        )
    spans = []
    for start, end, level in zip(starts, ends, levels, strict=True):
        if not (start.isdecimal() and end.isdecimal()):
            raise InputError(f"{where}: the start and end of a span must be whole numbers, not {start!r} and {end!r}.")
        spans.append({"start_i": int(start), "end_i": int(end), "severity": level})
    return spans
