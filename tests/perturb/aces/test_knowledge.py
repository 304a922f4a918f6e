from __future__ import annotations

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.perturbation import SURE, Perturbed
from tests.perturb.texts import IN_DOUBT, every, perturbation, refusals, tools, unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("noun-antonym", "The victory surprised him.", {"The defeat surprised him."}),
        (
            "overtranslation",
            "They burned the house.",
            {f"They burned the {k}." for k in ("cottage", "villa", "bungalow")},
        ),
        ("overtranslation", "Two soldiers ran.", {"Two snipers ran.", "Two paratroopers ran."}),
    ]
    assert unexpected(cases) == []


def test_species_are_no_money() -> None:
    for spec in ("hypernym", "undertranslation", "overtranslation"):
        assert not {text for text in every(spec, "The species died out.") if "currenc" in text or "coin" in text}


def test_a_plural_gets_no_second_plural() -> None:
    for text in every("overtranslation", "The matches were on the table."):
        assert "matcheses" not in text


def test_a_word_of_unknown_sense_is_not_exchanged() -> None:
    # WordNet's first sense of "bank" is a slope, of "plant" a factory, of "run" a score.
    lists = ("hypernym", "hypernym-versus-distractor", "synonym-versus-antonym", "entailment", "antonym")
    for spec in (*lists, "noun-antonym", "overtranslation", "hypernym-versus-hyponym"):
        assert refusals(spec, "The bank ran a plant near the yard.")
    assert refusals("overtranslation", "The bank was near.") == {f"{IN_DOUBT}sense": 1}


def test_a_noun_in_another_sense_is_not_exchanged() -> None:
    cases = [
        ("noun-antonym", "They had sixty per cent of their strength."),
        ("noun-antonym", "She took a leave of absence."),
        ("noun-antonym", "Winter stayed in New York."),
        ("noun-antonym", "They won a victory over the Romans."),
        ("overtranslation", "The senate is the upper house."),
        ("overtranslation", "A cardiovascular surgeon spoke."),
        ("overtranslation", "The birds of prey were shot."),
        ("hypernym-versus-hyponym", "She was on the phone."),
    ]
    assert [case for case in cases if not refusals(*case)] == []


@pytest.mark.parametrize(
    ("spec", "text", "good", "bad"),
    [
        ("hypernym-versus-hyponym", "He saw the cat.", "He saw the animal.", "He saw the kitten."),
        ("hypernym-versus-distractor", "He saw the piano.", "He saw the instrument.", "He saw the "),
        ("synonym-versus-antonym", "She bought the house.", "She purchased the house.", "She sold the house."),
        ("entailment", "They murdered the king.", "They killed the king.", "They rescued the king."),
    ],
)
def test_words_of_our_lists(spec: str, text: str, good: str, bad: str) -> None:
    rule = perturbation(spec)
    made = rule.perturb(Segment(text, "x", (), "de-en"), "en", np.random.default_rng(3), tools())
    assert isinstance(made, Perturbed)
    assert made.good == good
    assert made.incorrect(Segment(text)).startswith(bad)
    assert made.confidence >= SURE
