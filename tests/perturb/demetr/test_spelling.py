from __future__ import annotations

from tests.perturb.texts import attempt, every, unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("final-punctuation-removed", 'He said: "No."', {'He said: "No"'}),
        ("final-punctuation-removed", "Really?!", {"Really"}),
        ("tokenized", "London's working-class area.", {"London 's working - class area ."}),
        ("lowercase-all", "The NGO is in Rome.", {"the ngo is in rome."}),
        ("lowercase-first", '"The end."', {'"the end."'}),
    ]
    assert unexpected(cases) == []


def test_misspelling_follows_the_list() -> None:
    assert every("misspelling", "They live separate.") <= {
        "They live seperate.",
        "Tehy live separate.",
        "They liev separate.",
    }


def test_misspelling_in_hindi_keeps_marks_on_their_letters() -> None:
    assert every("misspelling", "सांसद ने कहा।", language="hi") == {"सांदस ने कहा।"}


def test_turkish_has_two_letters_i() -> None:
    assert attempt("lowercase-all", "IŞIK İyi.", language="tr") == "ışık iyi."
    assert attempt("lowercase-first", "Işık.", language="tr") == "ışık."


def test_a_word_of_numerals_has_no_letter_to_remove() -> None:
    # U+2163, the Roman numeral four as one character, is a word character that is no letter.
    assert every("character-removed", "Der ⅣⅣⅣⅣ kam.", language="de") == {"refused: a word without letters"}
