from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
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


def test_rows_may_come_one_by_one() -> None:
    drawn = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal drawn
        for row in ROWS * 1000:
            drawn += 1
            yield row

    batches = read_table(rows(), chunk=2)
    assert next(batches)[1].hypothesis == "two" and drawn < 10
    assert 2 + sum(map(len, batches)) == 3000 == drawn
    assert read_outcomes(iter(ROWS)).success.tolist() == [True, False, True]
    assert [len(batch) for batch in read_table(iter([]))] == []
    with pytest.raises(InputError, match="must be dictionaries, not str"):
        list(read_table(iter(["a"])))


def test_texts_may_be_columns_and_generators() -> None:
    hypotheses, references = ["the dog", "a cat"], ["the dog", "the cat"]
    expected = assay.score(hypotheses, references, metrics=["chrf"]).segments["chrf"].tolist()

    def same(*texts: Any) -> None:
        assert assay.score(*texts, metrics=["chrf"]).segments["chrf"].tolist() == expected

    same((text for text in hypotheses), (text for text in references))
    same(polars.Series(hypotheses), polars.Series(references))
    same(iter(hypotheses), [iter(references)])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"mt": hypotheses, "ref": references})
    same(frame["mt"], frame["ref"])
    same(frame["mt"], [frame["ref"]])
    found = assay.score(
        data=({"mt": h, "ref": r} for h, r in zip(hypotheses, references, strict=True)), metrics=["chrf"]
    )
    assert found.segments["chrf"].tolist() == expected


def test_what_is_inside_objects_can_be_chosen(tmp_path: Path) -> None:
    rows = [
        {"translation": {"de": "Hund", "en": "dog"}, "mt": "hound"},
        {"translation": {"de": "Katze", "en": "cat"}, "mt": "cat"},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    polars.DataFrame(rows).write_parquet(tmp_path / "a.parquet")
    sources = [
        path,
        tmp_path / "a.parquet",
        rows,
        iter(rows),
        polars.DataFrame(rows),
        {"translation": [r["translation"] for r in rows], "mt": ["hound", "cat"]},
    ]
    for source in sources:
        found = [
            b[i]
            for b in read_table(source, {"mt": "mt", "src": "translation.de", "ref": "translation.en"})
            for i in range(len(b))
        ]
        assert [(s.source, s.hypothesis, s.references) for s in found] == [
            ("Hund", "hound", ("dog",)),
            ("Katze", "cat", ("cat",)),
        ]
    with pytest.raises(
        InputError,
        match=r"line 1: 'translation' is an object, not text. Choose a value in it: --columns NAME=translation.de",
    ):
        list(read_table(path, {"mt": "translation"}))


def test_columns_can_be_named_and_faults_are_said() -> None:
    (batch,) = read_table({"output": ["x"], "gold": ["y"]}, {"mt": "output", "ref": "gold"})
    assert batch[0].hypothesis == "x" and batch[0].references == ("y",)
    with pytest.raises(InputError, match=r"the table row 2: 'mt' is a number \(3\), not text"):
        list(read_table({"mt": ["x", 3]}))
    with pytest.raises(InputError, match=r"the table has no column with translations; it has 'x'"):
        list(read_table(polars.DataFrame({"x": ["y"]})))
    with pytest.raises(InputError, match="'ref' has 1 row, but others have 2; they must match"):
        list(read_table({"mt": ["x", "y"], "ref": ["z"]}))
    for odd in (7, [1, 2]):
        with pytest.raises(InputError, match="table"):
            list(read_table(odd))
