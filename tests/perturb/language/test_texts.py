from __future__ import annotations

from assay.perturb.language.texts import compile_pattern
from tests.perturb.texts import attempt, every


def test_marks_belong_to_words() -> None:
    assert compile_pattern("<L>+").findall("हिन्दी में abc1") == ["हिन्दी", "में", "abc"]
    assert compile_pattern("<W>+").findall("ภาษาไทย") == ["ภาษาไทย"]
    assert compile_pattern("<L>+").findall("e\u0301te\u0301") == ["e\u0301te\u0301"]


def test_hindi_is_not_torn_apart() -> None:
    text = "यह हिन्दी का वाक्य है।"
    assert attempt("tokenized", text, language="hi") == "यह हिन्दी का वाक्य है ।"
    words = set(text.strip("।").split())
    for made in every("word-swap", text, language="hi"):
        assert set(made.strip("।").split()) == words
    assert attempt("repeat-twice", text, language="hi") == "यह हिन्दी का वाक्य है है।"
