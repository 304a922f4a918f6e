from pathlib import Path

import pytest

from assay.analyses.printed import aces_counts, aces_from_printed
from assay.receipts.published import load_receipts
from assay.suites.aces import Aces
from tests.data import need


def test_what_follows_from_the_printed_tables_matches_them():
    receipts = load_receipts("aces")
    found = aces_from_printed({receipt.cell: receipt.value for receipt in receipts})
    expected = [r for r in receipts if r.derivable and "printed" in r.reason]
    # 24 ACES-Scores and 11 averages of Table 1, 3 averages of Table 2, 14 means of Table 4, 45 differences of Table 7
    assert len(expected) == len(found) == 24 + 11 + 3 + 14 + 45
    assert [r for r in expected if r.verdict(found[r.cell]) != "match"] == []


def test_the_aces_score_by_hand():
    # BLEU: 5 (0.748 + 0.435 - 0.229 - 0.838 - 0.856) + 0.353 + 0.600 - 0.768 + 0.661 + 0.1 * 0.638 = -2.7902
    printed = {receipt.cell: receipt.value for receipt in load_receipts("aces")}
    assert aces_from_printed(printed)["Table 1", "BLEU", "ACES-Score"] == pytest.approx(-2.7902)


@pytest.mark.real
def test_the_counts_of_the_complete_categories():
    counts = aces_counts(Aces().load(Path(need("data", "aces_subset"))))
    expected = [r for r in load_receipts("aces") if r.derivable and r.reason == "number of items"]
    assert len(expected) == 9 + 1 + 9
    assert [r for r in expected if r.verdict(counts.get(r.cell)) != "match"] == []
