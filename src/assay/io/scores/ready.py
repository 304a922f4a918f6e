"""Ready scores in a table, read as a stream: for rules that were learned from columns of scores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.core.errors import unknown
from assay.io.files.text import file_name, open_bytes
from assay.io.judgements.outcomes import CHUNK, number
from assay.io.table.formats import format_of
from assay.io.table.tables import open_source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LANGUAGE = ("language", "lang", "langpair", "lp")


def read_ready_scores(
    path: str | os.PathLike[str], scores: Sequence[str], columns: Mapping[str, str] | None = None
) -> Iterator[tuple[dict[str, NDArray[np.float64]], list[str]]]:
    """The columns `scores` of a table and the language of each row (empty where no column has it), some rows at a time.

    `columns` names the columns that have other names: of a score, or of ``language``.
    """
    import numpy as np

    name, chosen = os.fspath(path), columns or {}
    with open_bytes(name) as file:
        head = file.readline(1 << 20)
        source = open_source(file, name, head, format_of(name, head))
        wanted = [chosen.get(score, score) for score in scores]
        spoken = next((chosen[role] for role in LANGUAGE if role in chosen), None)
        spoken = spoken or next((column for column in source.names if column.lower() in LANGUAGE), None)
        for column in [*wanted, *([spoken] if spoken else [])]:
            if column not in source.names:
                raise unknown(f"column in {file_name(name)}", column, source.names)
        for piece in source.pieces([*wanted, *([spoken] if spoken else [])], CHUNK):
            where = [f"{file_name(name)} {piece.where(i)}" for i in range(len(piece.columns[0]))]
            found = {
                score: np.array([number(value, score, place) for value, place in zip(cells, where, strict=True)])
                for score, cells in zip(scores, piece.columns, strict=False)
            }
            languages = [str(value or "") for value in piece.columns[-1]] if spoken else [""] * len(where)
            yield found, languages
