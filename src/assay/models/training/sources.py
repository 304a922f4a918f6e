"""Readers of judged translations in five formats, which yield training records.

``corpus``: JSON lines, each a group of hypotheses of one source (docs/train.md). ``da``: a table with src, mt, ref and a
z-score. ``mqm``: Google's TSV, with spans marked by <v>. ``spans``: JSON or JSON lines, each object a translation with its list
of errors. ``mlqe``: an MLQE-PE folder, with post-edits as references, as in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from assay.core.errors import AssayError, InputError, listing
from assay.core.numbers import to_number
from assay.core.schema import Place, shorten, typed
from assay.core.spans import SEVERITIES, ErrorSpan
from assay.io.documents import decode
from assay.io.files.text import read_lines
from assay.io.judgements.mqm import MqmSegment, read_mqm
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import objects, open_table
from assay.io.table.tables import columns_of
from assay.io.table.vocabulary import plain, spelled, spellings
from assay.models.training.records import Record, mqm_unit


@dataclass(frozen=True, slots=True)
class CorpusHypothesis:
    """A translation in a corpus file."""

    text: str
    score: float | None = None
    spans: tuple[Any, ...] | None = None
    sys: str | int = ""


@dataclass(frozen=True, slots=True)
class CorpusGroup:
    """A line in a corpus file: a source, its references and its translations."""

    ds: str
    kind: Literal["mqm", "bio", "syn", "esa", "qe", "da", "darr", "tch", "un"]
    """Type of score: MQM sum, ESA (0 to 100), z-score, relative ranking (-1 to 1), or none."""
    lp: str
    doc: str | int
    hyps: tuple[CorpusHypothesis, ...]
    refs: tuple[str, ...]
    src: str | None
    grp: str | int = ""
    split: str | None = None
    seg: int = 0


def read_groups(path: Path, bad: BadRows, split: str | None = None) -> Iterator[tuple[int, CorpusGroup]]:
    """Yield the groups in a corpus file with their line numbers."""
    for line, row in objects(path, bad):
        try:
            group = typed(CorpusGroup, row, Place("", "the object"), strict=False)
        except AssayError as error:
            bad(path, line, str(error))
            continue
        if split is None or group.split == split:
            yield line, group


def read_corpus(path: Path, bad: BadRows, split: str | None = None) -> Iterator[Record]:
    """Yield one record per hypothesis, with the first reference that differs from the hypothesis."""
    for line, group in read_groups(path, bad, split):
        for hypothesis in group.hyps:
            spans = corpus_spans(hypothesis, path, line, bad)
            if spans == "bad":
                continue
            yield Record(
                source=group.src or "",
                langpair=group.lp,
                origin=group.ds,
                document=f"{group.ds}|{group.lp}|{group.doc if group.doc != 'x' else group.grp}",
                hypothesis=hypothesis.text,
                reference=next((one for one in group.refs if one != hypothesis.text), ""),
                score=_corpus_score(group.kind, hypothesis.score),
                spans=spans,
                scale="z" if group.kind in ("qe", "da", "tch") else "unit",
            )


def _corpus_score(kind: str, score: float | None) -> float:
    if score is None:
        return math.nan
    if kind in ("mqm", "bio", "syn"):
        return mqm_unit(-score)
    if kind == "esa":
        return min(1.0, max(0.0, score / 100))
    return (score + 1) / 2 if kind == "darr" else score


def corpus_spans(hypothesis: CorpusHypothesis, path: Path, line: int, bad: BadRows) -> Any:
    """Return a translation's spans, None if errors were not annotated, or ``"bad"`` if the spans are unusable."""
    if hypothesis.spans is None:
        return None
    text, spans = hypothesis.text, []
    for span in hypothesis.spans:
        start, end, weight = span[:3] if isinstance(span, list) and len(span) > 2 else (None, None, None)
        if not (type(start) is type(end) is int and isinstance(weight, (int, float))):
            description = ", ".join(map(shorten, span[:4])) if isinstance(span, list) else shorten(span)
            bad(path, line, f"a span is a list of start, end and weight, not {description}.")
            return "bad"
        if not 0 <= start <= end <= len(text):
            bad(path, line, _outside(start, end, text))
            return "bad"
        severity = "critical" if weight >= 10 else "major" if weight >= 5 else "minor" if weight > 0 else "neutral"
        spans.append(ErrorSpan.of(text, start, end, severity))
    return tuple(spans)


def _outside(start: object, end: object, text: str, term: str = "") -> str:
    what = f"span {shorten(start)}:{shorten(end)}" + (f" ({term[:40]!r})" if term else "")
    return f"{what} is outside the text, which has {len(text)} characters ({text[:40]!r})."


_SCORES = ("z", "z mean", "score")


