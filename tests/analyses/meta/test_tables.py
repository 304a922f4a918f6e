import csv
import functools
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from assay.analyses.meta.delta_agreement import point_worth_tables, system_pairs
from assay.analyses.meta.recipes import MetaTask, TaskSet, recipe_for, task_set
from assay.analyses.meta.tables import overall, tables
from assay.analyses.meta.tasks import gather, judged_systems, run_tasks
from assay.core.errors import InputError
from assay.core.judged_systems import JudgedSystems, LevelScores
from assay.io.wmt.metric_files import with_system_means
from assay.suites import wmt as suite
from tests import wmt
from tests.data import need


def with_metrics(judged: JudgedSystems, metrics: dict[str, LevelScores]) -> JudgedSystems:
    return replace(judged, metrics={**judged.metrics, **metrics})


@functools.cache
def wmt23() -> dict[str, JudgedSystems]:
    official = suite.facts("wmt23")
    sets = suite.read_pairs(need("data", "wmt23"), ["en-de", "he-en", "zh-en"])
    return {
        pair: suite.judged_systems(found, suite.pair_facts(found, official), official.primary)
        for pair, found in sets.items()
    }


@pytest.mark.real
def test_the_320_cells_and_32_averages_of_wmt23():
    tasks = task_set(suite.facts("wmt23").recipe, wmt23())
    summary, long = tables(tasks, run_tasks(tasks, wmt23()))
    found = {(str(row["task"]), row["metric"]): row for row in long.rows}
    with need("expected", "wmt23_tasks.csv").open(encoding="utf-8") as lines:
        expected = list(csv.DictReader(lines))
    assert len(expected) == len(found) == 320
    for row in expected:
        mine = found[row["task"], row["metric"]]
        assert mine["value"] == pytest.approx(float(row["value"]), abs=1e-9)
        assert (mine["langpair"], mine["level"], mine["statistic"]) == (row["langpair"], row["level"], row["statistic"])
    averages = {row["metric"]: row for row in summary.rows}
    with need("expected", "wmt23_overall.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            assert averages[row["metric"]]["average"] == pytest.approx(float(row["average"]), abs=1e-9)
            assert averages[row["metric"]]["rank"] == int(row["rank"])


@pytest.mark.real
def test_systems_that_take_part():
    """12, 13 and 15 systems (the data's README): he-en's refA is one, no other human translation."""
    counts = {}
    for pair, judged in wmt23().items():
        systems = judged_systems(MetaTask(1, (pair,), "seg", "pearson", human=pair == "he-en"), judged)
        counts[pair] = len(systems)
        assert ("refA" in systems) == (pair == "he-en")
    assert counts == {"en-de": 12, "he-en": 13, "zh-en": 15}


@pytest.mark.real
@pytest.mark.slow
def test_a_copy_of_a_metric_shares_its_place_and_cluster():
    sets = {pair: with_metrics(judged, {"copy": judged.metrics["COMET"]}) for pair, judged in wmt23().items()}
    tasks = task_set(suite.facts("wmt23").recipe, sets)
    summary, _ = tables(tasks, run_tasks(tasks, sets, significance=True, draws=200), {"copy": "new"}, 200)
    rows = {row["metric"]: row for row in summary.rows}
    assert rows["copy"]["average"] == rows["COMET"]["average"]
    assert (rows["COMET"]["rank"], rows["copy"]["rank"]) == (9, 10)
    assert rows["copy"]["cluster"] == rows["COMET"]["cluster"]
    assert rows["copy"]["mark"] == "← new"
    clusters = [row["cluster"] for row in summary.rows]
    assert clusters == sorted(clusters)
    assert clusters[0] == 1
    assert clusters[-1] > 5
    # the winner of the year stands alone (Freitag et al. 2023, Table 1)
    assert [row["metric"] for row in summary.rows if row["cluster"] == 1] == ["XCOMET-Ensemble"]


def made(tmp_path: Path, *pairs: str, **settings) -> dict[str, JudgedSystems]:
    for pair in pairs:
        wmt.make_pair(tmp_path, pair, **settings)
    sets = suite.read_pairs(tmp_path, pairs)
    return {pair: suite.judged_systems(found, suite.pair_facts(found, None)) for pair, found in sets.items()}


def acc_t(gold: np.ndarray, metric: np.ndarray) -> float:
    """Accuracy with ties at the best threshold, by the words of the definition."""
    candidates = {0.0}
    for column in metric.T:
        candidates |= {abs(a - b) for a, b in combinations(column, 2)}
    best = 0.0
    for epsilon in sorted(candidates):
        shares = []
        for people, scores in zip(gold.T, metric.T, strict=True):
            pairs = [(i, j) for i, j in combinations(range(len(people)), 2) if not np.isnan(people[i] + people[j])]
            right = 0
            for i, j in pairs:
                difference = scores[i] - scores[j]
                sign = 0 if abs(difference) <= epsilon else np.sign(difference)
                right += sign == np.sign(people[i] - people[j])
            if pairs:
                shares.append(right / len(pairs))
        best = max(best, float(np.mean(shares)))
    return best


def test_statistics_against_scipy_and_the_definition(tmp_path: Path):
    sets = made(tmp_path, "en-de")
    judged = sets["en-de"]
    rows = [0, 1, 2, 3]
    gold, metric = judged.gold["mqm"].seg[rows], judged.metrics["chrF"].seg[rows]
    known = ~np.isnan(gold)

    def value(level, statistic, grouping="none"):
        task = MetaTask(1, ("en-de",), level, statistic, grouping, human=False)
        result = run_tasks(TaskSet((task,)), sets)[0]
        return float(result.values[result.names.index("chrF")])

    assert value("seg", "pearson") == pytest.approx(scipy.stats.pearsonr(gold[known], metric[known])[0])
    assert value("seg", "kendall") == pytest.approx(scipy.stats.kendalltau(gold[known], metric[known])[0])
    assert value("seg", "spearman") == pytest.approx(scipy.stats.spearmanr(gold[known], metric[known])[0])
    assert value("seg", "acc_t", "item") == pytest.approx(acc_t(gold, metric))
    by_system = [scipy.stats.pearsonr(g[k], m[k])[0] for g, m, k in zip(gold, metric, known, strict=True)]
    assert value("seg", "pearson", "system") == pytest.approx(np.mean(by_system))
    people, scores = judged.gold["mqm"].sys[rows], judged.metrics["chrF"].sys[rows]
    assert value("sys", "pearson") == pytest.approx(scipy.stats.pearsonr(people, scores)[0])
    agree = [np.sign(people[i] - people[j]) == np.sign(scores[i] - scores[j]) for i, j in combinations(range(4), 2)]
    assert value("sys", "pairwise_accuracy") == pytest.approx(np.mean(agree))


def test_domains(tmp_path: Path):
    sets = made(tmp_path, "en-de", unjudged=0)
    task = MetaTask(1, ("en-de",), "seg", "pearson", domain="social")
    assert gather(task, sets).gold[0].shape == (5, 6)
    task = MetaTask(1, ("en-de",), "sys", "pearson", domain="social")
    data = gather(task, sets)
    judged = sets["en-de"]
    rows = [0, 1, 2, 3, 5]
    assert data.gold[0].tolist() == pytest.approx(judged.gold["mqm"].seg[rows][:, 6:].mean(axis=1).tolist())
    with pytest.raises(InputError, match="has no domain 'sport'"):
        gather(MetaTask(1, ("en-de",), "seg", "pearson", domain="sport"), sets)


def test_a_year_like_wmt22_ranks_by_mean_rank(tmp_path: Path):
    domains = ("conversation", "ecommerce", "news", "social")
    for pair, references in (("en-de", ("refA", "refB")), ("en-ru", ("refA",)), ("zh-en", ("refA", "refB"))):
        wmt.make_pair(tmp_path, pair, references=references, domains=domains, segments=16, unjudged=0)
    official = suite.facts("wmt22")
    sets = {
        pair: suite.judged_systems(found, suite.pair_facts(found, official))
        for pair, found in suite.read_pairs(tmp_path, ["en-de", "en-ru", "zh-en"]).items()
    }
    tasks = task_set(official.recipe, sets)
    results = run_tasks(tasks, sets)
    assert len(results) == 201
    means = overall(tasks, results)
    by_hand = {
        name: sum(r.task.weight * (r.names.index(name) + 1) for r in results) for name in ("BLEU", "chrF", "Kiwi")
    }
    assert means == pytest.approx(by_hand)
    assert list(means.values()) == sorted(means.values())


def test_a_year_like_wmt24(tmp_path: Path):
    official = suite.facts("wmt24")
    for pair in ("en-de", "en-es", "ja-zh"):
        standard = official.langpairs[pair].standard_reference
        wmt.make_pair(tmp_path, pair, systems=("A", "B", "C", "MSLC"), metrics=(f"BLEU-{standard}", "Kiwi-src"))
    sets = {
        pair: suite.judged_systems(found, suite.pair_facts(found, official))
        for pair, found in suite.read_pairs(tmp_path, ["en-de", "en-es", "ja-zh"]).items()
    }
    tasks = task_set(official.recipe, sets)
    results = run_tasks(tasks, sets, significance=True, draws=20)
    assert [result.task.label for result in results] == ["soft_pairwise_accuracy", "acc_t_item"] * 3
    assert judged_systems(tasks.tasks[0], sets["en-de"]) == ["A", "B", "C", "refA"]  # refB is standard, MSLC an outlier
    assert judged_systems(tasks.tasks[2], sets["en-es"]) == ["A", "B", "C"]
    gold, metrics = gather(tasks.tasks[1], sets).gold[0], gather(tasks.tasks[1], sets).metrics[0]
    names = gather(tasks.tasks[1], sets).names
    assert results[1].values[results[1].names.index("Kiwi")] == pytest.approx(acc_t(gold, metrics[names.index("Kiwi")]))
    means = overall(tasks, results)
    by_hand = {n: np.mean([r.values[r.names.index(n)] for r in results]) for n in ("BLEU", "Kiwi")}
    assert means == pytest.approx(by_hand)
    assert all(row["cluster"] >= 1 for row in tables(tasks, results, draws=20)[0].rows)


def test_significance_is_repeatable_and_perfect_beats_noise(tmp_path: Path):
    sets = made(tmp_path, "en-de", segments=60, systems=tuple("ABCDEFGH"))
    judged = sets["en-de"]
    noise = np.random.default_rng(1).normal(size=(10, 60))
    sets = {
        "en-de": with_metrics(
            judged,
            {
                "perfect": LevelScores(np.nan_to_num(judged.gold["mqm"].seg), judged.gold["mqm"].sys),
                "noise": LevelScores(noise, noise.mean(axis=1)),
            },
        )
    }
    tasks = task_set(recipe_for(["en-de"]), sets)
    one, other = (tables(tasks, run_tasks(tasks, sets, significance=True, draws=100), draws=100)[0] for _ in range(2))
    assert one.rows == other.rows
    rows = {row["metric"]: row for row in one.rows}
    assert (rows["perfect"]["rank"], rows["perfect"]["cluster"]) == (1, 1)
    assert rows["noise"]["cluster"] > 1


def test_a_constant_metric_counts_as_zero_and_is_named(tmp_path: Path):
    sets = made(tmp_path, "en-de")
    flat = LevelScores(np.ones((6, 12)), np.ones(6))
    sets = {"en-de": with_metrics(sets["en-de"], {"flat": flat})}
    tasks = task_set(recipe_for(["en-de"]), sets)
    results = run_tasks(tasks, sets, significance=True, draws=10)
    assert results[1].values[results[1].names.index("flat")] == 0
    assert "⚠ flat is constant: its correlation counts as 0 in task 2, 3" in tables(tasks, results)[0].notes


def test_bad_input_is_named(tmp_path: Path):
    sets = made(tmp_path, "en-de")
    judged = sets["en-de"]
    holes = judged.metrics["chrF"].seg.copy()
    holes[1, 4] = np.nan
    broken = {"en-de": with_metrics(judged, {"holey": LevelScores(holes, judged.metrics["chrF"].sys)})}
    task = MetaTask(3, ("en-de",), "seg", "pearson")
    with pytest.raises(InputError, match=r"metric 'holey' has no finite score for system 'B' of en-de, segment 5"):
        gather(task, broken)
    with pytest.raises(InputError, match="task 3 needs en-fr, which the data does not contain"):
        gather(MetaTask(3, ("en-fr",), "seg", "pearson"), sets)
    with pytest.raises(InputError, match="no seg gold scores da"):
        gather(MetaTask(3, ("en-de",), "seg", "pearson", gold="da"), sets)
    with pytest.raises(InputError, match="no metric has seg scores"):
        gather(task, {"en-de": replace(judged, metrics={})})
    one = made(tmp_path / "one", "en-de", systems=("A",), references=("refA",))
    with pytest.raises(
        InputError, match="en-de has 1 judged system; agreement with human judgements needs at least two"
    ):
        gather(MetaTask(1, ("en-de",), "sys", "pearson"), one)
    with pytest.raises(
        InputError, match=r"metric 'x' of en-de: seg scores have the shape \(2, 2\) instead of \(6, 12\)"
    ):
        with_metrics(judged, {"x": LevelScores(np.ones((2, 2)))})


def test_means_over_some_segments_are_no_system_scores(tmp_path: Path):
    judged = made(tmp_path, "en-de")["en-de"]
    task = MetaTask(1, ("en-de",), "sys", "pearson")
    whole = judged.metrics["chrF"].seg
    people = ~np.isnan(judged.gold["mqm"].seg)
    rows = [judged.systems.index(name) for name in judged_systems(task, judged)]

    def tried(seg: np.ndarray) -> np.ndarray:
        mine = with_metrics(judged, {"mine": with_system_means(LevelScores(seg=seg))})
        return gather(task, {"en-de": replace(mine, metrics={"mine": mine.metrics["mine"]})}).metrics[0][0]

    assert tried(whole) == pytest.approx(whole[rows].mean(axis=1))
    few = whole.copy()
    few[:, 5:] = np.nan
    first = people[rows[0], :5].sum(), people[rows[0]].sum()
    with pytest.raises(
        InputError,
        match=rf"only {first[0]} of {first[1]} judged segments of .* \({len(rows)} systems of {len(rows)} have",
    ):
        tried(few)
    # Judged segments alone will do if all systems have the same ones.
    both = people[rows].all(axis=0)
    everyone = replace(
        judged, gold={"mqm": LevelScores(np.where(both, judged.gold["mqm"].seg, np.nan), judged.gold["mqm"].sys)}
    )
    part = np.where(both, whole, np.nan)
    mine = replace(everyone, metrics={"mine": with_system_means(LevelScores(seg=part))})
    assert gather(task, {"en-de": mine}).metrics[0][0] == pytest.approx(whole[rows][:, both].mean(axis=1))
    more = part.copy()
    more[rows[1]] = whole[rows[1]]
    assert not both.all()
    mine = replace(everyone, metrics={"mine": with_system_means(LevelScores(seg=more))})
    with pytest.raises(InputError, match=rf"scores for {both.sum()} segments of .* but for {whole.shape[1]} of"):
        gather(task, {"en-de": mine})
    # System scores of its own need no segments.
    mine = replace(
        judged,
        metrics={"mine": with_system_means(LevelScores(seg=few, sys=np.arange(len(judged.systems), dtype=float)))},
    )
    assert gather(task, {"en-de": mine}).metrics[0][0].tolist() == rows


def test_a_new_metric_read_upside_down_is_named(tmp_path: Path):
    judged = made(tmp_path, "en-de")["en-de"]
    people = judged.gold["mqm"]
    both = {
        "cost": LevelScores(-np.nan_to_num(people.seg), -people.sys),
        "good": LevelScores(np.nan_to_num(people.seg), people.sys),
    }
    sets = {"en-de": with_metrics(judged, both)}
    tasks = task_set(recipe_for(["en-de"]), sets)
    (summary, _) = tables(tasks, run_tasks(tasks, sets), dict.fromkeys(("cost", "good"), "new"))
    (note,) = (note for note in summary.notes if "looks inverted" in note)
    assert (
        note.startswith("⚠ cost looks inverted: pairwise_accuracy 0.10 or lower, pearson -1.00 or lower")
        and "FILE:lower" in note
    )


def test_metrics_that_lack_a_task_have_no_average(tmp_path: Path):
    sets = made(tmp_path, "en-de")
    judged = sets["en-de"]
    sets = {"en-de": with_metrics(judged, {"systems only": LevelScores(sys=judged.metrics["chrF"].sys)})}
    tasks = task_set(recipe_for(["en-de"]), sets)
    summary, long = tables(tasks, run_tasks(tasks, sets))
    assert "systems only" not in {row["metric"] for row in summary.rows}
    assert {row["task"] for row in long.rows if row["metric"] == "systems only"} == {1, 2}
    assert "no average because not in every task: systems only" in summary.notes


def test_what_a_point_is_worth():
    # gold 3 > 2 > 1 > 1; the pair people hold equal is left out
    sizes, agree = system_pairs(np.array([3.0, 2, 1, 1]), np.array([30.0, 10, 15, 0]))
    assert sizes.tolist() == [20, 15, 30, 5, 10]
    assert agree.tolist() == [1, 1, 1, 0, 1]
    scores = LevelScores(sys=np.array([30.0, 10, 15, 0]))
    judged = JudgedSystems(
        "a-b",
        list("ABCD"),
        0,
        {"da": LevelScores(sys=np.array([3.0, 2, 1, 1]))},
        {"m": scores},
        standard_gold={"sys": "da"},
    )
    table, curve = point_worth_tables(
        task_set({"tasks": [{"langpairs": ["a-b"], "level": "sys", "statistic": "pearson"}]}), {"a-b": judged}, draws=10
    )
    (row,) = table.rows
    assert (row["pairs"], row["d80"], row["d95"]) == (5, 10, 10)
    # Nobody agrees at 5, everybody from 10 to 30: the ends of the two level stretches.
    assert [(row["difference"], row["agree"]) for row in curve.rows] == [(5, 0), (10, 1), (30, 1)]


SPA = MetaTask(1, ("en-de",), "sys", "soft_pairwise_accuracy", human=False)


def test_soft_pairwise_accuracy_does_not_depend_on_the_order_of_systems(tmp_path: Path):
    judged = made(tmp_path, "en-de")["en-de"]
    people, scores = (np.round(found.seg) for found in (judged.gold["mqm"], judged.metrics["chrF"]))  # many ties
    values = set()
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(len(judged.systems))
        turned = replace(
            judged,
            systems=[judged.systems[i] for i in order],
            gold={"mqm": LevelScores(seg=people[order])},
            metrics={"chrF": LevelScores(seg=scores[order])},
        )
        values.add(float(run_tasks(TaskSet((SPA,)), {"en-de": turned})[0].values[0]))
    assert len(values) == 1


def whole_number_p_values(scores: np.ndarray) -> np.ndarray:
    """The p-values of all pairs by sums of whole numbers, which no rounding can move; scores have four decimals."""
    whole = np.rint(10_000 * scores).astype(np.int64)
    signs = np.rint(np.random.default_rng(4).random(size=(1000, whole.shape[1]), dtype=np.float32)).astype(np.int64)
    drawn, observed = (2 * signs - 1) @ whole.T, whole.sum(axis=1)
    pairs = combinations(range(len(whole)), 2)
    return np.array([(drawn[:, i] - drawn[:, j] >= observed[i] - observed[j]).mean() for i, j in pairs])


@pytest.mark.real
@pytest.mark.parametrize("pair", ["en-de", "en-es", "ja-zh"])
@pytest.mark.parametrize("outlier", [True, False])
def test_soft_pairwise_accuracy_of_wmt24_news(pair: str, outlier: bool):
    """Equal to sums of whole numbers; from mt-metrics-eval, whose single precision breaks ties, at most 7e-4 away."""
    evalset = suite.read_pairs(need("data", "wmt24_news"), [pair])[pair]
    judged = suite.judged_systems(evalset, suite.pair_facts(evalset, None))
    task = replace(SPA, langpairs=(pair,), systems=() if outlier else ("!MSLC",))
    result = run_tasks(TaskSet((task,)), {pair: judged})[0]
    rows = sorted((judged.systems.index(name) for name in judged_systems(task, judged)), key=judged.systems.__getitem__)
    people = judged.gold["mqm"].seg[rows]
    known = ~np.isnan(people[0])
    chosen = "with_mslc" if outlier else "no_mslc"
    with (need("expected") / "wmt24_news.csv").open(encoding="utf-8") as lines:
        wanted = {
            row["metric"]: float(row["value"])
            for row in csv.DictReader(lines)
            if (row["systems"], row["langpair"], row["statistic"]) == (chosen, pair, "soft_pairwise_accuracy")
        }
    assert len(result.names) == len(wanted) == 24
    for name, value in zip(result.names, result.values, strict=True):
        scores = judged.metrics[name].seg[rows]
        both = whole_number_p_values(people[:, known]), whole_number_p_values(scores[:, known])
        assert value == pytest.approx(1 - np.abs(both[0] - both[1]).mean(), abs=1e-12), name
        if name not in ("sentinel-src", "sentinel-ref"):
            assert value == pytest.approx(wanted[name], abs=7e-4), name
