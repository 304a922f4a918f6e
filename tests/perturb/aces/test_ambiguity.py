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
