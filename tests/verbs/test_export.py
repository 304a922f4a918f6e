"""Texts out, scores in: a metric that runs elsewhere takes part, and is called as one likes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import AssayError, InputError
from assay.verbs.export import export
from assay.verbs.run import run
from tests.data import need


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "parquet"])
def test_exported_texts_read_back_as_the_same_set(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"items.{ending}"
    exported = export("embedded", path)
    first = run("embedded", ["chrf"], samples=5)
    again = run(str(path), ["chrf"], samples=5)
    assert len(exported) == len(first) == len(again)
    assert [one.id for one in again.content] == [one.id for one in first.content]  # type: ignore[union-attr]
    assert again.table().rows[0]["accuracy"] == first.table().rows[0]["accuracy"]


def test_an_outside_metric_fills_a_file_of_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The way of a person: export, score with any tool, run with the file; it equals the function run inside."""
    items = tmp_path / "items.tsv"
    assert main(["run", "embedded", "--export", str(items), "--langpair", "de-en"]) == 0
    assert "assay run embedded --metric-file scores.tsv" in capsys.readouterr().err
    with items.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    scores = tmp_path / "lengths.tsv"
    body = "".join(f"{row['id']}\t{len(row['good'])}\t{len(row['incorrect'])}\n" for row in rows)
    scores.write_text("id\tgood\tincorrect\n" + body)
    arguments = ["run", "embedded", "--langpair", "de-en", "--samples", "5", "--format", "json", "--quiet"]
    assert main([*arguments, "--metric-file", f"{scores}:reference"]) == 0
    outside = json.loads(capsys.readouterr().out)["tables"]["summary"][0]
    inside = run("embedded", ["tests.verbs.test_export:lengths"], langpair="de-en", samples=5).table().rows[0]
    assert (outside["accuracy"], outside["n"]) == (inside["accuracy"], len(rows))


@assay.metric(needs="reference", version=1)
def lengths(hypotheses: list[str], references: list[str], sources: list[str]) -> list[float]:
    """A function as a metric (``-m module:function``): a sequence of floats for hypotheses, references and sources."""
    return [float(len(text)) for text in hypotheses]


def test_scores_of_the_whole_set_serve_a_part_of_it(tmp_path: Path) -> None:
    exported = export("embedded").to_polars().to_dicts()
    named, plain = tmp_path / "named.tsv", tmp_path / "plain.tsv"
    named.write_text("id\tgood\tincorrect\n" + "".join(f"{row['id']}\t{len(row['good'])}\t3\n" for row in exported))
    plain.write_text("".join(f"{len(row['good'])}\t3\n" for row in exported))
    part = [row for row in exported if row["langpair"] == "de-en"]
    for file in (named, plain):
        found = run("embedded", [], metric_files=[f"{file}:source"], langpair="de-en", samples=5).measured[0]
        assert found.good is not None and found.good.tolist() == [len(row["good"]) for row in part]


@pytest.mark.real
def test_judged_segments_are_exported_with_their_hypotheses(tmp_path: Path) -> None:
    path = tmp_path / "segments.jsonl"
    exported = export("hallucinations", path, data_dir=need("data"))
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert len(exported) == 3415 and {"id", "source", "hypothesis"} <= set(first)


def test_what_cannot_be_exported_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="the suffix must be one of"):
        export("embedded", tmp_path / "items.xlsx")
    assert main(["run", "embedded", "--export", str(tmp_path / "x.tsv"), "-m", "chrf"]) == 2
    pairs = tmp_path / "pairs.tsv"
    export("embedded", pairs)
    assert main(["run", str(pairs), "--export", str(pairs)]) == 2
    assert "would overwrite the input" in capsys.readouterr().err


def test_labels_in_tables_figures_and_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = run("embedded", ["chrf", "chrf++"], samples=5)
    called = run("embedded", ["chrf", "chrf++"], samples=5, labels={"chrf": "chrF (ours)"})
    assert [row["metric"] for row in called.table().rows] == ["chrF (ours)", "chrf++"]
    assert [row["accuracy_low"] for row in called.table().rows] == [row["accuracy_low"] for row in plain.table().rows]
    assert set(called.signatures) == {"chrf", "chrf++"} and "chrf good" in called.to_polars().columns
    assert main(["run", "-m", "chrf", "--label", "chrf=chrF2 β", "--samples", "5", "--run-dir", str(tmp_path)]) == 0
    assert "chrF2 β" in (tmp_path / "phenomena.svg").read_text(encoding="utf-8")
    assert main(["run", "-m", "chrf", "--label", "chfr=x", "--samples", "5"]) == 2
    assert "Did you mean chrf" in capsys.readouterr().err
    assert main(["run", "-m", "chrf", "--label", "chrf", "--samples", "5"]) == 2
    with pytest.raises(AssayError, match="two metrics have the label"):
        run("embedded", ["chrf", "bleu"], samples=5, labels={"chrf": "bleu"})
