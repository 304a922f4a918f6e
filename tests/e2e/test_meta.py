"""``assay meta`` as a person types it."""

import json
from pathlib import Path

import numpy as np
import pytest

from assay.cli.main import main
from assay.core.errors import InputError
from assay.core.judged_systems import LevelScores
from assay.receipts.obtain import wmt23
from assay.verbs.meta import meta
from assay.verbs.reproduce import VerbRunner
from tests import wmt
from tests.data import need


@pytest.fixture
def data(tmp_path: Path, monkeypatch) -> Path:
    """A made-up wmt23 with two of its three language pairs."""
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    for pair, references in (("en-de", ("refA", "synthetic_ref")), ("he-en", ("refA", "refB"))):
        standard = "refB" if pair == "he-en" else "refA"
        metrics = (f"BLEU-{standard}", f"chrF-{standard}", f"XCOMET-XL-{standard}", "CometKiwi-src")
        wmt.make_pair(tmp_path / "data" / "wmt23", pair, references=references, metrics=metrics)
    return tmp_path / "data"


def out(capsys) -> str:
    return capsys.readouterr().out


def test_the_official_table_as_json(data: Path, capsys):
    assert main(["meta", "wmt23", "--data-dir", str(data), "--format", "json", "--quiet"]) == 0
    found = json.loads(out(capsys))["tables"]
    assert [row["rank"] for row in found["overall"]] == [1, 2, 3]
    assert {row["metric"] for row in found["overall"]} == {"BLEU", "chrF", "CometKiwi"}  # XCOMET-XL is contrastive
    assert {row["task"] for row in found["tasks"]} == {1, 2, 3, 4, 5, 6, 7}
    assert found["tasks"][0].keys() >= {"task", "langpair", "level", "statistic", "metric", "value", "rank"}


def test_a_metric_is_put_into_the_table(data: Path, capsys):
    assert main(["meta", "wmt23", "--data-dir", str(data), "-m", "chrf", "--significance", "--draws", "50"]) == 0
    text = out(capsys)
    assert "chrf ← new" in text
    assert "cluster" in text
    assert "4 metrics" in text


def test_part_of_the_tasks_and_every_format(data: Path, capsys):
    for kind in ("jsonl", "tsv", "csv", "md", "latex", "html"):
        assert main(["meta", "wmt23", "--data-dir", str(data), "--langpair", "he-en", "--format", kind]) == 0
        assert "CometKiwi" in out(capsys)
    assert main(["meta", "wmt23", "--data-dir", str(data), "--task", "2", "--table", "tasks", "--format", "json"]) == 0
    assert {row["task"] for row in json.loads(out(capsys))["tables"]["tasks"]} == {2}
    assert main(["meta", "wmt23", "--data-dir", str(data), "--contrastive", "--worth", "--all", "--draws", "20"]) == 0
    text = out(capsys)
    assert "XCOMET-XL" in text
    assert "80% agree" in text


def test_a_metric_from_a_file(data: Path, tmp_path: Path, capsys):
    rows = ["langpair\tsystem\tsegment\tscore"]
    for pair in ("en-de", "he-en"):
        for system in ("A", "B", "C", "D", "refA"):
            rows += [f"{pair}\t{system}\t{i + 1}\t{(i * 7 + ord(system[0])) % 5}" for i in range(12)]
    mine = tmp_path / "mine.tsv"
    mine.write_text("\n".join(rows) + "\n")
    assert main(["meta", "wmt23", "--data-dir", str(data), "--metric-file", str(mine), "--format", "json"]) == 0
    kinds = {row["metric"]: row["kind"] for row in json.loads(out(capsys))["tables"]["overall"]}
    assert kinds == {"BLEU": "baseline", "chrF": "baseline", "CometKiwi": "baseline", "mine": "new"}


