"""The gate: a metric against its card."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.core.errors import InputError
from assay.core.metric import Scores
from assay.metrics.edit import Cer
from assay.verbs.check import PhenomenonChange
from tests.pairs import PAIRS, write_pairs


@pytest.fixture
def suite(tmp_path):
    return str(write_pairs(tmp_path / "pairs.tsv"))


@pytest.fixture
def chrf_card(suite):
    return assay.card("chrf", [suite], samples=2).to_dict()


def row_of(card, phenomenon):
    (tables,) = card["results"].values()
    return next(row for row in tables["phenomena"] if row["phenomenon"] == phenomenon)


def test_a_metric_passes_against_its_own_card(chrf_card):
    result = assay.check(chrf_card)
    assert not result.failed
    assert [change.verdict for change in result.changes] == ["same", "same"]
    assert not result.notes


def test_it_fails_against_an_improved_card_and_names_the_phenomenon(chrf_card):
    better = copy.deepcopy(chrf_card)
    row_of(better, "omission")["accuracy"] = 0.80
    result = assay.check(better, tolerance=0.01)
    (failure,) = result.failures
    assert (failure.phenomenon, failure.before, failure.now) == ("omission", 0.80, 0.75)
    assert failure.sentence().endswith("omission 0.800 → 0.750 (-0.050)")
    assert not assay.check(better, tolerance=0.05).failed
    assert not assay.check(better, tolerances={"omission": 0.06}).failed
    assert assay.check(better, tolerances={"addition": 0.06}).failed


def test_a_better_result_is_mentioned_and_does_not_fail(chrf_card):
    row_of(chrf_card, "omission")["accuracy"] = 0.5
    result = assay.check(chrf_card)
    assert not result.failed
    assert [row["verdict"] for row in result.table().rows] == ["better"]


def test_a_missing_phenomenon_fails_and_a_new_one_does_not(tmp_path, suite, chrf_card):
    write_pairs(tmp_path / "pairs.tsv", [*PAIRS[:4], ("spelling", "it rains", "it rains", "it ranis")])
    result = assay.check(chrf_card)
    assert {change.phenomenon: change.verdict for change in result.changes} == {
        "omission": "same",
        "addition": "missing",
        "spelling": "new",
    }
    assert result.failures[0].sentence().endswith("addition is missing")


class Silent(Cer):
    """CER that gives up on everything longer than nine characters."""

    card = replace(Cer.card, name="silent")

    def score(self, batch):
        scores = super().score(batch)
        long = np.array([len(text) > 9 for text in batch.hypotheses])
        return Scores(np.where(long, np.nan, scores.values))


class Constant(Cer):
    """CER that cannot tell anything apart."""

    card = replace(Cer.card, name="constant")

    def score(self, batch):
        return Scores(np.zeros(len(batch)))


def test_lower_is_better_is_read_from_the_card(suite):
    card = assay.card("cer", [suite], samples=2).to_dict()
    assert row_of(card, "addition")["accuracy"] == 1.0
    assert not assay.check(card).failed
    result = assay.check(card, Constant())
    assert [change.now for change in result.failures] == [0.0, 0.0]


def test_items_that_are_no_longer_scored_fail(suite):
    card = assay.card("cer", [suite], samples=2).to_dict()
    result = assay.check(card, Silent())
    # No omission is short enough; of the additions, neither incorrect translation is.
    assert {change.phenomenon: change.verdict for change in result.failures} == {
        "omission": "missing",
        "addition": "missing",
    }
    assert PhenomenonChange("s", "p", "accuracy", 0.5, 0.5, 0.0, newly_unscored=3).verdict == "unscored"


def test_a_changed_signature_is_said(chrf_card):
    chrf_card["signature"] = "chrF2|v:0"
    assert assay.check(chrf_card).notes[0].startswith("the signature changed: chrF2|v:0 → chrF2|")


def test_a_suite_that_is_not_on_the_card_is_refused(chrf_card):
    with pytest.raises(InputError, match="no results on 'embedded'"):
        assay.check(chrf_card, suites=["embedded"])


def test_a_damaged_card_is_refused(chrf_card):
    del row_of(chrf_card, "omission")["phenomenon"]
    with pytest.raises(InputError, match="has a row without 'phenomenon'"):
        assay.check(chrf_card)
    for tables in chrf_card["results"].values():
        tables.clear()
    with pytest.raises(InputError, match="there is nothing to check"):
        assay.check(chrf_card)


def test_a_suite_with_fewer_items_is_mentioned(tmp_path, chrf_card):
    write_pairs(tmp_path / "pairs.tsv", PAIRS[:4])
    items = sum(row["n"] for tables in chrf_card["results"].values() for row in tables["phenomena"])
    result = assay.check(chrf_card)
    (note,) = (note for note in result.notes if "items" in note)
    assert note.endswith(f": 4 items now, {items} on the card, so the figures are not comparable")
    assert note in result.table().notes and items > 4
