from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

from assay.analyses.dfki import metric_class, tables
from assay.analyses.dfki_summary import tables as whole_tables
from assay.core.batch import Batch
from assay.core.errors import InputError, UnknownName
from assay.core.item import Item
from assay.core.metric import Card
from assay.core.suite import Measured
from assay.core.table import Table
from assay.metrics.chrf import Chrf, ChrfPlusPlus
from assay.suites.dfki import Dfki
from tests.data import need

NAN = math.nan


def card(name: str, **changes: Any) -> Card:
    settings: dict[str, Any] = {"needs": "reference", "higher_is_better": True, "range": (None, None), "meaning": ""}
    return Card(name, name, **(settings | changes))


def items(*groups: tuple[str, str, int]) -> list[Item]:
    labels = [(category, phenomenon) for category, phenomenon, n in groups for _ in range(n)]
    return [Item(str(i), "s", "r", "g", "b", phenomenon, category) for i, (category, phenomenon) in enumerate(labels)]


def measured(name: str, right: list[float], **changes: Any) -> Measured:
    """A metric that ranks an item right (1), ties it (0), ranks it wrong (-1) or cannot score it (NaN)."""
    good = np.array(right, float)
    contaminated = changes.pop("contaminated", False)
    if changes.get("higher_is_better") is False:
        good = -good
    return Measured(name, card(name, **changes), good=good, incorrect=np.zeros(len(right)), contaminated=contaminated)


def cells(table: Table, **where: str) -> list[Any]:
    return [row for row in table.rows if all(row[key] == value for key, value in where.items())]


SMALL = items(("A", "a1", 4), ("A", "a2", 2), ("B", "b1", 2))


def test_accuracies_and_averages_by_hand() -> None:
    # a1: 3 of 4 (the tie is a loss), a2: 1 of 2, b1: 2 of 2. Category A: 4 of 6, B: 2 of 2. Micro 6/8 = 0.75,
    # category-macro (2/3 + 1) / 2 = 5/6, phenomenon-macro (3/4 + 1/2 + 1) / 3 = 0.75.
    answers = [1, 1, 1, 0, 1, -1, 1, 1]
    for higher_is_better in (True, False):
        metric = measured("m", answers, higher_is_better=higher_is_better)
        averages, categories, phenomena = tables(SMALL, [metric])
        assert [(row["phenomenon"], row["n"], row["accuracy"]) for row in phenomena.rows] == [
            ("a1", 4, 0.75),
            ("a2", 2, 0.5),
            ("b1", 2, 1.0),
        ]
        assert [row["accuracy"] for row in categories.rows] == pytest.approx([4 / 6, 1.0])
        assert [row["average"] for row in averages.rows] == ["micro", "category-macro", "phenomenon-macro"]
        assert [row["accuracy"] for row in averages.rows] == pytest.approx([0.75, 5 / 6, 0.75])
        assert all(row["place"] == "" and row["p"] is None for row in phenomena.rows)  # nobody to compare with


def test_unscored_items_are_no_losses() -> None:
    metric = measured("m", [1, NAN, NAN, -1, NAN, NAN, 1, 1])
    averages, categories, phenomena = tables(SMALL, [metric])
    a1, a2, b1 = phenomena.rows
    assert (a1["n"], a1["unscored"], a1["accuracy"]) == (2, 2, 0.5)
    assert (a2["n"], a2["unscored"], a2["accuracy"], a2["accuracy_low"], a2["p"]) == (0, 2, None, None, None)
    assert (b1["n"], b1["unscored"]) == (2, 0)
    # Micro 3 of 4; category-macro (1/2 + 1) / 2; the phenomenon without a score is left out of (1/2 + 1) / 2.
    assert [row["accuracy"] for row in averages.rows] == [0.75, 0.75, 0.75]
    assert averages.rows[0]["unscored"] == categories.rows[0]["unscored"] == 4
    assert any("m: 4 items unscored and left out (1, 2, 4 and 1 more)" in note for note in phenomena.notes)


