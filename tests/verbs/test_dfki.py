"""Judging, reviewing and building as a program does it, on the folder of the command line's tests."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from assay.core.errors import InputError, UnknownName
from assay.suites.dfki import Dfki
from assay.verbs import dfki
from tests.cli.test_dfki import data  # noqa: F401 (the fixture)


def test_judge_review_and_build(data: str, tmp_path: Path) -> None:  # noqa: F811
    judged = dfki.judge("de-en", data_dir=data)
    # Six outputs: "man" or "left|gone" is right in four, "husband" is wrong in one, "He went." fires no rule.
    row = judged.table().rows[0]
    assert [row[key] for key in ("n", "pass", "fail", "unresolved")] == [6, 4, 1, 1]
    assert [row["systems"] for row in judged.totals().rows] == [3]
    assert len(judged.questions()) == 1
    kept, said = tmp_path / "kept.jsonl", io.StringIO()
    done = dfki.review("de-en", stream=io.StringIO("f\n"), write=said.write, decisions=kept, data_dir=data)
    assert (done.decided, done.skipped, done.left, done.path) == (1, 0, 0, kept) and "He went." in said.getvalue()
    assert dfki.judge("de-en", data_dir=data, decisions=kept).table().rows[0]["fail"] == 2
    built = dfki.build(n=2, seed=7, data_dir=data)
    assert [item.id for item in built.items] == [item.id for item in Dfki(n=2, seed=7).load(tmp_path / "data" / "dfki")]
    assert built.to_polars()["langpair"].to_list() == ["de-en"] * 2 and len(built.to_jsonl().splitlines()) == 2


def test_mistakes_are_named(data: str, tmp_path: Path) -> None:  # noqa: F811
    with pytest.raises(UnknownName, match="unknown direction 'de-fr' of the DFKI suite"):
        dfki.judge("de-fr", data_dir=data)
    with pytest.raises(InputError, match=r"Create it with: assay dfki review --decisions .*none\.jsonl"):
        dfki.build(decisions=tmp_path / "none.jsonl", data_dir=data)
