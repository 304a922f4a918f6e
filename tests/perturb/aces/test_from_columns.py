from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Refused
from tests.perturb.texts import attempted, incorrect, reason


def test_refusals_say_why() -> None:
    cases = [
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
    ]
    said = {case: reason(case[0], Segment(case[1], None, (), case[2])) for case in cases}
    assert said == {case: case[3] for case in cases}


def test_columns_of_people_make_items() -> None:
    nli = {
        "partner": "Real noise appeals to the young and the old.",
        "partner_is": "hypothesis",
        "label": "contradiction",
    }
    segment = Segment("The noise attracts the old.", "x", ("Real noise appeals to the old.",), "el-en", meta=nli)
    assert incorrect("xnli-omission-contradiction", segment) == nli["partner"]
    assert reason("xnli-omission-neutral", segment) == "the partner is a hypothesis, the label contradiction"
    similar = {"similar": "Vine aviat.", "similar_language": "ca"}
    spanish = Segment("Ven pronto.", "Come soon.", ("Ven ya.",), "en-es", meta=similar)
    assert incorrect("similar-language-high", spanish) == "Vine aviat."
    assert isinstance(attempted("similar-language-low", spanish), Refused)
    literal = {"target_word": "Libellen", "literal": "Drachenfliegen"}
    german = Segment("Es gibt Libellen.", "x", ("Libellen gibt es.",), "en-de", meta=literal)
    assert incorrect("overly-literal-vs-ref-word", german) == "Es gibt Drachenfliegen."
