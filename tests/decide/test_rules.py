from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.core.metric import Scores
from assay.core.spans import ErrorSpan
from assay.decide.apply import USE, Decisions, Tally, decide, has_drifted, worst_spans
from assay.decide.fit import fit
from assay.decide.goals import Catch, Clean, Cost, Lose
from assay.decide.rule import EVERY, OF_ALL, OWN, STRICTER, Member, Rule
from assay.stats.drift import Drift

CHRF, TER = Member("chrf", "chrF", True), Member("ter", "TER", False)


def sample(n: int, seed: int = 0, shift: float = 0.0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    good = rng.random(n) < 0.7
    chrf = rng.normal(np.where(good, 70, 45), 10) + shift
    ter = rng.normal(np.where(good, 20, 60), 15) - shift
    return {"chrf": chrf, "ter": ter}, good


def counted(rule: Rule, *parts: Decisions) -> Tally:
    tally = Tally(rule)
    for part in parts:
        tally.add(part)
    return tally


def drifts(rule: Rule, decisions: Decisions) -> dict[str, Drift]:
    return counted(rule, decisions).drifts()


def test_labels_by_hand() -> None:
    # Breakdowns at 1 … 19, successes at 11 … 40 (twice at 11 … 19): to catch 90%, the second highest breakdown (18) is the limit.
    quality = np.array([*range(1, 20), *range(11, 41), *range(11, 20)], float)
    good = np.array([False] * 19 + [True] * 39)
    rule = fit([CHRF], {"chrf": quality}, good, [""] * 58, Catch(0.9))
    new = decide(rule, {"chrf": np.array([18.0, 18.5, 5.0, 40.0, math.nan])})
    assert new.labels == ["review", "use", "reject", "use", "review"]
    assert new.probabilities[2] > 0.9 and new.probabilities[3] < 0.05 and math.isnan(new.probabilities[4])
    assert new.reasons[0] == "chrf 18.0, used above 18.0"
    assert new.reasons[4] == "not scored by chrf"
    assert counted(rule, new, new).shares() == {"use": 4, "review": 4, "reject": 2}


def test_lower_is_better_reads_the_other_way() -> None:
    quality = np.array([*range(1, 20), *range(11, 41), *range(11, 20)], float)
    good = np.array([False] * 19 + [True] * 39)
    rule = fit([TER], {"ter": -quality}, good, [""] * 58, Catch(0.9))
    new = decide(rule, {"ter": np.array([-18.0, -18.5, -5.0])})
    assert new.labels == ["review", "use", "reject"]
    assert new.reasons[1] == "ter -18.5, used below -18.0"


def test_costs_choose_the_cheapest_action() -> None:
    scores, good = sample(2000)
    goal = Cost(10, 1, 4)
    rule = fit([CHRF], {"chrf": scores["chrf"]}, good, [""] * 2000, goal)
    new = decide(rule, {"chrf": scores["chrf"]})
    p = new.probabilities
    costs = np.stack([10 * p, np.ones(2000), 4 * (1 - p)])
    clear = np.diff(np.sort(costs, axis=0), axis=0)[0] > 1e-9
    cheapest = costs.argmin(axis=0)
    assert (new.codes[clear] == cheapest[clear]).all()


def test_languages_have_the_promise_that_their_examples_allow() -> None:
    scores, good = sample(1230)
    languages = ["es"] * 500 + ["pt"] * 500 + ["ro"] * 200 + ["xx"] * 30
    rare = np.flatnonzero(~good[1000:1200])[19:] + 1000
    good[rare] = True  # ro: 19 breakdowns, just enough for 95%, too few for a calibration of its own
    rule = fit([CHRF], {"chrf": scores["chrf"]}, good, languages, Catch(0.95))
    every, ro, xx = rule.groups[EVERY], rule.groups["ro"], rule.groups["xx"]
    for name in ("es", "pt", "ro"):  # a language is never looser than all languages together
        group = rule.groups[name]
        assert group.above >= every.above and group.limits == (STRICTER if group.above == every.above else OWN)
    assert ro.above == scores["chrf"][1000:1200][~good[1000:1200]].max() and ro.promised == 0.95
    assert ro.curve is every.curve and rule.groups["es"].curve is not every.curve
    bad = int((~good[1200:]).sum())
    assert 0 < bad < 19 and xx.promised == math.floor(1000 * bad / (bad + 1)) / 1000
    assert xx.above == max(every.above, scores["chrf"][1200:][~good[1200:]].max())
    assert xx.limits == (STRICTER if xx.above > every.above else OF_ALL)
    assert rule.group("es-en") is rule.groups["es"] and rule.group("ja") is every
    by_language = decide(rule, {"chrf": scores["chrf"]}, languages)
    assert (by_language.codes[:500] == decide(rule, {"chrf": scores["chrf"][:500]}, "es").codes).all()


def test_other_goals_promise_nothing_for_a_small_language() -> None:
    scores, good = sample(1030)
    languages = ["es"] * 1000 + ["xx"] * 30
    for goal in (Clean(0.2), Cost(10, 1, 4)):
        rule = fit([CHRF], {"chrf": scores["chrf"]}, good, languages, goal)
        xx = rule.groups["xx"]
        assert xx.limits == OF_ALL and xx.promised is None and xx.promise == "none for this language alone"
        assert (xx.above, xx.use_at) == (rule.groups[EVERY].above, rule.groups[EVERY].use_at)


def test_a_small_language_keeps_its_smaller_promise() -> None:
    # 400 rules, each from 1,000 easy examples of one language and 6 breakdowns of another whose breakdowns score far higher,
    # so that the limit of all alone would let most of them through. Promised: 6 / 7.
    rng, missed = np.random.default_rng(8), []
    for _ in range(400):
        good = np.append(rng.random(1000) < 0.7, rng.random(20) < 0.7)
        good[1000:1006], good[1006:] = False, True
        quality = rng.normal(np.where(good, 70, 40), 10)
        quality[1000:1006] = rng.normal(70, 10, 6)
        rule = fit([CHRF], {"chrf": quality}, good, ["es"] * 1000 + ["xx"] * 20, Catch(0.95))
        missed.append((rng.normal(70, 10, 200) > rule.groups["xx"].above).mean())
        assert rule.groups["xx"].promised == 0.857
    # The share missed is Beta(1, 6) at worst: mean 1/7, deviation 0.124, so 0.006 for a mean of 400.
    assert 0.12 < np.mean(missed) < 1 / 7 + 3 * 0.0062


def test_several_metrics_beat_one_and_name_the_culprit() -> None:
    scores, good = sample(4000)
    one = fit([CHRF], scores, good, [""] * 4000, Catch(0.95))
    two = fit([CHRF, TER], scores, good, [""] * 4000, Catch(0.95))
    held, truth = sample(4000, seed=1)
    used = [decide(rule, held).codes == USE for rule in (one, two)]
    assert used[1].mean() > used[0].mean(), "the blend lets more through"
    assert used[1][~truth].mean() <= 0.07
    reason = decide(two, {"chrf": np.array([70.0]), "ter": np.array([95.0])}).reasons[0]
    assert re.fullmatch(r"blend -?[\d.]+, used above -?[\d.]+; weakest ter 95.0, usual [\d.]+", reason)


def test_a_rule_survives_json() -> None:
    scores, good = sample(1000)
    for members, goal in (([CHRF], Catch(0.9)), ([CHRF, TER], Clean(0.2)), ([TER], Cost(10, 1, 4))):
        rule = fit(members, scores, good, ["es"] * 1000, goal, card={"data": "o.tsv"})
        again = Rule.from_dict(json.loads(json.dumps(rule.to_dict(), allow_nan=False)))
        first, second = decide(rule, scores, "es"), decide(again, scores, "es")
        assert (first.codes == second.codes).all() and first.reasons == second.reasons
        assert first.probabilities == pytest.approx(second.probabilities, abs=1e-6)
        assert not any(has_drifted(found) for found in drifts(again, second).values())
    for damaged in ({}, [], {"format": "assay decision rule 1"}, {**rule.to_dict(), "metrics": [{"nom": 1}]}):
        with pytest.raises(InputError, match="assay decide fit"):
            Rule.from_dict(damaged)


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("groups", "all", None),
        ("metrics", slice(None), []),
        ("metrics", slice(0, 1), []),
        ("blend", "means", [1.0]),
        ("curve", "quality", []),
        ("group", "quantiles", []),
        ("metric", "decimals", "one"),
    ],
)
def test_a_rule_edited_by_hand_is_refused_with_its_file(part: str, key: Any, value: Any) -> None:
    scores, good = sample(200)
    read = json.loads(json.dumps(fit([CHRF, TER], scores, good, [""] * 200, Catch(0.9)).to_dict()))
    assert Rule.from_dict(read, "rule.json").groups
    group = read["groups"]["all"]
    places = {**read, "group": group, "curve": group["curve"], "metric": read["metrics"][0]}
    if part == "groups":
        del read["groups"][key]
    else:
        places[part][key] = value
    with pytest.raises(InputError, match=r"^rule\.json is damaged .* Run assay decide fit again\.$"):
        Rule.from_dict(read, "rule.json")


