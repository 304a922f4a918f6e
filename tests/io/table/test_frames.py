from __future__ import annotations

from typing import Any

import polars
import pytest

from assay.core.errors import InputError
from assay.io.judgements.outcomes import read_outcomes
from assay.io.table.tables import read_table

COLUMNS: dict[str, list[Any]] = {
    "Src": ["Eins", "Zwei", "Drei"],
    "MT": ["one", "two", "three"],
    "ref": ["One", None, "Three"],
    "outcome": ["good", "bad", "good"],
}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


class Arrow:
    """Any library's table: all that is known of it is the Arrow interface."""

    def __init__(self, frame: polars.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


FRAMES: dict[str, Any] = {
    "columns": COLUMNS,
    "rows": ROWS,
    "polars": polars.DataFrame(COLUMNS),
    "lazy": polars.LazyFrame(COLUMNS),
    "categories": polars.DataFrame(COLUMNS, schema_overrides={"MT": polars.Categorical}),
    "arrow": Arrow(polars.DataFrame(COLUMNS)),
}


def check(frame: Any) -> None:
    for chunk in (1, 2, 100):
        found = [batch[i] for batch in read_table(frame, chunk=chunk) for i in range(len(batch))]
        assert [(s.source, s.hypothesis, s.references) for s in found] == [
            ("Eins", "one", ("One",)),
            ("Zwei", "two", ()),
            ("Drei", "three", ("Three",)),
        ]
    assert read_outcomes(frame).success.tolist() == [True, False, True]


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_tables(kind: str) -> None:
    check(FRAMES[kind])


def test_pandas_frames_are_tables() -> None:
    pandas = pytest.importorskip("pandas")
    check(pandas.DataFrame(COLUMNS))
    check(pandas.DataFrame(COLUMNS).astype({"ref": "string", "MT": "category"}))


def test_columns_can_be_named_and_faults_are_said() -> None:
    (batch,) = read_table({"output": ["x"], "gold": ["y"]}, {"mt": "output", "ref": "gold"})
    assert batch[0].hypothesis == "x" and batch[0].references == ("y",)
    with pytest.raises(InputError, match=r"the table row 2: 'mt' is a number \(3\), not text"):
        list(read_table({"mt": ["x", 3]}))
    with pytest.raises(InputError, match=r"the table has no column with the translations. It has 'x'"):
        list(read_table(polars.DataFrame({"x": ["y"]})))
    with pytest.raises(InputError, match="'ref' has 1 row, others have 2: they must match"):
        list(read_table({"mt": ["x", "y"], "ref": ["z"]}))
    for odd in (7, [1, 2]):
        with pytest.raises(InputError, match="table"):
            list(read_table(odd))