def test_first_places_of_all_and_of_the_classes_by_hand() -> None:
    # One phenomenon of 50 items; right answers: neural 40, chr 30, words 22, qe 27.
    # neural - chr: pooled 0.7, z = -0.2 / sqrt(0.7 * 0.3 * 0.04) = -2.182, p = 0.0146: chr is worse.
    # Within the strings: chr - words: pooled 0.52, z = -0.16 / sqrt(0.52 * 0.48 * 0.04) = -1.601, p = 0.0547: shared.
    fifty = items(("A", "a", 50))
    metrics = [
        measured("chr", [1] * 30 + [-1] * 20),
        measured("neural", [1] * 40 + [-1] * 10, kind="learned", contaminated=True),
        measured("words", [1] * 22 + [-1] * 28),
        measured("qe", [1] * 27 + [-1] * 23, kind="learned", needs="source"),
    ]
    averages, _, phenomena = tables(fifty, metrics)
    rows = {row["metric"]: row for row in phenomena.rows}
    assert {name: row["class"] for name, row in rows.items()} == {
        "chr": "baseline",
        "neural": "reference-based",
        "words": "baseline",
        "qe": "QE",
    }
    assert {name: row["place"] for name, row in rows.items()} == {"chr": "°", "neural": "*", "words": "°", "qe": ""}
    assert {name: row["contaminated"] for name, row in rows.items() if row["contaminated"]} == {"neural": "†"}
    assert rows["chr"]["p"] == pytest.approx(0.01455, abs=1e-5)
    assert rows["words"]["p_class"] == pytest.approx(0.0547, abs=1e-4)
    assert any("† neural: trained on this suite" in note for note in phenomena.notes)
    # A macro-average over one group is that group.
    assert {row["p"] for row in cells(averages, metric="chr")} == {rows["chr"]["p"]}


def test_correction_widens_the_first_place() -> None:
    # 40 against 32 of 50: pooled 0.72, z = -0.16 / sqrt(0.72 * 0.28 * 0.04) = -1.782, p = 0.0374; three rivals make
    # Bonferroni's p 0.112.
    fifty = items(("A", "a", 50))
    metrics = [measured(str(k), [1] * k + [-1] * (50 - k)) for k in (40, 32, 10, 5)]
    plain, corrected = (tables(fifty, metrics, correction=name)[-1].rows[1] for name in ("none", "bonferroni"))
    assert (plain["place"], corrected["place"]) == ("", "*")
    assert plain["p"] == pytest.approx(0.0374, abs=1e-4)
    assert corrected["p"] == pytest.approx(3 * plain["p"])
    with pytest.raises(UnknownName):
        tables(fifty, metrics, correction="bonferoni")


def test_intervals_hold_the_accuracy_and_repeat() -> None:
    metric = measured("m", [1, 1, 1, 0, 1, -1, 1, 1])
    first, again = tables(SMALL, [metric], seed=5), tables(SMALL, [metric], seed=5)
    for table, same in zip(first, again, strict=True):
        assert list(table.rows) == list(same.rows)
        for row in table.rows:
            assert row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"]


def test_class_is_read_from_the_card() -> None:
    assert metric_class(Chrf.card) == "baseline"
    assert metric_class(card("x", kind="file", needs="either")) == "reference-based"
    assert metric_class(card("x", needs="source")) == "QE"


def test_language_the_card_does_not_cover_is_noted() -> None:
    item = Item("1", "s", "r", "g", "b", "p", "c", langpair="de-en")
    table = tables([item], [measured("m", [1], languages=("fr",))])[-1]
    assert any("m: its card does not cover de-en" in note for note in table.notes)


def test_scores_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match="m must have scores"):
        tables(SMALL, [measured("m", [1, 1])])


@functools.cache
def real_items() -> list[Item]:
    return Dfki().load(need("data", "dfki"))


@functools.cache
def real_tables() -> list[Table]:
    built, results = real_items(), []
    references = ([item.reference for item in built],)
    for metric in (Chrf(), ChrfPlusPlus()):
        good, incorrect = (
            metric.score(Batch(texts, references=references)).values
            for texts in ([item.good for item in built], [item.incorrect for item in built])
        )
        results.append(Measured(metric.card.name, metric.card, good=good, incorrect=incorrect))
    return tables(built, results)


