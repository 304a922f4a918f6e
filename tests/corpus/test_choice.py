"""Which rows of a corpus go out: an expression, duplicates, a sample."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import AssayError, InputError
from assay.corpus.row_selection import allocate, weighed
from assay.verbs.score import score
from tests.corpus.corpora import contents, corpus, read, write


def test_keep_is_the_filter(tmp_path: Path) -> None:
    """What goes out is what `assay filter` keeps of a run without an expression; scores of the kept rows are theirs."""
    corpus(tmp_path / "in", 8, 20)
    score(data=tmp_path / "in", out=tmp_path / "all", metrics=["chrf"], engine="inline")
    told = "chrf > 70 and src != 'line 3 of it'"
    result = score(data=tmp_path / "in", out=tmp_path / "kept", metrics=["chrf"], keep=told, engine="inline")
    wanted = [row for row in read(tmp_path / "all") if row["chrf"] > 70 and row["src"] != "line 3 of it"]
    assert read(tmp_path / "kept") == wanted and 0 < len(wanted) < 160
    assert result.counts["kept"] == len(wanted) and result.counts["rows"] == 160
    plain = assay.score([row["mt"] for row in wanted], [row["ref"] for row in wanted], metrics=["chrf"])
    assert result.corpus.kept_scores == {"": plain.system}


def test_length_ratio_and_flags(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = [
        {"id": "1", "src": "abcd", "mt": "ab"},  # 2
        {"id": "2", "src": "ab", "mt": "abcdef"},  # 3
        {"id": "3", "src": "abc", "mt": "猫"},  # 1: a Han character counts three
        {"id": "4", "src": "abc", "mt": "abc"},  # copied
        {"id": "5", "src": "abc", "mt": ""},  # 3
    ]
    write(tmp_path / "in" / "a.jsonl", rows)
    told = "length_ratio < 2.5 and not copied_source"
    score(
        data=tmp_path / "in",
        out=tmp_path / "out",
        metrics=["tests.corpus.odd_metrics:Length"],
        keep=told,
        engine="inline",
    )
    assert [row["id"] for row in read(tmp_path / "out")] == ["1", "3"]
    assert "length_ratio" not in read(tmp_path / "out")[0]
    assert [weighed(text) for text in ("abc", "é", "かな", "한", "")] == [3, 1, 6, 2, 0]


def test_duplicates_within_and_across_shards(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    shards = {
        "a.jsonl": [("a1", "x", "X"), ("a2", "y", "Y"), ("a3", "x", "X")],
        "b.tsv": [("b1", "z", "Z"), ("b2", "y", "Y"), ("b3", "x", "Y"), ("b4", "xX", "")],
        "c.parquet": [("c1", "z", "Z"), ("c2", "w", "W"), ("c3", "x", "X"), ("c4", "x", "Xx")],
    }
    for name, rows in shards.items():
        write(tmp_path / "in" / name, [{"id": i, "src": s, "mt": m} for i, s, m in rows])
    kept = {"pair": "a1 a2 b1 b3 b4 c2 c4", "mt": "a1 a2 b1 b4 c2 c4", "src": "a1 a2 b1 b4 c2"}
    for dedup, wanted in kept.items():
        out = tmp_path / f"{dedup}"
        metric = "tests.corpus.odd_metrics:Length"
        result = score(data=tmp_path / "in", out=out, metrics=[metric], dedup=dedup, engine="inline")  # type: ignore[arg-type]
        assert " ".join(row["id"] for row in read(out)) == wanted
        assert result.counts["duplicates"] == 11 - len(wanted.split())


def test_duplicates_in_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going through the hashes in many turns finds what one turn finds."""
    from assay.corpus import duplicates

    for seed, name in enumerate(("one", "two")):
        corpus(tmp_path / "in", 8, 20, seed=4)
        write(tmp_path / "in" / "part-0008.jsonl", read_input(tmp_path / "in" / "part-0000.jsonl")[::-1])
        monkeypatch.setattr(duplicates, "ROWS_AT_ONCE", (8_000_000, 3)[seed])
        score(data=tmp_path / "in", out=tmp_path / name, metrics=["chrf"], dedup="pair", engine="inline")
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert {**one, "_manifest.json": b""} == {**two, "_manifest.json": b""}
    assert json.loads(one["_manifest.json"])["counts"]["duplicates"] >= 20