def read_assessments(path: Path, bad: BadRows, columns: Mapping[str, str] | None = None) -> Iterator[Record]:
    """Yield records from a table of direct assessments with z-scores (``z``), or with scores on [0, 1] (``score``).

    The columns ``raw`` (0 to 100) and ``n`` (judgements), if present, determine the practical range of z-scores.
    """
    from assay.io.judgements.tables import read_judged_table

    header = columns_of(path)
    by_role = {role: spelling[0] for role in (*_SCORES, "raw", "judgements") if (spelling := spelled(header, role))}
    column = next((by_role[role] for role in _SCORES if role in by_role), None)
    if column is None:
        raise InputError(f"{path} has neither a column z nor a column score. Its columns: {', '.join(header)}.")
    extra = [by_role[role] for role in ("raw", "judgements") if role in by_role]
    judged = read_judged_table(path, columns=columns, scores=[column, *extra], skip_bad=bad.skip)
    values, batch = judged.scores[column], judged.batch
    raw, n = (judged.scores[by_role[role]] if role in by_role else None for role in ("raw", "judgements"))
    standardised = column != by_role.get("score")
    for row, score in enumerate(values.tolist()):
        if not standardised and not (0 <= score <= 1 or math.isnan(score)):
            bad(path, row + 2, f"the score is {score}, not on [0, 1]. Name the column z if it contains z-scores.")
            continue
        yield Record(
            source=batch.sources[row] if batch.sources else "",
            hypothesis=batch.hypotheses[row],
            reference=(batch.references[0][row] if batch.references else None) or "",
            score=score,
            langpair=batch.langpairs[row] if batch.langpairs else "",
            origin=path.name,
            document=f"{path.name}|{batch.documents[row] if batch.documents else (batch.sources or batch.hypotheses)[row]}",
            scale="z" if standardised else "unit",
            unanimous=_unanimous(raw[row], n[row]) if raw is not None and n is not None else None,
        )


def _unanimous(raw: float, judgements: float) -> int | None:
    """Return a mean of exactly 0 or 100 over several judgements, which is possible only if annotators are unanimous."""
    return int(raw) if judgements > 1 and raw in (0.0, 100.0) else None


def read_google_mqm(path: Path, bad: BadRows, langpair: str = "") -> Iterator[Record]:
    """Yield one record per translation: the mean score over its annotators and the spans from all annotators.

    The file contains no references. The human translations among its systems (``Human-A``, ``ref.A`` …) are used instead.
    """
    segments = read_mqm(path, skip_bad=bad.skip)
    human: dict[tuple[str, str], list[MqmSegment]] = {}
    for segment in segments:
        if segment.system.lower().startswith(("human", "ref")):
            human.setdefault((segment.document, segment.segment), []).append(segment)
    for segment in segments:
        others = human.get((segment.document, segment.segment), [])
        reference = next((one.target for one in others if one.target != segment.target), "")
        spans = [span for judgement in segment.judgements for span in judgement.spans if span.side == "target"]
        penalties = [-(judgement.score or 0.0) for judgement in segment.judgements]
        yield Record(
            source=segment.source,
            hypothesis=segment.target,
            reference=reference,
            score=sum(map(mqm_unit, penalties)) / len(penalties),
            spans=tuple(_paper_severity(segment.target, span) for span in spans),
            langpair=langpair,
            origin=path.name,
            document=f"{path.name}|{segment.document}",
        )


def _paper_severity(text: str, span: ErrorSpan) -> ErrorSpan:
    """Return a span, with severity critical if it is a non-translation, since Google's data has no critical errors."""
    if span.severity == "major" and span.category.lower().startswith("non-translation"):
        return ErrorSpan.of(text, span.start, span.end, "critical", span.category)
    return span


_TEXTS: Mapping[str, tuple[str, ...]] = {
    "source": ("source",),
    "hypothesis": ("hypothesis", "target", "text"),
    "reference": ("reference", "references"),
    "langpair": ("langpair",),
    "document": ("document", "document id"),
}
PENALTY = {"neutral": 0.0, "minor": 1.0, "major": 5.0, "critical": 10.0}
"""Penalties of equation 5."""


def read_span_json(path: Path, bad: BadRows, langpair: str = "") -> Iterator[Record]:
    """Yield records from objects with texts and ``spans`` (or ``errors``, ``target_errors``): start, end (exclusive), severity.

    For ``startIndex`` and ``endIndex`` (Bio MQM), the actual position is found with ``term``. The score is the object's
    ``score`` on [0, 1]; if there is none, it is computed from the errors with equations 5 and 6.
    """
    for line, row in objects(path, bad):
        values = {plain(name): value for name, value in row.items()}
        texts = {name: _text(values, roles) for name, roles in _TEXTS.items()}
        errors = next((values[name] for name in spellings("spans") if name in values), None)
        if not texts["hypothesis"] or not isinstance(errors, list):
            bad(path, line, "an object needs a translation (mt, target …) and a list of spans.")
            continue
        others = row.get("source_errors") or []
        if not all(isinstance(error, dict) for error in chain(errors, others if isinstance(others, list) else [None])):
            bad(path, line, "every error must be a JSON object.")
            continue
        spans = _json_spans(errors, texts["hypothesis"], path, line, bad)
        if spans is None:
            continue
        penalty = sum(PENALTY[span.severity] for span in spans) + sum(
            PENALTY.get(str(error.get("severity", "")).strip().lower(), 0.0) for error in others
        )
        score = row.get("score")
        if isinstance(score, int | float) and not 0 <= score <= 1:
            bad(path, line, f"the score is {shorten(score)}, not on [0, 1].")
            continue
        yield Record(
            source=texts["source"],
            hypothesis=texts["hypothesis"],
            reference=texts["reference"],
            score=mqm_unit(penalty) if not isinstance(score, int | float) else float(score),
            spans=spans,
            langpair=texts["langpair"] or langpair,
            origin=path.name,
            document=f"{path.name}|{texts['document'] or texts['source']}",
        )


