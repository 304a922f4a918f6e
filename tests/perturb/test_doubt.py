"""Cases that were made wrongly once: what is now made instead, or refused and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.core.batch import Batch, Segment
from assay.core.perturbation import Perturbed, Refused
from assay.perturb.aces.constituent import ADDED
from assay.perturb.language.confidence import SURE, confidence
from assay.perturb.language.tools import LinguisticTools
from assay.verbs.make import make
from tests.perturb.texts import attempt, every, perturbation, tools

IN_DOUBT = "in doubt about the "


def refusals(spec: str, text: str, langpair: str = "de-en", source: str = "x", **more: Any) -> dict[str, int]:
    """Why ``assay make`` refuses a text, under the default confidence; empty where it makes an item."""
    perturbation(spec, langpair.rpartition("-")[2])
    made = make([spec], Batch([text], [source], ([text],), [langpair]), **more)
    refused: dict[str, int] = made.card["perturbations"][spec]["refused"]
    return refused


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [
        ("negation", "She hopes so.", {"She does not hope so."}),
        ("interrogative", "He rated the film.", {"Did he rate the film?"}),
        ("tense", "The court fined him.", {"The court fines him.", "The court will fine him."}),
        ("aspect", "She hopes so.", {"She is hoping so."}),
        ("aspect", "The court fined him.", {"The court was fining him."}),
        ("negation", "He rated the film.", {"He did not rate the film."}),
    ],
)
def test_lemmas(spec: str, text: str, expected: set[str]) -> None:
    # spaCy's small model gives hop, rat and fin for hopes, rated and fined.
    assert every(spec, text) == expected


def test_species_are_no_money() -> None:
    for spec in ("hypernym", "undertranslation", "overtranslation"):
        assert not {text for text in every(spec, "The species died out.") if "currenc" in text or "coin" in text}


def test_a_plural_gets_no_second_plural() -> None:
    for text in every("overtranslation", "The matches were on the table."):
        assert "matcheses" not in text


@pytest.mark.parametrize("text", ["Merkel spoke.", "The rule limits the EU's ability.", '"Why?" asked Martin.'])
def test_a_subject_or_owner_is_not_omitted(text: str) -> None:
    (reason,) = refusals("omitted-name", text)
    assert reason in (f"{IN_DOUBT}parse", "no name")


def test_a_word_of_unknown_sense_is_not_exchanged() -> None:
    # WordNet's first sense of "bank" is a slope, of "plant" a factory, of "run" a score.
    lists = ("hypernym", "hypernym-versus-distractor", "synonym-versus-antonym", "entailment", "antonym")
    for spec in (*lists, "noun-antonym", "overtranslation", "hypernym-versus-hyponym"):
        assert refusals(spec, "The bank ran a plant near the yard.")
    assert refusals("overtranslation", "The bank was near.") == {f"{IN_DOUBT}sense": 1}


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("noun-antonym", "They had sixty per cent of their strength."),
        ("noun-antonym", "She took a leave of absence."),
        ("noun-antonym", "Winter stayed in New York."),
        ("noun-antonym", "They won a victory over the Romans."),
        ("overtranslation", "The senate is the upper house."),
        ("overtranslation", "A cardiovascular surgeon spoke."),
        ("overtranslation", "The birds of prey were shot."),
        ("hypernym-versus-hyponym", "She was on the phone."),
    ],
)
def test_a_noun_in_another_sense_is_not_exchanged(spec: str, text: str) -> None:
    assert refusals(spec, text)


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [
        ("noun-antonym", "The victory surprised him.", {"The defeat surprised him."}),
        (
            "overtranslation",
            "They burned the house.",
            {f"They burned the {k}." for k in ("cottage", "villa", "bungalow")},
        ),
        ("overtranslation", "Two soldiers ran.", {"Two snipers ran.", "Two paratroopers ran."}),
    ],
)
def test_nouns_of_our_lists(spec: str, text: str, expected: set[str]) -> None:
    assert every(spec, text) == expected


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
    assert confidence(made) >= SURE


def test_an_untranslated_word_needs_evidence() -> None:
    perturbation("untranslated-word")
    # One segment shows nothing of which word is which.
    alone = refusals("untranslated-word", "The farmer sold a horse.", source="Rolnik sprzedał konia.", langpair="pl-en")
    assert alone == {f"{IN_DOUBT}alignment": 1}
    verbs = {"sprzedał": "sold", "kupił": "bought", "znalazł": "found", "widział": "saw", "lubił": "liked"}
    things = {"konia": "horse", "traktor": "tractor", "klucz": "key", "parasol": "umbrella", "rower": "bicycle"}
    pairs = [(f"Rolnik {v} {t}.", f"The farmer {verbs[v]} the {things[t]}.") for v in verbs for t in things]
    sources, texts = zip(*pairs, strict=True)
    made = make(["untranslated-word"], Batch(list(texts), list(sources), None, ["pl-en"] * len(texts)))
    assert len(made) > 10
    known = {english: polish for words in (verbs, things) for polish, english in words.items()} | {"farmer": "Rolnik"}
    for item in made.items():
        old, _, new = item["meta"]["what"].partition(" -> ")
        assert known[old].lower() == new.lower()
        assert item["meta"]["confidence by part"]["alignment"] == item["meta"]["confidence"] >= SURE


def test_a_language_that_was_not_read_is_in_doubt() -> None:
    pairs = [(f"Die Fabrik produziert Elektrizität {n}.", f"The factory produces electricity {n}.") for n in range(9)]
    sources, texts = zip(*pairs, strict=True)
    for langpair, wanted in (("de-en", True), ("en-de", False)):
        batch = Batch(list(texts), list(sources), None, [langpair] * 9)
        if langpair == "en-de":
            batch = Batch(list(sources), list(texts), None, [langpair] * 9)
        assert bool(len(make(["untranslated-word"], batch))) == wanted
        assert len(make(["untranslated-word"], batch, min_confidence=0))


def test_a_burmese_tone_mark_is_no_digit() -> None:
    # U+1094 is a Shan digit by Unicode and a tone mark of the older Burmese fonts.
    assert attempt("number-level-1", "ေန\u1094တြင္ ေရာက္သည္။", language="my") == "refused: no number"
    assert attempt("number-level-1", "ေန \u1094 ေရာက္သည္။", language="my") == "refused: no number"
    for text in every("number-level-1", "၂၀၁၇ ခုႏွစ္ ေန\u1094တြင္", language="my"):
        assert text.endswith("ေန\u1094တြင္") and not text.startswith("၂၀၁၇")


def test_there_is_no_anaphora_in_es_gibt() -> None:
    source, text = "The readers were glad because they like books.", "Die Leser waren froh, weil es gibt Bücher."
    rule = perturbation("pronoun-anaphoric-intra-they-substitution", "de")
    made = rule.perturb(Segment(text, source, (), "en-de"), "de", np.random.default_rng(0), tools())
    assert made == Refused("the pronoun of the translation does not render that of the source")


def test_the_kind_of_a_pronoun_is_in_doubt_unless_it_is_given() -> None:
    bag = "Ich habe einen Beutel und er ist rot."
    name = "pronoun-anaphoric-intra-subject-it-deletion"
    assert refusals(name, bag, "en-de", "I have a bag and it is red.") == {f"{IN_DOUBT}parse": 1}
    given = Segment(
        bag, "I have a bag and it is red.", (), "en-de", meta={"pronoun_function": "anaphoric_intra_subject_it"}
    )
    made = perturbation(name, "de").perturb(given, "de", np.random.default_rng(0), tools())
    assert isinstance(made, Perturbed) and confidence(made) == 1


def test_many_phrases_can_be_added() -> None:
    assert all(len(set(phrases)) >= 90 for phrases in ADDED.values())
    assert len(every("constituent-added", "The plant grows.")) > 20


def test_a_magazine_is_no_person() -> None:
    for text in every("name-replaced", "He told the magazine Der Spiegel that Germany had changed."):
        assert "magazine Der Spiegel" in text or text.startswith("refused")


def test_a_denial_is_not_denied_again() -> None:
    assert attempt("negation", '"Today, there is neither."').startswith("refused")
    assert attempt("negation", "Bars are no longer living rooms.").startswith("refused")


def test_capitals_of_an_abbreviation_stay_in_a_question() -> None:
    assert attempt("interrogative", "AMs are worried.") == "Are AMs worried?"


def test_controlled_errors_are_sure() -> None:
    from assay.perturb.making.controlled import perturbation_error

    error = perturbation_error(perturbation("hypernym"), LinguisticTools(), "en")
    assert error("The bank ran a plant.", np.random.default_rng(0)) is None
