"""ACES's families on hand-written sentences: what is changed, what is refused, and what the validators catch."""

from __future__ import annotations

import csv
import importlib.resources

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused
from assay.perturb import PERTURBATIONS

pytest.importorskip("babel")
pytest.importorskip("spacy")

from assay.perturb.language.tools import LinguisticTools
from assay.perturb.making.selection import obstacle

POOL = [
    Segment("Der Hund schläft im Garten.", "The dog sleeps in the garden.", (), "en-de"),
    Segment(
        "Die Regierung hat gestern neue Steuern beschlossen.", "The government passed new taxes yesterday.", (), "en-de"
    ),
    Segment("The weather was cold and the roads were closed.", "Das Wetter war kalt.", (), "de-en"),
    Segment("Nobody expected the factory to reopen so early.", "Niemand erwartete das.", (), "de-en"),
    Segment("It was late.", "Es war spät.", (), "de-en"),
]


@pytest.fixture(scope="module")
def tools() -> LinguisticTools:
    return LinguisticTools(POOL)


def make(name: str, segment: Segment, tools: LinguisticTools, seed: int = 1) -> Perturbed | Refused:
    perturbation: Perturbation = PERTURBATIONS.resolve(name)()
    language = (segment.langpair or "").rpartition("-")[2]
    made = perturbation.perturb(segment, language, np.random.default_rng(seed), tools)
    if isinstance(made, Perturbed):
        assert perturbation.problems(segment, made, language, tools) == []
    return made


def incorrect(name: str, segment: Segment, tools: LinguisticTools, seed: int = 1) -> str:
    made = make(name, segment, tools, seed)
    assert isinstance(made, Perturbed), made
    return made.incorrect(segment)


def reason(name: str, segment: Segment, tools: LinguisticTools) -> str:
    made = make(name, segment, tools)
    assert isinstance(made, Refused), made
    return made.reason


