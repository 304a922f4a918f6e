import math

import pytest

from assay.analyses.contrastive import tables
from assay.core import InputError
from assay.report import render
from tests.analyses.helpers import by, item, measured


def named(found):
    return {table.name: table for table in found}


ITEMS = [
    item(0, "number", category="meaning", severity="major", langpair="de-en"),
    item(1, "number", category="meaning", severity="minor", langpair="de-en"),
    item(2, "number", category="meaning", severity="minor", langpair="fr-en"),
    item(3, "negation", category="meaning", severity="major", langpair="fr-en"),
    item(4, "comma", category="form", langpair="fr-en"),
]
# right, tie, wrong, right, unscored
METRIC = measured("m", [2, 1, 0, 2, math.nan], [1, 1, 1, 1, 1], languages=("en", "de"), needs="both")


def test_phenomena_by_hand():
    rows = by(named(tables(ITEMS, [METRIC]))["phenomena"].rows, "phenomenon")
    number = rows["number"]
    assert (number["n"], number["ties"], number["unscored"]) == (3, 1, 0)
    assert number["accuracy"] == pytest.approx(1 / 3)
    assert number["tau"] == pytest.approx(-1 / 3)
    assert rows["comma"]["accuracy"] is None
    assert (rows["comma"]["n"], rows["comma"]["unscored"]) == (0, 1)


def test_categories_and_severities_average_phenomena():
    found = named(tables(ITEMS, [METRIC]))
    categories = by(found["categories"].rows, "category")
    assert categories["meaning"]["accuracy"] == pytest.approx((1 / 3 + 1) / 2)
    assert (categories["meaning"]["phenomena"], categories["meaning"]["n"]) == (2, 4)
    assert categories["form"]["accuracy"] is None
    severities = by(found["severities"].rows, "severity")
    assert set(severities) == {"major", "minor"}
    assert severities["major"]["accuracy"] == 1.0
    assert severities["minor"]["accuracy"] == 0.0


def test_langpairs_pool_and_mark_what_the_card_does_not_cover():
    table = named(tables(ITEMS, [METRIC]))["langpairs"]
    rows = by(table.rows, "langpair")
    assert rows["de-en"]["accuracy"] == 0.5
    assert (rows["de-en"]["uncovered"], rows["fr-en"]["uncovered"]) == ("", "‡")
    assert any(note.startswith("‡") and "fr-en" in note for note in table.notes)


def test_summary():
    row = named(tables(ITEMS, [METRIC]))["summary"].rows[0]
    assert row["accuracy"] == 0.5
    assert row["phenomena_mean"] == pytest.approx((1 / 3 + 1) / 2)
    assert row["blindest"] == "number 33%, negation 100%"
    assert row["unscored"] == 1


def test_tables_without_labels_are_left_out():
    found = named(
        tables([item(0), item(1)], [METRIC.__class__("m", METRIC.card, METRIC.good[:2], METRIC.incorrect[:2])])
    )
    assert set(found) == {"summary", "phenomena"}


def test_wrong_length_is_named():
    with pytest.raises(InputError, match="m has 5 scores of good translations for 4 items"):
        tables(ITEMS[:4], [METRIC])


def test_no_items_make_no_tables():
    assert tables([], []) == []


def test_correction_widens_the_first_place():
    items = [item(i, f"p{i % 4}") for i in range(40)]
    best = measured("best", [1] * 40, [0] * 40)
    # in each phenomenon the other loses 5 of 10 duels: p = 2^-5 = 0.03, times 4 comparisons 0.125
    other = measured("other", [1, 1, 1, 1, 0, 0, 0, 0] * 5, [0.5] * 40)
    plain = by(named(tables(items, [best, other]))["phenomena"].rows, "phenomenon", "metric")
    strict = by(named(tables(items, [best, other], correction="bonferroni"))["phenomena"].rows, "phenomenon", "metric")
    assert plain["p0", "other"]["first"] == ""
    assert strict["p0", "other"]["first"] == "*"
    assert plain["p0", "best"]["first"] == "*"


def outcome_items(*kinds):
    """Ten items for each of these phenomena."""
    return [item(10 * k + i, kind) for k, kind in enumerate(kinds) for i in range(10)]


def test_ties_are_not_losses():
    items = outcome_items("blind", "wrong", "right")
    # ten ties; nine losses and a tie; six wins, three ties and a loss
    good = [1] * 10 + [0] * 9 + [1] + [2] * 6 + [1] * 3 + [0]
    found = named(tables(items, [measured("m", good, [1] * 30)]))
    rows = by(found["phenomena"].rows, "phenomenon")
    assert [(r["wins"], r["ties"], r["losses"], r["marks"]) for r in rows.values()] == [
        (0, 10, 0, "="),
        (0, 1, 9, ""),
        (6, 3, 1, ""),
    ]
    (summary,) = found["summary"].rows
    assert summary["blindest"] == "blind 0% (ties), wrong 0%"
    assert (summary["wins"], summary["ties"], summary["losses"]) == (6, 14, 10)
    assert "= more ties than losses: the metric mostly misses the difference" in found["phenomena"].notes
    shown = [line.split() for line in render([found["phenomena"]]).splitlines()]
    assert ["blind", "10", "10", "0.0", "±13.9", "="] in shown and ["wrong", "10", "1", "0.0", "±13.9"] in shown
    only = named(tables(items[10:], [measured("m", good[10:], [1] * 20)]))
    assert not any("ties" in note for note in only["phenomena"].notes)


@pytest.mark.parametrize(("higher", "option"), [(True, "FILE:lower"), (False, "FILE:higher")])
def test_scores_read_upside_down_are_named(higher, option):
    items = outcome_items("one", "two")
    good, bad = [1] * 20, [2] * 16 + [0] * 4
    if not higher:
        good, bad = bad, good
    (note,) = (
        note
        for note in named(tables(items, [measured("m", good, bad, higher_is_better=higher)]))["summary"].notes
        if "inverted" in note
    )
    assert note.startswith("⚠ m looks inverted: it prefers the error in 16 of 20 pairs, ignoring ties. If ")
    assert option in note
    right = named(tables(items, [measured("m", bad, good, higher_is_better=higher)]))["summary"].notes
    assert not any("inverted" in note for note in right)
    ties = named(tables(items, [measured("m", [1] * 20, [1] * 20)]))["summary"].notes  # blind, not inverted
    assert not any("inverted" in note for note in ties)
