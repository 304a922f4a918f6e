"""Labels for a corpus in many files: those of one file with all rows, whoever makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from assay.core.rows import flat_row
from assay.corpus import discovery, splitting
from tests.corpus.corpora import contents, corpus, read, write

BESIDE = ("label", "breakdown_probability", "language", "reason", "chrf", "bleu", "flags")


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[dict[str, Any]]]:
    """A rule for two languages, learned where longer translations succeed; and a corpus of twelve shards in both."""
    folder = tmp_path_factory.mktemp("labels")
    known = corpus(folder / "known", 8, 60, seed=5)
    rows = [
        {**row, "language": "de" if i % 3 else "es", "success": int(len(row["mt"]) > 0.7 * len(row["ref"]))}
        for i, row in enumerate(known)
    ]
    write(folder / "outcomes.jsonl", rows)
    rule = assay.fit_rule(folder / "outcomes.jsonl", ["chrf", "bleu"], "at most 20% bad")
    rule.save(folder / "rule.json")
    (folder / "in").mkdir()
    made = corpus(folder / "plain", 12, 30, seed=6)
    whole = [{**row, "langpair": ("de-en", "es-en", "zz-en")[i % 3]} for i, row in enumerate(made)]
    whole[7]["mt"] = ""
    for shard, path in enumerate(sorted((folder / "plain").iterdir())):
        write(folder / "in" / path.name, whole[30 * shard : 30 * (shard + 1)])
    return folder / "rule.json", folder / "in", whole


def single(rule: Path, whole: list[dict[str, Any]], folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What `assay decide apply` says of the rows in one file: the rows, and the document."""
    write(folder / "whole.jsonl", whole)
    words = ["decide", "apply", "--rule", str(rule), "--data", str(folder / "whole.jsonl"), "-q", "--flags", "all"]
    for name in ("rows.jsonl", "whole.json"):
        assert main([*words, "--out", str(folder / name)]) == 0
    rows = [dict(flat_row(json.loads(line))) for line in (folder / "rows.jsonl").read_text().splitlines()]
    return rows, json.loads((folder / "whole.json").read_text())


def test_labels_are_those_of_one_file(labelled: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path) -> None:
    rule, source, whole = labelled
    result = assay.apply_rule(rule, data=source, out=tmp_path / "two", workers=2, flags="all")
    assay.apply_rule(rule, data=source, out=tmp_path / "inline", engine="inline", flags="all")
    assert contents(tmp_path / "two") == contents(tmp_path / "inline")
    rows, told = single(rule, whole, tmp_path)
    found = read(tmp_path / "two")
    assert [row["id"] for row in found] == [row["id"] for row in whole]
    for mine, wanted in zip(found, rows, strict=True):
        if isinstance(mine["flags"], str):  # a TSV
            mine = {
                **mine,
                "flags": mine["flags"].split(),
                "breakdown_probability": float(mine["breakdown_probability"]),
            }
        assert {name: mine[name] for name in BESIDE} == {name: wanted[name] for name in BESIDE}
    assert result.labels == told["counts"] and sum(result.labels.values()) == 360
    assert result.warnings == told["warnings"] and result.warnings
    assert result.corpus.more["labels"].keys() == {"de", "es", "zz-en"}


