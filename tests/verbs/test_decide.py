"""Rules and labels as results: what is kept, what is shown, what is refused."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import polars
import pytest

import assay
from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Scores
from assay.core.outcomes import TaskOutcomes
from assay.decide.apply import decide, label
from assay.verbs.decide import FittedRule, read_rule
from assay.verbs.rerun_arguments import parameter_types


@pytest.fixture(scope="module")
def fitted() -> FittedRule:
    """Nineteen breakdowns that score 1 … 19 and forty successes above them: to catch 90%, the limit is the second highest, 18."""
    good = np.array([False] * 19 + [True] * 40)
    scores = np.array([*range(1, 20), *range(41, 81)], float)
    batch = Batch(["x"] * 59, references=(["x"] * 59,))
    outcomes = TaskOutcomes.single(batch, good, ["es"] * 59, [""] * 59, scores={"mine": scores})
    return assay.fit_rule(outcomes, [], "catch 90%", scores=["mine"])


def test_the_table_has_the_limit_that_hand_gives(fitted: FittedRule) -> None:
    row = fitted.table().rows[0]
    assert (row["n"], row["breakdowns"], row["limit"]) == (59, 19, 18.0)
    assert fitted.to_dict()["tables"]["rule"][0]["limit"] == 18.0 and "catch 90%" in repr(fitted)


def test_a_rule_is_kept_as_a_file_or_in_a_run_directory(fitted: FittedRule, tmp_path: Path) -> None:
    fitted.write(tmp_path / "rule.json")
    fitted.write(tmp_path / "run")
    fitted.save(tmp_path / "no suffix")
    kept = json.loads((tmp_path / "rule.json").read_text())
    for other in ("run/rule.json", "no suffix"):
        assert json.loads((tmp_path / other).read_text()) == kept
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "rows.jsonl.gz",
        "rule.json",
        "tables.json",
        "view.json",
        "manifest.json",
    }
    assert read_rule(tmp_path / "rule.json").groups["all"].above == 18.0


def test_labels_by_ready_scores(fitted: FittedRule, tmp_path: Path) -> None:
    decided = assay.apply_rule(fitted, scores={"mine": [18.0, 60.0, 2.0]}, languages="es")
    assert decided.labels == ["reject", "use", "reject"]
    whole = decided.to_dict()
    assert list(whole) == ["goal", "segments", "counts", "warnings"]
    assert whole["counts"] == {"use": 1, "review": 0, "reject": 2}
    assert [row["segment"] for row in whole["segments"]] == [1, 2, 3]
    assert decided.to_polars()["label"].to_list() == decided.labels
    assert polars.read_parquet(decided.write(tmp_path, figures=()) / "scores.parquet").equals(decided.to_polars())
    with pytest.raises(InputError, match="languages has 2 values for 3 translations"):
        assay.apply_rule(fitted, scores={"mine": [18.0, 60.0, 2.0]}, languages=["es", "es"])


def test_what_a_silent_mistake_would_swap_is_given_by_name() -> None:
    by_name = {
        assay.apply_rule: ("sources", "languages", "scores"),
        assay.reproduce: ("data_dir", "receipts"),
        assay.make: ("langpair", "columns"),
    }
    for verb, names in by_name.items():
        placed = [p.name for p in inspect.signature(verb).parameters.values() if p.kind is not p.KEYWORD_ONLY]
        assert set(names) <= set(parameter_types(verb)) and not set(names) & set(placed)


def test_flags_of_texts_and_metrics_are_told(tmp_path: Path) -> None:
    texts, good = ["a b c", "x y z"] * 30, np.array([True, False] * 30)
    batch = Batch(texts, references=(["a b c"] * 60,))
    rule = assay.fit_rule(TaskOutcomes.single(batch, good, [""] * 60, [""] * 60), ["chrf"], "catch 90%")
    decided = assay.apply_rule(rule, ["a b c", ""], ["a b c", "a b c"])
    assert decided.flags == {"empty_hypothesis": 1}
    assert "⚠ 1 empty hypothesis" in decided.table().notes


def test_what_a_metric_said_and_its_bare_scores_give_the_same_labels(fitted: FittedRule) -> None:
    values = np.array([18.0, 60.0, 2.0])
    said, bare = label(fitted.rule, {"mine": Scores(values)}, "es"), decide(fitted.rule, {"mine": values}, "es")
    assert said.labels == bare.labels == ["reject", "use", "reject"] and said.reasons == bare.reasons
