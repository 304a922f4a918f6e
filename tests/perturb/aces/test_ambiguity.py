from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed, Refused
from tests.perturb.texts import attempted


def test_the_source_tells_the_sense() -> None:
    baker = Segment("The manager fired the baker.", "Der Manager feuerte die Bäckerin.", (), "de-en")
    made = attempted("occupation-female-pro", baker)
    assert isinstance(made, Perturbed)
    assert (made.good, made.incorrect(baker)) == (
        "The manager fired the female baker.",
        "The manager fired the male baker.",
    )
    assert isinstance(attempted("occupation-female-anti", baker), Refused)
    stock = Segment("What does stock mean?", "Was heißt Brühe?", (), "de-en")
    made = attempted("word-sense-infrequent", stock)
    assert isinstance(made, Perturbed)
    assert (made.good, made.incorrect(stock)) == ("What does vegetable stock mean?", "What does penny stock mean?")


def test_the_column_tells_the_sense_of_a_connective() -> None:
    sense = {"sense": "contrast"}
    french = Segment("They grew by 8% while the debt increased.", "Elles … tandis que …", (), "fr-en", meta=sense)
    made = attempted("while-contrast", french)
    assert isinstance(made, Perturbed)
    assert made.good == "They grew by 8% whereas the debt increased."
    assert made.incorrect(french) == "They grew by 8% as the debt increased."
    assert made.reference == french.hypothesis


def test_the_source_tells_the_sense_of_a_connective() -> None:
    since = Segment("No test was done since we were elected.", "Aucun test depuis notre élection.", (), "fr-en")
    made = attempted("since-temporal", since)
    assert isinstance(made, Perturbed)
    assert made.good == "No test was done from the time we were elected."
    assert made.incorrect(since) == "No test was done because we were elected."