def _text(values: Mapping[str, Any], roles: Sequence[str]) -> str:
    """Return the first non-empty value among the roles; for a list, its first entry."""
    candidates = (values[name] for name in spellings(*roles) if values.get(name))
    return next((str(value[0] if isinstance(value, list) else value) for value in candidates), "")


def _json_spans(errors: Sequence[Any], text: str, path: Path, line: int, bad: BadRows) -> tuple[ErrorSpan, ...] | None:
    spans = []
    for error in errors:
        severity = str(error.get("severity", "")).strip().lower()
        if severity not in SEVERITIES:
            bad(path, line, f"severity {shorten(error.get('severity'))} must be one of {', '.join(SEVERITIES)}.")
            return None
        extent = _extent(error, text)
        if extent is None or not 0 <= extent[0] <= extent[1] <= len(text):
            start, end = (error.get(key, error.get(f"{key}Index")) for key in ("start", "end"))
            bad(path, line, _outside(start, end, text, str(error.get("term") or "")))
            return None
        category = str(error.get("category") or error.get("error_category") or "")
        spans.append(ErrorSpan.of(text, *extent, severity, category))
    return tuple(spans)


def _extent(error: Mapping[str, Any], text: str) -> tuple[int, int] | None:
    """Return start and end (exclusive) of an error; None if it has no position."""
    if "startIndex" in error:
        term, start, end = str(error.get("term") or ""), error["startIndex"], error.get("endIndex")
        if not isinstance(start, int) or not isinstance(end, int):
            return None
        if not term or text[start : end + 1] == term:
            return start, min(end + 1, len(text)) if start <= end else start
        starts = [i for i in range(len(text)) if text.startswith(term, i)]
        return min(((i, i + len(term)) for i in starts), key=lambda found: abs(found[0] - start), default=None)
    start, end = error.get("start"), error.get("end")
    return (start, end) if isinstance(start, int) and isinstance(end, int) else None


def read_mlqe(folder: Path, bad: BadRows, part: str = "train") -> Iterator[Record]:
    """Yield the records in ``part.da.tsv`` of an MLQE-PE folder, with references from ``part.pe.pe`` if it exists."""
    path, edits = folder / f"{part}.da.tsv", folder / f"{part}.pe.pe"
    post_edits = [text for piece in read_lines(edits, 4096) for text in piece] if edits.is_file() else []
    with open_table(path, bad, quoting="none") as table:
        at = {name: index for index, name in enumerate(table.names)}
        if missing := [name for name in ("original", "translation", "scores", "z_mean") if name not in at]:
            raise InputError(f"{path} line 1: no column {', '.join(missing)}. Its columns: {listing(table.names)}.")
        rows = list(table.rows())
    for number, (line, row) in enumerate(rows):
        raw, z = _numbers(str(row[at["scores"]])), to_number(row[at["z_mean"]])
        if raw is None or z is None or not math.isfinite(z):
            bad(path, line, "no scores (a list of numbers) or no z_mean (a number).")
            continue
        same = len(raw) > 1 and len(set(raw)) == 1 and raw[0] in (0, 100)
        yield Record(
            source=row[at["original"]],
            hypothesis=row[at["translation"]],
            reference=post_edits[number] if number < len(post_edits) else "",
            score=z,
            langpair=folder.name,
            origin=f"mlqe-{folder.name}",
            document=f"mlqe-{folder.name}|{row[at['original']]}",
            scale="z",
            unanimous=int(raw[0]) if same else None,
        )


def _numbers(text: str) -> list[float] | None:
    """Return the numbers in a JSON list; None for anything else."""
    try:
        content = decode(text)
    except ValueError:
        return None
    numbers = [to_number(one) for one in content] if isinstance(content, list) else [None]
    return None if None in numbers else [number for number in numbers if number is not None]


FORMATS: Mapping[str, Callable[..., Iterator[Record]]] = {
    "corpus": read_corpus,
    "da": read_assessments,
    "mqm": read_google_mqm,
    "spans": read_span_json,
    "mlqe": read_mlqe,
}
