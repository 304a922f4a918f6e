"""The rules on sentences whose results were worked out by hand; many are the examples of DEMETR's Tables A1 and A2."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.perturbation import Refused
from assay.perturb.language.tools import LinguisticTools
from tests.perturb.texts import attempt, every, perturbation

FREE = "I know that most of the goods imported into this country are duty free."


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [
        ("repeat-twice", "They are duty free.", "They are duty free free."),
        ("repeat-four-times", 'the Korean "peninsula."', 'the Korean "peninsula peninsula peninsula peninsula."'),
        ("repeat-twice", "She lives in the U.S.", "She lives in the U.S. U.S."),
        ("repeat-twice", "It rose by 5%!", "It rose by 5% 5%!"),
        ("final-punctuation-removed", 'He said: "No."', 'He said: "No"'),
        ("final-punctuation-removed", "Really?!", "Really"),
        ("tokenized", "London's working-class area.", "London 's working - class area ."),
        ("lowercase-all", "The NGO is in Rome.", "the ngo is in rome."),
        ("lowercase-first", '"The end."', '"the end."'),
        ("empty", "Anything at all.", "."),
        ("empty:stop=no", "Anything at all.", ""),
    ],
)
def test_rules_without_chance(spec: str, text: str, expected: str) -> None:
    assert attempt(spec, text) == expected


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [
        ("gender-pronoun", "He is tired.", {"She is tired."}),
        ("gender-pronoun", "I saw her yesterday.", {"I saw him yesterday."}),
        ("gender-pronoun", "Her book was sold.", {"His book was sold."}),
        ("pronoun-case", "She announced a plan.", {"Her announced a plan."}),
        ("pronoun-case", "They met us.", {"Them met us.", "Their met us.", "They met we.", "They met our."}),
        ("negation", "The committee recommended the plan.", {"The committee did not recommend the plan."}),
        ("negation", "The film was good.", {"The film was not good."}),
        ("negation", "She does not live here.", {"She lives here."}),
        ("negation", "We can't wait.", {"We can wait."}),
        ("negation", "Read the manual first.", {"Do not read the manual first."}),
        ("tense", "They were found in samples.", {"They are found in samples.", "They will be found in samples."}),
        ("tense", "She will leave soon.", {"She left soon."}),
        ("tense", "He works here.", {"He worked here.", "He will work here."}),
        ("aspect", "He has been unable to relax.", {"He is being unable to relax."}),
        ("aspect", "One person was shot.", {"One person was being shot."}),
        ("aspect", "Workers arrive in Moscow.", {"Workers are arriving in Moscow."}),
        ("aspect", "The plan may have appealed to them.", {"The plan may be appealing to them."}),
        ("interrogative", "This is the tenth time.", {"Is this the tenth time?"}),
        ("interrogative", "Later, the reports said so.", {"Later, did the reports say so?"}),
        ("interrogative", "Mary doesn't smoke.", {"Doesn't Mary smoke?"}),
        ("omitted-verb", "Catri said it.", {"Catri it."}),
        ("omitted-subject", "His research shows progress.", {"His shows progress."}),
        ("omitted-subject", "Air accidents are common.", {"Are common."}),
        ("omitted-adjective-adverb", "Rangers closely monitor shooters.", {"Rangers monitor shooters."}),
        ("omitted-adjective-adverb", "She has an important job.", {"She has a job."}),
        ("omitted-prepositional-phrase", "She is in custody.", {"She is."}),
        ("omitted-prepositional-phrase", "In 1989, he left.", {"He left."}),
        ("omitted-name", "The goods come from Central America.", {"The goods come from."}),
        ("function-word", "A dog barked.", {"An dog barked."}),
        ("word-swap", "Dogs bark.", {"Bark dogs."}),
    ],
)
def test_rules_with_chance(spec: str, text: str, expected: set[str]) -> None:
    assert every(spec, text) == expected


def test_a_conjunction_goes_with_its_comma() -> None:
    assert every("omitted-conjunction", "However, it failed.") == {"It failed."}


def test_words_from_wordnet() -> None:
    assert every("antonym", "The film was long.") == {"The film was short."}
    # WordNet 3.0: violinist, fiddler @ musician, instrumentalist, player
    assert every("hypernym", "The violinist left.") == {"The musician left."}
    assert "refused: no word with an antonym" in every("antonym", "Oh!")
    shifted = every("part-of-speech-shift", "It is important.")
    assert shifted <= {"It is importance.", "It is importantly."}
    assert shifted


def test_the_article_follows_the_new_word() -> None:
    assert every("antonym", "It is a possible plan.") == {"It is an impossible plan."}


def test_an_added_word_is_one_word() -> None:
    for text in every("added-word", "The reform of notaries would generate a claim."):
        assert len(text.split()) == 9


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("It was built in 1979.", 1940, 2030), ("It grew by 8%.", 1, 9), ("On July 25, it rained.", 1, 31)],
)
def test_numbers_stay_in_a_plausible_range(text: str, low: int, high: int) -> None:
    import re

    for made in every("number-replaced", text):
        value = int(re.findall(r"\d+", made)[0])
        assert low <= value <= high
        assert made != text


def test_a_range_never_runs_backwards() -> None:
    import re

    for made in every("number-replaced", "from 1920 to 1930"):
        first, second = (int(number) for number in re.findall(r"\d+", made))
        assert first < second


@pytest.mark.parametrize("text", ["Covid-19 spread.", "the F-35 flew", "802.11n is fast", "v2.0beta"])
def test_numbers_inside_names_are_left_alone(text: str) -> None:
    assert attempt("number-replaced", text) == "refused: no number"


def test_ordinals_keep_a_right_ending() -> None:
    for made in every("number-replaced", "It began in the 19th century."):
        ordinal = made.split()[4]
        ending = (
            "th" if ordinal[:-2] in ("11", "12", "13") else {"1": "st", "2": "nd", "3": "rd"}.get(ordinal[-3], "th")
        )
        assert ordinal.endswith(ending)


def test_a_name_changes_everywhere_and_within_its_type() -> None:
    for made in every("name-replaced", "France beat Italy because France was better."):
        assert ("France" in made) != ("Italy" in made)
        assert made.count("France") in (0, 2)


def test_the_untranslated_word_comes_from_the_source() -> None:
    source = "Der Minister eröffnete gestern feierlich die neue Brücke."
    for made in every("untranslated-word", "The minister solemnly opened the new bridge yesterday.", source=source):
        assert any(word.strip(".") in made for word in source.split()[1:])


def test_the_reference_is_the_good_text() -> None:
    assert attempt("reference", "A translation.", reference="The reference.") == "A translation."
    assert attempt("reference", "Same.", reference="Same.") == "refused: the reference equals the translation"


def test_unrelated_takes_another_segment() -> None:
    assert every("unrelated", "A cat sat there.") == {
        "The committee will meet again in the spring.",
        "Heavy rain is expected along the coast tonight.",
    }


def test_unrelated_needs_another_segment() -> None:
    rule, alone = perturbation("unrelated"), LinguisticTools(())
    assert rule.perturb(Segment("A cat."), "en", np.random.default_rng(1), alone) == Refused(
        "no other segment in the corpus"
    )


def test_shuffled_keeps_the_words_and_the_end() -> None:
    for made in every("shuffled", "Virtual teams adhere to the same standards."):
        assert made.endswith(".")
        assert made[0].isupper()
        assert sorted(made.lower().strip(".").split()) == sorted(
            ["virtual", "teams", "adhere", "to", "the", "same", "standards"]
        )


def test_misspelling_follows_the_list() -> None:
    assert every("misspelling", "They live separate.") <= {
        "They live seperate.",
        "Tehy live separate.",
        "They liev separate.",
    }


@pytest.mark.parametrize("spec", ["hypernym", "negation", "omitted-noun", "word-swap", "interrogative", "omitted-name"])
@pytest.mark.parametrize("text", ["Yes", "!", "…", "42"])
def test_one_word_is_refused(spec: str, text: str) -> None:
    assert attempt(spec, text).startswith("refused: ")
