"""A metric's card."""

import json
from dataclasses import replace

import pytest

import assay
from assay.core.errors import InputError, MissingPart
from assay.metrics.chrf import Chrf
from assay.report import render
from assay.verbs.shared.metric_card import read_card
from tests.pairs import write_pairs


def test_a_card_has_facts_and_results_by_suite(tmp_path):
    suite = str(write_pairs(tmp_path / "pairs.tsv"))
    made = assay.card("chrf", [suite], samples=20)
    whole = json.loads(json.dumps(made.to_dict()))
    assert whole["metric"] == "chrf"
    assert whole["signature"].startswith("chrF2|nrefs:1|")
    omission = next(row for row in whole["results"][suite]["phenomena"] if row["phenomenon"] == "omission")
    assert (omission["n"], omission["accuracy"]) == (4, 0.75)
    assert omission["accuracy_low"] <= 0.75 <= omission["accuracy_high"]
    facts = {row["field"]: row["value"] for row in made.table().rows}
    assert facts["range"] == "0 to 100"
    assert facts["better"] == "higher"


def test_by_default_every_suite_at_hand_is_run_and_the_others_are_named(tmp_path, monkeypatch):
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path))
    made = assay.card("chrf", samples=20)
    assert list(made.results) == ["embedded"]
    assert {"demetr", "aces", "dfki", "hallucinations"} <= set(made.skipped)
    with pytest.raises(MissingPart, match="assay fetch demetr"):
        assay.card("chrf", ["demetr"])


def test_contamination_is_marked():
    class Trained(Chrf):
        card = replace(Chrf.card, name="trained", trained_on=("embedded",))

    made = assay.card(Trained(), ["embedded"], samples=20)
    facts = {row["field"]: row["value"] for row in made.table().rows}
    assert facts["contaminated"].startswith("† trained on embedded")
    assert "trained †" in render(made.shortest())


@pytest.mark.parametrize("format", ["md", "html", "latex"])
def test_the_page_holds_every_table(format):
    made = assay.card("chrf", ["embedded"], samples=20)
    page = render(list(made.tables.values()), format)
    assert "Popović 2015" in page
    assert "modal" in page
    assert all(table.caption for table in made.tables.values())


@pytest.mark.parametrize("text", ["{", "[]", '{"metric": "chrf"}'])
def test_what_is_not_a_card_is_refused(tmp_path, text):
    path = tmp_path / "card.json"
    path.write_text(text)
    with pytest.raises(InputError, match="is not a card"):
        read_card(path)
