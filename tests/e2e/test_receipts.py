"""The published tables, derived from the real data by the command a person types."""

import csv
import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from tests.data import need


def reproduce(name: str, *more: str) -> subprocess.CompletedProcess[str]:
    need("data", {"aces": "aces_subset"}.get(name, name))
    return subprocess.run(
        [sys.executable, "-m", "assay", "reproduce", name, *more],
        env={**os.environ, "ASSAY_DATA": str(need("data"))},
        capture_output=True,
        text=True,
        check=False,
    )


def receipts(name: str) -> list[dict]:
    done = reproduce(name, "--format", "json", "--quiet")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["receipts"]


@pytest.mark.real
@pytest.mark.slow
def test_demetr():
    cells = receipts("demetr")
    matching = {(row["table"], row["row"], row["column"]) for row in cells if row["verdict"] == "match"}
    assert not [row for row in cells if row["verdict"] == "differs"]
    six = {"bleu": "bleu", "chrf": "chrf", "chrf2": "chrf++", "ter": "ter", "cer": "cer", "rouge2": "rouge2"}
    with need("expected", "demetr_table_a3.csv").open() as lines:
        wanted = [row for row in csv.DictReader(lines) if row["metric"] in six]
    triples = {
        ("Table A3", row["perturbation"], f"{six[row['metric']]}:{key}") for row in wanted for key in ("t", "p", "df")
    }
    assert len(triples) == 630
    assert triples <= matching
    assert sum(column in ("chrf:accuracy", "chrf++:accuracy") for _, _, column in matching) == 70
    assert sum(table == "Table 4" for table, _, _ in matching) == 10
    # The other four metrics' accuracies are obtained too, and said not to follow.
    others = [
        row for row in cells if row["column"] in ("bleu:accuracy", "ter:accuracy", "cer:accuracy", "rouge2:accuracy")
    ]
    assert len(others) == 140
    assert all(row["obtained"] is not None and row["verdict"] == "not derivable" and row["reason"] for row in others)


@pytest.mark.real
def test_aces():
    cells = receipts("aces")
    matching = [row for row in cells if row["verdict"] == "match"]
    assert not [row for row in cells if row["verdict"] == "differs"]
    taus = [row for row in matching if row["table"] == "Table 1" and row["row"] in ("BLEU", "chrF")]
    assert len([row for row in taus if row["column"] != "ACES-Score"]) == 18
    assert len([row for row in matching if row["column"] == "ACES-Score" and row["row"] != "Average"]) == 24
    assert {(row["row"], row["column"]) for row in matching if row["table"] == "Table 2"} >= {("chrF", "other")}
    # Of the 135, 97 are arithmetic between printed cells and 19 are numbers of items (tests/analyses/test_printed.py).
    origins = Counter(row["from"] for row in matching)
    assert origins == {"data": 19, "printed cells": 97, "count": 19}


@pytest.mark.real
def test_hallucinations():
    matching = {
        (row["row"], row["column"]): row["published"] for row in receipts("hallucinations") if row["verdict"] == "match"
    }
    assert matching == {
        ("chrF++:any_hallucination", "roc_auc"): "75.43",
        ("chrF++:any_hallucination", "precision_at_recall_90"): "14.44",
        ("chrF++:fully_detached", "roc_auc"): "89.55",
        ("chrF++:fully_detached", "precision_at_recall_90"): "16.55",
    }


@pytest.mark.real
def test_the_summary_line():
    done = reproduce("hallucinations")
    assert done.stdout.endswith(
        " detection: 4 of 4 · 49 printed cells do not follow from public data (why: --explain)\n"
    )


@pytest.mark.real
def test_a_changed_cell_leaves_with_1(tmp_path):
    mine = tmp_path / "mine.csv"
    mine.write_text(
        "table,row,column,published,tolerance,derivable,reason\n"
        "detection,chrF++:any_hallucination,roc_auc,75.44,0.005,yes,\n"
        "detection,metric=chrf++; set=fully detached,auroc,89.55,0.005,yes,\n"
    )
    done = reproduce("hallucinations", "--receipts", str(mine))
    assert done.returncode == 1
    assert done.stderr.startswith(
        "assay: 1 derivable cell differs from the published value: detection / chrF++:any_hallucination"
    )
