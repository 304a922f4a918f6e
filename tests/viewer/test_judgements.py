"""The screens of people and of decisions as data: what is kept, what older runs still show, and what is damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import UnknownName
from assay.viewer.rows import Rows
from assay.viewer.runs import find_runs
from assay.viewer.summary import grouped, groupings, quarters, summary
from tests.data import need
from tests.viewer.judged_runs import campaign_run, decision_runs, meta_run


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("people")
    meta_run(work / "runs" / "meta", work)
    campaign_run(work / "runs" / "campaign", work)
    decision_runs(work / "runs")
    return work / "runs"


def opened(folder: Path) -> dict[str, Any]:
    (run,) = find_runs([folder])
    whole = summary(run)
    assert run.problems == []
    return whole


def test_clusters_and_ranks_follow_from_the_tests_that_are_kept(kept: Path) -> None:
    """A rank's best is one more than those significantly ahead; clusters are those of the table."""
    for ranking in opened(kept / "meta")["people"]["rankings"]:
        tests, entries = ranking["comparison"], ranking["entries"]
        n = len(entries)
        left, right = np.triu_indices(n, 1)
        for at, entry in enumerate(entries):
            ahead = sum(p <= 0.05 for p, j in zip(tests["p"], right, strict=True) if j == at)
            behind = sum(p <= 0.05 for p, i in zip(tests["p"], left, strict=True) if i == at)
            best, worst = ahead + 1, n - behind
            assert entry["ranks"] == (str(best) if best == worst else f"{best}–{worst}")
            if at:
                assert entry["value"] == pytest.approx(entries[0]["value"] - tests["difference"][at - 1], abs=1e-5)
                assert entry["low"] <= entry["high"]


