"""Dates beyond Python's range, in every reader that meets them."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from assay.io.table.cells import cells

DAY = datetime.date(2026, 11, 1)
FAR = 2**31 - 1
"""Days after 1970-01-01: numpy's calendar has 5881580-07-11 for it (java.time, too: LocalDate.ofEpochDay)."""


def dates(*days: int | None) -> pl.Series:
    return pl.Series("d", days, pl.Int32).cast(pl.Date)


def test_dates_within_the_range_stay_and_others_are_texts() -> None:
    assert cells(dates(20758, None)) == [DAY, None]
    assert cells(dates(20758, None, FAR)) == ["2026-11-01", None, "5881580-07-11"]
    times = pl.Series("t", [0, 2**62, None], pl.Int64).cast(pl.Datetime("ms"))
    assert cells(times) == ["1970-01-01T00:00:00.000", "146140482-04-24T15:36:27.904", None]
    assert cells(times.dt.replace_time_zone("UTC"))[0] == "1970-01-01T00:00:00.000+00:00"


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_the_ends_of_the_range_are_those_of_python(unit: str) -> None:
    inside = [datetime.date.min, datetime.date(2026, 11, 1), datetime.date.max]
    assert cells(pl.Series("d", inside)) == inside
    assert cells(dates(-719162, -719163)) == ["0001-01-01", "0000-12-31"]
    times = [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59)] if unit != "ns" else []
    assert cells(pl.Series("t", times, pl.Datetime(unit))) == times
    assert cells(pl.Series("t", [[None], None, []], pl.List(pl.Date))) == [[None], None, []]
    late = pl.Series("t", [datetime.datetime(9999, 12, 31, 23)], pl.Datetime("us", "UTC"))
    assert cells(late.dt.convert_time_zone("Asia/Tokyo")) == ["9999-12-31T23:00:00.000000+00:00"]


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("x", [[FAR]], pl.List(pl.Int32)).cast(pl.List(pl.Date)),
        pl.Series("x", [[[1], [FAR]]], pl.List(pl.Array(pl.Int32, 1))).cast(pl.List(pl.Array(pl.Date, 1))),
        pl.Series("x", [{"a": -FAR}], pl.Struct({"a": pl.Int32})).cast(pl.Struct({"a": pl.Date})),
        pl.Series("x", [2**63 - 1], pl.Int64).cast(pl.Duration("ms")),
        pl.Series("x", [-(10**17)], pl.Int64).cast(pl.Duration("ms")),
    ],
)
def test_what_has_no_value_in_python_is_one_line(series: pl.Series, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"^t\.parquet: column 'x' has a date or duration beyond Python's range"):
        cells(series, "t.parquet")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_every_verb_reads_a_table_with_such_dates(form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"t.{form}"
    frame = pl.DataFrame({"mt": ["a b c", "d"], "ref": ["a b c", "e"], "d": dates(20758, FAR)})
    frame.write_parquet(path) if form == "parquet" else frame.write_ipc(path)
    assert main(["score", "--data", str(path), "-m", "chrf", "--by", "d", "--format", "json"]) == 0
    assert [row["d"] for row in json.loads(capfd.readouterr().out)["groups"]] == ["2026-11-01", "5881580-07-11"]
    assert main(["view", str(path), "--out", str(tmp_path / "page.html")]) == 0
    assert main(["filter", "d == '5881580-07-11'", str(path), "--count"]) == 0
    if form == "parquet":
        (tmp_path / "shards").mkdir()
        path.rename(tmp_path / "shards" / path.name)
        command = [
            "score",
            str(tmp_path / "shards"),
            "-m",
            "chrf",
            "--out",
            f"{tmp_path / 'out'}/",
            "--keep",
            "chrf > 1",
            "-q",
        ]
        assert main(command) == 0
        assert pl.read_parquet(tmp_path / "out" / "t.parquet")["d"].to_physical().to_list() == [20758]
    assert "panicked" not in capfd.readouterr().err
    assert assay.score(data=frame, metrics=["chrf"], by="d").tables["groups"].rows[1]["d"] == "5881580-07-11"
