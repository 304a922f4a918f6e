from __future__ import annotations

from pathlib import Path

import pytest

from assay.core.errors import AssayError, InputError
from assay.core.review import Stale
from assay.review.mqm_session import open_mqm


def test_tables_are_annotated_once_for_each_translation(tmp_path: Path) -> None:
    table = tmp_path / "texts.tsv"
    table.write_text("system\tsrc\tmt\na\teins\tone\na\tzwei\ttwo\nb\teins\ta one\nb\tzwei\ttwo\n")
    mine = open_mqm(table, tmp_path / "out.jsonl", "anna")
    assert [(text.system, text.segment) for text in mine.texts] == [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]
    marked = {"side": "target", "start": 0, "end": 3, "severity": "minor", "category": "Other", "text": "one"}
    assert mine.decide({"item": 0, "seen": None, "errors": [marked]})["item"]["score"] == -1
    for wrong in (
        {**marked, "text": "two"}, {**marked, "end": 4}, {**marked, "severity": "bad"}, {**marked, "category": ""},
        {**marked, "category": "a\nb"}, {**marked, "side": "other"}, {**marked, "start": 2, "end": 1},
    ):  # fmt: skip
        with pytest.raises(AssayError):
            mine.decide({"item": 0, "seen": [marked], "errors": [wrong]})
    with pytest.raises(Stale):
        mine.decide({"item": 0, "seen": None, "errors": []})
    assert mine.decide({"item": 0, "seen": [marked], "errors": None})["counts"]["undecided"] == 4
    other = tmp_path / "other.tsv"
    other.write_text("system\tmt\na\tanother one\n")
    mine.decide({"item": 0, "seen": None, "errors": []})
    with pytest.raises(InputError, match="another translation of segment 1 by a"):
        open_mqm(other, tmp_path / "out.jsonl")
    twice = tmp_path / "twice.tsv"
    twice.write_text("id\tmt\n1\tone\n1\ttwo\n")
    with pytest.raises(InputError, match="row 2 has the same system and segment"):
        open_mqm(twice, tmp_path / "new.jsonl")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("langpair\tmt\nde-en\tone\nfr-en\ttwo\n")
    with pytest.raises(InputError, match=r"several language pairs.*new\.jsonl"):
        open_mqm(pairs, tmp_path / "new.tsv")
