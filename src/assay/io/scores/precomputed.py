"""Streaming reader for precomputed scores in a table, for rules that were learned from score columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.rows import InputRows
from assay.io.judgements.outcomes import CHUNK, score_value
from assay.io.table.formats import open_table
from assay.io.table.open_table import Quoting, score_place
from assay.io.table.role_columns import json_values
from assay.io.table.vocabulary import ColumnChoice, Wanted, assign, one_each

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROLES = Wanted(
    {
        "language": ("language", "langpair"), "id": ("id", "segment id"), "doc": ("document",), "system": ("system",),
        "src": ("source",), "mt": ("hypothesis", "target"),
    }
)  # fmt: skip


def read_precomputed_scores(
    source: Any,
    scores: Sequence[str],
    columns: ColumnChoice | None = None,
    *,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
) -> Iterator[tuple[dict[str, NDArray[np.float64]], list[str], InputRows]]:
    """Yield the columns `scores` of a table, the language of each row (empty if unknown), and the original rows.

    Args:
        source: A file or a frame.
        scores: Score names.
        columns: The column for a score or ``language``, if it has another name.
        quoting: The meaning of quotation marks in delimited text.
        notes: A list to which the reader adds notes on ambiguous quotation marks.
    """
    import numpy as np

    chosen = one_each(columns or {})
    with open_table(source, quoting=quoting) as table:
        if not table.names:
            return
        own = list(table.names)
        wanted = [score_place(table, chosen.pop(score, score)) for score in scores]
        role_columns = {role: column for role, column in chosen.items() if ROLES.name_of(role)}
        roles = dict(assign(own, ROLES, role_columns, table.name).places)
        language = roles.pop("language", None)
        shown = {own[index]: role for role, index in roles.items()}
        places = list(dict.fromkeys([*range(len(own)), *wanted]))
        for piece in table.pieces(places, CHUNK):
            where = [f"{table.name} {piece.where(i)}" for i in range(len(piece.numbers))]
            by_place = dict(zip(places, piece.columns, strict=True))
            values = {
                score: np.array(
                    [score_value(value, score, at) for value, at in zip(by_place[index], where, strict=True)]
                )
                for score, index in zip(scores, wanted, strict=True)
            }
            language_column: Sequence[Any] = [""] * len(where) if language is None else by_place[language]
            rows = InputRows({name: json_values(by_place[index]) for index, name in enumerate(own)}, shown)
            yield values, ["" if value is None else str(value) for value in language_column], rows
        if notes is not None:
            notes += table.notes
