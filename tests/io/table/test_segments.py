from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.core.errors import InputError
from assay.io.table.tables import columns_of, read_segments

TABLE = "id\tsrc\tmt\tref\tlabel\n1\tEins.\tOne.\tA one.\tneutral\n2\tZwei.\tTwo.\t\t\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_further_columns_come_along(table: Path) -> None:
    assert columns_of(table) == ["id", "src", "mt", "ref", "label"]
    first, second = read_segments(table, further=["label"])
    assert (first.hypothesis, first.source, first.references, first.id) == ("One.", "Eins.", ("A one.",), "1")
    assert dict(first.meta) == {"label": "neutral"}
    assert dict(second.meta) == {"label": ""}


def test_both_ways_of_reading_agree(table: Path) -> None:
    plain = list(read_segments(table))
    with_label = list(read_segments(table, further=["label"]))
    for one, other in zip(plain, with_label, strict=True):
        assert (one.hypothesis, one.source, one.references, one.id) == (
            other.hypothesis,
            other.source,
            other.references,
            other.id,
        )
        assert not one.meta


def test_columns_by_other_names(table: Path) -> None:
    swapped = list(read_segments(table, {"mt": "ref", "ref": "mt"}, further=["label"]))
    assert swapped[0].hypothesis == "A one."
    with pytest.raises(InputError, match="no column with translations"):
        list(read_segments(_headed(table, "id\tsrc\tx\tref\tlabel"), further=["label"]))


def _headed(path: Path, header: str) -> Path:
    path.write_text(TABLE.replace("id\tsrc\tmt\tref\tlabel", header), encoding="utf-8")
    return path


def test_lists_of_references_make_the_same_items_whatever_else_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    row = {"src": "Der Hund schläft.", "mt": "The dog sleeps.", "references": ["The dog is asleep."], "lp": "de-en"}
    path.write_text(
        json.dumps({**row, "similar": "De hond slaapt.", "similar_language": "nl"}) + "\n", encoding="utf-8"
    )
    for more in ([], ["similar-language-high"]):
        made = assay.make(["reference", *more], path)
        assert [item["phenomena"] for item in made.items()].count("reference") == 1
