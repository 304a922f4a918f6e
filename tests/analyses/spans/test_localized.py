"""xCOMET's section 7.1 by hand: only pairs that were clean before, unmarked shares, severities, falls of the score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.analyses import analyse
from assay.core.spans import ErrorSpan
from tests.analyses.helpers import item, measured, only

GOOD = [1.0, 0.9, 0.8, 0.7, float("nan")]
BAD = [0.5, 0.9, 0.9, 0.6, 0.1]


def marks(*severities):
    return tuple(ErrorSpan.of("bad text", 0, 3, severity) for severity in severities)


def items():
    names = ["number", "number", "number", "negation", "negation"]
    return [item(i, name, langpair="zh-en") for i, name in enumerate(names)]


def metric():
    """The third good translation is not clean, the last is unscored: they drop out."""
    found = measured("m", GOOD, BAD)
    good = [(), marks("neutral"), marks("minor"), (), ()]
    bad = [marks("critical", "minor"), (), marks("major"), marks("critical"), ()]
    return replace(found, good_spans=good, incorrect_spans=bad)


def test_only_what_was_clean_before():
    tables = {table.name: table for table in analyse("localized", items(), [metric()], samples=2)}
    summary = tables["summary"]
    assert (only(summary, phenomenon="number")["missed"], only(summary, phenomenon="number")["n"]) == (0.5, 2)
    assert (only(summary, phenomenon="negation")["missed"], only(summary, phenomenon="all")["n"]) == (0.0, 3)
    assert "m: 3 of 5 pairs had no marked error before" in summary.notes
    number = only(tables["severities"], phenomenon="number")
    assert (number["minor"], number["major"], number["critical"], number["n"]) == (0.5, 0.0, 0.5, 2)
    whole = only(tables["drops"], phenomenon="all")
    assert (whole["median"], whole["risen"], whole["n"]) == (pytest.approx(0.1), 0.0, 3)


def test_marks_that_touch_the_error():
    """The made error stands at 2 to 4: the mark 0 to 3 touches it, one at 0 to 2 would not."""
    placed = [replace(one, meta={"spans": [[2, 4]]}) for one in items()]
    first = metric()
    near = replace(first, name="near", incorrect_spans=[(ErrorSpan.of("bad text", 0, 2, "minor"),)] * 5)
    table = analyse("localized", placed, [first, near], samples=2)[0]
    assert only(table, metric="m", phenomenon="all")["touched"] == pytest.approx(2 / 3)
    assert only(table, metric="near", phenomenon="all")["touched"] == 0.0
    assert only(analyse("localized", items(), [first], samples=2)[0], phenomenon="all")["touched"] is None


def test_a_metric_that_marks_nothing_has_its_score_alone():
    tables = {table.name: table for table in analyse("localized", items(), [measured("m", GOOD, BAD)], samples=2)}
    assert set(tables) == {"drops"}
    row = only(tables["drops"], phenomenon="number")
    both = {
        table.name: table for table in analyse("localized", items(), [measured("x", GOOD, BAD), metric()], samples=2)
    }
    assert only(both["summary"], metric="x", phenomenon="number")["missed"] is None
    assert (row["n"], row["risen"]) == (3, pytest.approx(1 / 3)) and row["median"] == pytest.approx(
        np.median([0.5, 0, -0.1])
    )
