from __future__ import annotations

import gzip
import json
import lzma
import tracemalloc
from pathlib import Path

import polars
import pytest

from assay.core.errors import InputError, UnknownName
from assay.io.files.text import read_text
from assay.io.table.bad_rows import BadRows
from assay.io.table.folder import shards_of
from assay.io.table.formats import format_of, objects, open_table, read_fields
from assay.io.table.objects import AHEAD


def rows(path: Path, bad: BadRows | None = None) -> list[tuple[int, list[object]]]:
    with open_table(path, bad) as table:
        return list(table.rows())


def test_a_file_whose_header_is_quoted_is_quoted_throughout(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('"good"\t"bad"\n"x, y"\t"z ""q"""\n')
    with open_table(path) as table:
        assert table.names == ["good", "bad"] and list(table.rows()) == [(2, ["x, y", 'z "q"'])]


def test_a_tsv_has_no_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes('a\tb\r\n"lone\tx\u2028y\r\n\n'.encode())
    assert rows(path) == [(2, ['"lone', "x\u2028y"])]


def test_repeated_headers_and_empty_stray_fields_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("a\tb\n1\t2\na\tb\n3\t4\t\t\n \n\t\n")
    with open_table(path) as table:
        assert list(table.rows()) == [(2, ["1", "2"]), (4, ["3", "4"])]
        assert (table.repeated_headers, table.stray_fields) == (1, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [("1", "line 3: 1 column, but the header has 2: column 'b' is missing"), ("1\t2\t3", "column 3 has no name")],
)
def test_a_ragged_row_is_named_or_skipped(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(f"a\tb\nx\ty\n{line}\nu\tv\n")
    with pytest.raises(InputError, match=rf"{said}\. \(--skip-bad skips"):
        rows(path, BadRows())
    with pytest.raises(InputError, match=rf"{said}\.$"):
        rows(path)
    bad = BadRows(skip=True)
    assert [row for _, row in rows(path, bad)] == [["x", "y"], ["u", "v"]]
    assert bad.sentences()[0] == "1 bad row left out:" and said in bad.sentences()[1]


def test_csv_rows_carry_the_line_they_begin_on(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('a,b\n"x\ny","say ""hi"""\nu,v\n')
    assert rows(path) == [(2, ["x\ny", 'say "hi"']), (4, ["u", "v"])]


def test_every_packing_gives_the_same_rows(tmp_path: Path) -> None:
    text = "a\tb\nä\t\U0001f600\n".encode()
    (tmp_path / "a.tsv").write_bytes(text)
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "a.tsv.xz").write_bytes(lzma.compress(text))
    (tmp_path / "a.jsonl").write_text('{"a": "ä", "b": "😀"}\n', encoding="utf-8")
    (tmp_path / "a.json").write_text('[{"a": "ä", "b": "😀"}]', encoding="utf-8")
    polars.DataFrame({"a": ["ä"], "b": ["😀"]}).write_parquet(tmp_path / "a.parquet")
    for path in tmp_path.iterdir():
        with open_table(path) as table:
            assert table.names == ["a", "b"]
            assert [row for _, row in table.rows()] == [["ä", "😀"]], path


def test_the_form_is_told_by_the_name_then_by_the_first_bytes() -> None:
    by_name = {"a.tsv.gz": "tsv", "a.b.csv": "csv", "a.jsonl.xz": "jsonl", "a.ndjson": "jsonl"}
    assert {name: format_of(name, b"x") for name in by_name} == by_name
    by_bytes = {
        b'\xef\xbb\xbf{"a": 1}': "jsonl",
        b"\n [1]": "jsonl",
        b"a\tb": "tsv",
        b"\ta": "tsv",
        b"a,b": "csv",
        b"PAR1": "parquet",
        b"": "csv",
    }
    for name in ("a", "a.json", "a.txt", "a.seg.score", "-"):
        assert {head: format_of(name, head) for head in by_bytes} == by_bytes


def test_objects_of_an_array_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[\n  {\n    "x": 1\n  },\n  7,\n  {"x": 2}\n]\n')
    bad = BadRows(skip=True)
    assert list(objects(path, bad)) == [(2, {"x": 1}), (6, {"x": 2})]
    assert bad.found == ["a.json line 5: expected a JSON object, not int."]
    path.write_text("[]")
    assert list(objects(path, bad)) == []


@pytest.mark.parametrize("text", ['[{"x": 1}', '[{"x": 1} {"x": 2}]', '[{"x": }]', "["])
def test_a_broken_array_is_an_error_with_its_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"a\.json is not JSON: .* line 1"):
        list(objects(path, BadRows(skip=True)))


@pytest.mark.parametrize("end", ["\n", ""])
def test_an_array_is_read_item_by_item(tmp_path: Path, end: str) -> None:
    path = tmp_path / "a"
    items = [{"mt": f"{n} {'ä' * 3000}", "note": '[,]{}\\"'} for n in range(3000)]
    path.write_text(
        "[" + f",{end}".join(json.dumps(item, ensure_ascii=False) for item in items) + "]", encoding="utf-8"
    )
    tracemalloc.start()
    with open_table(path) as table:
        places = [str(row[0]).split()[0] for _, row in table.rows()]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The file has 18 MB.
    assert places == [str(n) for n in range(3000)] and peak < 8_000_000


def test_a_fault_late_in_an_array_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[" + "".join(f'{{"x": "{"y" * 1000}"}},\n' for _ in range(1000)) + '{"x": ]')
    with pytest.raises(InputError, match="Expecting value: line 1001 column 7"):
        list(objects(path, BadRows()))


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(b"a\tb\n" * 9999)[:-12])
    (tmp_path / "not.tsv.gz").write_bytes(b"plain")
    (tmp_path / "not.tsv.xz").write_bytes(b"plain")
    (tmp_path / "not.parquet").write_bytes(b"plain")
    (tmp_path / "empty.tsv").write_bytes(b"")
    (tmp_path / "latin.tsv").write_bytes(b"a\tb\n\xe4\t1\n")
    for path in [*tmp_path.iterdir(), tmp_path / "absent.tsv", tmp_path / "absent.parquet", tmp_path]:
        with pytest.raises(InputError, match=path.name.replace(".", r"\.")):
            rows(path)
    for read in (read_text, rows):
        with pytest.raises(InputError, match=r"not valid UTF-8 \(byte 4, line 2\)"):
            read(tmp_path / "latin.tsv")


def test_a_line_that_is_not_utf8_can_be_left_out(tmp_path: Path) -> None:
    for name, data, value in (
        ("a.tsv", b"a\tb\n\xe4\t1\nx\ty\n", ["x", "y"]),
        ("a.csv", b"a,b\n\xe4,1\nx,y\n", ["x", "y"]),
        ("a.jsonl", b'{"a": "x"}\n{"a": "\xe4"}\n{"a": "y"}', ["y"]),
    ):
        (tmp_path / name).write_bytes(data)
        bad = BadRows(skip=True)
        assert rows(tmp_path / name, bad)[-1] == (3, value)
        assert bad.found[0].startswith(f"{name} line 2: not UTF-8 at byte")


def test_fields_of_files_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "a.seg.score"
    path.write_text('\n"good"\t1\n\t\n"a ""b"""\t2\t3\n')
    assert list(read_fields(path, BadRows())) == [(2, ["good", "1"]), (4, ['a "b"', "2", "3"])]
    assert next(read_fields(path, BadRows(), quoting="none")) == (2, ['"good"', "1"])


def test_an_unknown_quoting_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"unknown quoting 'cvs'. Did you mean csv"):
        open_table(tmp_path / "a.tsv", quoting="cvs")  # type: ignore[arg-type]


