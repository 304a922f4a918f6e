"""Reader for score files, through which metrics written in any language can take part.

For contrastive suites a file has two scores per item, in one of these formats:

- columns named ``id``, ``good`` and ``incorrect`` (TSV, CSV, JSON lines, Parquet; JSON rows of assay nest them in
  ``scores``);
- the same without a header (three columns including the id, or two in item order);
- ``SYSTEM<TAB>SCORE`` lines of mt-metrics-eval (``*.seg.score``), with the systems ``good`` and ``incorrect`` and each
  system's lines in item order.

For judged suites: one score per line, ``id`` and ``score``, or ``SYSTEM<TAB>SCORE`` with one system. ``nan``, ``None`` or an
empty cell means unscored. Words after the name or a card file describe the metric (`assay.io.scores.cards`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, count, listing
from assay.core.numbers import to_number
from assay.core.schema import shorten
from assay.core.suite import Measured
from assay.io.scores.cards import file_card, split, stem
from assay.io.table.bad_rows import BadRows
from assay.io.table.delimited import DelimitedTable
from assay.io.table.formats import open_table, read_fields
from assay.io.table.objects import look_at_scores
from assay.io.table.open_table import OpenTable
from assay.io.table.vocabulary import Wanted, assign

if TYPE_CHECKING:
    from assay.core.metric import Floats

Numbered = list[tuple[int, list[Any]]]

PAIRS = Wanted(
    {
        "id": ("id", "segment id", "item"),
        "good": ("good", "good translation", "good score"),
        "incorrect": ("incorrect", "incorrect translation", "incorrect score"),
    },
    required=("good", "incorrect"),
    missing="{file} has no columns for good and incorrect. It has {listing}.",
)
VALUES = Wanted(
    {"id": ("id", "segment id", "item"), "score": ("score", "value")},
    required=("score",),
    missing="{file} has no column for score. It has {listing}.",
)
_UNSCORED = ("", "nan", "none", "null", "na", "n/a")
_NAN = float("nan")


def parse_spec(spec: str) -> tuple[Path, bool]:
    """Return the path of ``scores.tsv`` or ``scores.tsv:lower``, and whether higher is better (also from its card)."""
    path, words = split(spec)
    return path, file_card(path, words).higher_is_better


def read_metric(
    spec: str, ids: Sequence[str], judged: bool = False, suite: str = "", whole: Sequence[str] | None = None
) -> Measured:
    """Return the metric in a score file (``scores.tsv``, ``scores.tsv:lower,source``) with values in the order of `ids`.

    If `ids` covers only part of a set, the file may contain scores for the `whole` set.
    """
    path, words = split(spec)
    card = file_card(path, words)
    trained = suite in card.trained_on
    if judged:
        return Measured(card.name, card, values=read_values(path, ids, whole), contaminated=trained)
    good, incorrect = read_pairs(path, ids, whole)
    return Measured(card.name, card, good=good, incorrect=incorrect, contaminated=trained)


def read_pairs(path: Path, ids: Sequence[str], whole: Sequence[str] | None = None) -> tuple[Floats, Floats]:
    """Return the scores of the good and the incorrect translations, one of each per id, in the order of `ids`."""
    every, rows, header, chosen = _table(path)
    if header is None and rows and all(len(row) == 2 and _system(row[0]) for _, row in rows):
        good = [(line, row[1]) for line, row in rows if _system(row[0]) == "good"]
        incorrect = [(line, row[1]) for line, row in rows if _system(row[0]) == "incorrect"]
        return (
            _in_order(path, good, ids, "'good' scores", whole),
            _in_order(path, incorrect, ids, "'incorrect' scores", whole),
        )
    id_column, (first, second) = _columns(path, header, rows, PAIRS, chosen)
    if id_column is None:
        rows = _rows_in_order(every, rows, ids, whole)
    good, incorrect = ([(line, row[column]) for line, row in rows] for column in (first, second))
    if id_column is None:
        return _in_order(path, good, ids, "rows", whole), _in_order(path, incorrect, ids, "rows", whole)
    keys = [(line, row[id_column]) for line, row in rows]
    return _by_id(path, keys, good, ids, whole), _by_id(path, keys, incorrect, ids, whole)


def read_values(path: Path, ids: Sequence[str], whole: Sequence[str] | None = None) -> Floats:
    """Return one score per id in a judged suite, in the order of `ids`."""
    every, rows, header, chosen = _table(path)
    if header is None and rows and all(len(row) == 2 for _, row in rows):
        systems = {str(row[0]) for _, row in rows}
        if len(systems) == 1 and not (systems <= set(ids) and len(rows) == 1):
            return _in_order(path, [(line, row[1]) for line, row in rows], ids, "rows", whole)
    id_column, (column,) = _columns(path, header, rows, VALUES, chosen)
    if id_column is None:
        rows = _rows_in_order(every, rows, ids, whole)
    values = [(line, row[column]) for line, row in rows]
    if id_column is None:
        return _in_order(path, values, ids, "rows", whole)
    return _by_id(path, [(line, row[id_column]) for line, row in rows], values, ids, whole)


def _table(path: Path) -> tuple[Numbered, Numbered, list[str] | None, Mapping[str, str]]:
    """Return all rows, the non-blank rows of delimited text, the header, and the columns with nested scores.

    If the first row has no score in the score column, it is a header.
    """
    with open_table(path) as table:
        chosen = look_at_scores(table, stem(path))
        if not isinstance(table, DelimitedTable):
            rows = list(table.rows())
            return rows, rows, table.names, chosen
        if _number(table.names[-1]) is None:
            rows = list(OpenTable.rows(table))
            return rows, _without_blank(rows), table.names, chosen
    rows = [*read_fields(path, BadRows(remedy=""), blank=True)]
    return rows, _without_blank(rows), None, {}


def _without_blank(rows: Numbered) -> Numbered:
    return [(line, row) for line, row in rows if any(str(cell).strip() for cell in row)]


def _rows_in_order(every: Numbered, rows: Numbered, ids: Sequence[str], whole: Sequence[str] | None) -> Numbered:
    """Return the rows in item order. Blank rows are unscored items and are included if the number of rows then matches."""
    width = len(rows[0][1]) if rows else 1
    with_blank = [
        (line, row) for line, row in every if len(row) == width
    ]  # an empty line is not a row of several columns
    return with_blank if len(with_blank) in (len(ids), len(whole or ids)) else rows


def _columns(
    path: Path, header: list[str] | None, rows: Numbered, wanted: Wanted, chosen: Mapping[str, str]
) -> tuple[int | None, list[int]]:
    """Return the columns of the id (None: rows are in item order) and of each score; reject rows of different widths."""
    if header is not None:
        nested = {name: column for name, column in chosen.items() if name in wanted.roles}
        places = assign(header, wanted, nested or None, str(path)).places
        return places.get("id"), [places[name] for name in wanted.required]
    width, scores = len(rows[0][1]), len(wanted.required)
    narrow = next(((line, len(row)) for line, row in rows if len(row) != width), None)
    if narrow:
        raise InputError(f"{path} line {narrow[0]}: {count(narrow[1], 'column')}, expected {width}.")
    if width not in (scores, scores + 1):
        raise InputError(
            f"{path} has {count(width, 'column')} and no header. Expected {' and '.join(wanted.required)}, "
            "optionally after an id."
        )
    return (0 if width > scores else None), list(range(width - scores, width))


def _system(name: Any) -> str | None:
    plain = str(name).strip().lower().replace("_", "-").removesuffix("-translation")
    return plain if plain in ("good", "incorrect") else None


def _number(value: Any) -> float | None:
    """Return the number, NaN for unscored, None for any other text."""
    if value is None:
        return _NAN
    if isinstance(value, str) and value.strip().lower() in _UNSCORED:
        return _NAN
    return to_number(value)


def _score(path: Path, line: int, value: Any) -> float:
    number = _number(value)
    if number is None or abs(number) == float("inf"):
        raise InputError(f"{path} line {line}: {shorten(value)} is not a score (a finite number, or nan for unscored).")
    return number


def _in_order(
    path: Path, values: Sequence[tuple[int, Any]], ids: Sequence[str], what: str, whole: Sequence[str] | None = None
) -> Floats:
    import numpy as np

    if whole is not None and len(values) == len(whole) != len(ids):
        chosen = set(ids)
        values = [value for name, value in zip(whole, values, strict=True) if name in chosen]
    if len(values) != len(ids):
        raise InputError(
            f"{path} has {len(values):,} {what}, but the suite has {count(len(ids), 'item')}; they must match."
        )
    return np.array([_score(path, line, value) for line, value in values], float)


def _by_id(
    path: Path,
    keys: Sequence[tuple[int, Any]],
    values: Sequence[tuple[int, Any]],
    ids: Sequence[str],
    whole: Sequence[str] | None = None,
) -> Floats:
    import numpy as np

    others = set(whole or ())
    position = {name: index for index, name in enumerate(ids)}
    out = np.full(len(ids), _NAN)
    line_of: dict[str, int] = {}
    strangers: list[str] = []
    for (line, key), (_, value) in zip(keys, values, strict=True):
        name = str(key)
        if name in line_of:
            raise InputError(f"{path} line {line}: id {name!r} is already on line {line_of[name]}. Remove one.")
        line_of[name] = line
        if name in position:
            out[position[name]] = _score(path, line, value)
        elif name not in others:
            strangers.append(name)
    if strangers:
        raise InputError(
            f"{path} has {count(len(strangers), 'id')} not found in the suite: {listing(strangers, 5)}. Remove them."
        )
    missing = [name for name in ids if name not in line_of]
    if missing:
        raise InputError(
            f"{path} has no score for {len(missing):,} of {count(len(ids), 'item')}: {listing(missing, 5)}. Write "
            "nan for unscored items."
        )
    return out
