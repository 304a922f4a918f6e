"""Reader for tables of judged translations: one row per translation, with texts and one or more columns of human scores.

TSV, CSV, JSON lines or Parquet, plain or compressed. Columns are recognised by common names (``src``, ``mt``, ``ref``, ``lp``
…). Every column with the name of a score (``score``, ``raw``, ``z``, ``mqm``, ``da`` …), or one that the caller names,
contains judgements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay.core.batch import Batch
from assay.core.errors import InputError, listing, unknown
from assay.core.judged import Judged
from assay.core.numbers import to_number
from assay.core.schema import shorten
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import open_table
from assay.io.table.open_table import Quoting
from assay.io.table.role_columns import lay_out
from assay.io.table.vocabulary import HUMAN_SCORES, ColumnChoice, Wanted, spelled, spellings

WANTED = Wanted(
    {
        "mt": ("hypothesis", "target"),
        "source": ("source", "source sentence"),
        "reference": ("reference", "reference translation"),
        "langpair": ("langpair",),
        "system": ("system",),
        "document": ("document",),
        "id": ("id", "segment id", "segment"),
    },
    required=("mt",),
    missing="{file} has no translation column (mt, hypothesis …). It has {listing}.",
    once=("mt",),
)
_UNSCORED = ("", "none", "nan", "null", "na")


def read_judged_table(
    source: Any,
    *,
    columns: ColumnChoice | None = None,
    scores: Sequence[str] | None = None,
    skip_bad: bool = False,
    quoting: Quoting = "auto",
) -> Judged:
    """Return the batch and its scores; rows without a score have NaN.

    Args:
        source: A file or a frame.
        columns: The column for source, mt, reference, langpair, system, document or id, if it has another name.
        scores: The judgement columns.
        skip_bad: Leave out unusable rows.
        quoting: The meaning of quotation marks in delimited text.
    """
    import numpy as np

    bad = BadRows(skip_bad)
    with open_table(source, bad, quoting=quoting) as table:
        name = table.name
        layout = lay_out(table, WANTED, columns)
        judged = _score_columns(name, table.names, scores)
        places = [*layout.references, *([] if layout.references_list is None else [layout.references_list])]
        texts: dict[str, list[str]] = {role: [] for role in layout.places}
        references: list[list[str | None]] = []
        values: dict[str, list[float]] = {column: [] for column in judged}
        for line, row in table.rows():
            numbers = {column: _number(row[index]) for column, index in judged.items()}
            wrong = next((column for column, value in numbers.items() if value is None), None)
            if wrong is not None:
                bad(name, line, f"column {wrong!r} is {shorten(row[judged[wrong]])}, not a finite number or empty.")
                continue
            for role, index in layout.places.items():
                texts[role].append("" if row[index] is None else str(row[index]))
            references.append([text for index in places for text in _texts(row[index])])
            for column, value in numbers.items():
                values[column].append(math.nan if value is None else value)
    if not texts["mt"]:
        raise InputError(f"{name} contains no rows.")
    batch = Batch(
        hypotheses=texts["mt"],
        sources=texts.get("source"),
        references=_references(references),
        langpairs=texts.get("langpair"),
        systems=texts.get("system"),
        documents=texts.get("document"),
        ids=texts.get("id"),
    )
    return Judged(batch, scores={column: np.array(numbers) for column, numbers in values.items()})


def _texts(value: Any) -> list[str | None]:
    """Return the references in a cell, which may hold a list."""
    texts = value if isinstance(value, list) else [value]
    return [None if text is None else str(text) or None for text in texts] or [None]


def _references(rows: Sequence[Sequence[str | None]]) -> tuple[Sequence[str | None], ...] | None:
    """Return one column per reference; None if no row has any."""
    if not any(any(row) for row in rows):
        return None
    return tuple([row[k] if k < len(row) else None for row in rows] for k in range(max(map(len, rows))))


def _score_columns(name: str, header: Sequence[str], wanted: Sequence[str] | None) -> dict[str, int]:
    if wanted is not None:
        for column in wanted:
            if column not in header:
                raise unknown(f"column in {name}", column, header)
        return {column: list(header).index(column) for column in wanted}
    columns = {column: header.index(column) for column in spelled(header, *HUMAN_SCORES)}
    if not columns:
        names = listing(spellings(*HUMAN_SCORES))
        raise InputError(f"{name} has no score column ({names}). It has {listing(header)}. Specify one.")
    return columns


def _number(value: Any) -> float | None:
    """Return the number, NaN for an empty cell, None for any other text."""
    if value is None or str(value).strip().lower() in _UNSCORED:
        return math.nan
    number = to_number(value)
    return number if number is not None and math.isfinite(number) else None