def test_a_language_called_all_does_not_take_the_place_of_all() -> None:
    scores, good = sample(400)
    rule = fit([CHRF], scores, good, ["all"] * 100 + ["es"] * 300, Catch(0.9))
    assert list(rule.groups) == [EVERY, "es"]
    assert (rule.groups[EVERY].n, rule.groups["es"].n) == (400, 300)


def test_drift_is_seen_when_it_is_there_and_rarely_when_not() -> None:
    scores, good = sample(2000)
    rule = fit([CHRF], scores, good, [""] * 2000, Catch(0.9))

    def alarm(n: int, seed: int, shift: float) -> bool:
        new, _ = sample(n, seed, shift)
        return any(has_drifted(found) for found in drifts(rule, decide(rule, new)).values())

    assert alarm(300, 5, -8.0)
    assert sum(alarm(200, seed, 0.0) for seed in range(100, 300)) <= 4
    assert drifts(rule, decide(rule, {"chrf": np.array([1.0] * 29)})) == {}, "too few to tell"


def test_equal_scores_that_fill_a_third_are_no_drift() -> None:
    scores, good = sample(3000)
    scores["chrf"] = np.minimum(scores["chrf"], 68.123456789)
    scores["ter"] = np.where(scores["chrf"] == 68.123456789, 3.3333333333, scores["ter"])
    rule = fit([CHRF, TER], scores, good, [""] * 3000, Catch(0.9))
    again = Rule.from_dict(json.loads(json.dumps(rule.to_dict())))
    assert not any(has_drifted(found) for found in drifts(again, decide(again, scores)).values())


