"""Figures of error spans and of rankings: every label is there as text, gaps are said."""

from __future__ import annotations

from assay.core.table import Figure, Table, TableColumn
from assay.report.figures import render
from tests.report.tables import METRIC
from tests.report.test_figures import texts

LEVELS = ("minor", "major", "critical")


def test_shares_of_severities() -> None:
    rows = [
        {"metric": "a", "phenomenon": "negation", "minor": 0.2, "major": 0.05, "critical": 0.75},
        {"metric": "a", "phenomenon": "number", **dict.fromkeys(LEVELS)},
        {"metric": "b", "phenomenon": "negation", "minor": 1.0, "major": 0.0, "critical": 0.0},
    ]
    figure = Figure("shares", "shares", {"index": "phenomenon", "parts": LEVELS})
    table = Table("severities", (METRIC, TableColumn("phenomenon")), rows, "Severities", figures=[figure])
    found = texts(render([table])["shares.svg"]).split("\n")
    assert {"a", "b", "negation", "number", *LEVELS, "20", "75", "100"} <= set(found)
    assert found.count("no span") == 2 and "5" not in found  # too small a part for its number


def test_confidence_beside_the_diagonal() -> None:
    rows = [
        {"metric": name, "confidence": 0.5, "right": 0.4, "right_low": 0.3, "right_high": 0.5} for name in ("a", "b")
    ]
    table = Table("calibration", (METRIC,), rows, "Confidence", figures=[Figure("reliability", "reliability")])
    assert {"a", "b", "confidence, %", "right, %"} <= set(texts(render([table])["reliability.svg"]).split("\n"))


def test_rankings_show_ranges_of_ranks() -> None:
    bounds = {"score_low": 60.0, "score_high": 90.0}
    rows = [
        {"langpair": pair, "system": name, "score": score, **bounds, "ranks": ranks, "cluster": i}
        for pair in ("en-de", "zh-en")
        for i, (name, score, ranks) in enumerate((("ours", 80.0, "1"), ("theirs", 70.0, "2–3")))
    ]
    figure = Figure("ranking", "ranking", {"value": "score", "label": "ESA"})
    table = Table("systems", (TableColumn("system"),), rows, "Systems", figures=[figure])
    found = texts(render([table])["ranking.svg"]).split("\n")
    assert {"en-de", "zh-en", "ours", "theirs", "2–3", "ESA"} <= set(found)
