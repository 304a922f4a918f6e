"""The examples for newcomers work as they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import assay
import assay.core.batch

PAGE = (Path(__file__).resolve().parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def example(heading: str) -> dict[str, Any]:
    made: dict[str, Any] = {"__name__": "example"}
    exec(PAGE.partition(f"## {heading}")[2].partition("```python\n")[2].partition("```")[0], made)
    return made


def test_a_suite() -> None:
    result = assay.run(example("Adding a suite")["Tiny"](), ["chrf"], samples=10)
    assert (result.suite, len(result), result.tables["phenomena"].rows[0]["accuracy"]) == ("tiny", 2, 1.0)


def test_an_analysis_runs_on_any_set_that_has_the_columns() -> None:
    analysis, suite = example("Adding an analysis")["tables"], example("Adding a suite")["Tiny"]()
    result = assay.run(suite, ["chrf", "ter"], analysis=analysis, samples=10)
    assert [row["ties"] for row in result.table().rows] == [0.0, 0.0]
    assert result.table().caption == "Undecided pairs" and "fewer ties" in result.section().tables[0].reading


def test_a_perturbation_says_what_it_changed_or_why_it_refuses() -> None:
    made = example("Adding a perturbation")["Exclaimed"]()
    done = made.perturb(assay.core.batch.Segment("He came."), "en", None, None)
    assert done.apply("He came.") == "He came!"
    assert made.perturb(assay.core.batch.Segment("He came"), "en", None, None).reason == "no final full stop"
