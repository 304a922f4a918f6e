"""Groups of judged translations: a source, its references, and its translations with scores and spans."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.core.errors import InputError
from assay.io.resources.contamination import Guard, normalised
from assay.io.table.bad_rows import BadRows
from assay.models.mini.config import MiniConfig, MiniData
from assay.models.training.data import document_share, sample
from assay.models.training.sources import corpus_spans, read_assessments, read_groups

KINDS = ("mqm", "bio", "syn", "da", "esa", "qe", "darr", "tch", "un")
"""Types of scores: MQM sums (annotated, biomedical, synthetic), assessments, ESA, quality estimates, rankings, metrics, none."""
SPLITS = ("train", "dev", "unused")
REFERENCES = 3
"""Maximum number of references per group."""
MAJOR = 4.0
"""Minimum weight at which a span counts as a major error."""
Mark = tuple[int, int, float, float]
"""Start, end, weight, and the share of annotators who marked it."""


@dataclass(frozen=True, slots=True)
class JudgedTranslation:
    """A judged translation; `marks` is None if its errors were not annotated."""

    text: str
    score: float
    system: str = ""
    marks: tuple[Mark, ...] | None = None


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    """A source with its references and judged translations."""

    collection: str
    kind: str
    langpair: str
    document: str
    segment: int
    split: str
    source: str
    references: tuple[str, ...]
    hypotheses: tuple[JudgedTranslation, ...]


def load_groups(config: MiniConfig) -> tuple[list[JudgedGroup], list[str]]:
    """Return all groups for training and evaluation, and notes for the user on rejected data."""
    guard, bad = Guard(), BadRows(config.skip_bad)
    loaded: list[JudgedGroup] = []
    for number, one in enumerate(config.data):
        if not Path(one.path).is_file():
            raise InputError(f"the training data {one.path} do not exist.")
        groups = list(_corpus(one, bad) if one.format == "corpus" else _assessments(one, bad))
        admitted = [group for group in _admitted(groups, guard) if group.hypotheses]
        loaded += sample(admitted, one.limit, config.seed + number, 0x6B)
    if not loaded:
        raise InputError("the configured data contain no groups to train on.")
    return _split(loaded, config), [*guard.report.sentences(), *bad.sentences()]


def _corpus(one: MiniData, bad: BadRows) -> Iterator[JudgedGroup]:
    path = Path(one.path)
    for line, group in read_groups(path, bad):
        if one.origins and group.ds not in one.origins:
            continue
        judged = []
        for hypothesis in group.hyps:
            if corpus_spans(hypothesis, path, line, bad) == "bad" or not hypothesis.text.strip():
                continue
            score = 0.0 if hypothesis.score is None or group.kind == "un" else hypothesis.score
            marks = None
            if hypothesis.spans is not None:
                marks = tuple(
                    (s, e, float(w), 1 / float(raters[0] if raters else 1)) for s, e, w, *raters in hypothesis.spans
                )
            judged.append(JudgedTranslation(hypothesis.text, score, str(hypothesis.sys), marks))
        document = f"{group.ds}|{group.lp}|{group.doc if group.doc != 'x' else group.grp}"
        split = group.split if group.split in SPLITS else "train"
        yield JudgedGroup(
            group.ds, group.kind, group.lp, document, group.seg, split, group.src or "", group.refs, tuple(judged)
        )


def _assessments(one: MiniData, bad: BadRows) -> Iterator[JudgedGroup]:
    """Yield the rows of a table, grouped by source."""
    path, name = Path(one.path), one.name or Path(one.path).name
    by_source: dict[tuple[str, str], list[tuple[str, JudgedTranslation]]] = {}
    for record in read_assessments(path, bad, one.columns or None):
        if record.hypothesis.strip() and math.isfinite(record.score):
            rows = by_source.setdefault((record.langpair, record.source), [])
            rows.append((record.reference, JudgedTranslation(record.hypothesis, record.score)))
    for number, ((langpair, source), rows) in enumerate(by_source.items()):
        references = tuple(dict.fromkeys(reference for reference, _ in rows if reference))
        kind = "da" if references else "qe"
        judged = tuple(one for _, one in rows)
        yield JudgedGroup(name, kind, langpair, f"{name}|{source}", number, "train", source, references, judged)


def _admitted(groups: Sequence[JudgedGroup], guard: Guard) -> Iterator[JudgedGroup]:
    """Yield the groups that are not in a test set: neither their translations, nor their source, nor their references."""
    rows, names = [], []
    for group in groups:
        references = {f"reference {i}" if i else "reference": text for i, text in enumerate(group.references)}
        for judged in group.hypotheses:
            rows.append({"source": group.source, **references, "hypothesis": judged.text})
            names.append(f"{group.collection} {group.segment}")
    allowed = iter(guard.admit(rows, names))
    for group in groups:
        yield replace(group, hypotheses=tuple(judged for judged in group.hypotheses if next(allowed)))


def _split(groups: Sequence[JudgedGroup], config: MiniConfig) -> list[JudgedGroup]:
    """Hold out documents. Groups that share a source with held-out documents are not used at all."""

    def is_held_out(group: JudgedGroup) -> bool:
        eligible = group.kind in ("mqm", "esa") and group.split == "train"
        return eligible and document_share(config.seed, group.document) < config.held_out

    if config.held_out:
        groups = [replace(group, split="dev") if is_held_out(group) else group for group in groups]
    watched = {normalised(group.source) for group in groups if group.split == "dev"} - {""}
    return [
        replace(group, split="unused") if group.split == "train" and normalised(group.source) in watched else group
        for group in groups
    ]
