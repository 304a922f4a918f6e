from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.batch import Batch
from assay.core.errors import AssayError, InputError
from assay.io.table.role_columns import reference_list
from assay.io.table.tables import read_table

ROWS: list[dict[str, Any]] = [
    {"src": "Hello", "mt": 'A "b"', "ref": "Hallo, Welt", "ref2": "Servus", "system": "A", "doc": "d1", "lp": "en-de", "id": 1},
    {"src": "Bye", "mt": "", "ref": "Tschüss", "ref2": "Ade", "system": "B", "doc": "d1", "lp": "en-de", "id": 2},
    {"src": "x\x0by", "mt": "你好\x85\u2028", "ref": "\x00", "ref2": "r", "system": "A", "doc": "d2", "lp": "en-de", "id": 3},
]  # fmt: skip


def as_tsv(rows: list[dict[str, Any]]) -> bytes:
    return "".join("\t".join(map(str, row)) + "\n" for row in [list(rows[0]), *(r.values() for r in rows)]).encode()


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return out.getvalue().encode()


def as_jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(rows).write_parquet(out)
    return out.getvalue()


WRITERS = {"tsv": as_tsv, "csv": as_csv, "jsonl": as_jsonl, "parquet": as_parquet}


def read(tmp_path: Path, data: bytes, name: str, chunk: int = 100, **options: Any) -> list[Batch]:
    (tmp_path / name).write_bytes(data)
    return list(read_table(tmp_path / name, chunk=chunk, **options))


def fails(tmp_path: Path, data: bytes | str, name: str, said: str, **options: Any) -> None:
    with pytest.raises(AssayError, match=said) as error:
        read(tmp_path, data.encode() if isinstance(data, str) else data, name, **options)
    assert name in str(error.value)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("chunk", [1, 2, 100])
def test_every_format_gives_the_same_batches(tmp_path: Path, kind: str, chunk: int) -> None:
    batches = read(tmp_path, WRITERS[kind](ROWS), f"a.{kind}", chunk)
    assert [len(batch) for batch in batches] == {1: [1, 1, 1], 2: [2, 1], 100: [3]}[chunk]
    segments = [batch[i] for batch in batches for i in range(len(batch))]
    for segment, row in zip(segments, ROWS, strict=True):
        assert (segment.hypothesis, segment.source) == (row["mt"], row["src"])
        assert segment.references == (row["ref"], row["ref2"])
        assert (segment.system, segment.document, segment.langpair) == (row["system"], row["doc"], row["lp"])
        assert segment.id == str(row["id"])


@pytest.mark.parametrize("kind", ["tsv", "csv", "jsonl"])
def test_compressed_and_without_a_telling_name(tmp_path: Path, kind: str) -> None:
    data = WRITERS[kind](ROWS)
    expected = read(tmp_path, data, f"a.{kind}")
    assert read(tmp_path, gzip.compress(data), f"a.{kind}.gz") == expected
    assert read(tmp_path, data, "a.dat") == expected
    assert read(tmp_path, b"\xef\xbb\xbf" + data, "a.dat") == expected
    assert read(tmp_path, data, "a.txt", format=kind) == expected


@pytest.mark.parametrize("kind", ["tsv", "csv", "jsonl"])
def test_standard_input(kind: str) -> None:
    code = "from assay.io.table.tables import read_table; print([len(b) for b in read_table('-', None, 2)])"
    done = subprocess.run([sys.executable, "-c", code], input=WRITERS[kind](ROWS), capture_output=True, check=True)
    assert done.stdout == b"[2, 1]\n"


def test_parquet_needs_a_plain_file(tmp_path: Path) -> None:
    assert len(read(tmp_path, as_parquet(ROWS), "telling_nothing")) == 1
    fails(tmp_path, gzip.compress(as_parquet(ROWS)), "a.parquet.gz", "Specify an uncompressed .parquet file")
    fails(tmp_path, b"something else", "a.parquet", "is not a Parquet file")
    fails(tmp_path, as_parquet(ROWS)[:-20], "a.parquet", "cannot be read as Parquet")


