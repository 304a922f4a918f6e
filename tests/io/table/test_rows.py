import gzip
import lzma

import polars
import pytest

from assay.core.errors import InputError
from assay.io.table.rows import BadRows, Rows, kind_of, objects, read_text, unquoted


def test_unquoting_undoes_one_level_and_only_where_quotes_are_doubled():
    assert unquoted('"He said ""no"""') == 'He said "no"'
    assert unquoted('"""No."""') == '"No."'
    assert unquoted('"""""No."""""') == '""No.""'
    for text in ('"No."', '"No," he said, "never."', 'a "b" c', '"', '""', "", 'He said ""no""'):
        assert unquoted(text) == text
    assert unquoted('"No."', force=True) == "No."


def test_a_file_whose_header_is_quoted_is_quoted_throughout(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('"good"\t"bad"\n"x, y"\t"z ""q"""\n')
    rows = Rows(path, BadRows())
    assert rows.columns == ["good", "bad"] and list(rows) == [(2, ["x, y", 'z "q"'])]


def test_a_tsv_interprets_no_quotes_and_no_other_line_ends(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes('a\tb\r\n"lone\tx\u2028y\r\n\n'.encode())
    assert list(Rows(path, BadRows())) == [(2, ['"lone', "x\u2028y"])]


def test_repeated_headers_and_empty_stray_fields_are_counted(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("a\tb\n1\t2\na\tb\n3\t4\t\t\n")
    rows = Rows(path, BadRows())
    assert list(rows) == [(2, ["1", "2"]), (4, ["3", "4"])]
    assert (rows.repeated_headers, rows.stray_fields) == (1, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [("1", "line 3: 1 column, the header has 2: column 'b' is missing"), ("1\t2\t3", "column 3 has no name")],
)
def test_a_ragged_row_is_named_or_skipped(tmp_path, line, said):
    path = tmp_path / "a.tsv"
    path.write_text(f"a\tb\nx\ty\n{line}\nu\tv\n")
    with pytest.raises(InputError, match=said):
        list(Rows(path, BadRows()))
    bad = BadRows(skip=True)
    assert [row for _, row in Rows(path, bad)] == [["x", "y"], ["u", "v"]]
    assert bad.sentences()[0] == "1 bad row left out:" and said in bad.sentences()[1]


def test_csv_rows_carry_the_line_they_begin_on(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b\n"x\ny","say ""hi"""\nu,v\n')
    assert list(Rows(path, BadRows())) == [(2, ["x\ny", 'say "hi"']), (4, ["u", "v"])]


def test_every_packing_gives_the_same_rows(tmp_path):
    text = "a\tb\nä\t\U0001f600\n".encode()
    (tmp_path / "a.tsv").write_bytes(text)
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "a.tsv.xz").write_bytes(lzma.compress(text))
    (tmp_path / "a.jsonl").write_text('{"a": "ä", "b": "😀"}\n', encoding="utf-8")
    (tmp_path / "a.json").write_text('[{"a": "ä", "b": "😀"}]', encoding="utf-8")
    polars.DataFrame({"a": ["ä"], "b": ["😀"]}).write_parquet(tmp_path / "a.parquet")
    for path in tmp_path.iterdir():
        rows = Rows(path, BadRows())
        assert rows.columns == ["a", "b"]
        assert [row for _, row in rows] == [["ä", "😀"]], path


def test_kind_looks_through_the_compression():
    from pathlib import Path

    names = {"a.tsv.gz": "tsv", "a.b.csv": "csv", "a.jsonl.xz": "jsonl", "a.json": "json", "a.seg.score": "tsv"}
    assert {name: kind_of(Path(name)) for name in names} == names


def test_objects_of_an_array_know_their_lines(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[\n  {\n    "x": 1\n  },\n  7,\n  {"x": 2}\n]\n')
    bad = BadRows(skip=True)
    assert list(objects(path, bad)) == [(2, {"x": 1}), (6, {"x": 2})]
    assert bad.found == ["a.json line 5: a JSON object was expected, not int."]


@pytest.mark.parametrize("text", ['[{"x": 1}', '[{"x": 1} {"x": 2}]', '[{"x": }]', "["])
def test_a_broken_array_is_an_error_with_its_place(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"a\.json is not JSON: .* line 1"):
        list(objects(path, BadRows(skip=True)))


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(b"a\tb\n" * 9999)[:-12])
    (tmp_path / "not.tsv.gz").write_bytes(b"plain")
    (tmp_path / "not.tsv.xz").write_bytes(b"plain")
    (tmp_path / "not.parquet").write_bytes(b"plain")
    (tmp_path / "empty.tsv").write_bytes(b"")
    (tmp_path / "latin.tsv").write_bytes(b"a\tb\n\xe4\t1\n")
    for path in [*tmp_path.iterdir(), tmp_path / "absent.tsv", tmp_path / "absent.parquet", tmp_path]:
        with pytest.raises(InputError, match=path.name.replace(".", r"\.")):
            list(Rows(path, BadRows()))
    with pytest.raises(InputError, match=r"latin\.tsv line 2: not UTF-8 at byte 1"):
        list(Rows(tmp_path / "latin.tsv", BadRows()))
    with pytest.raises(InputError, match=r"not UTF-8 at byte 4 \(line 2\)"):
        read_text(tmp_path / "latin.tsv")