def test_the_run_is_kept(data: Path, tmp_path: Path, capsys):
    folder = tmp_path / "run"
    assert main(["meta", "wmt23", "--data-dir", str(data), "-m", "bleu", "--run-dir", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "manifest.json",
        "rows.jsonl.gz",
        "scores.parquet",
        "tables.json",
        "view.json",
    ]
    assert "overall" in json.loads((folder / "tables.json").read_text())["tables"]
    import polars

    frame = polars.read_parquet(folder / "scores.parquet")
    assert frame.columns == ["langpair", "system", "segment", "bleu"]
    assert len(frame) == 2 * 6 * 12


def test_xcomets_tables(data: Path, capsys):
    assert main(["meta", "wmt23", "--data-dir", str(data), "--recipe", "xcomet", "-m", "chrf", "--draws", "20"]) == 0
    text = out(capsys)
    assert "segment-level Pearson" in text
    assert "XCOMET-XL" in text


def test_judged_segments_of_a_tree(data: Path, capsys):
    assert main(["run", f"wmt:path={data / 'wmt23'},year=wmt23,langpair=he-en", "-m", "chrf", "--format", "json"]) == 0
    (row,) = json.loads(out(capsys))["tables"]["agreement"]
    assert (row["metric"], row["langpair"], row["n"]) == ("chrf", "he-en", 5 * 9)
    assert main(["run", "wmt23", "--data-dir", str(data), "-m", "chrf"]) == 0
    assert "en-de" in out(capsys)


def test_any_tree_by_its_path(tmp_path: Path, capsys):
    wmt.make_pair(tmp_path / "mine", "xx-yy")
    assert main(["meta", str(tmp_path / "mine"), "--format", "json"]) == 0
    assert len(json.loads(out(capsys))["tables"]["tasks"]) == 4 * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wmt32"], "unknown WMT test set 'wmt32'. Did you mean"),
        (["wmt23", "--langpair", "zh-en"], "unknown language pair 'zh-en'"),
        (["wmt23", "--task", "99"], "unknown task 99"),
        (["wmt23", "--table", "taks"], "unknown table 'taks' of wmt23. Did you mean tasks?"),
        (["wmt23", "-m", "chfr"], "unknown metric 'chfr'"),
        (["wmt23", "--metric-file", "nowhere.tsv"], "nowhere.tsv does not exist"),
        (["wmt23", "--recipe", "xcomet", "--worth"], "--worth cannot be combined with --recipe xcomet"),
        (["wmt24"], "the data of WMT24 metrics task is missing"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(data: Path, capsys, arguments, message):
    assert main(["meta", *arguments, "--data-dir", str(data)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_wrong_files_in_the_tree_are_named(data: Path, capsys):
    file = data / "wmt23" / "metric-scores" / "en-de" / "BLEU-refA.seg.score"
    file.write_text(file.read_text().replace("C\t", "Z\t"))
    assert main(["meta", "wmt23", "--data-dir", str(data)]) == 2
    error = capsys.readouterr().err
    assert "unknown system 'Z'" in error
    assert "BLEU-refA.seg.score" in error


def test_arrays_from_python(data: Path):
    base = meta("wmt23", data_dir=data)
    scores = {pair: {"en-de": judged.metrics["chrF"]}["en-de"] for pair, judged in base.sets.items()}
    found = meta(
        "wmt23", data_dir=data, extra={"chrF": {pair: LevelScores(s.seg, s.sys) for pair, s in scores.items()}}
    )
    rows = {row["metric"]: row for row in found.tables["overall"].rows}
    assert rows["chrF (new)"]["average"] == rows["chrF"]["average"]
    assert found.new == ("chrF (new)",)
    assert "chrF (new)" in repr(found)
    with pytest.raises(InputError, match="shape"):
        meta("wmt23", data_dir=data, extra={"x": {"en-de": LevelScores(np.ones((2, 2)))}})


@pytest.mark.real
def test_receipts_of_wmt23():
    from assay.receipts.published import load_receipts

    receipts = load_receipts("wmt23")
    cells = wmt23(receipts, VerbRunner(need("data")))
    assert len(receipts) == 352
    assert all(receipt.verdict(cells[receipt.cell]) == "match" for receipt in receipts)


@pytest.mark.real
def test_chrf_and_bleu_land_where_the_official_ones_do():
    found = meta("wmt23", ["chrf", "bleu"], data_dir=need("data"), store=False)
    values = {(row["task"], row["metric"]): row["value"] for row in found.tables["tasks"].rows}
    for task in range(1, 11):
        assert values[task, "chrf"] == pytest.approx(values[task, "chrF"], abs=1e-9)
        assert values[task, "bleu"] == pytest.approx(values[task, "BLEU"], abs=1e-9)