def test_every_phenomenon_of_aces_has_a_perturbation() -> None:
    text = importlib.resources.files("assay.data").joinpath("aces_phenomena.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    made = {PERTURBATIONS.resolve(name).card.phenomenon for name in PERTURBATIONS.entries}
    assert {row["phenomenon"] for row in rows} <= made


def test_names_agree_with_cards() -> None:
    for name in PERTURBATIONS.entries:
        assert PERTURBATIONS.resolve(name).card.name == name


@pytest.mark.parametrize(
    ("name", "text", "source", "pair", "expected"),
    [
        (
            "punctuation-deleted",
            "Ja, das „neue“ Well-Being kostet 3,5 Mio. Euro!",
            "x",
            "en-de",
            "Ja das neue Well-Being kostet 3,5 Mio Euro",
        ),
        ("punctuation-deleted", "他说：“好（真的）。”", "x", "en-zh", "他说好真的"),
        ("commas-deleted", "Ja, ja, 3,5 %.", "x", "en-de", "Ja ja 3,5 %."),
        ("commas-deleted", "苹果、梨，都好。", "x", "en-zh", "苹果梨都好。"),
        ("quotes-deleted", "Il a dit « non » hier.", "x", "en-fr", "Il a dit non hier."),
        ("quotes-deleted", "The dogs' 'big' house isn't \"new\".", "x", "de-en", "The dogs' big house isn't new."),
        ("quotes-deleted", "彼は「はい」と言った。", "x", "en-ja", "彼ははいと言った。"),
        ("statement-to-question", "¡Hola! Ven.", "x", "en-es", "¿Hola? Ven."),
        ("statement-to-question", "هو هنا.", "x", "en-ar", "هو هنا؟"),
        ("statement-to-question", "他来了。", "x", "en-zh", "他来了？"),
        ("copy-source", "Guten Tag.", "Good day.", "en-de", "Good day."),
        (
            "do-not-translate",
            "Das sagte Sky News heute.",
            "Sky News said so.",
            "en-de",
            "Das sagte Himmel-Nachrichten heute.",
        ),
        ("modal-substituted", "Sie müssen gehen.", "x", "en-de", "Sie können gehen."),
        ("modal-substituted", "Elle peut partir.", "x", "en-fr", "Elle doit partir."),
        ("modal-deleted", "This freedom might end.", "x", "de-en", "This freedom end."),
        ("negation-changed", "Er kommt heute nicht.", "x", "en-de", "Er kommt heute."),
        ("negation-changed", "Он не пришёл.", "x", "en-ru", "Он пришёл."),
    ],
)
def test_one_answer(name: str, text: str, source: str, pair: str, expected: str, tools: LinguisticTools) -> None:
    assert incorrect(name, Segment(text, source, (), pair), tools) == expected


@pytest.mark.parametrize(
    ("name", "text", "pair", "why"),
    [
        ("number-level-1", "Kein Zähler hier.", "en-de", "no number"),
        ("number-level-1", "Der A320 flog 3:1 um 10:30.", "en-de", "no number"),
        ("number-level-2", "Es sind 12 Leute.", "en-de", "no reference"),
        ("date", "The May cabinet met.", "de-en", "no month"),
        ("unit-amount-matches-reference", "Er lief.", "en-de", "no amount with a unit"),
        ("quotes-deleted", "Nichts.", "en-de", "no quotation mark"),
        ("copy-source", "Nichts.", "en-de", "no source"),
        (
            "similar-language-high",
            "Hola.",
            "en-es",
            "needs the columns similar (a reference in a similar language) and similar_language",
        ),
        (
            "xnli-addition-neutral",
            "Hello.",
            "de-en",
            "needs the columns partner, partner_is (premise or hypothesis) and label",
        ),
        (
            "overly-literal-vs-correct-idiom",
            "Hello.",
            "de-en",
            "needs the columns idiom (in the translation) and literal",
        ),
        ("constituent-omitted", "Er kam.", "en-de", "no phrase that can be left out"),
        ("detached-random", "", "en-de", "empty translation"),
    ],
)
def test_refusals_say_why(name: str, text: str, pair: str, why: str, tools: LinguisticTools) -> None:
    assert reason(name, Segment(text, None, (), pair), tools) == why


def test_levels_follow_the_distance_between_translation_and_reference(tools: LinguisticTools) -> None:
    near = Segment("Im Jahr 1867 kamen 340 Leute.", "x", ("Im Jahre 1867 kamen 340 Leute an.",), "en-de")
    far = Segment(
        "340 Menschen trafen damals ein, man schrieb 1867.", "x", ("Im Jahre 1867 kamen 340 Leute an.",), "en-de"
    )
    made = make("number-level-2", near, tools)
    assert isinstance(made, Perturbed)
    assert made.base == near.references[0] and made.good is None
    assert made.incorrect(near).startswith("Im Jahre ") and made.incorrect(near) != near.references[0]
    assert isinstance(make("number-level-3", near, tools), Refused)
    assert isinstance(make("number-level-3", far, tools), Perturbed)
    assert isinstance(make("number-level-2", far, tools), Refused)


def test_columns_of_people_make_items(tools: LinguisticTools) -> None:
    nli = {
        "partner": "Real noise appeals to the young and the old.",
        "partner_is": "hypothesis",
        "label": "contradiction",
    }
    segment = Segment("The noise attracts the old.", "x", ("Real noise appeals to the old.",), "el-en", meta=nli)
    assert incorrect("xnli-omission-contradiction", segment, tools) == nli["partner"]
    assert reason("xnli-omission-neutral", segment, tools) == "the partner is a hypothesis, the label contradiction"
    similar = {"similar": "Vine aviat.", "similar_language": "ca"}
    spanish = Segment("Ven pronto.", "Come soon.", ("Ven ya.",), "en-es", meta=similar)
    assert incorrect("similar-language-high", spanish, tools) == "Vine aviat."
    assert isinstance(make("similar-language-low", spanish, tools), Refused)
    literal = {"target_word": "Libellen", "literal": "Drachenfliegen"}
    german = Segment("Es gibt Libellen.", "x", ("Libellen gibt es.",), "en-de", meta=literal)
    assert incorrect("overly-literal-vs-ref-word", german, tools) == "Es gibt Drachenfliegen."
    word = {"source_word": "claws", "target_word": "Krallen"}
    untranslated = Segment("Er hat Krallen.", "He has claws.", ("Krallen hat er.",), "en-de", meta=word)
    assert incorrect("untranslated-versus-reference", untranslated, tools) == "Er hat claws."
    sense = {"sense": "contrast"}
    french = Segment("They grew by 8% while the debt increased.", "Elles … tandis que …", (), "fr-en", meta=sense)
    made = make("while-contrast", french, tools)
    assert isinstance(made, Perturbed)
    assert made.good == "They grew by 8% whereas the debt increased."
    assert made.incorrect(french) == "They grew by 8% as the debt increased."
    assert made.reference == french.hypothesis


def test_english_rules_that_read_the_source(tools: LinguisticTools) -> None:
    baker = Segment("The manager fired the baker.", "Der Manager feuerte die Bäckerin.", (), "de-en")
    made = make("occupation-female-pro", baker, tools)
    assert isinstance(made, Perturbed)
    assert (made.good, made.incorrect(baker)) == (
        "The manager fired the female baker.",
        "The manager fired the male baker.",
    )
    assert isinstance(make("occupation-female-anti", baker, tools), Refused)
    stock = Segment("What does stock mean?", "Was heißt Brühe?", (), "de-en")
    made = make("word-sense-infrequent", stock, tools)
    assert isinstance(made, Perturbed)
    assert (made.good, made.incorrect(stock)) == ("What does vegetable stock mean?", "What does penny stock mean?")
    since = Segment("No test was done since we were elected.", "Aucun test depuis notre élection.", (), "fr-en")
    made = make("since-temporal", since, tools)
    assert isinstance(made, Perturbed)
    assert made.good == "No test was done from the time we were elected."
    assert made.incorrect(since) == "No test was done because we were elected."
    gel = Segment(
        "He liked the gel more than the spray because the spray ruined his hair.",
        "Il aimait le gel plus que le spray, car le spray abîmait ses cheveux.",
        (),
        "fr-en",
    )
    made = make("commonsense-src-and-ref-ambiguous", gel, tools)
    assert isinstance(made, Perturbed)
    assert made.incorrect(gel).endswith("because the gel ruined his hair.")
    assert (
        made.source == "Il aimait le gel plus que le spray."
        and made.reference == "He liked the gel more than the spray."
    )


def test_pronouns_into_german(tools: LinguisticTools) -> None:
    rain = Segment("Es regnet heute.", "It is raining today.", (), "en-de")
    assert incorrect("pronoun-pleonastic-it-substitution", rain, tools) in ("Er regnet heute.", "Sie regnet heute.")
    assert incorrect("pronoun-pleonastic-it-deletion", rain, tools) == "regnet heute."
    bag = Segment("Ich habe einen Beutel und er ist rot.", "I have a bag and it is red.", (), "en-de")
    assert incorrect("pronoun-anaphoric-intra-subject-it-deletion", bag, tools) == "Ich habe einen Beutel und ist rot."
    assert "it is" not in incorrect("pronoun-anaphoric-intra-subject-it-substitution", bag, tools)


def test_hallucinations(tools: LinguisticTools) -> None:
    segment = Segment("Was ist jetzt die Lage auf der Insel?", "x", (), "en-de")
    for seed in range(30):
        made = make("oscillatory", segment, tools, seed)
        assert isinstance(made, Perturbed)
        assert 2 <= len(made.meta["ngram"].split()) <= 4 and 1 <= made.meta["times"] <= 10
    assert incorrect("detached-random", segment, tools) in {other.hypothesis for other in POOL[:2]}
    similar = PERTURBATIONS.resolve("detached-similar")(embedding="ngrams")
    dog = Segment("Der Hund im Garten bellt laut und lange.", "The dog barks.", (), "en-de")
    made = similar.perturb(dog, "de", np.random.default_rng(0), tools)
    assert isinstance(made, Perturbed)


def test_same_seed_same_text(tools: LinguisticTools) -> None:
    segment = Segment(
        "In March 2018 Mr. Smith walked 12 miles and might return.",
        "Im März 2018 lief Mr. Smith 12 Meilen.",
        ("Mr. Smith walked 12 miles in March 2018.",),
        "de-en",
    )
    for name in PERTURBATIONS.entries:
        perturbation = PERTURBATIONS.resolve(name)()
        if not obstacle(perturbation.card, "en"):
            first, second = (perturbation.perturb(segment, "en", np.random.default_rng(5), tools) for _ in range(2))
            assert first == second, name


@pytest.mark.parametrize(
    ("name", "segment", "bad", "problem"),
    [
        (
            "number-level-1",
            Segment("Es sind 12.", None, (), "en-de"),
            Perturbed((Change(8, 10, "12"),)),
            "the number is the same or is gone",
        ),
        (
            "number-level-1",
            Segment("Es sind 12.", None, (), "en-de"),
            Perturbed((Change(3, 7, "77"),)),
            "what was replaced is not a number",
        ),
        (
            "name-level-1",
            Segment("I saw Lloyd.", None, (), "de-en"),
            Perturbed((Change(6, 11, "llod"),)),
            "the capital at the beginning changed",
        ),
        (
            "date",
            Segment("Im Mai.", None, (), "en-de"),
            Perturbed((Change(3, 6, "Maus"),)),
            "the replacement is not a month",
        ),
        (
            "punctuation-deleted",
            Segment("Ja, du.", None, (), "en-de"),
            Perturbed((Change(2, 3, ""),)),
            "some of the marks are still there",
        ),
        (
            "commas-deleted",
            Segment("Ja, du.", None, (), "en-de"),
            Perturbed((Change(1, 3, ""),)),
            "a letter or digit changed",
        ),
        (
            "statement-to-question",
            Segment("Ja.", None, (), "en-de"),
            Perturbed((Change(2, 3, "!"),)),
            "a mark became something else than a question mark",
        ),
        (
            "copy-source",
            Segment("Ja.", "Yes.", (), "en-de"),
            Perturbed((Change(0, 3, "No."),)),
            "the text is not the source",
        ),
        (
            "modal-substituted",
            Segment("Er muss.", None, (), "en-de"),
            Perturbed((Change(3, 7, "will"),)),
            "the replacement is not another modal verb",
        ),
        (
            "constituent-omitted",
            Segment("Er (der) kam.", None, (), "en-de"),
            Perturbed((Change(0, 9, ""),)),
            "more than half of the text is gone",
        ),
        (
            "oscillatory",
            Segment("a b c", None, (), "en-de"),
            Perturbed((Change(3, 3, " x y"),), meta={"ngram": "a b"}),
            "the insertion is not one to ten repetitions of the n-gram",
        ),
        (
            "lexical-overlap",
            Segment("A in B.", None, (), "de-en"),
            Perturbed((Change(0, 1, "Q"),)),
            "words were added or lost",
        ),
    ],
)
def test_validators_catch_bad_results(
    name: str, segment: Segment, bad: Perturbed, problem: str, tools: LinguisticTools
) -> None:
    language = (segment.langpair or "").rpartition("-")[2]
    assert problem in PERTURBATIONS.resolve(name)().problems(segment, bad, language, tools)
