import math

import pytest

from assay.analyses.contrastive import tables
from assay.core import InputError
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
