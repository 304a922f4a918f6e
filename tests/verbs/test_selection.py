"""Rows of one input: `keep`, `dedup` and `sample` select those that are written, as for a corpus in many files."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import AssayError, InputError
from tests.corpus.corpora import rows, write


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """60 rows, of which the last ten repeat the first ten."""
    found = rows(0, 50, random.Random(3))
    made = [{**row, "lang": "de" if i % 5 else "fr"} for i, row in enumerate([*found, *found[:10]])]
    write(tmp_path / "in.jsonl", made)
    return tmp_path / "in.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def command(*arguments: str) -> None:
    assert main(["score", "-m", "chrf", *arguments, "--quiet"]) == 0


def as_corpus(table: Path, **options: Any) -> tuple[Any, list[dict[str, Any]]]:
    out = table.parent / "corpus"
    result = assay.score(data=table, out=out, metrics=["chrf"], workers=1, **options)
    return result, lines(out / table.name)


def test_kept_rows_are_those_of_a_corpus(table: Path, tmp_path: Path) -> None:
    told = "chrf > 60 and length_ratio < 4"
    corpus, shard = as_corpus(table, keep=told)
    command("--data", str(table), "--keep", told, "--out", str(tmp_path / "kept.jsonl"))
    assert 0 < len(shard) < 60 and lines(tmp_path / "kept.jsonl") == shard
    result = assay.score(data=table, metrics=["chrf"], keep=told)
    assert result.system == corpus.system
    assert result.tables["kept"].rows[0]["chrf"] == corpus.corpus.kept_scores[""]["chrf"]
    assert f"{len(shard)} of 60 rows selected" in result.table().notes[0]
    assert result.segments["chrf"].tolist() == [row["scores"]["chrf"] for row in shard]
    assert result.to_polars()["id"].to_list() == [row["id"] for row in shard]


@pytest.mark.parametrize("dedup", ["pair", "mt", "src"])
def test_the_first_of_equal_rows_counts(table: Path, tmp_path: Path, dedup: Any) -> None:
    corpus, shard = as_corpus(table, dedup=dedup)
    command("--data", str(table), "--dedup", dedup, "--out", str(tmp_path / "first.jsonl"))
    assert lines(tmp_path / "first.jsonl") == shard and len(shard) <= 50
    result = assay.score(data=table, metrics=["chrf"], dedup=dedup)
    assert result.system == corpus.system and len(result) == corpus.counts["kept"]
    assert f"{corpus.counts['duplicates']} duplicates left out" in result.table().notes[0]


def test_a_sample_has_its_shares_and_repeats(table: Path, tmp_path: Path) -> None:
    whole = assay.score(data=table, metrics=["chrf"])
    result = assay.score(data=table, metrics=["chrf"], sample=30, sample_by="lang", texts=True)
    frame = result.to_polars()
    assert result.system == whole.system and frame.height == 30
    assert frame["lang"].value_counts().sort("lang").rows() == [("de", 24), ("fr", 6)]
    again = assay.score(data=table, metrics=["chrf"], sample=30, sample_by="lang")
    other = assay.score(data=table, metrics=["chrf"], sample=30, sample_by="lang", seed=7)
    assert again.segments["chrf"].tolist() == result.segments["chrf"].tolist() != other.segments["chrf"].tolist()
    command("--data", str(table), "--sample", "30", "--sample-by", "lang", "--out", str(tmp_path / "some.tsv"))
    assert len((tmp_path / "some.tsv").read_text().splitlines()) == 31
    assert assay.score(data=table, metrics=["chrf"], sample=100).segments["chrf"].size == 60


def test_rows_of_text_files_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "mt").write_text("a b c\nx\na b d\n")
    (tmp_path / "ref").write_text("a b c\na b c\na b c\n")
    result = assay.score(mt=tmp_path / "mt", ref=tmp_path / "ref", metrics=["chrf"], keep="chrf > 10")
    assert result.to_polars()["segment"].to_list() == [1, 3]
    lists = assay.score(["a b c", "x"], ["a b c", "a b c"], metrics=["chrf"], keep="length_ratio < 2")
    assert lists.to_polars()["segment"].to_list() == [1]
    nothing = assay.score(["a", "x"], ["a", "b"], metrics=["chrf"], keep="chrf > 200")
    assert nothing.segments["chrf"].size == 0 and "kept" not in nothing.tables


def test_intervals_and_groups_are_those_of_all_rows(table: Path) -> None:
    whole = assay.score(data=table, metrics=["chrf"], ci=True, by="lang", samples=20)
    kept = assay.score(data=table, metrics=["chrf"], ci=True, by="lang", samples=20, keep="lang == 'fr'")
    assert kept.tables["groups"].rows == whole.tables["groups"].rows and kept.standings == whole.standings
    assert kept.tables["kept"].rows[0]["chrf"] == pytest.approx(
        next(row["chrf"] for row in whole.tables["groups"].rows if row["lang"] == "fr")
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keep": "chrf >"}, "chrf >"),
        ({"keep": "mine > 1"}, "mine"),
        ({"sample": 0}, "--sample"),
        ({"sample_by": "lang"}, "--sample-by"),
        ({"sample": 3, "sample_by": "mine"}, "mine"),
        ({"dedup": "all"}, "--dedup"),
        ({"engine": "ray"}, "engine requires a corpus"),
    ],
)
def test_what_cannot_be_meant_is_refused(table: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(AssayError, match=words):
        assay.score(data=table, metrics=["chrf"], **options)


def test_labels_of_one_file_are_filtered(table: Path, tmp_path: Path) -> None:
    from assay.core.batch import Batch
    from assay.core.outcomes import TaskOutcomes

    texts, good = ["a b c", "x y z"] * 30, [True, False] * 30
    outcomes = TaskOutcomes.single(Batch(texts, references=(["a b c"] * 60,)), good, [""] * 60, [""] * 60)  # type: ignore[arg-type]
    rule = assay.fit_rule(outcomes, ["chrf"], "catch 90%")
    rule.save(tmp_path / "rule.json")
    whole = assay.apply_rule(rule, data=table)
    kept = assay.apply_rule(rule, data=table, keep="chrf > 60")
    assert kept.labels == whole.labels and kept.tally.shares() == whole.tally.shares()
    assert 0 < len(kept.columns()["label"]) == sum(x > 60 for x in whole.columns()["chrf"]) < 60
    corpus = assay.apply_rule(rule, data=table, keep="chrf > 60", out=tmp_path / "out", workers=1)
    shard = lines(tmp_path / "out" / table.name)
    assert corpus.labels == whole.tally.shares()
    out = tmp_path / "use.jsonl"
    words = ["--rule", str(tmp_path / "rule.json"), "--data", str(table), "--keep", "chrf > 60", "--out", str(out)]
    assert main(["decide", "apply", *words, "--quiet"]) == 0
    assert [row["id"] for row in lines(out)] == [row["id"] for row in shard]
    with pytest.raises(InputError, match="dedup does not apply to labels"):
        assay.apply_rule(rule, data=table, dedup="pair")
