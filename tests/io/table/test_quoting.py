from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.io.table.open_table import Quoting
from assay.io.table.quoting import all_quoted, quote_cell, strip_leftover_quotes, unquote_cell
from assay.io.table.tables import read_table

PLAIN = "mt\tref\n"


def read(path: Path, text: str, quoting: Quoting = "auto") -> list[tuple[str, ...]]:
    path.write_text(text, encoding="utf-8", newline="")
    return [
        (b[i].hypothesis, *b[i].references) for b in read_table(path, chunk=3, quoting=quoting) for i in range(len(b))
    ]


@pytest.mark.parametrize(
    ("text", "expected", "note"),
    [
        (PLAIN + 'a "b"\tc\n', [('a "b"', "c")], ""),
        (PLAIN + '"a ""b"""\tc\n', [('a "b"', "c")], "as quoting, because"),
        (PLAIN + '"a"\t""\r\n', [("a",)], "as quoting, because"),
        ('"mt"\t"ref"\n"a"\t"b"', [("a", "b")], "as quoting, because"),
        ('"mt"\tref\na\t"b"', [("a", "b")], "as quoting, because"),
        (
            PLAIN + '"Yes," he said.\t"Yes", he said.\n',
            [('"Yes," he said.', '"Yes", he said.')],
            "read as text, because",
        ),
        (PLAIN + '"Good\tx\n', [('"Good', "x")], "read as text, because"),
        (PLAIN + '"\tx\n', [('"', "x")], "read as text, because"),
        (PLAIN + '"""\tx\n', [('"""', "x")], "read as text, because"),
        (PLAIN + '"a" "b"\tx\n', [('"a" "b"', "x")], "read as text, because"),
        (PLAIN + '"whole"\tx\n"half\ty\n', [('"whole"', "x"), ('"half', "y")], "read as text, because"),
        (PLAIN + '""""\tx\n', [('"', "x")], "as quoting, because"),
    ],
)
def test_a_file_is_quoted_if_every_cell_that_begins_with_a_mark_is(
    tmp_path: Path, text: str, expected: list[tuple[str, ...]], note: str
) -> None:
    path = tmp_path / "a.tsv"
    assert read(path, text) == expected
    batches = read_table(path)
    list(batches)
    assert len(batches.notes) == bool(note) and all(note in said and "--quoting" in said for said in batches.notes)


def test_the_user_decides_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    assert read(path, PLAIN + '"a"\tb\n', "none") == [('"a"', "b")]
    assert read(path, PLAIN + '"a\tb\nc"\td\n', "csv") == [("a\tb\nc", "d")]
    path = tmp_path / "a.csv"
    assert read(path, 'mt,ref\n"a"b,"c"\n', "none") == [('"a"b', '"c"')]


LATE = PLAIN + "x\ty\n" * 200_000
"""More than a block of it comes out before the first quotation mark is seen."""


@pytest.mark.parametrize(("end", "last"), [('"a"\t"b"\n', ("a", "b")), ('"a"\t"b\n', ('"a"', '"b'))])
def test_a_late_mark_decides_in_files_and_in_pipes(tmp_path: Path, end: str, last: tuple[str, str]) -> None:
    assert read(tmp_path / "a.tsv", LATE + end)[-1] == last
    code = (
        "from assay.io.table.tables import read_table\n"
        "last = [b[len(b) - 1] for b in read_table('-')][-1]\n"
        "print((last.hypothesis, *last.references))"
    )
    text = LATE.replace("x\ty\n", 'x\t"y"\n', 1) + end
    done = subprocess.run([sys.executable, "-c", code], input=text.encode(), capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr(last)


def test_leftovers_are_undone_only_where_quotes_are_doubled() -> None:
    assert strip_leftover_quotes('"He said ""no"""') == 'He said "no"'
    assert strip_leftover_quotes('"""No."""') == '"No."'
    assert strip_leftover_quotes('"""""No."""""') == '""No.""'
    for text in ('"No."', '"No," he said, "never."', 'a "b" c', '"', '""', "", 'He said ""no""'):
        assert strip_leftover_quotes(text) == text


CELL = st.text(st.sampled_from('"ab ,\r'), max_size=5).map(lambda text: text.replace("\r", "") or "")
ROWS = st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6)


def twin(rows: list[tuple[str, str]]) -> bool:
    """The rule, word by word."""
    cells = [cell for row in rows for cell in row if cell.startswith('"')]
    return all(len(c) > 1 and c.endswith('"') and '"' not in c[1:-1].replace('""', "") for c in cells)


@given(ROWS)
@example([('"', '""')])
def test_the_rule_agrees_with_its_twin(rows: list[tuple[str, str]]) -> None:
    for end in ("\n", "\r\n"):
        text = end.join("\t".join(row) for row in rows)
        assert all_quoted([text]) == twin(rows)
        assert all_quoted([text + end]) == twin(rows)


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
LINE = TEXT.map(lambda text: "".join(c for c in text if c not in "\t\r\n"))


def present(rows: list[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The rows as they are read: an empty reference is none."""
    return [row if row[1].strip() else row[:1] for row in rows]


def as_csv(rows: list[tuple[str, str]], **options: object) -> str:
    out = io.StringIO()
    csv.writer(out, **options).writerows([("mt", "ref"), *rows])  # type: ignore[arg-type]
    return out.getvalue()


@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=8))
@example([('"a"', 'b"'), ('"', '"c')])
def test_any_rows_come_back(rows: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw = PLAIN + "".join(f"{mt}\t{ref}\n" for mt, ref in rows)
        assert read(folder / "raw.tsv", raw, "none") == present(rows)
        ours = PLAIN + "".join(f"{quote_cell(mt)}\t{quote_cell(ref)}\n" for mt, ref in rows)
        assert read(folder / "ours.tsv", ours) == present(rows)
        whole = as_csv(rows, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
        minimal = as_csv(rows, delimiter="\t", lineterminator="\n")
        for quoting in ("auto", "csv"):
            assert read(folder / "quoted.tsv", whole, quoting) == present(rows)
            assert read(folder / "minimal.tsv", minimal, quoting) == present(rows)
        assert read(folder / "a.csv", as_csv(rows)) == present(rows)
        lines = [json.dumps({"mt": mt, "ref": ref}, ensure_ascii=False) for mt, ref in rows]
        assert read(folder / "lines", "\n".join(lines)) == present(rows)
        assert read(folder / "array", f"[{','.join(lines)}]") == present(rows)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8))
def test_texts_with_tabs_and_line_ends_come_back_from_a_quoted_tsv(rows: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = as_csv(rows, delimiter="\t", quoting=csv.QUOTE_ALL)
        assert read(Path(folder) / "a.tsv", text, "csv") == present(rows)


def test_unquoted_undoes_quoted() -> None:
    for text in ('"', '"a" b', "", "a", '""'):
        assert unquote_cell(quote_cell(text)) == text
