"""Scores that are no numbers to rely on: infinity, 1e999 in a table, and what overflows. None of them is ever *use*."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.cli.main import main
from assay.core.outcomes import TaskOutcomes
from assay.decide.apply import Decisions, Tally, decide
from assay.decide.fit import fit
from assay.decide.goals import Catch
from assay.decide.rule import Member, Rule
from assay.io.judgements.outcomes import read_outcomes

CHRF, TER = Member("chrf", "chrF", True), Member("ter", "TER", False)
# Breakdowns at 1 … 19, successes at 11 … 40 (twice at 11 … 19): to catch 90%, the second highest breakdown (18) is the limit.
QUALITY = np.array([*range(1, 20), *range(11, 41), *range(11, 20)], float)
GOOD = np.array([False] * 19 + [True] * 39)


def rule(member: Member = CHRF) -> Rule:
    return fit([member], {member.name: member.sign * QUALITY}, GOOD, [""] * 58, Catch(0.9))


def labelled(member: Member, *scores: float) -> Decisions:
    return decide(rule(member), {member.name: np.array(scores)})


@pytest.mark.parametrize("member", [CHRF, TER], ids=lambda member: member.name)
def test_an_infinite_score_goes_to_review_whichever_way_is_better(member: Member) -> None:
    found = labelled(member, math.inf, -math.inf, math.nan, member.sign * 40)
    assert found.labels == ["review", "review", "review", "use"]
    assert found.reasons[:3] == [
        f"not a finite score: {member.name} inf",
        f"not a finite score: {member.name} -inf",
        f"not scored by {member.name}",
    ]
    assert np.isnan(found.probabilities[:3]).all() and np.isnan(found.qualities[:3]).all()


def test_a_blend_of_an_infinite_and_a_finite_score_goes_to_review() -> None:
    rng = np.random.default_rng(0)
    good = rng.random(400) < 0.7
    scores = {"chrf": rng.normal(np.where(good, 70, 45), 10), "ter": rng.normal(np.where(good, 20, 60), 15)}
    both = fit([CHRF, TER], scores, good, [""] * 400, Catch(0.9))
    new = {
        "chrf": np.array([math.inf, 99.0, 99.0, 1e308, math.inf]),
        "ter": np.array([0.0, -math.inf, 0.0, -1e308, math.nan]),
    }
    found = decide(both, new)
    assert found.labels == ["review", "review", "use", "review", "review"]
    assert found.reasons[0] == "not a finite score: chrf inf" and found.reasons[1] == "not a finite score: ter -inf"
    assert found.reasons[3] == "not a finite score: blend" and found.reasons[4] == "not scored by ter"


def test_infinite_scores_are_no_part_of_the_drift() -> None:
    tally = Tally(rule())
    tally.add(labelled(CHRF, *[math.inf] * 1000, *QUALITY))
    assert tally.shares()["review"] >= 1000
    # The 58 finite ones are those that the rule was learned from: nothing has moved.
    assert [drift.n for drift in tally.drifts().values()] == [58]


def test_what_a_rule_was_not_learned_from_is_counted_and_changes_nothing() -> None:
    odd = np.concatenate([QUALITY, [math.inf, math.inf, -math.inf, math.nan]])
    learned = fit([CHRF], {"chrf": odd}, np.append(GOOD, [False, False, True, True]), [""] * 62, Catch(0.9))
    assert learned.card["left_out"] == "4 of 62 examples (1 without a score, 3 not a finite score)"
    assert (learned.card["examples"], learned.groups["all"].above) == (58, 18.0)
    assert "left_out" not in rule().card


@pytest.fixture
def outcomes(tmp_path: Path) -> Path:
    """The examples above as a table, with five more whose scores are no numbers to learn from."""
    rows = [f"t\tr\t{'good' if good else 'bad'}\t{score:g}" for score, good in zip(QUALITY, GOOD, strict=True)]
    rows += [f"t\tr\tbad\t{score}" for score in ("inf", "1e999", "-Infinity", "nan", "")]
    path = tmp_path / "outcomes.tsv"
    path.write_text("translation\treference\toutcome\tmine\n" + "\n".join(rows) + "\n")
    return path


def test_fit_says_what_it_left_out_and_apply_never_uses_it(
    outcomes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rule.json"
    words = ["decide", "fit", "--data", str(outcomes), "--score", "mine", "--goal", "catch 90%", "--out", str(path)]
    assert main(words) == 0
    assert "⚠ left out: 5 of 63 examples (2 without a score, 3 not a finite score)" in capsys.readouterr().out
    assert json.loads(path.read_text())["card"]["left_out"].startswith("5 of 63 examples")
    new = tmp_path / "new.tsv"
    new.write_text("mine\n40\n1e999\ninf\n-inf\n\n5\n".replace("\n\n", '\n""\n'))
    assert main(["decide", "apply", "--rule", str(path), "--data", str(new), "--format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["label"] for row in rows] == ["use", "review", "review", "review", "review", "reject"]
    assert [row["reason"] for row in rows[1:5]] == [
        "not a finite score: mine inf",
        "not a finite score: mine inf",
        "not a finite score: mine -inf",
        "not scored by mine",
    ]
    assert [row["breakdown_probability"] for row in rows[1:5]] == [None] * 4
    assert assay.apply_rule(path, scores={"mine": [math.inf, 40.0]}).labels == ["review", "use"]


def test_an_infinite_part_does_not_hide_behind_a_finite_one(tmp_path: Path) -> None:
    path = tmp_path / "parts.tsv"
    path.write_text(
        "id\tpart\ttranslation\toutcome\tmine\na\tquestion\tt\tgood\tinf\na\tcontext\tt\tgood\t3\n"
        "b\tquestion\tt\tgood\t5\nb\tcontext\tt\tgood\t4\n"
    )
    read: TaskOutcomes = read_outcomes(path, scores=["mine"])
    for higher, worst in ((True, 4.0), (False, 5.0)):
        first, second = read.fold(read.scores["mine"], higher)
        assert math.isnan(first) and second == worst