@pytest.mark.parametrize(
    ("header", "role"),
    [("Hypothesis", "hypotheses"), ("MT", "hypotheses"), ("translation", "hypotheses"), ("hyp", "hypotheses"),
     ("Source", "sources"), ("src", "sources"), ("sys", "systems"), ("SYSTEM", "systems"), ("doc", "documents"),
     ("document", "documents"), ("lp", "langpairs"), ("langpair", "langpairs"), ("seg_id", "ids"), ("id", "ids")],
)  # fmt: skip
def test_names_of_columns(tmp_path: Path, header: str, role: str) -> None:
    other = "other" if role == "hypotheses" else "mt"
    (batch,) = read(tmp_path, f"{other}\t{header}\nx\ty\n".encode(), "a.tsv")
    assert list(getattr(batch, role)) == ["y"]


def test_references_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    (batch,) = read(tmp_path, b"ref10\tRef2\tmt\treference\nten\ttwo\tx\tone\n", "a.tsv")
    assert batch[0].references == ("one", "two", "ten")
    fails(tmp_path, "mt\tref\tref1\nx\ta\tb\n", "a.tsv", r"two columns for reference 1 \(ref, ref1\)")


def test_columns_can_be_named(tmp_path: Path) -> None:
    data = b"output\tgold\tmt\nx\ty\tz\n"
    (batch,) = read(tmp_path, data, "a.tsv", columns={"hypothesis": "output", "reference": "Gold"})
    assert batch[0].hypothesis == "x" and batch[0].references == ("y",)
    fails(
        tmp_path,
        data,
        "a.tsv",
        "unknown column 'outptu' in .*a.tsv. Did you mean output",
        columns={"hypothesis": "outptu"},
    )
    with pytest.raises(AssayError, match=r"unknown role of a column 'hypotesis'. Did you mean hypothesis"):
        read(tmp_path, data, "a.tsv", columns={"hypotesis": "output"})


def test_no_column_with_translations(tmp_path: Path) -> None:
    said = r"no column with translations; it has 'source', 'output'. Specify it with --columns mt=COLUMN "
    said += r"\(or its number\), or rename it to hypothesis, "
    said += "mt, translation, hyp, target or tgt"
    fails(tmp_path, "source\toutput\nx\ty\n", "a.tsv", said)
    fails(tmp_path, '{"source": "x", "output": "y"}\n', "a.jsonl", said)
    fails(tmp_path, as_parquet([{"source": "x", "output": "y"}]), "a.parquet", said)


def test_two_columns_for_one_role(tmp_path: Path) -> None:
    fails(tmp_path, "mt\ttranslation\nx\ty\n", "a.tsv", r"2 columns for the hypothesis \(mt, translation\)")
    fails(tmp_path, "mt\tMT\nx\ty\n", "a.tsv", "two columns named 'MT'")
    fails(tmp_path, '{"mt": "x", "ref": "a", "references": ["b"]}', "a.jsonl", "Keep one of them")
    assert read(tmp_path, b"mt\tid\tseg_id\tnote\tnote\nx\t1\t2\t\t\n", "a.tsv")[0].ids == ["1"]


def test_a_quotation_mark_in_a_tsv_is_a_character(tmp_path: Path) -> None:
    (batch,) = read(tmp_path, b'mt\tref\n"a\tb"\n""\t"\r\n', "a.tsv")
    assert list(batch.hypotheses) == ['"a', '""']
    assert batch.references is not None and list(batch.references[0]) == ['b"', '"']


