"""Ready scores in a table, read as a stream: for rules that were learned from columns of scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import unknown
from assay.io.judgements.outcomes import CHUNK, number
from assay.io.table.forms import open_table
from assay.io.table.open_table import Quoting
from assay.io.table.vocabulary import ColumnChoice, Wanted, assign, one_each

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROLES = Wanted({"language": ("language", "langpair"), "id": ("id", "segment id"), "doc": ("document",)})
LABELS = ("id", "doc")
"""What names a row, by the name that it goes out with."""


def read_ready_scores(
    source: Any,
    scores: Sequence[str],
    columns: ColumnChoice | None = None,
    *,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
) -> Iterator[tuple[dict[str, NDArray[np.float64]], list[str], dict[str, list[str]]]]:
    """The columns `scores` of a table, the language of each row (empty where no column has it), and its id and document where
    there are such columns, some rows at a time.

    `columns` names the columns that have other names: of a score, or of ``language``. `notes` takes what the reader has to say
    about doubtful quotation marks.
    """
    import numpy as np

    chosen = one_each(columns or {})
    with open_table(source, quoting=quoting) as table:
        if not table.names:
            return
        wanted = [chosen.pop(score, score) for score in scores]
        for column in wanted:
            if column not in table.names:
                raise unknown(f"column in {table.name}", column, table.names)
        told = {role: column for role, column in chosen.items() if ROLES.name_of(role)}
        roles = assign(table.names, ROLES, told, table.name).places
        places = [*(table.names.index(column) for column in wanted), *roles.values()]
        for piece in table.pieces(places, CHUNK):
            where = [f"{table.name} {piece.where(i)}" for i in range(len(piece.numbers))]
            found = {
                score: np.array([number(value, score, place) for value, place in zip(cells, where, strict=True)])
                for score, cells in zip(scores, piece.columns, strict=False)
            }
            texts = {
                role: ["" if value is None else str(value) for value in cells]
                for role, cells in zip(roles, piece.columns[len(wanted) :], strict=True)
            }
            yield (
                found,
                texts.pop("language", [""] * len(where)),
                {name: texts[name] for name in LABELS if name in texts},
            )
        if notes is not None:
            notes += table.notes
