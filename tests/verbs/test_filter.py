"""`assay filter`: rows in, the same rows out, whatever the form; counts; refusals that leave nothing behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.core.errors import InputError, UnknownName
from assay.io.table import whole_rows
from assay.io.table.objects import AHEAD

ROWS: list[dict[str, Any]] = [
    {"system": "online", "id": "007", "mt": 'He said "no".', "chrf": 12.5, "ok": True, "flags": ["copied_source"]},
    {"system": "online", "id": "008", "mt": '"No," he said.', "chrf": 61.25, "ok": False, "flags": []},
    {"system": "ours", "id": "009", "mt": '"No."', "chrf": 29.999999999999996, "ok": True, "flags": []},
    {"system": "ours", "id": "010", "mt": "日本語, \u2028 yes", "chrf": 30.0, "ok": None, "flags": ["far_longer", "chrf bounded"]},
]  # fmt: skip
KEPT = [0, 2]


def written(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    """The rows in the form that the name says, by other hands than ours."""
    frame = polars.DataFrame(rows, strict=False)
    flat = frame.with_columns(polars.col("flags").list.join(","), polars.col("ok").cast(polars.String))
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    else:
        flat.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    """What another reader finds in the file, with types where the form has them."""
    if path.suffix == ".parquet":
        return polars.read_parquet(path).to_dicts()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    if path.suffix == ".json":
        found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        return found
    return polars.read_csv(path, separator="\t" if path.suffix == ".tsv" else ",", infer_schema=False).to_dicts()


def as_cells(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "chrf": repr(row["chrf"]),
        "ok": None if row["ok"] is None else str(row["ok"]).lower(),
        "flags": ",".join(row["flags"]) or None,
    }


@pytest.mark.parametrize("form", [".tsv", ".csv", ".jsonl", ".json", ".parquet"])
@pytest.mark.parametrize("out", [".tsv", ".csv", ".jsonl", ".json", ".parquet"])
def test_every_form_goes_into_every_form(tmp_path: Path, form: str, out: str) -> None:
    given, made = written(tmp_path / f"in{form}"), tmp_path / f"out{out}"
    result = assay.filter_rows("chrf < 30", given, out=made)
    typed = form in (".jsonl", ".json", ".parquet") and out in (".jsonl", ".json", ".parquet")
    found = read(made)
    if form in (".tsv", ".csv"):
        found = [{name: value or None for name, value in row.items()} for row in found]
    assert found == [ROWS[i] if typed else as_cells(ROWS[i]) for i in KEPT]
    assert result.counts == {"online": (1, 2), "ours": (1, 2)}
    assert result.sentence() == "kept 2 of 4 rows: online 1 of 2, ours 1 of 2"


@pytest.mark.parametrize("form", [".tsv", ".csv", ".jsonl", ".parquet"])
def test_what_was_kept_is_read_again_as_it_is(tmp_path: Path, form: str) -> None:
    """Twice through the same form; the quotation marks that are left alone would be taken for quoting."""
    first, second = tmp_path / f"first{form}", tmp_path / f"second{form}"
    assay.filter_rows('mt == "\\"No.\\""', written(tmp_path / f"in{form}"), out=first)
    assay.filter_rows("true", first, out=second)
    assert [row["mt"] for row in read(second)] == ['"No."']


def test_invert_keeps_the_others() -> None:
    assert assay.filter_rows("chrf < 30", ROWS, invert=True).to_polars()["id"].to_list() == ["008", "010"]


@pytest.mark.parametrize(
    ("expression", "ids"),
    [
        ("copied_source or far_longer", ["007", "010"]),
        ("`chrf bounded`", ["010"]),
        ('"far_longer" in flags', ["010"]),
        ("ok", ["007", "009"]),
        ("ok is missing", ["010"]),
        ('mt ~ "[Nn]o\\\\W" and system == "online"', ["007", "008"]),
        ('id in ("007", "010") and chrf >= 30', ["010"]),
    ],
)
@pytest.mark.parametrize("form", [".tsv", ".csv", ".jsonl", ".parquet"])
def test_flags_texts_and_ids_in_every_form(tmp_path: Path, expression: str, ids: list[str], form: str) -> None:
    result = assay.filter_rows(expression, written(tmp_path / f"in{form}"))
    assert result.columns()["id"] == ids


def test_scores_of_a_json_line_are_columns_and_the_line_stays(tmp_path: Path) -> None:
    """As `assay score --format jsonl` writes them, with keys that only a later row has."""
    lines = [
        '{"system": "a", "segment": 1, "scores": {"chrf": 12.5, "assay-mini.mqm": null}}',
        '{"system": "a", "segment": 2, "scores": {"chrf": 80.0, "assay-mini.mqm": -1.5}, "late": [1]}',
    ]
    path, out = tmp_path / "scores.jsonl", tmp_path / "out.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assay.filter_rows("`assay-mini.mqm` is missing or chrf > 50", path, out=out)
    assert out.read_text() == path.read_text()
    assay.filter_rows("chrf < 50", path, out=tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text() == "system\tsegment\tchrf\tassay-mini.mqm\tlate\na\t1\t12.5\t\t\n"
    assay.filter_rows("chrf > 50", path, out=tmp_path / "more.tsv")
    assert (tmp_path / "more.tsv").read_text().splitlines()[1] == "a\t2\t80.0\t-1.5\t[1]"
    path.write_text("\n".join([lines[0]] * AHEAD + [lines[1]]) + "\n")
    with pytest.raises(InputError, match="line 1001: the key 'late' is not in the first 1,000 rows"):
        assay.filter_rows("chrf > 50", path, out=tmp_path / "last.tsv")
    assert not (tmp_path / "last.tsv").exists()


def test_a_row_without_a_number_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path, out = tmp_path / "s.tsv", tmp_path / "out.tsv"
    path.write_text("id\tcomet\na\t0.5\nb\t\nc\tnan\n")
    with pytest.raises(InputError, match=r"s\.tsv line 3: comet has no number\. .* In the expression: ⟦comet⟧ < 0\.6"):
        assay.filter_rows("comet < 0.6", path, out=out)
    assert not out.exists()
    assert assay.filter_rows("comet is missing", path).columns()["id"] == ["b", "c"]


def test_parts_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{**ROWS[i % 4], "id": f"{i:04}", "chrf": float(i % 97)} for i in range(1000)]
    outputs = []
    for most in (16_384, 64):
        monkeypatch.setattr(whole_rows, "MOST_ROWS", most)
        for form in (".tsv", ".jsonl", ".parquet"):
            path, out = written(tmp_path / f"in{form}", rows), tmp_path / f"out{most}{form}"
            assert assay.filter_rows("chrf < 30", path, out=out).kept == sum(i % 97 < 30 for i in range(1000))
            outputs.append(read(out))
    assert outputs[:3] == outputs[3:]


def test_the_ending_says_the_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"out\.csv means csv, but the format is tsv"):
        assay.filter_rows("chrf < 30", ROWS, out=tmp_path / "out.csv", format="tsv")
    with pytest.raises(InputError, match=r"out\.txt has no suffix of a known format"):
        assay.filter_rows("chrf < 30", ROWS, out=tmp_path / "out.txt")
    with pytest.raises(UnknownName, match=r"unknown format 'tvs'\. Did you mean tsv"):
        assay.filter_rows("chrf < 30", ROWS, out=tmp_path / "out.txt", format="tvs")
    assay.filter_rows("chrf < 30", ROWS, out=tmp_path / "out.txt", format="csv")
    assert (tmp_path / "out.txt").read_text().startswith("system,id,mt,chrf,ok,flags\n")


def test_a_tab_in_a_cell_is_quoted_and_said(tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    result = assay.filter_rows("true", [{"mt": "a\tb"}, {"mt": "c\nd"}, {"mt": 'e "f"'}], out=out)
    assert out.read_text() == 'mt\n"a\tb"\n"c\nd"\ne "f"\n'
    assert result.notes[0].startswith("2 cells with a tab or a line end are in quotation marks")
    assert assay.filter_rows("true", out, quoting="csv").columns() == {"mt": ["a\tb", "c\nd", 'e "f"']}


def test_columns_of_the_same_name_are_kept_and_not_guessed(tmp_path: Path) -> None:
    path, out = tmp_path / "s.tsv", tmp_path / "out.tsv"
    path.write_text("a\tx\tx\n1\t2\t3\n")
    with pytest.raises(InputError, match="two columns named 'x'"):
        assay.filter_rows("x > 1", path)
    assay.filter_rows("a == 1", path, out=out)
    assert out.read_text() == path.read_text()
    with pytest.raises(InputError, match=r"two columns are named 'x'\. Rename one, or write"):
        assay.filter_rows("a == 1", path, out=tmp_path / "out.parquet")


def test_a_document_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    path.write_text('{"systems": {"a": {\n "chrf": {"score": 1.0}}}}\n')
    with pytest.raises(InputError, match=r"is not a table\. filter reads one row per segment"):
        assay.filter_rows("chrf > 1", path)


def test_counts_as_a_table() -> None:
    result = assay.filter_rows("chrf < 30", ROWS, count=True)
    assert result.kept_columns == [] and (result.kept, result.dropped, len(result)) == (2, 2, 4)
    assert [row["kept"] for row in result.table().rows] == [1, 1, 2]
    alone = assay.filter_rows("chrf < 30", [{"chrf": 1.0}], count=True)
    assert alone.table().rows == [{"system": "", "rows": 1, "kept": 1, "dropped": 0, "share": 1.0}]
