from __future__ import annotations

from assay.perturb.language.texts import pattern
from tests.perturb.texts import attempt, every


def test_marks_belong_to_words() -> None:
    assert pattern("<L>+").findall("हिन्दी में abc1") == ["हिन्दी", "में", "abc"]
    assert pattern("<W>+").findall("ภาษาไทย") == ["ภาษาไทย"]
    assert pattern("<L>+").findall("e\u0301te\u0301") == ["e\u0301te\u0301"]


def test_hindi_is_not_torn_apart() -> None:
    text = "यह हिन्दी का वाक्य है।"
    assert attempt("tokenized", text, language="hi") == "यह हिन्दी का वाक्य है ।"
    words = set(text.strip("।").split())
    for made in every("word-swap", text, language="hi"):
        assert set(made.strip("।").split()) == words
    assert attempt("repeat-twice", text, language="hi") == "यह हिन्दी का वाक्य है है।"


def test_misspelling_in_hindi_keeps_marks_on_their_letters() -> None:
    assert every("misspelling", "सांसद ने कहा।", language="hi") == {"सांदस ने कहा।"}


def test_turkish_has_two_letters_i() -> None:
    assert attempt("lowercase-all", "IŞIK İyi.", language="tr") == "ışık iyi."
    assert attempt("lowercase-first", "Işık.", language="tr") == "ışık."


def test_thai_words_are_not_known() -> None:
    from assay.perturb import PERTURBATIONS
    from assay.perturb.making.selection import obstacle

    assert "written without spaces" in obstacle(PERTURBATIONS.resolve("word-swap").card, "th")
    assert obstacle(PERTURBATIONS.resolve("number-replaced").card, "th") == ""
