"""One name for one thing: the published table, the items, the tables and the perturbations join."""

from __future__ import annotations

import csv
import json

import pytest

from assay.analyses import analyse
from assay.cli.main import main
from assay.data.aces import phenomena
from assay.data.demetr import numbers
from assay.perturb import PERTURBATIONS
from assay.perturb.aces.commonsense import REASONS
from assay.perturb.aces.modality import STRENGTHS
from assay.perturb.cards import card_of
from tests.analyses.helpers import item, measured
from tests.data import need


def cards() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    found = {name: PERTURBATIONS.resolve(name).card for name in PERTURBATIONS.entries}
    return {name: (card.phenomenon, card.severity, card.follows) for name, card in found.items()}


@pytest.mark.real
def test_cards_say_what_the_paper_says() -> None:
    with need("expected", "demetr_perturbations.csv").open(encoding="utf-8") as lines:
        published = {f"DEMETR {row['perturbation']}": row for row in csv.DictReader(lines)}
    own = {entry: card for card in cards().values() for entry in card[2] if entry in published}
    assert len(own) == 35
    for entry, (phenomenon, severity, _) in own.items():
        assert severity == published[entry]["severity"]
        # The paper calls both repetitions alike and writes "entry" for "entity".
        name = published[entry]["label"].replace("named entry", "named entity")
        assert phenomenon == name or (entry in ("DEMETR 1", "DEMETR 2") and phenomenon.startswith(name[:-1]))


def test_cards_are_complete() -> None:
    for name in PERTURBATIONS.entries:
        card = PERTURBATIONS.resolve(name).card
        assert card.name == name
        assert card.about and card.phenomenon and card.follows, name
        assert "/" in card.category or card.category == "baseline", name
        assert card.severity in ("minor", "major", "critical", "base"), name


def test_a_row_becomes_a_card() -> None:
    negation = card_of("negation")
    assert (negation.phenomenon, negation.severity, negation.follows) == (
        "mistranslation - negation",
        "critical",
        ("DEMETR 8",),
    )
    assert (negation.languages, negation.needs, negation.sure_in) == (
        ("en", "ru", "ja"),
        ("parse", "inflection"),
        ("any",),
    )
    coreference = card_of("coreference-based-on-commonsense")
    assert (coreference.sure_in, coreference.unless) == ((), ("distractor",))
    assert (
        card_of("commas-deleted").phenomenon == "punctuation:deletion_commas"
        and card_of("commas-deleted").extra is None
    )
    assert card_of("text-inserted").phenomenon == "text-inserted"


def test_languages_are_those_of_the_lists() -> None:
    assert card_of("modal-substituted").languages == tuple(STRENGTHS) and card_of("modal-deleted").languages == ("en",)
    assert card_of("commonsense-only-ref-ambiguous").languages == tuple(REASONS)


def test_every_phenomenon_of_aces_has_a_perturbation() -> None:
    made = {PERTURBATIONS.resolve(name).card.phenomenon for name in PERTURBATIONS.entries}
    assert set(phenomena()) <= made and len(phenomena()) == 68


def test_who_follows_aces_has_its_name() -> None:
    for phenomenon, _, follows in cards().values():
        named = [entry.removeprefix("ACES ") for entry in follows if entry.startswith("ACES ")]
        assert not named or (phenomenon in phenomena() and phenomenon in named)


def test_the_list_joins_the_table_and_the_items(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "perturbations", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["tables"]["perturbations"]
    items = [item(i, name) for i, name in enumerate(numbers())]
    metric = measured("m", [1] * len(items), [0] * len(items))
    rows = analyse("demetr", items, [metric], samples=2)[2].rows
    by_number = {row["perturbation"]: row["phenomenon"] for row in listed if row["perturbation"]}
    assert by_number == {row["perturbation"]: row["phenomenon"] for row in rows}
    assert {one.phenomenon for one in items} == set(by_number.values()) and len(by_number) == 35