def test_csv_fields_hold_line_ends_and_megabytes(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    long = "x" * 2_000_000
    (batch,) = read(tmp_path, f'mt,ref\r\n"a\r\nb\nc","say ""x"""\r\n{long},y\r\n'.encode(), "a.csv")
    assert list(batch.hypotheses) == ["a\r\nb\nc", long]
    assert batch[0].references == ('say "x"',)
    assert csv.field_size_limit() == limit


def test_blank_lines(tmp_path: Path) -> None:
    assert list(read(tmp_path, b"mt\tref\nx\ty\n\n", "a.tsv")[0].hypotheses) == ["x"]
    assert list(read(tmp_path, b"mt,ref\nx,y\n\n", "a.csv")[0].hypotheses) == ["x"]
    assert list(read(tmp_path, b"mt\nx\n\ny\n", "a.tsv")[0].hypotheses) == ["x", "", "y"]
    assert list(read(tmp_path, b"mt\nx\n\ny\n", "a.csv")[0].hypotheses) == ["x", "", "y"]
    assert list(read(tmp_path, b'\n{"mt": "x"}\n \n', "a.jsonl")[0].hypotheses) == ["x"]


def test_the_wrong_number_of_fields(tmp_path: Path) -> None:
    fails(tmp_path, "mt\tref\na\tb\nc\n", "a.tsv", "line 3: 1 column, but the header has 2: column 'ref' is missing")
    fails(tmp_path, "mt,ref\na,b\nc,d,e\n", "a.csv", "line 3: 3 columns, but the header has 2: column 3 has no name")


def test_broken_csv(tmp_path: Path) -> None:
    fails(tmp_path, 'mt,ref\n"a,b\nc,d\n', "a.csv", "never closed")
    fails(tmp_path, "mt,ref\ra,b\r", "a.csv", "carriage return is outside")


def test_broken_json(tmp_path: Path) -> None:
    fails(tmp_path, '{"mt": "a"}\n{"mt": \n', "a.jsonl", "line 2: not JSON")
    fails(tmp_path, '{"mt": "a"}\n\n7\n', "a.jsonl", "line 3: expected a JSON object, not int")
    fails(tmp_path, '{"mt": "a"}\n{"mt": 3.5}\n', "a.jsonl", r"line 2: 'mt' is a number \(3.5\), not text")
    fails(tmp_path, '{"mt": "a"}\n{"mt": true}\n', "a.jsonl", r"line 2: 'mt' is true or false")
    (gap,) = read(tmp_path, b'{"mt": "a"}\n{"src": "b"}\n', "a.jsonl")
    assert list(gap.hypotheses) == ["a", ""]
    fails(tmp_path, '{"mt": "a", "ref": ["b"]}\n', "a.jsonl", r"line 1: 'ref' is a list")
    fails(tmp_path, '{"mt": "a", "doc": {}}\n', "a.jsonl", r"line 1: 'doc' is an object")
    fails(tmp_path, '{"mt": "a", "references": [7]}\n', "a.jsonl", r"line 1: 'references' is a number")


def test_lists_of_references(tmp_path: Path) -> None:
    rows = [
        {"mt": "x", "references": ["a", "b"]},
        {"mt": "y", "references": ["c"]},
        {"mt": "z", "references": None},
        {"mt": "w", "references": ["d", None]},
    ]
    for kind in ("jsonl", "parquet"):
        (batch,) = read(tmp_path, WRITERS[kind](rows), f"a.{kind}")
        assert batch.references is not None
        assert [list(column) for column in batch.references] == [["a", "c", None, "d"], ["b", None, None, None]]
        assert batch[1].references == ("c",)
    (batch,) = read(tmp_path, b'{"mt": "x", "references": "one"}', "a.jsonl")
    assert batch[0].references == ("one",)
    late = [{"mt": "x", "references": ["a"]}, {"mt": "y", "references": ["a", "b"]}]
    fails(tmp_path, as_jsonl(late), "a.jsonl", "line 2 has 2 references, but earlier rows have at most 1", chunk=1)


def test_gaps_in_references_and_labels(tmp_path: Path) -> None:
    rows = [{"mt": "x", "ref": "a", "ref2": None, "doc": None}, {"mt": "y", "ref": None, "ref2": "b", "doc": "d"}]
    for kind in ("jsonl", "parquet"):
        (batch,) = read(tmp_path, WRITERS[kind](rows), f"a.{kind}")
        assert (batch[0].references, batch[1].references) == (("a",), ("b",))
        assert list(batch.documents or ()) == ["", "d"]


def test_lone_surrogates_in_json(tmp_path: Path) -> None:
    assert read(tmp_path, rb'{"mt": "\ud800"}', "a.jsonl")[0].hypotheses == ["\ud800"]


def test_parquet_types(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"mt": ["a", "b"], "id": [1, 2], "system": ["x", "y"]}, schema_overrides={"system": pl.Categorical}
    )
    frame.write_parquet(tmp_path / "a.parquet")
    (batch,) = read_table(tmp_path / "a.parquet")
    assert (list(batch.ids or ()), list(batch.systems or ())) == (["1", "2"], ["x", "y"])
    fails(tmp_path, as_parquet([{"mt": 1}]), "b.parquet", r"row 1: 'mt' is a number \(1\), not text")
    (gap,) = read(tmp_path, as_parquet([{"mt": "x"}, {"mt": None}]), "c.parquet")
    assert list(gap.hypotheses) == ["x", ""]