def test_an_older_run_shows_its_ranking_without_tests(kept: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for name in ("tables.json", "manifest.json"):
        (old / name).write_bytes((kept / "meta" / name).read_bytes())
    about = json.loads((kept / "meta" / "view.json").read_text())
    (old / "view.json").write_text(json.dumps({"format": 1, "tables": about["tables"]}))
    found = opened(old)
    assert found["head"]["screens"] == ["people"] and found["people"]["pairs"] == []
    assert [one["comparison"] for one in found["people"]["rankings"]] == [None] * len(found["people"]["rankings"])
    assert found["people"]["rankings"][0]["entries"][0]["cluster"] == 1
    assert found["people"]["curves"][0]["origin"] == "this run"
    (old / "view.json").unlink()
    assert summary(find_runs([old])[0])["people"]["rankings"]


def test_what_is_damaged_is_said_and_the_rest_is_shown(kept: Path, tmp_path: Path) -> None:
    about = json.loads((kept / "rule" / "view.json").read_text())
    for name in ("tables.json", "manifest.json", "rows.jsonl.gz"):
        (tmp_path / name).write_bytes((kept / "rule" / name).read_bytes())
    about["deciding"]["sweeps"][0]["limits"] = "none"
    (tmp_path / "view.json").write_text(json.dumps(about))
    (run,) = find_runs([tmp_path])
    whole = summary(run)
    assert whole["deciding"] is None and whole["tables"] and len(run.rows) == 240
    assert any("deciding.sweeps[1].limits" in problem for problem in run.problems)


def test_a_campaign_is_ranked_from_its_tables(kept: Path) -> None:
    people = opened(kept / "campaign")["people"]
    (ranking,) = people["rankings"]
    assert ranking["of"] == "systems" and ranking["two_sided"]
    assert ranking["entries"][0]["low"] < ranking["entries"][0]["value"] < ranking["entries"][0]["high"]
    assert ranking["comparison"]["difference"][0] == pytest.approx(
        ranking["entries"][0]["value"] - ranking["entries"][1]["value"]
    )
    assert people["curves"][0]["origin"] == "WMT23" and people["pairs"][0]["column"] == "score"


def test_rows_hold_what_a_limit_counts(kept: Path) -> None:
    """A sweep counts exactly the rows that its expression chooses."""
    from assay.viewer.rows import Query

    for name in ("breakdown", "rule", "applied", "lower"):
        (run,) = find_runs([kept / name])
        assert run.deciding is not None and run.deciding.sweeps
        for sweep in run.deciding.sweeps:
            rows = run.rows.order(Query(sweep.where))
            assert len(rows) == sweep.used[0] + sweep.review[0] + sweep.rejected[0]
            scores = run.rows.numbers(sweep.column)
            assert scores is not None
            for at in (0, len(sweep.limits) // 2, len(sweep.limits) - 1):
                better = scores[rows] > sweep.limits[at] if sweep.higher_is_better else scores[rows] < sweep.limits[at]
                assert int(better.sum()) == sweep.used[at]


def test_labels_are_looked_at_by_their_rules_goal(kept: Path) -> None:
    (run,) = find_runs([kept / "applied"])
    assert run.deciding is not None
    assert {(sweep.risk, sweep.promised) for sweep in run.deciding.sweeps} == {("caught", ())}


def test_several_metrics_are_blended_into_a_column_of_their_own(tmp_path: Path) -> None:
    from tests.viewer.judged_runs import outcomes

    made = outcomes()
    scores = {"mine": np.nan_to_num(made.scores["mine"]), "other": np.random.default_rng(1).uniform(0, 1, len(made))}
    from dataclasses import replace

    assay.fit_rule(replace(made, scores=scores), [], "catch 80%", scores=["mine", "other"]).write(tmp_path / "run", ())
    (run,) = find_runs([tmp_path / "run"])
    assert run.deciding is not None
    (every, *_) = run.deciding.sweeps
    assert (every.metric, every.column) == ("mine + other", "quality") and run.metrics["quality"]["label"] == "blend"


def test_groups_by_hand() -> None:
    rows = Rows({
        "system": ["a", "a", "a", "b", "b", "b"], "domain": ["x", "x", "y", "x", "y", None], "mt": list("abcdef"),
        "m": [1.0, 3.0, 5.0, 2.0, None, 9.0], "id": list("123456"), "late": [True, False, False, True, True, False],
    })  # fmt: skip
    assert [one["key"] for one in groupings(rows, {"m": {}})] == ["domain", "late"]
    made = grouped(rows, "domain", "m")
    assert [(group["name"], group["cells"]) for group in made["groups"]] == [
        ("x", {"a": [2, 2.0, pytest.approx(2**0.5)], "b": [1, 2.0, None]}),
        ("y", {"a": [1, 5.0, None]}),
    ]
    assert made["groups"][0]["where"] == 'domain is not missing and domain == "x"'
    assert [group["where"] for group in grouped(rows, "late", "m")["groups"]] == ["late", "not late"]
    assert quarters(np.arange(1, 9)) == [2, 4, 6] and quarters(np.array([5, 5, 5, 5])) == []
    with pytest.raises(UnknownName, match="unknown column to group by 'speaker'"):
        grouped(rows, "speaker", "m")
    with pytest.raises(UnknownName, match="unknown metric 'n' in these rows"):
        grouped(rows, "domain", "n")


@pytest.mark.real
def test_wmt23_as_it_is_published(tmp_path: Path) -> None:
    """en-de of WMT23: the systems that the page draws give every metric's Pearson correlation of the official task."""
    need("data", "wmt23")
    result = assay.meta(
        "wmt23", data_dir=need("data"), langpairs=["en-de"], tasks=[2], significance=True, draws=200,
        stored=["XCOMET-Ensemble", "BLEU", "chrF", "COMET"],
    )  # fmt: skip
    found = opened(result.write(tmp_path / "run", ()))
    ranking = found["people"]["rankings"][1]
    (pair,) = found["people"]["pairs"]
    part = [i for i, apart in enumerate(pair["apart"]) if not apart]
    for entry in ranking["entries"]:
        drawn = [pair["metrics"][entry["name"]][i] for i in part], [pair["people"][i] for i in part]
        assert np.corrcoef(*drawn)[0, 1] == pytest.approx(entry["value"], abs=1e-9)
    assert (
        found["head"]["rows"] == 460 * 12 and pair["column"] == "mqm"
    )  # 460 paragraphs, twelve systems (Freitag et al. 2023)
