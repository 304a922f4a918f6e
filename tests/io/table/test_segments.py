from __future__ import annotations

from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.io.table.segments import columns_of, read_segments

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
    with pytest.raises(InputError, match="no column with the translations"):
        list(read_segments(_headed(table, "id\tsrc\tx\tref\tlabel"), further=["label"]))


def _headed(path: Path, header: str) -> Path:
    path.write_text(TABLE.replace("id\tsrc\tmt\tref\tlabel", header), encoding="utf-8")
    return path
