"""A file that is given as text but is a table is read as a table, refused, or (if it is text) read as text: never mistaken."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.core.errors import InputError
from assay.io.table.detection import is_table
from assay.report.xlsx import Sheet, write_workbook

ROWS = [("a cat sat", "a cat sat"), ("two dogs", "two dogs ran")]


def delimited(delimiter: str) -> bytes:
    return "".join(delimiter.join(row) + "\n" for row in [("mt", "ref"), *ROWS]).encode()


def lines() -> bytes:
    return "".join(json.dumps({"mt": mt, "ref": ref}) + "\n" for mt, ref in ROWS).encode()


def workbook(path: Path) -> None:
    with path.open("wb") as stream:
        write_workbook(stream, [Sheet("texts", ["mt", "ref"], ROWS)])


def parquet(path: Path) -> None:
    import polars

    polars.DataFrame({"mt": [mt for mt, _ in ROWS], "ref": [ref for _, ref in ROWS]}).write_parquet(path)


def put(data: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(data) and None


TMX = (
    '<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>a</seg></tuv>'
    '<tuv xml:lang="de"><seg>b</seg></tuv></tu></body></tmx>'
)
TABLES = {
    "x.tsv": put(delimited("\t")),
    "x.txt": put(delimited("\t")),
    "x.tsv.gz": put(gzip.compress(delimited("\t"))),
    "x.csv": put(delimited(",")),
    "semicolons.csv": put(delimited(";")),
    "x.jsonl": put(lines()),
    "lines.txt": put(lines()),
    "x.json": put(json.dumps([{"mt": mt, "ref": ref} for mt, ref in ROWS]).encode()),
    "x.xlsx": workbook,
    "x.out": workbook,
    "x.parquet": parquet,
    "x.bin": parquet,
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_among_the_translations_is_read_as_a_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    TABLES[name](path)
    expected = assay.score([mt for mt, _ in ROWS], [ref for _, ref in ROWS], metrics=["chrf", "bleu"]).system
    assert is_table(str(path))
    found = assay.score(mt=path, metrics=["chrf", "bleu"])
    assert found.system == expected
    reference = tmp_path / "r"
    reference.write_text("".join(ref + "\n" for _, ref in ROWS))
    for given in ({"mt": path, "ref": reference}, {"mt": reference, "ref": path}, {"mt": [path, reference]}):
        with pytest.raises(InputError, match="is a table"):
            assay.score(metrics=["chrf"], **given)  # type: ignore[arg-type]


def test_a_table_by_content_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory"
    path.write_text(TMX)
    assert is_table(str(path))


@pytest.mark.parametrize("name", ["x.tsv", "x.txt", "x"])
def test_a_table_without_a_header_is_refused_with_a_remedy(tmp_path: Path, name: str) -> None:
    path, reference = tmp_path / name, tmp_path / "r"
    path.write_text("".join("\t".join(row) + "\n" for row in ROWS))
    reference.write_text("".join(ref + "\n" for _, ref in ROWS))
    for given in ({"mt": path}, {"mt": path, "ref": reference}, {"mt": reference, "ref": path}):
        with pytest.raises(InputError, match="table"):
            assay.score(metrics=["chrf"], **given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="--columns"):
        assay.score(mt=path, metrics=["chrf"])
    by_number = assay.score(mt=path, columns={"mt": "1", "ref": "2"}, metrics=["chrf"])
    assert by_number.system == assay.score([mt for mt, _ in ROWS], [ref for _, ref in ROWS], metrics=["chrf"]).system


@pytest.mark.parametrize(
    "text",
    [
        "a cat\ntwo dogs\n",
        "a\tcat\ntwo dogs\n",  # a stray tab
        "Hello, world\nGoodbye, world\n",
        "{smiles} hello\nyes\n",
        "[Applause]\nyes\n",
        "<b>hello</b>\nyes\n",
        '"Translation"\nyes\n',
        "mt\nyes\n",
        "\n\n",
        "",
    ],
)
@pytest.mark.parametrize("name", ["x.de", "x.txt"])
def test_text_stays_text(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert not is_table(str(path))


def test_text_in_one_column_stays_text_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "sys.tsv"
    path.write_text("a cat\ntwo dogs\n")
    assert not is_table(str(path))
    path.write_text("mt\na cat\n")
    assert is_table(str(path))
