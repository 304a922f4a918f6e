from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed
from tests.perturb.texts import incorrect, problems, reason


def test_one_answer() -> None:
    cases = [
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
    ]
    made = {case: incorrect(case[0], Segment(case[1], case[2], (), case[3])) for case in cases}
    assert made == {case: case[4] for case in cases}


def test_a_refusal_says_why() -> None:
    assert reason("quotes-deleted", Segment("Nichts.", None, (), "en-de")) == "no quotation mark"


def test_validators_catch_bad_results() -> None:
    assert "some of the marks are still there" in problems(
        "punctuation-deleted", Segment("Ja, du.", None, (), "en-de"), Perturbed((Change(2, 3, ""),))
    )
    assert "a letter or digit changed" in problems(
        "commas-deleted", Segment("Ja, du.", None, (), "en-de"), Perturbed((Change(1, 3, ""),))
    )
    assert "a mark became something other than a question mark" in problems(
        "statement-to-question", Segment("Ja.", None, (), "en-de"), Perturbed((Change(2, 3, "!"),))
    )