def test_the_table_is_that_of_one_file(
    labelled: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule, source, whole = labelled
    write(tmp_path / "whole.jsonl", whole)
    words = ["decide", "apply", "--rule", str(rule), "-q", "--flags", "all"]
    assert main([*words, "--data", str(tmp_path / "whole.jsonl")]) == 0
    wanted = capsys.readouterr().out.splitlines()
    assert main([*words, "--data", str(source), "--out", f"{tmp_path}/out/", "--workers", "1"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "12 shards" not in line] == wanted


def test_drift_is_seen_over_all_shards(labelled: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path) -> None:
    """Thirty rows a shard, ten of a language, are few; all of them together have drifted, and are as far off as in one file."""
    rule, _, whole = labelled
    (tmp_path / "in").mkdir()
    odd = [{**row, "mt": "x"} for row in whole]
    for shard in range(12):
        write(tmp_path / "in" / f"{shard:02}.jsonl", odd[30 * shard : 30 * (shard + 1)])
    result = assay.apply_rule(rule, data=tmp_path / "in", out=tmp_path / "out", engine="inline")
    assert any("scores have drifted" in said for said in result.warnings)
    assert result.warnings == single(rule, odd, tmp_path)[1]["warnings"]


def test_a_cut_shard_is_the_same(
    labelled: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule, _, whole = labelled
    (tmp_path / "in").mkdir()
    write(tmp_path / "in" / "a.jsonl", whole)
    once = assay.apply_rule(rule, data=tmp_path / "in", out=tmp_path / "once", engine="inline")
    real = splitting.split
    monkeypatch.setattr(splitting, "split", lambda shard, quoting: real(shard, quoting, size=5000))
    cut = assay.apply_rule(rule, data=tmp_path / "in", out=tmp_path / "cut", engine="inline")
    assert len(real(discovery.table_shards(tmp_path / "in")[0][0], size=5000)) > 5
    first, other = contents(tmp_path / "once"), contents(tmp_path / "cut")
    assert first["a.jsonl"] == other["a.jsonl"]
    assert (
        cut.corpus.more["labels"] == once.corpus.more["labels"]
        and cut.corpus.more["drift"] == once.corpus.more["drift"]
    )


def test_only_what_is_used_goes_out(labelled: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path) -> None:
    rule, source, _ = labelled
    given = {"keep": "label == 'use'", "engine": "inline"}
    result = assay.apply_rule(rule, data=source, out=tmp_path / "out", **given)  # type: ignore[arg-type]
    assert {row["label"] for row in read(tmp_path / "out")} == {"use"}
    assert result.counts["kept"] == result.labels["use"] < 360 == sum(result.labels.values())
    (tmp_path / "out" / "part-0003.parquet").unlink()
    again = assay.apply_rule(rule, data=source, out=tmp_path / "out", **given)  # type: ignore[arg-type]
    assert again.reused == 11 and again.labels == result.labels


def test_ready_scores_of_a_corpus_that_was_scored(
    labelled: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    """Scored first, labelled then: what a rule by ready scores says of one file with all rows."""
    _, source, _ = labelled
    assay.score(data=source, out=tmp_path / "scored", metrics=["chrf"], engine="inline")
    rows = [
        {
            "mt": row["mt"],
            "language": row["langpair"][:2],
            "chrF": "" if i == 11 else row["chrf"],
            "success": int(float(row["chrf"]) > 60),
        }
        for i, row in enumerate(read(tmp_path / "scored"))
    ]
    write(tmp_path / "outcomes.jsonl", [row for i, row in enumerate(rows) if i != 11])
    assay.fit_rule(tmp_path / "outcomes.jsonl", scores=["chrF"], goal="at most 30% bad").save(tmp_path / "r.json")
    (tmp_path / "in").mkdir()
    for shard in range(12):
        form = ("jsonl", "tsv", "parquet")[shard % 3]
        mine = [{k: v for k, v in row.items() if k != "success"} for row in rows[30 * shard : 30 * (shard + 1)]]
        if form == "parquet":
            mine = [{**row, "chrF": row["chrF"] or None} for row in mine]
        write(tmp_path / "in" / f"{shard:02}.{form}", mine)
    result = assay.apply_rule(tmp_path / "r.json", data=tmp_path / "in", out=tmp_path / "two", workers=2)
    assay.apply_rule(tmp_path / "r.json", data=tmp_path / "in", out=tmp_path / "one", engine="inline")
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    wanted, told = single(
        tmp_path / "r.json", [{k: v for k, v in row.items() if k != "success"} for row in rows], tmp_path
    )
    found = read(tmp_path / "two")
    for name in ("label", "reason", "language"):
        assert [row[name] for row in found] == [row[name] for row in wanted]
    assert [row["breakdown_probability"] or None for row in found][:30] == [
        row["breakdown_probability"] for row in wanted
    ][:30]
    assert result.labels == told["counts"] and result.warnings == told["warnings"]
    assert found[11]["reason"] == "not scored by chrF" and len({row["label"] for row in found}) > 1


def test_a_row_that_cannot_be_scored_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = [{"id": str(i), "src": "s", "mt": "m" * (1 + i % 9), "success": int(i % 9 > 3)} for i in range(90)]
    write(tmp_path / "outcomes.jsonl", rows)
    rule = assay.fit_rule(tmp_path / "outcomes.jsonl", ["tests.corpus.odd_metrics:Raises"], "at most 50% bad")
    rows[4]["mt"] = "POISON"
    write(tmp_path / "in" / "a.jsonl", rows)
    result = assay.apply_rule(rule, data=tmp_path / "in", out=tmp_path / "out", engine="inline")
    assert result.counts["rejected"] == 1 and sum(result.labels.values()) == 89
    assert json.loads((tmp_path / "out" / "_rejected.jsonl").read_text())["row"]["id"] == "4"


def test_what_cannot_be_meant_is_refused(
    labelled: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule, source, whole = labelled
    write(tmp_path / "scored.jsonl", [{**row, "s": i, "success": i % 2} for i, row in enumerate(whole)])
    assay.fit_rule(tmp_path / "scored.jsonl", scores=["s"], goal="at most 60% bad").save(tmp_path / "ready.json")
    words = ["decide", "apply", "--rule", str(rule)]
    for given, said in (
        ([*words, "--data", str(source)], "is a sharded corpus. Add --out FOLDER/"),
        ([*words, "--data", str(tmp_path / "scored.jsonl"), "--engine", "ray"], "--engine requires a corpus"),
        (
            [*words, "--data", str(source), "--out", f"{tmp_path}/o/", "--texts"],
            "--texts cannot be used with a sharded corpus",
        ),
        ([*words, "--data", str(source), "--out", f"{tmp_path}/o/", "--format", "tsv"], "shards keep their own format"),
        (["decide", "fit", "--data", "x.tsv", "--engine", "ray"], "--engine is an option of assay decide apply"),
        (["decide", "apply", f"{tmp_path}/ready.json", str(source), "--out", f"{tmp_path}/o/"], "unknown column"),
        (
            ["decide", "apply", f"{tmp_path}/ready.json", "--mt", str(source), "--out", f"{tmp_path}/o/"],
            "the rule uses precomputed scores. Specify tables that contain them (s), not --mt",
        ),
    ):
        assert main(given) == 2
        assert said in (told := capsys.readouterr().err) and told.count("\n") == 1
    assay.apply_rule(rule, data=source, out=tmp_path / "out", engine="inline")
    with pytest.raises(InputError, match="has files of another run"):
        assay.apply_rule(rule, data=source, out=tmp_path / "out", engine="inline", languages="es")
