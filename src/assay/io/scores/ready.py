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

LANGUAGE = Wanted({"language": ("language", "langpair")})


def read_ready_scores(
    source: Any,
    scores: Sequence[str],
    columns: ColumnChoice | None = None,
    *,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
) -> Iterator[tuple[dict[str, NDArray[np.float64]], list[str]]]:
    """The columns `scores` of a table and the language of each row (empty where no column has it), some rows at a time.

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
        spoken = {role: column for role, column in chosen.items() if LANGUAGE.name_of(role)}
        language = assign(table.names, LANGUAGE, spoken, table.name).places.get("language")
        places = [table.names.index(column) for column in wanted] + ([] if language is None else [language])
        for piece in table.pieces(places, CHUNK):
            where = [f"{table.name} {piece.where(i)}" for i in range(len(piece.numbers))]
            found = {
                score: np.array([number(value, score, place) for value, place in zip(cells, where, strict=True)])
                for score, cells in zip(scores, piece.columns, strict=False)
            }
            languages = [str(value or "") for value in piece.columns[-1]] if language is not None else [""] * len(where)
            yield found, languages
        if notes is not None:
            notes += table.notes