def read_input(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


def test_a_sample_has_its_shares_and_does_not_move(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, lang, n in (("a.jsonl", "de", 60), ("b.tsv", "fr", 30), ("c.parquet", "de", 10)):
        rows = [{"id": f"{name[0]}{i}", "lang": lang, "src": "s", "mt": f"m {i}"} for i in range(n)]
        write(tmp_path / "in" / name, rows)
    given = {"metrics": ["tests.corpus.odd_metrics:Length"], "sample": 20}
    one = score(data=tmp_path / "in", out=tmp_path / "one", engine="inline", **given)  # type: ignore[arg-type]
    score(data=tmp_path / "in", out=tmp_path / "two", workers=2, **given)  # type: ignore[arg-type]
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert one.counts["kept"] == 20
    assert Counter(row["id"][0] for row in read(tmp_path / "one")) == {"a": 12, "b": 6, "c": 2}
    score(data=tmp_path / "in", out=tmp_path / "by", engine="inline", sample_by="lang", **given)  # type: ignore[arg-type]
    assert Counter(row["lang"] for row in read(tmp_path / "by")) == {"de": 14, "fr": 6}
    score(data=tmp_path / "in", out=tmp_path / "other", engine="inline", seed=7, **given)  # type: ignore[arg-type]
    assert {row["id"] for row in read(tmp_path / "other")} != {row["id"] for row in read(tmp_path / "one")}
    order = [row["id"] for row in read(tmp_path / "one")]
    assert order == sorted(order, key=lambda name: (name[0], int(name[1:])))


def test_shares_are_rounded_so_that_the_sum_is_right() -> None:
    assert allocate({"a": 5, "b": 3, "c": 2}, 4) == {"a": 2, "b": 1, "c": 1}  # 2, 1.2, 0.8
    assert allocate({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    assert allocate({"a": 1, "b": 2}, 9) == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"keep": "chrff > 3"}, "Did you mean chrf"),
        ({"keep": "chrf >"}, "In the expression"),
        ({"sample_by": "id"}, "--sample-by requires --sample"),
        ({"sample": 3, "sample_by": "lang"}, "unknown column 'lang' in "),
        ({"dedup": "both"}, "--dedup must be pair, mt or src"),
        ({"sample": 0}, "--sample must be a positive whole number"),
        ({"columns": {"mt": ["mt", "id"]}}, "each row of a corpus holds one translation"),
        ({"metrics": ["comet-qe:x"]}, "comet-qe"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_written(
    tmp_path: Path, given: dict[str, object], said: str
) -> None:
    corpus(tmp_path / "in", 1)
    with pytest.raises(AssayError, match=said):
        score(data=tmp_path / "in", out=tmp_path / "out", **{"metrics": ["chrf"], "engine": "inline", **given})  # type: ignore[arg-type]
    assert not [path for path in tmp_path.rglob("out/*") if not path.name.startswith("_")]


def test_objects_are_refused(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 1)
    with pytest.raises(InputError, match="load the metrics of a corpus by name"):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=[object()])  # type: ignore[list-item]


@pytest.mark.parametrize("gone", [["s2.tsv"], ["s0.tsv", "s3.tsv"]])
def test_a_sample_is_the_same_after_shards_were_lost(tmp_path: Path, gone: list[str]) -> None:
    (tmp_path / "in").mkdir()
    for i in range(4):
        write(
            tmp_path / "in" / f"s{i}.tsv", [{"id": f"{i}.{n}", "mt": f"a {n}", "ref": f"a {n % 7}"} for n in range(60)]
        )

    def sample() -> dict[str, bytes]:
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], sample=50, seed=4, engine="inline")
        return contents(tmp_path / "out")

    first = sample()
    for name in gone:
        (tmp_path / "out" / name).unlink()
    assert sample() == first and len(read(tmp_path / "out")) == 50


def test_a_shard_that_was_edited_is_written_again(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 4, 10)

    def scored() -> dict[str, bytes]:
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")
        return contents(tmp_path / "out")

    first = scored()
    shard = sorted(path for path in (tmp_path / "out").iterdir() if not path.name.startswith("_"))[0]
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    assert scored() == first


def changed_sum(told: dict[str, Any]) -> None:
    """A sum of one shard's record: the corpus score would move on the next run."""
    tally = next(iter(told["shards"].values()))["tally"]
    place = next(place for place in tally["sums"]["all"] if place[1] == "bleu")
    place[-1][0][2] -= 3  # words that the reference has


def changed_consistently(told: dict[str, Any]) -> None:
    """The same without the hash of the record."""
    changed_sum(told)
    for entry in told["shards"].values():
        del entry["check"]


def changed_score(told: dict[str, Any]) -> None:
    next(iter(told["scores"].values()))["chrf"] += 1.9


def changed_count(told: dict[str, Any]) -> None:
    told["counts"]["rows"] -= 1


def lost_sums(told: dict[str, Any]) -> None:
    next(iter(told["shards"].values()))["tally"] = {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed_sum, r"the record of s0\.tsv does not match its hash"),
        (changed_consistently, r"the score of .* by bleu is .*, but the shards give"),
        (changed_score, r"the score of .* by chrf is .*, but the shards give"),
        (changed_count, r"its rows are 59, but those of the shards add up to 60"),
        (lost_sums, r"the record of s0\.tsv does not match its hash"),
    ],
)
def test_a_manifest_that_was_edited_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    (tmp_path / "in").mkdir()
    for i in range(3):
        rows = [
            {"id": f"{i}.{n}", "mt": f"the cat number {n} sat here", "ref": f"the cat number {n % 7} sat"}
            for n in range(20)
        ]
        write(tmp_path / "in" / f"s{i}.tsv", rows)

    def scored() -> dict[str, bytes]:
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf", "bleu"], engine="inline")
        return contents(tmp_path / "out")

    first = scored()
    assert scored() == first
    manifest = tmp_path / "out" / "_manifest.json"
    told = json.loads(manifest.read_text("utf-8"))
    change(told)
    manifest.write_text(json.dumps(told), "utf-8")
    with pytest.raises(
        InputError, match=rf"_manifest\.json was changed after it was written: {said}.*Choose a different --out"
    ):
        scored()