@pytest.mark.real
def test_cluster_of_one_real_phenomenon_by_hand() -> None:
    """The right answers are counted with sacrebleu; the test is worked out here.

    "Intransitive - pluperfect subjunctive II", 46 items: chrF ranks 45 right, chrF++ 41. Pooled 86/92 = 0.934783;
    variance 0.934783 * 0.065217 * (1/46 + 1/46) = 0.0026506, root 0.0514840; z = (41 - 45)/46 / 0.0514840 = -0.0869565 /
    0.0514840 = -1.68900; 4.56% of the normal curve lie below: chrF++ is worse, chrF has the first place alone.

    "Intransitive - preterite subjunctive II", 114 items: chrF 46, chrF++ 58. Pooled 104/228 = 0.456140; variance
    0.456140 * 0.543860 * (2/114) = 0.0043522, root 0.0659710; z = -12/114 / 0.0659710 = -1.59560; 5.53% lie below: the two
    share the first place.
    """
    from sacrebleu.metrics import CHRF

    for phenomenon, expected, shares in (
        ("Intransitive - pluperfect subjunctive II", {"chrf": (46, 45, None), "chrf++": (46, 41, 0.0456)}, {"chrf"}),
        (
            "Intransitive - preterite subjunctive II",
            {"chrf": (114, 46, 0.0553), "chrf++": (114, 58, None)},
            {"chrf", "chrf++"},
        ),
    ):
        rows = cells(real_tables()[-1], phenomenon=phenomenon)
        chosen = [item for item in real_items() if item.phenomenon == phenomenon]
        for row in rows:
            oracle = CHRF(word_order=2 if row["metric"] == "chrf++" else 0)
            n, right, p = expected[row["metric"]]
            assert right == sum(
                oracle.sentence_score(item.good, [item.reference]).score
                > oracle.sentence_score(item.incorrect, [item.reference]).score
                for item in chosen
            )
            assert (row["n"], round(row["accuracy"] * n)) == (n, right)
            assert row["p"] == pytest.approx(p, abs=5e-5)
        assert {row["metric"] for row in rows if row["first"]} == shares


@pytest.mark.real
def test_real_tables_are_whole() -> None:
    averages, categories, phenomena = real_tables()
    assert (len(phenomena.rows), len(categories.rows), len(averages.rows)) == (2 * 105, 2 * 14, 2 * 3)
    for name in ("chrf", "chrf++"):
        for table in (phenomena, categories):
            assert sum(row["n"] for row in cells(table, metric=name)) == 10_000
        micro, by_category, by_phenomenon = cells(averages, metric=name)
        rows = cells(categories, metric=name)
        assert micro["accuracy"] == pytest.approx(sum(row["accuracy"] * row["n"] for row in rows) / 10_000)
        assert by_category["accuracy"] == pytest.approx(np.mean([row["accuracy"] for row in rows]))
        assert by_phenomenon["accuracy"] == pytest.approx(
            np.mean([row["accuracy"] for row in cells(phenomena, metric=name)])
        )


def test_means_over_metrics_and_wins_by_hand() -> None:
    # a1: 4 of 4 and 2 of 4; a2: 1 of 2 and 1 of 2; b1: 0 of 2 and 2 of 2 (z = -1 / sqrt(0.25) = -2, p = 0.023, but two items).
    one = measured("one", [1, 1, 1, 1, 1, -1, -1, -1])
    two = measured("two", [1, 1, -1, -1, 1, -1, 1, 1], kind="learned")
    found = {table.name: table for table in whole_tables(SMALL, [one, two])}
    assert list(found) == ["averages", "categories", "phenomena", "metric_means", "wins"]
    means = {(row["level"], row["name"]): row for row in found["metric_means"].rows}
    assert means["phenomenon", "a1"]["accuracy"] == pytest.approx((1 + 0.5) / 2)
    assert means["category", "A"]["accuracy"] == pytest.approx((5 / 6 + 3 / 6) / 2)
    assert means["average", "micro"]["accuracy"] == pytest.approx((5 / 8 + 5 / 8) / 2)
    assert (means["phenomenon", "b1"]["best"], means["phenomenon", "b1"]["lowest"]) == ("two", 0)
    hardest = [row["name"] for row in found["metric_means"].rows if row["level"] == "phenomenon"]
    assert hardest == ["a2", "b1", "a1"]
    wins = {row["metric"]: row for row in found["wins"].rows}
    keys = ("categories", "categories_alone", "phenomena", "phenomena_alone")
    # Fewer than five items prove nobody worse, and A's 5 of 6 against 3 of 6 has p = 0.11: all is shared.
    assert [[wins[name][key] for key in keys] for name in ("one", "two")] == [[2, 0, 3, 0]] * 2
    # Three times the items. a1: 12 of 12 against 6, pooled 0.75, z = -0.5 / sqrt(0.1875 / 6) = -2.83; b1: 0 of 6 against 6,
    # z = -1 / sqrt(0.25 / 3) = -3.46; A: 15 of 18 against 9, pooled 2/3, z = -1/3 / sqrt(2/9 / 9) = -2.12, p = 0.017.
    thrice = [measured("one", [1, 1, 1, 1, 1, -1, -1, -1] * 3), measured("two", [1, 1, -1, -1, 1, -1, 1, 1] * 3)]
    wins = {row["metric"]: row for row in whole_tables(SMALL * 3, thrice)[-1].rows}
    assert [[wins[name][key] for key in keys] for name in ("one", "two")] == [[1, 1, 2, 1]] * 2
    assert [table.name for table in whole_tables(SMALL, [one])] == ["averages", "categories", "phenomena"]
