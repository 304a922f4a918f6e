"""Judged translations as a table: one row a translation, with texts and one or more columns of human scores.

TSV, CSV, JSON lines or Parquet, plain or compressed. Columns are known by common names (``src``, ``mt``, ``ref``, ``lp`` …);
every column that is called like a score (``score``, ``raw``, ``z``, ``mqm``, ``da`` …), or that the caller names, is a
judgement.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.core.batch import Batch
from assay.core.errors import InputError, listing, unknown
from assay.core.judged import Judged
from assay.io.table.rows import BadRows, Rows

TEXTS: Mapping[str, tuple[str, ...]] = {
    "source": ("source", "src"),
    "mt": ("mt", "hypothesis", "hyp", "translation", "target"),
    "reference": ("reference", "ref"),
    "langpair": ("langpair", "lp", "language_pair"),
    "system": ("system", "sys"),
    "document": ("document", "doc"),
    "id": ("id", "seg_id", "segment", "segid"),
}
SCORES = ("score", "raw", "z", "z_score", "mqm", "da", "esa", "da-sqm", "human", "human_score")
_UNSCORED = ("", "none", "nan", "null", "na")


def read_judged_table(
    path: Path, *, columns: Mapping[str, str] | None = None, scores: Sequence[str] | None = None, skip_bad: bool = False
) -> Judged:
    """The batch and its scores, NaN where a row has none.

    `columns` maps one of source, mt, reference, langpair, system, document, id to a column of the file; `scores` names the
    columns that hold judgements.
    """
    import numpy as np

    bad = BadRows(skip_bad)
    rows = Rows(path, bad)
    where = _text_columns(path, rows.columns, columns or {})
    judged = _score_columns(path, rows.columns, scores)
    texts: dict[str, list[str]] = {name: [] for name in where}
    values: dict[str, list[float]] = {name: [] for name in judged}
    for line, row in rows:
        numbers = {name: _number(row[index]) for name, index in judged.items()}
        wrong = next((name for name, number in numbers.items() if number is None), None)
        if wrong is not None:
            bad(path, line, f"column {wrong!r} is {row[judged[wrong]]!r}, not a finite number or empty.")
            continue
        for name, index in where.items():
            texts[name].append("" if row[index] is None else str(row[index]))
        for name, number in numbers.items():
            values[name].append(math.nan if number is None else number)
    if not texts["mt"]:
        raise InputError(f"{path} has no rows.")
    batch = Batch(
        hypotheses=texts["mt"],
        sources=texts.get("source"),
        references=_references(texts.get("reference")),
        langpairs=texts.get("langpair"),
        systems=texts.get("system"),
        documents=texts.get("document"),
        ids=texts.get("id"),
    )
    return Judged(batch, scores={name: np.array(column) for name, column in values.items()})


def _references(column: list[str] | None) -> tuple[Sequence[str | None], ...] | None:
    if column is None or not any(column):
        return None
    return ([text or None for text in column],)


def _text_columns(path: Path, header: Sequence[str], wanted: Mapping[str, str]) -> dict[str, int]:
    lowered = {name.strip().lower(): index for index, name in reversed(list(enumerate(header)))}
    found = {}
    for name, spellings in TEXTS.items():
        if name in wanted:
            if wanted[name] not in header:
                raise unknown("column", wanted[name], header, f"in {path}")
            found[name] = list(header).index(wanted[name])
        elif (index := next((lowered[s] for s in spellings if s in lowered), None)) is not None:
            found[name] = index
    for name in wanted:
        if name not in TEXTS:
            raise unknown("column of a judged table", name, TEXTS)
    if "mt" not in found:
        raise InputError(f"{path} has no column of translations (mt, hypothesis …); there is {listing(header)}.")
    return found


def _score_columns(path: Path, header: Sequence[str], wanted: Sequence[str] | None) -> dict[str, int]:
    if wanted is not None:
        for name in wanted:
            if name not in header:
                raise unknown("column", name, header, f"in {path}")
        return {name: list(header).index(name) for name in wanted}
    found = {name: index for index, name in enumerate(header) if name.strip().lower() in SCORES}
    if not found:
        raise InputError(f"{path} has no column of scores ({listing(SCORES)}); there is {listing(header)}. Name it.")
    return found


def _number(value: Any) -> float | None:
    """The number, NaN for an empty cell, None for what is neither."""
    if value is None or str(value).strip().lower() in _UNSCORED:
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
