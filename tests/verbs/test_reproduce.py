"""Receipts without the published data: verdicts, counts, and a CSV by somebody else."""

import json

import pytest

import assay
from assay.core.errors import InputError, UnknownName
from assay.receipts.published import Publication, Receipt
from assay.receipts.tables import Checked
from assay.report import render
from assay.verbs.reproduce import ReproduceResult
from tests.pairs import write_pairs

HEAD = "table,row,column,published,tolerance,derivable,reason\n"


def result(*cells: tuple[str, str, str, float | None, bool]) -> ReproduceResult:
    return ReproduceResult.of(
        "made up",
        Publication(),
        [
            Checked(Receipt("Table 9", row, column, published, 0.005, derivable, "" if derivable else "lost"), obtained)
            for row, column, published, obtained, derivable in cells
        ],
    )


def test_verdicts_and_differences():
    checked = result(
        ("1", "bleu:t", "2.98", 2.9814, True),
        ("1", "bleu:p", "<0.001", 1e-9, True),
        ("2", "bleu:p", "<0.001", 0.001, True),
        ("1", "comet:t", "7.10", None, False),
        ("2", "bleu:t", "2.98", 2.99, True),
        ("3", "bleu:t", "2.98", None, True),
    )
    assert [row["verdict"] for row in checked.receipts] == [
        "match",
        "match",
        "differs",
        "not derivable",
        "differs",
        "differs",
    ]
    assert checked.receipts[0]["difference"] == pytest.approx(0.0014)
    assert checked.receipts[1]["difference"] is None
    assert checked.counts == {"match": 2, "differs": 3, "not derivable": 1}
    assert checked.failed
    assert set(checked.receipts[0]) >= {"table", "row", "column", "published", "obtained", "tolerance", "verdict"}


def test_the_summary_groups_by_statistic():
    checked = result(
        ("1", "bleu:t", "2.98", 2.98, True),
        ("1", "bleu:df", "12.00", 12.0, True),
        ("1", "bleu:accuracy", "90.00", 91.0, True),
        ("2", "bleu:accuracy", "90.00", 90.0, True),
        ("1", "comet:t", "7.10", None, False),
    )
    assert checked.summary() == (
        "Table 9: 1 of 1 t, df, 1 of 2 accuracy · 1 printed cell does not follow from public data"
    )


def test_differing_cells_are_always_shown_and_matching_ones_sampled():
    cells = [(str(i), "bleu:t", "1.00", 1.0 if i != 40 else 2.0, True) for i in range(100)]
    (table,) = result(*cells).shown()
    assert [row["cell"] for row in table.rows] == [f"{i} / bleu:t" for i in (0, 24, 40, 50, 75, 99)]
    assert "99 of 100 t match" in table.notes[0]
    (whole,) = result(*cells).shown(everything=True)
    assert len(whole.rows) == 100


def test_reasons_say_how_far_off_what_can_be_obtained_is():
    (row,) = result(("1", "a", "90.00", 91.5, False), ("2", "a", "90.00", None, False)).reasons().rows
    assert (row["cells"], row["off"], row["reason"]) == (2, pytest.approx(1.5), "lost")


@pytest.mark.parametrize("format", ["table", "md", "latex", "html", "csv", "jsonl"])
def test_it_renders_in_every_format(format):
    checked = result(("1", "bleu:t", "2.98", 2.98, True), ("1", "comet:t", "7.10", None, False))
    assert "2.98" in render([checked.table(), *checked.shown(True), checked.reasons()], format)


def test_a_third_party_adds_a_receipt_with_one_csv(tmp_path):
    suite = write_pairs(tmp_path / "pairs.tsv")
    mine = tmp_path / "mine.csv"
    mine.write_text(
        HEAD
        + "phenomena,metric=chrf; phenomenon=omission,accuracy,75.0,,yes,\n"
        + "phenomena,metric=chrf; phenomenon=omission,n,4,,yes,\n"
        + "phenomena,metric=chrf; phenomenon=addition,tau,0.9,0.01,yes,\n"
        + "phenomena,metric=cer; phenomenon=addition,accuracy,98.0,,no,made with another corpus\n"
        + "phenomena,metric=nobodys; phenomenon=addition,accuracy,97.0,,no,the scores are not public\n"
    )
    checked = assay.reproduce(str(suite), receipts=mine)
    assert [row["verdict"] for row in checked.receipts] == ["match", "match", "differs"] + ["not derivable"] * 2
    assert checked.receipts[2]["obtained"] == 1.0
    mine.with_suffix(".json").write_text(json.dumps({"suite": str(suite), "citation": "Me 2026"}))
    assert assay.reproduce(mine).receipts == checked.receipts


def test_a_csv_that_names_no_suite_says_what_to_do(tmp_path):
    mine = tmp_path / "mine.csv"
    mine.write_text(HEAD + "phenomena,metric=chrf; phenomenon=omission,accuracy,75.0,,yes,\n")
    with pytest.raises(InputError, match=r"assay reproduce SUITE --receipts .*mine\.csv"):
        assay.reproduce(mine)
    mine.write_text(HEAD + "Table 1,chrF,omission,75.0,,yes,\n")
    with pytest.raises(InputError, match="KEY=VALUE"):
        assay.reproduce("embedded", receipts=mine)
    with pytest.raises(UnknownName, match="Did you mean demetr"):
        assay.reproduce("demeter")
