"""Rankings, raters and correlations: by hand, by scipy, and WMT23's own system scores."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from assay.analyses.campaign import metrics, ranking, raters
from assay.analyses.campaign.score_arrays import scored_pairs
from assay.core.campaign import Campaign, Cell
from assay.core.errors import InputError
from assay.core.judged import Judgement
from assay.io.judgements.campaign import read_campaign
from assay.io.wmt.tree import campaign_of, read_eval_set
from assay.stats.rater_reliability import alpha, alpha_parts
from tests.analyses.helpers import only
from tests.data import need


def campaign(scores, raters=("r",)):
    """System to segment scores of every rater (None: not judged)."""
    judgements = {}
    for system, by_rater in scores.items():
        for rater, row in zip(raters, by_rater, strict=True):
            for i, score in enumerate(row):
                if score is not None:
                    judgements.setdefault(Cell("en-de", system, str(i)), []).append(Judgement(score, (), rater))
    return Campaign("c", "DA", judgements)


def random_campaign(shift, segments=60, seed=0):
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 5, segments)
    return campaign({name: [(hard + move + rng.normal(0, 3, segments)).tolist()] for name, move in shift.items()})


def test_a_system_score_is_the_mean_of_its_segments_means():
    found = campaign({"A": [[1, 2, None], [3, None, 10]], "B": [[0, 0, 0], [0, 0, None]]}, ("r", "s"))
    (pair,) = scored_pairs(found, {(cell, j.rater): j.score * 10 for cell, j in found.each()})
    systems, _ = ranking.tables([pair], samples=20)
    row = only(systems, system="A")  # segments 2, 2 and 10
    assert (row["score"], row["z"], row["segments"], row["judgements"]) == (
        pytest.approx(14 / 3),
        pytest.approx(140 / 3),
        3,
        4,
    )


@pytest.mark.parametrize("test", ranking.TESTS)
def test_ranks_and_clusters(test):
    (pair,) = scored_pairs(random_campaign({"low": 0, "best": 9, "twin": 9.01, "next": 4}), {})
    systems, duels = ranking.tables([pair], test=test, samples=50)
    rows = {row["system"]: row for row in systems.rows}
    assert {row["cluster"] for name, row in rows.items() if name in ("best", "twin")} == {1}
    assert (rows["best"]["ranks"], rows["next"]["ranks"], rows["low"]["ranks"], rows["low"]["cluster"]) == (
        "1–2",
        "3",
        "4",
        3,
    )
    p = only(duels, first="next", second="low")["p"]
    next_, low = (pair.score[pair.systems.index(name)] for name in ("next", "low"))
    if test == "signed-rank":
        assert p == pytest.approx(scipy.stats.wilcoxon(next_ - low, method="approx", correction=False).pvalue)
    elif test == "rank-sum":
        expected = scipy.stats.mannwhitneyu(next_, low, method="asymptotic", use_continuity=False).pvalue
        assert p == pytest.approx(expected)
    else:
        assert p < 0.05


@pytest.mark.parametrize("test", ["signed-rank", "permutation"])
def test_five_segments_prove_nothing(test):
    # Of the 32 ways to turn the signs of five differences two are as extreme as all of one sign: p = 2 / 32 at the least.
    values = np.array([[5.0, 7.0, 9.0, 11.0, 13.0], [1.0, 2.0, 3.0, 4.0, 5.0]])
    assert ranking.p_values(values, test)[0][0, 1] >= 2 / 32
    assert ranking.p_values(values[:, :1], test)[0][0, 1] == 1.0
    assert ranking.p_values(np.tile(values, 3), test)[0][0, 1] < 0.05


@pytest.mark.parametrize("test", ranking.TESTS)
@pytest.mark.parametrize("segments", [1023, 1024, 1300])
def test_many_segments(test, segments):
    values = np.random.default_rng(0).normal([[1.0], [0.0]], 1.0, (2, segments))
    p, favoured = ranking.p_values(values, test)
    assert (0 < p[0, 1] < 0.01 or test == "permutation") and favoured[0, 1]


@pytest.mark.parametrize("test", ["signed-rank", "rank-sum"])
def test_systems_are_not_separated_against_the_direction_of_the_test(test):
    found = campaign({"A": [[100.0] + [50.0] * 19], "B": [[52.0] * 20]})
    (pair,) = scored_pairs(found, {})
    systems, duels = ranking.tables([pair], test=test, samples=20)
    assert [(row["system"], row["ranks"], row["cluster"]) for row in systems.rows] == [("A", "1–2", 1), ("B", "1–2", 1)]
    (duel,) = duels.rows
    assert duel["p"] < 0.05 and duel["against"] == "†"
    assert any("favours the system with the lower mean (B against A in en-de)" in note for note in systems.notes)


def test_raters():
    rng = np.random.default_rng(1)
    truth = rng.normal(0, 1, 30)
    scores = np.stack([truth + rng.normal(0, 0.3, 30), 2 * truth + rng.normal(0, 0.3, 30) - 1])
    scores[1, :5] = np.nan
    people = campaign({"A": [[None if np.isnan(v) else v for v in row] for row in scores.tolist()]}, ("r", "s"))
    tables = {table.name: table for table in raters.tables(people, samples=50)}
    shared = ~np.isnan(scores[1])
    pair = only(tables["rater_pairs"], first="r")
    assert pair["pearson"] == pytest.approx(scipy.stats.pearsonr(scores[0][shared], scores[1][shared])[0])
    assert pair["kendall"] == pytest.approx(scipy.stats.kendalltau(scores[0][shared], scores[1][shared])[0])
    assert pair["difference"] == pytest.approx(np.nanmean(scores[0] - scores[1]))
    row = only(tables["raters"], rater="s")
    assert (row["n"], row["mean"]) == (25, pytest.approx(np.nanmean(scores[1])))
    assert row["deviation"] == pytest.approx(np.nanstd(scores[1], ddof=1))
    whole = tables["agreement"].rows[0]
    assert (
        whole["alpha"] == pytest.approx(alpha(alpha_parts(scores).sum(axis=0)))
        and whole["alpha_low"] < whole["alpha_high"]
    )
    assert [table.name for table in raters.tables(campaign({"A": [[1, 2]]}))] == ["raters"]


def test_metrics_and_williams():
    (pair,) = scored_pairs(random_campaign({"A": 0, "B": 2, "C": 4, "D": 1}, 40), {})
    rng = np.random.default_rng(2)
    scores = {
        "near": pair.score + rng.normal(0, 2, pair.score.shape),
        "far": pair.score + rng.normal(0, 12, pair.score.shape),
    }
    table, tests = metrics.tables([pair], {"en-de": scores}, samples=100)
    row = only(table, metric="near", level="segments")
    r1, r2 = (scipy.stats.pearsonr(pair.score.ravel(), scores[name].ravel())[0] for name in ("near", "far"))
    assert row["correlation"] == pytest.approx(r1) and row["correlation_low"] < r1 < row["correlation_high"]
    by_system = only(table, metric="near", level="systems")
    means = [matrix.mean(axis=1) for matrix in (pair.score, scores["near"])]
    assert (by_system["correlation"], by_system["n"]) == (pytest.approx(scipy.stats.pearsonr(*means)[0]), 4)
    test = only(tests, level="segments")
    # Williams 1959, as Graham and Baldwin 2014 print it.
    r12, n = scipy.stats.pearsonr(scores["near"].ravel(), scores["far"].ravel())[0], 160
    k = 1 - r1**2 - r2**2 - r12**2 + 2 * r1 * r2 * r12
    t = (
        (r1 - r2)
        * np.sqrt((n - 1) * (1 + r12))
        / np.sqrt(2 * k * (n - 1) / (n - 3) + (r1 + r2) ** 2 / 4 * (1 - r12) ** 3)
    )
    assert (test["t"], test["df"]) == (pytest.approx(t), n - 3)
    assert test["p"] == pytest.approx(2 * scipy.stats.t.sf(abs(t), n - 3))


def test_scores_read_upside_down_are_named():
    (pair,) = scored_pairs(random_campaign({"A": 0, "B": 2, "C": 4, "D": 1}, 40), {})
    table, _ = metrics.tables([pair], {"en-de": {"cost": -pair.score, "good": pair.score}}, samples=20)
    (note,) = (note for note in table.notes if "inverted" in note)
    assert (
        note.startswith("⚠ cost looks inverted: its correlation with human judgements is -1.00 or lower")
        and "FILE:lower" in note
    )


def test_spans_without_scores_are_sent_on():
    people = Campaign("c", "spans", {Cell("", "", "1"): [Judgement(None, (), "r")]}, marked=True)
    with pytest.raises(InputError, match="c has error spans but no scores"):
        scored_pairs(people, {})


@pytest.mark.real
def test_published_system_scores_of_ted():
    """The means of the averaged segment scores that were published beside the MQM file of TED 2021 en-de."""
    folder = need("data", "mqm")
    (pair,) = scored_pairs(read_campaign(folder / "ted2021" / "mqm_ted_ende.tsv.xz"), {})
    systems, _ = ranking.tables([pair], samples=20)
    rows = (line.split(",") for line in (folder / "sys_scores.csv").read_text().splitlines())
    published = {row[1].replace("ref-A", "ref"): float(row[-1]) for row in rows if row[0] == "mqm_ted_ende"}
    assert len(published) == 14 and {row["system"]: row["score"] for row in systems.rows} == pytest.approx(published)


@pytest.mark.real
def test_wmt23_system_scores():
    """The stored mqm.sys.score of en-de, and who is first."""
    evalset = read_eval_set(need("data", "wmt23"), "en-de")
    (pair,) = scored_pairs(campaign_of([evalset], {"en-de": "refA"}, "wmt23"), {})
    systems, _ = ranking.tables([pair], samples=20)
    stored = dict(zip(evalset.systems, evalset.human.at("mqm", "sys").tolist(), strict=True))
    assert {row["system"]: row["score"] for row in systems.rows} == pytest.approx(
        {name: value for name, value in stored.items() if not np.isnan(value)}
    )
    assert systems.rows[0]["system"] == "refA" and systems.rows[0]["ranks"] == "1"
