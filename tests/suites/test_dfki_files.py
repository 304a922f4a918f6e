from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.suites.dfki_files import load_items, load_outputs

ROW = {
    "id": "00001001",
    "langpair": "deen",
    "category": "Ambiguity",
    "phenomenon": "Lexical ambiguity",
    "source_sentence": "Ihr Mann kam. ",
    "positive_regex": "husband",
    "negative_regex": "man",
    "positive_tokens": [],
    "negative_tokens": ["Her came."],
}


def write_items(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"items": rows}))
    return path


def test_items_are_read(tmp_path: Path) -> None:
    (item,) = load_items(write_items(tmp_path / "items.json", ROW))
    assert (item.id, item.langpair, item.source) == ("00001001", "de-en", "Ihr Mann kam. ")
    assert (item.positive_regex, item.negative_regex) == ("husband", "man")
    assert (item.positive_tokens, item.negative_tokens) == ((), ("Her came.",))


def test_bad_items_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="item 00001001 occurs twice"):
        load_items(write_items(tmp_path / "a.json", ROW, ROW))
    with pytest.raises(InputError, match="item 2 has no field 'category'"):
        load_items(write_items(tmp_path / "b.json", ROW, {"id": "2", "langpair": "deen"}))
    (tmp_path / "c.json").write_text("[]")
    with pytest.raises(InputError, match="not a DFKI item file"):
        load_items(tmp_path / "c.json")


def test_outputs_are_read_without_quoting(tmp_path: Path) -> None:
    path = tmp_path / "outputs.tsv.gz"
    rows = ['1\t2021\tA\t"Yes, she said.', '1\t2021\tB\tline\u2028separator "', "2\t2023\tA\t"]
    path.write_bytes(gzip.compress("\n".join(["id\tyear\tsystem\toutput", *rows, ""]).encode()))
    outputs = load_outputs(path)
    assert list(outputs.texts) == ['"Yes, she said.', 'line\u2028separator "', ""]
    assert (list(outputs.ids), list(outputs.years)) == (["1", "1", "2"], ["2021", "2021", "2023"])


def test_bad_outputs_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "outputs.tsv"
    path.write_text("id\tyear\tsystem\toutput\n1\t2021\tA\tx\n1\t2021\tB\n")
    with pytest.raises(InputError, match=r"line 3: 3 columns instead of 4"):
        load_outputs(path)
    path.write_text("id\tsystem\toutput\n")
    with pytest.raises(InputError, match="line 1: the columns must be id, year, system, output"):
        load_outputs(path)
    path.write_bytes(b"id\tyear\tsystem\toutput\n1\t2021\tA\t\xff\n")
    with pytest.raises(InputError, match=r"not valid UTF-8 \(byte 31, line 2\)"):
        load_outputs(path)
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(b"id\tyear\tsystem\toutput\n" * 99)[:-12])
    with pytest.raises(InputError, match="cannot read"):
        load_outputs(tmp_path / "cut.tsv.gz")