def test_spans_are_part_of_the_reason() -> None:
    scores, good = sample(200)
    rule = fit([CHRF], scores, good, [""] * 200, Catch(0.9))
    text = "signed in 1979 by two"
    spans = [(ErrorSpan.of(text, 0, 6, "minor"), ErrorSpan.of(text, 10, 14, "critical", "number")), ()]
    scored = {"chrf": Scores(np.array([50.0, 90.0]), spans=spans)}
    marked = decide(rule, {"chrf": scored["chrf"].values}, "", worst_spans(scored))
    assert marked.reasons[0].endswith("· critical number '1979' (chrf)") and "·" not in marked.reasons[1]


def test_too_little_to_learn_from_is_refused() -> None:
    scores, good = sample(200)
    for kept, message in (
        (slice(0, 19), "19 scored examples: too few"),
        (good, "all outcomes are successes"),
        (~good, "all outcomes are breakdowns"),
    ):
        with pytest.raises(InputError, match=message):
            fit([CHRF], {"chrf": scores["chrf"][kept]}, good[kept], [""] * len(good[kept]), Catch(0.9))
    few = np.concatenate([np.flatnonzero(good)[:50], np.flatnonzero(~good)[:10]])
    with pytest.raises(InputError, match="needs 19 breakdowns; there are 10"):
        fit([CHRF], {"chrf": scores["chrf"][few]}, good[few], [""] * 60, Catch(0.95))
    with pytest.raises(InputError, match="no threshold can be shown"):
        fit([CHRF], {"chrf": scores["chrf"]}, good, [""] * 200, Clean(0.01))
    # 300 good ones of a second language: 5% bad can be shown for it, and not for both together.
    both = {"chrf": np.concatenate([scores["chrf"], np.full(300, 1.0)])}
    with pytest.raises(InputError, match=r"It works for pt alone \(--langs\)\.$"):
        fit([CHRF], both, np.append(good, np.ones(300, bool)), ["es"] * 200 + ["pt"] * 300, Clean(0.05))


@pytest.mark.parametrize("goal", [Catch(0.9), Lose(0.2), Clean(0.2)])
def test_a_rule_of_the_earlier_version_is_read_unless_its_guarantee_does_not_hold(goal: Catch | Lose | Clean) -> None:
    scores, good = sample(1000)
    read = fit([CHRF], scores, good, ["es"] * 500 + ["pt"] * 500, goal).to_dict() | {"format": "assay decision rule 1"}
    shared = read["groups"]["all"]["above"]
    assert Rule.from_dict(json.loads(json.dumps(read))).groups["es"].above >= shared
    read["groups"]["es"]["above"] = shared - 1
    with pytest.raises(
        InputError,
        match=r"^rule\.json was created by an earlier version .* for es, the guarantee over all .* Run assay decide fit again\.$",
    ):
        Rule.from_dict(read, "rule.json")
    read["groups"]["es"]["above"] = shared + 1  # stricter
    if isinstance(goal, Clean):
        with pytest.raises(InputError, match="for es, the guarantee"):
            Rule.from_dict(read)
    else:
        assert Rule.from_dict(read).groups["es"].above == shared + 1
