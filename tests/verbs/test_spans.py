"""`assay.spans` and `assay campaign` from files to tables: both doors, and one clear line for what cannot be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from tests.analyses.helpers import only

HEAD = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
TEXTS = {"1": "the cat sat", "2": "a dog barks"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gold by two raters, and predictions: one that says what rater r says, one by a language model, some that are wrong."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    rows = [
        "A\td\t1\t1\tr\ts\tthe <v>cat</v> sat\tAccuracy\tMajor", "A\td\t1\t1\tq\ts\tthe <v>cat</v> sat\tAccuracy\tMinor",
        "A\td\t2\t2\tr\ts\ta dog barks\tNo-error\tNo-error", "A\td\t2\t2\tq\ts\ta <v>dog</v> barks\tStyle\tMinor",
    ]  # fmt: skip
    Path("gold.tsv").write_text(HEAD + "\n".join(rows) + "\n")
    Path("one.tsv").write_text(HEAD + "\n".join(rows[::2]) + "\n")
    span = {"start": 4, "end": 7, "severity": "major", "confidence": 0.9}
    predicted("like_r.jsonl", [{"spans": [span]}, {"spans": []}])
    predicted("answers.jsonl", [{"answer": 'Major:\naccuracy - "cat"'}, {"answer": "no-error"}])
    predicted("clean.jsonl", [{"spans": []}, {"spans": []}])
    predicted("short.jsonl", [{"spans": [span]}])
    predicted("other.jsonl", [{"spans": [], "mt": "the cat sits"}, {"spans": []}])
    predicted("nobody.jsonl", [{"spans": [], "segment": str(n), "mt": f"text {n}"} for n in (7, 8)])
    predicted("bad.jsonl", [{"spans": [{**span, "end": 99}]}, {"spans": []}])
    cells = [(system, i) for system in ("A", "BB") for i in range(9)]
    Path("da.csv").write_text("system,segment,rater,score\n" + "".join(f"{s},{i},r,{i + len(s)}\n" for s, i in cells))
    Path("metric.tsv").write_text("system\tsegment\tscore\n" + "".join(f"{s}\t{i}\t{i}\n" for s, i in cells))
    Path("no_scores.tsv").write_text("system\tsegment\tscore\nA\t1\t\n")
    Path("with_ref.jsonl").write_text(json.dumps({"mt": "a", "ref": "b", "spans": []}) + "\n")


def predicted(name: str, rows: list[dict[str, Any]]) -> None:
    full = [
        {"system": "A", "segment": key, "mt": text, **row}
        for (key, text), row in zip(TEXTS.items(), rows, strict=False)
    ]
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in full))


def test_files_by_hand(capsys: pytest.CaptureFixture[str]):
    """Four judgements: r's two are met fully; q's cat is minor (half), q's dog missed. Credit 3 + 1.5, gold 9, predicted 6."""
    result = assay.spans("gold.tsv", ["like_r.jsonl", "gpt=answers.jsonl"], langpairs=["en-de"], samples=20, trials=20)
    for name in ("like_r", "gpt"):
        row = only(result.table("summary"), metric=name)
        assert (row["precision"], row["recall"], row["n"], row["langpair"]) == (4.5 / 6, 0.5, 4, "en-de")
    assert set(result.tables) == {"summary", "severities", "tests", "categories", "calibration", "raters"}
    assert result.to_polars().height == 8
    result.show(*result.tables)
    capsys.readouterr()
    alone = assay.spans("gold.tsv", {"x": "like_r.jsonl"}, rater="r", samples=20, trials=20)
    assert only(alone.table("summary"), metric="x")["f1"] == 1.0
    words = [
        "spans",
        "gold.tsv",
        "--predicted",
        "like_r.jsonl",
        "--langpair",
        "en-de",
        "--samples",
        "20",
        "--run-dir",
        "kept",
    ]
    assert main(words) == 0
    assert "F1" in capsys.readouterr().out and {"tables.json", "scores.parquet"} <= {
        path.name for path in Path("kept").iterdir()
    }
    assert main([*words[:4], "--format", "html", "--out", "page.html"]) == 0 and "<svg" in Path("page.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["one.tsv"], "one.tsv has one judgement per translation, so raters cannot be compared. Specify spans"),
        (["da.csv"], "da.csv has scores but no error spans. To rank systems by scores, use assay campaign"),
        (["gold.tsv", "--predicted", "da.csv"], "da.csv has scores but no error spans to evaluate"),
        (["gold.tsv", "--predicted", "short.jsonl"], "short does not cover 1 of 2 judged translations (first: A segment 2)"),
        (["gold.tsv", "--predicted", "other.jsonl"], "different translations for A segment 1: 'the cat sits' and 'the cat sat'"),
        (["gold.tsv", "--predicted", "nobody.jsonl"], "nobody contains none of the 2 judged translations of gold.tsv"),
        (["gold.tsv", "--predicted", "bad.jsonl"], "bad.jsonl line 1: span 4:99 is outside the target, which has 11 characters"),
        (["gold.tsv", "-m", "chrf"], "chrf marks no error spans. Use a model that does"),
        (["clean.jsonl", "--predicted", "clean.jsonl"], "clean.jsonl marks no error in 2 translations, so there is nothing"),
        (["with_ref.jsonl", "-m", "chrf"], "chrf marks no error spans. Use a model that does: xcomet-xl"),
        (["gold.tsv", "--rater", "rr"], "unknown rater 'rr' in gold.tsv. Did you mean r?"),
        (["nowhere.tsv"], "nowhere.tsv is neither a file nor a test set (wmt22"),
        (["gold.tsv", "--predicted", "like_r.jsonl", "--out", "like_r.jsonl"], "would overwrite the input like_r.jsonl"),
    ],
)  # fmt: skip
def test_one_clear_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert main(["spans", *words]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_rows_of_score_are_a_prediction(capsys: pytest.CaptureFixture[str]) -> None:
    """A table with segment numbers and raters of its own, in two language pairs, comes back with all that names its rows."""
    from assay.io.judgements.campaign import read_campaign

    gold = [
        {"langpair": pair, "system": "A", "segment": f"{pair}-{n}", "rater": rater, "src": "s", "mt": text, "spans": spans}
        for pair in ("en-de", "en-ru")
        for n, text in TEXTS.items()
        for rater, spans in (("r", [{"start": 0, "end": 3, "severity": "minor"}]), ("q", []))
    ]  # fmt: skip
    Path("own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    for form in ("jsonl", "tsv", "parquet", "json"):
        out = f"rows.{form}"
        assert main(["score", "-m", "assay-mini", "--spans", "--data", "own.jsonl", "--quiet", "-o", out]) == 0
        read = read_campaign(Path(out))
        assert [list(cell) for cell in read.judgements] == [[r["langpair"], "A", r["segment"]] for r in gold[::2]]
        assert read.raters == ["assay-mini"] and all(j.score is not None for _, j in read.each()) and not read.notes
        assert main(["spans", "own.jsonl", "--predicted", out, "--samples", "5", "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)["tables"]["summary"]
        assert [(row["langpair"], row["n"]) for row in rows] == [("en-de", 4), ("en-ru", 4), ("avg", 8)]


def test_without_common_names_texts_are_matched(capsys: pytest.CaptureFixture[str]) -> None:
    """Files without segments, in another order; each language pair has its own."""
    spans = [{"start": 0, "end": 3, "severity": "minor"}]
    gold = [
        {"langpair": p, "segment": f"{p}{t}", "mt": t, "spans": spans}
        for p in ("en-de", "en-ru")
        for t in TEXTS.values()
    ]
    Path("own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    bare = [
        {"langpair": row["langpair"], "mt": row["mt"], "spans": spans if row["langpair"] == "en-de" else []}
        for row in gold
    ]
    Path("bare.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(bare)))
    result = assay.spans("own.jsonl", ["bare.jsonl"], samples=5, trials=5)
    assert [row["f1"] for row in result.table("summary").rows] == [1.0, 0.0, 0.5]
    with Path("bare.jsonl").open("a") as file:
        file.write(json.dumps({"langpair": "en-de", "mt": TEXTS["1"], "spans": []}) + "\n")
    assert main(["spans", "own.jsonl", "--predicted", "bare.jsonl"]) == 2
    assert "has different spans for the same translation" in " ".join(capsys.readouterr().err.split())


def test_spans_in_the_source_come_back(tmp_path: Path) -> None:
    from assay.io.judgements.campaign import read_campaign

    row = {
        "src": "the cat",
        "mt": "die",
        "spans": {"judge": [{"side": "source", "start": 4, "end": 7, "severity": "major"}]},
    }
    Path("rows.jsonl").write_text(json.dumps(row) + "\n")
    ((_, judgement),) = read_campaign(Path("rows.jsonl")).each()
    assert [(span.side, span.text) for span in judgement.spans] == [("source", "cat")] and judgement.rater == "judge"


def test_what_all_have_in_common(capsys: pytest.CaptureFixture[str]):
    assert (
        main(["spans", "gold.tsv", "--predicted", "short.jsonl", "--common", "--format", "json", "--samples", "5"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["tables"]["summary"][0]["n"] == 2


def test_a_metric_with_spans(tmp_path: Path):
    """A random xCOMET checkpoint on the gold's translations: its spans are evaluated, its scores laid beside them."""
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    from tests.models.official import unpack

    metric = f"{unpack('xcomet', tmp_path)}:precision=fp32"
    result = assay.spans("gold.tsv", metrics=[metric], langpairs=["en-de"], samples=10, trials=10)
    assert only(result.table("summary"), metric=metric)["n"] == 4
    assert {row["score"] for row in result.table("interplay").rows} >= {"src", "score"}
    result.show(*result.tables)
    ours = assay.score(list(TEXTS.values()), sources=["s", "s"], metrics=[metric], spans=True)
    assert result.scores[metric].spans == list(ours.scores[metric].spans)
    items = [f"{i}\t{text}\t{text} no\t{text}\tnegation\n" for i, text in enumerate(TEXTS.values())]
    Path("pairs.tsv").write_text("id\tgood\tincorrect\treference\tphenomena\n" + "".join(items))
    found = assay.run("pairs.tsv", [f"{metric},threshold=0.99999"], analysis="localized", langpair="de-en")
    assert set(found.tables) >= {"summary", "drops"} and found.table("drops").rows[0]["n"] <= 2
    found.show(*found.tables)


def test_campaign_from_the_command_line(capsys: pytest.CaptureFixture[str]):
    words = [
        "campaign",
        "da.csv",
        "--metric-file",
        "metric.tsv",
        "--samples",
        "20",
        "--table",
        "systems",
        "--table",
        "metrics",
    ]
    assert main([*words, "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [(row["system"], row["score"], row["ranks"]) for row in tables["systems"]] == [
        ("BB", 6.0, "1"),
        ("A", 5.0, "2"),
    ]
    # Scores are i + 1 and i + 2: the metric i correlates at sqrt(var(i) / (var(i) + 1/4)), var(i) = 60/9.
    assert tables["metrics"][0]["correlation"] == pytest.approx((60 / 9 / (60 / 9 + 1 / 4)) ** 0.5)
    assert main(["campaign", "da.csv", "--table", "segments", "--format", "tsv", "--out", "segments.tsv"]) == 0
    again = ["campaign", "da.csv", "--metric-file", "segments.tsv", "--table", "metrics", "--format", "json"]
    assert main([*again, "--samples", "5"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]["metrics"][0]["correlation"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["da.csv", "-m", "chrf"], "da.csv has no translations to score (A segment 0"),
        (
            ["da.csv", "--langpair", "en-de", "--metric-file", "like_r.jsonl"],
            "like_r.jsonl has no score for 18 of 18 judged",
        ),
        (["like_r.jsonl"], "like_r.jsonl has error spans but no scores. Evaluate the spans with assay spans"),
        (["da.csv", "--test", "t"], "unknown test 't'"),
        (
            ["no_scores.tsv"],
            "no_scores.tsv has no scores in column 'score'. Choose a different column with --columns score=COLUMN",
        ),
    ],
)
def test_one_clear_line_about_campaigns(words: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert main(["campaign", *words]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