def test_empty_tables(tmp_path: Path) -> None:
    fails(tmp_path, b"", "a.tsv", r"is empty\. The first line must be a header")
    fails(tmp_path, b"", "a.csv", "is empty")
    assert read(tmp_path, b"", "a.jsonl") == []
    assert read(tmp_path, b"mt\tref\n", "a.tsv") == []
    assert read(tmp_path, as_parquet([{"mt": "x"}])[:0], "a.jsonl") == []
    with pytest.raises(InputError, match="at least one row"):
        list(read_table(tmp_path / "a.jsonl", chunk=0))


def test_not_utf8(tmp_path: Path) -> None:
    fails(tmp_path, b"mt\tref\ncaf\xe9\tx\n", "a.tsv", r"not valid UTF-8 \(byte 10, line 2\)")
    fails(tmp_path, b"mt,ref\nx,y\ncaf\xe9,x\n", "a.csv", r"not valid UTF-8 \(byte 14, line 3\)")


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=12), st.integers(1, 5))
def test_csv_agrees_with_the_csv_module_and_json_with_itself(rows: list[tuple[str, str]], chunk: int) -> None:
    import tempfile

    table = [{"mt": mt, "ref": ref} for mt, ref in rows]
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("csv", "jsonl", "parquet"):
            path = Path(folder) / f"a.{kind}"
            path.write_bytes(WRITERS[kind](table))
            segments = [batch[i] for batch in read_table(path, chunk=chunk) for i in range(len(batch))]
            present = [row if row[1].strip() else row[:1] for row in rows]  # an empty reference is none
            assert [(s.hypothesis, *s.references) for s in segments] == present


def test_parquet_and_tsv_stream(tmp_path: Path) -> None:
    """Six times the rows do not cost six times the memory. (ru_maxrss would count the parent's memory before exec.)"""
    code = (
        "import re, sys; from assay.io.table.tables import read_table\n"
        "n = sum(map(len, read_table(sys.argv[1])))\n"
        "print(n, re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    )
    peaks: dict[str, list[int]] = {"tsv": [], "parquet": []}
    for rows in (100_000, 600_000):
        texts = [
            f"{i * 2654435761 % 2**32:08x} ein Satz von mittlerer Länge, wie er in jedem Text steht."
            for i in range(rows)
        ]
        frame = pl.DataFrame({"mt": texts, "ref": texts})
        frame.write_parquet(tmp_path / "a.parquet")
        frame.write_csv(tmp_path / "a.tsv", separator="\t", quote_style="never")
        for kind, seen in peaks.items():
            done = subprocess.run(
                [sys.executable, "-c", code, str(tmp_path / f"a.{kind}")], capture_output=True, check=True
            )
            found, peak = map(int, done.stdout.split())
            assert found == rows
            seen.append(peak)
    assert peaks["tsv"][1] - peaks["tsv"][0] < 10_000
    assert peaks["parquet"][1] - peaks["parquet"][0] < 50_000, peaks


@pytest.mark.parametrize(
    ("cell", "references"),
    [
        ('["x y z", "q"]', ["x y z", "q"]),
        ('[null, "q"]', [None, "q"]),
        ("[sic] text", ["[sic] text"]),
        ("[1, 2]", ["[1, 2]"]),
        ("[a]", ["[a]"]),
    ],
)
def test_a_list_of_references_in_a_cell(cell: str, references: list[str | None]) -> None:
    assert reference_list(cell) == references
