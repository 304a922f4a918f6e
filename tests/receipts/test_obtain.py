"""How receipts of third parties name cells of an analysis's tables."""

from pathlib import Path

import pytest

from assay.core.errors import InputError, UnknownName
from assay.receipts.obtain import OBTAINERS, aces_counts, aces_from_printed, from_tables, is_address
from assay.receipts.published import Receipt, load_receipts, names
from assay.suites.aces import Aces
from assay.verbs.reproduce import VerbRunner
from tests.data import need
from tests.pairs import write_pairs


def receipt(table: str, row: str, column: str) -> Receipt:
    return Receipt(table, row, column, "1", 0.5, True)


@pytest.fixture
def suite(tmp_path):
    return str(write_pairs(tmp_path / "pairs.tsv"))


def test_every_set_of_the_package_has_an_obtainer():
    for name in names():
        assert name in OBTAINERS.names() or all(map(is_address, load_receipts(name)))


def test_a_row_with_an_equals_sign_is_an_address():
    assert is_address(receipt("phenomena", "metric=chrf", "tau"))
    assert not is_address(receipt("Table A3", "35", "bleu:t"))


def test_cells_are_looked_up_by_their_keys(suite):
    # omission: three items of four are told apart, one is a tie, so 75 percent and tau (3 - 1) / 4.
    cells = [
        receipt("phenomena", "metric=chrf; phenomenon=omission", "accuracy"),
        receipt("phenomena", "phenomenon=omission;metric=cer", "tau"),
        receipt("phenomena", "metric=chrf; phenomenon=addition", "n"),
        receipt("summary", "metric=chrf", "accuracy"),
        receipt("phenomena", "metric=chrf; phenomenon=spelling", "accuracy"),
    ]
    found = list(from_tables(suite, cells, VerbRunner(workers=1)).values())
    assert found[:4] == [pytest.approx(75), pytest.approx(0.5), 2, pytest.approx(100 * 5 / 6)]
    assert found[4] is None


@pytest.mark.parametrize(
    ("table", "row", "column", "words"),
    [
        ("phenomenons", "metric=chrf; phenomenon=omission", "accuracy", "Did you mean phenomena"),
        ("phenomena", "metric=chrf; phenomenn=omission", "accuracy", "Did you mean phenomenon"),
        ("phenomena", "metric=chrf; phenomenon=omission", "acuracy", "Did you mean accuracy"),
        ("phenomena", "phenomenon=omission", "accuracy", "does not name a metric"),
        ("phenomena", "metric=chrf; omission", "accuracy", "Write KEY=VALUE"),
        ("phenomena", "metric=chrf", "accuracy", "matches 2 rows"),
        ("phenomena", "metric=chrf; phenomenon=omission", "category", "contains text"),
    ],
)
def test_a_wrong_address_is_named(suite, table, row, column, words):
    with pytest.raises((InputError, UnknownName), match=words):
        from_tables(suite, [receipt(table, row, column)], VerbRunner(workers=1))


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
