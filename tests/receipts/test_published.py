from collections import Counter

import pytest

from assay.core.errors import InputError, UnknownName
from assay.receipts.published import Receipt, half_unit, load_publication, load_receipts, names

HEADER = "table,row,column,published,tolerance,derivable,reason\n"


def test_verdicts():
    cell = Receipt("A3", "1", "bleu:t", "2.98", 0.005, True)
    assert [cell.verdict(x) for x in (2.9750001, 2.985, 2.9851, None, float("nan"))] == [
        "match",
        "match",
        "differs",
        "differs",
        "differs",
    ]
    assert cell.difference(3.0) == pytest.approx(0.02)
    bound = Receipt("A3", "1", "bleu:p", "<0.001", 0.0, True)
    assert (bound.verdict(0.0009), bound.verdict(0.001), bound.difference(0.0)) == ("match", "differs", None)
    assert Receipt("A3", "1", "x", "n/a", 0.0, False, "not given").verdict(1.0) == "not derivable"


def test_half_a_unit_of_the_last_digit():
    assert [half_unit(text) for text in ("12.34", "-0.838", "999", "<0.001", "n/a")] == [0.005, 0.0005, 0.5, 0.0, 0.0]


# How many printed cells each table has: 35 perturbations x 14 metrics x (t, p, df, accuracy); 5 severities x 14; ACES's
# tables as rows x columns (Table 1: 26 x 10 and 25 ACES-Scores); 16 x 2; 7 x 3; 10 tasks x 32 metrics.
CELLS = {
    "demetr": {"Table A3": 35 * 14 * 4, "Table 4": 14 * 5},
    "aces": {
        "Table 1": 26 * 10 + 25,
        "Table 2": 26 * 3,
        "Table 3": 31 * 4,
        "Table 4": 15 * 9,
        "Table 5": 14,
        "Table 6": 12,
        "Table 7": 16 * 3,
        "Table 9": 15 * 6,
    },
    "hallucinations": {"detection": 32, "xCOMET Table 6": 21},
    "wmt23": {"tasks": 10 * 32, "overall": 32},
}


def test_one_receipt_for_each_printed_cell():
    assert names() == sorted(CELLS)
    for name, tables in CELLS.items():
        assert Counter(receipt.table for receipt in load_receipts(name)) == tables
        assert load_publication(name).suite == name and set(load_publication(name).tables) == set(tables)


def test_what_follows_from_public_data():
    demetr = [receipt for receipt in load_receipts("demetr") if receipt.derivable]
    kinds = Counter(receipt.column.split(":")[-1] for receipt in demetr if receipt.table == "Table A3")
    assert kinds == {"t": 210, "p": 210, "df": 210, "accuracy": 70}
    assert {receipt.column for receipt in demetr if receipt.table == "Table 4"} == {"chrf", "chrf++"}
    aces = Counter(
        (receipt.table, receipt.row)
        for receipt in load_receipts("aces")
        if receipt.derivable and receipt.row in ("BLEU", "chrF") and receipt.column != "ACES-Score"
    )
    assert aces == {("Table 1", "BLEU"): 9, ("Table 1", "chrF"): 9, ("Table 2", "chrF"): 1}
    found = {receipt.cell: receipt.published for receipt in load_receipts("hallucinations") if receipt.derivable}
    assert list(found.values()) == ["75.43", "14.44", "89.55", "16.55"]
    assert all(receipt.reason for name in names() for receipt in load_receipts(name) if not receipt.derivable)


def test_cells_as_they_are_printed():
    cells = {receipt.cell: receipt for receipt in load_receipts("demetr")}
    assert cells["Table A3", "1", "chrf++:df"].published == "1997.23"
    assert cells["Table A3", "1", "cer:p"].published == "<0.001"
    assert cells["Table 4", "minor", "chrf++"].published == "83.68"


def test_a_third_party_adds_a_csv(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(HEADER + "T,r,c,1.5,,yes,\nT,r,d,n/a,,no,not given\n")
    assert [receipt.tolerance for receipt in load_receipts(path)] == [0.05, 0.0]
    assert load_publication(path).citation == ""
    (tmp_path / "mine.json").write_text('{"citation": "Me 2024"}')
    assert load_publication(path).citation == "Me 2024"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("table,row\n", "line 1: missing columns: column, published"),
        (HEADER + "T,r,c,1.5\n", "line 2: 4 columns"),
        (HEADER + "T,r,c,1.5,,maybe,\n", "line 2: column 'derivable' is 'maybe'"),
        (HEADER + "T,r,c,1.5,x,yes,\n", "line 2: column 'tolerance' is 'x'"),
        (HEADER + "T,r,c,much,,yes,\n", "line 2: column 'published' is 'much'"),
        (HEADER + "T,r,c,1,,yes,\nT,r,c,2,,yes,\n", "line 3: the cell T / r / c is also on line 2"),
    ],
)
def test_a_bad_receipt_is_named(tmp_path, text, said):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        load_receipts(path)


def test_unknown_sets():
    with pytest.raises(UnknownName, match="demetr"):
        load_receipts("demeter")
    with pytest.raises(InputError, match=r"the file nowhere\.csv does not exist"):
        load_receipts("nowhere.csv")