def test_columns_of_objects_are_those_of_all_rows_read_ahead(tmp_path: Path) -> None:
    path = tmp_path / "late.jsonl"
    path.write_text('{"mt": "a"}\n{"mt": "b", "ref2": "c"}\n')
    with open_table(path) as table:
        assert table.names == ["mt", "ref2"]
        assert list(table.rows()) == [(1, ["a", None]), (2, ["b", "c"])]


def test_a_key_that_comes_after_the_rows_read_ahead_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "late.jsonl"
    path.write_text('{"mt": "a"}\n' * AHEAD + '{"mt": "b", "ref2": "c"}\n')
    with (
        open_table(path) as table,
        pytest.raises(InputError, match=r"line 1001: the key 'ref2' is not in the first 1,000 rows"),
    ):
        list(table.rows())


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["test-00000-of-00003.jsonl", "test-00002-of-00003.jsonl"], "lacks 1 shard of 3: 00001-of-00003"),
        (["test-00000-of-00001.jsonl", "test-00000-of-00001-0f3a.jsonl"], "contains the same rows more than once"),
        (["test-00000-of-00001.jsonl", "data/test-00000-of-00001.jsonl"], "contains the same rows more than once"),
        (["test-00000-of-00001.jsonl", "README.md", "test.jsonl"], "contains the same rows more than once"),
    ],
)
def test_a_data_set_with_a_shard_missing_or_twice_is_refused(tmp_path: Path, names: list[str], said: str) -> None:
    (tmp_path / "data").mkdir()
    for name in names:
        (tmp_path / name).write_text('{"mt": "a", "ref": "a"}\n')
    for path in (tmp_path, tmp_path / "test"):
        with pytest.raises(InputError, match=said):
            shards_of(str(path))


def test_a_complete_data_set_is_read(tmp_path: Path) -> None:
    for i in range(2):
        (tmp_path / f"test-0000{i}-of-00002.jsonl").write_text('{"mt": "a", "ref": "a"}\n')
    files = shards_of(str(tmp_path))
    assert files is not None and len(files) == 2
