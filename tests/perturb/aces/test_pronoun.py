from __future__ import annotations

import numpy as np

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed, Refused
from tests.perturb.texts import IN_DOUBT, incorrect, perturbation, refusals, tools


def test_pronouns_into_german() -> None:
    rain = Segment("Es regnet heute.", "It is raining today.", (), "en-de")
    assert incorrect("pronoun-pleonastic-it-substitution", rain) in ("Er regnet heute.", "Sie regnet heute.")
    assert incorrect("pronoun-pleonastic-it-deletion", rain) == "regnet heute."
    bag = Segment("Ich habe einen Beutel und er ist rot.", "I have a bag and it is red.", (), "en-de")
    assert incorrect("pronoun-anaphoric-intra-subject-it-deletion", bag) == "Ich habe einen Beutel und ist rot."
    assert "it is" not in incorrect("pronoun-anaphoric-intra-subject-it-substitution", bag)


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
    assert isinstance(made, Perturbed) and made.confidence == 1
