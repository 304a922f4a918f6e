"""Answers as GEMBA and AutoMQM prompts get them, with what a person reads in them."""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.io.judgements.answers import NamedError, SearchText, named_errors, read_answer, without_thoughts

TRANSLATION = "The cat sat on the mat, and the cat didn't sleep."
SOURCE = "Die Katze saß heute auf der Matte und schlief nicht."


def found(answer: str) -> list[tuple[str, str, str, str]]:
    return [
        (span.side, span.text, span.severity, span.category) for span in read_answer(answer, TRANSLATION, SOURCE).spans
    ]


def test_gemba_mqm():
    """The form of the few-shot examples of GEMBA-MQM: three headings, a category, a dash and a quote."""
    answer = (
        'Critical:\nno-error\nMajor:\naccuracy/mistranslation - "mat"\naccuracy/omission - "heute"\n'
        'Minor:\nfluency/grammar - "didn\'t sleep"\n'
    )
    assert found(answer) == [
        ("target", "mat", "major", "accuracy/mistranslation"),
        ("source", "heute", "major", "accuracy/omission"),
        ("target", "didn't sleep", "minor", "fluency/grammar"),
    ]


def test_automqm():
    """The form of AutoMQM: quotes with severity and category, between semicolons."""
    answer = "'sat on; the mat' - minor/fluency; 'The cat' - major/accuracy/mistranslation; 'cat' - minor/style"
    spans = read_answer(answer, "The cat sat on; the mat")
    assert [(span.text, span.severity, span.category) for span in spans.spans] == [
        ("sat on; the mat", "minor", "fluency"),
        ("The cat", "major", "accuracy/mistranslation"),
        ("cat", "minor", "style"),
    ]
    assert found("The cat - major/accuracy; mat - minor/terminology") == [
        ("target", "The cat", "major", "accuracy"),
        ("target", "mat", "minor", "terminology"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps([{"span": "mat", "severity": "Major", "category": "Accuracy"}]),
        '```json\n{"errors": [{"text": "mat", "severity": "major", "type": "accuracy"}]}\n```',
        json.dumps({"critical": [], "major": [{"class": "accuracy", "error_span": "mat"}], "minor": []}),
        'Here it is:\n{"errors": {"major": ["accuracy - \\"mat\\""]}}',
        "**Major:**\n1. accuracy – “mat”\n\n**Minor:**\n- no-error",
        'Major: accuracy - "mat" (better: "carpet")\nMinor: none',
        "Major errors:\n* accuracy - 'mat'",
        "Errors: 'mat' - major/accuracy",
    ],
)
def test_many_ways_to_say_the_same(answer):
    assert found(answer) == [("target", "mat", "major", "accuracy")]


def test_where_a_quote_stands():
    spans = read_answer(
        'Minor:\nstyle - "the cat"\nstyle - "THE  cat"\nstyle - "sat ... mat"\nstyle - "dog"', TRANSLATION
    )
    assert [(span.start, span.text) for span in spans.spans] == [(28, "the cat"), (0, "The cat"), (8, "sat on the mat")]
    assert spans.unlocated == ("dog",)
    whole = read_answer("Critical:\nnon-translation", TRANSLATION).spans
    assert [(span.text, span.severity) for span in whole] == [(TRANSLATION, "critical")]


@pytest.mark.parametrize(
    "answer",
    [
        "No errors.",
        "no-error",
        "[]",
        '{"errors": []}',
        "None",
        "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error",
        "Critical:\n\nMajor:\n\nMinor:\n",
    ],
)
def test_nothing_wrong(answer):
    assert named_errors(answer) == []


@pytest.mark.parametrize(
    "answer", ["", "Critical:\n\nMajor:", "I cannot judge this.", "The translation reads well, see [1]."]
)
def test_what_says_nothing_is_refused(answer):
    with pytest.raises(InputError, match="neither lists an error nor states that there are none"):
        read_answer(answer, TRANSLATION)


@pytest.mark.parametrize(
    "said",
    [
        "no issues", "No issues found.", "There are no issues.", "Keine Fehler", "无", "没有发现错误", "エラーなし", "없음",
        "нет ошибок", "-", "—", "0", "0 errors", "None", "- none", "N/A", "no major errors", "accuracy: none", "fluency - n/a",
        "Aucune erreur.",
    ],
)  # fmt: skip
def test_a_line_below_a_heading_that_says_that_there_is_none(said):
    for answer in (
        f"Critical:\n{said}\nMajor:\n{said}\nMinor:\n{said}",
        f"Critical: {said}\nMajor: no-error\nMinor: no-error",
    ):
        read = read_answer(answer, TRANSLATION, SOURCE)
        assert (read.spans, read.unlocated, read.unread) == ((), (), ())
        assert named_errors(answer) == []


def test_a_line_below_a_heading_needs_a_quote_or_a_category():
    """What a person would not count is no error; it is reported, and alone it is no answer."""
    answer = (
        'Critical:\nno-error\nMajor:\nI had some doubts here\nMinor:\nstyle/awkward - "mat"\naccuracy\n\nStyle is good.'
    )
    read = read_answer(answer, TRANSLATION, SOURCE)
    assert [(span.text, span.severity) for span in read.spans] == [("mat", "minor")]
    assert named_errors(answer)[1:] == [NamedError("minor", "accuracy", ())]
    assert read.unread == ("I had some doubts here", "Style is good.")
    with pytest.raises(InputError, match="neither lists an error"):
        read_answer("Critical:\nfine so far\nMajor:\nfine\nMinor:\nfine", TRANSLATION)
    assert found("Major:\nthe mat - accuracy/mistranslation\nMinor:\naccuracy/omission - heute") == [
        ("target", "the mat", "major", "accuracy/mistranslation"),
        ("source", "heute", "minor", "accuracy/omission"),
    ]


def test_words_of_a_quote_do_not_say_that_there_is_no_error():
    (error,) = named_errors('Major:\naccuracy/mistranslation - "There is no error here"')
    assert error.quotes == ("There is no error here",)
    assert [error.quotes for error in named_errors('{"major": ["the mat"], "minor": ["none"]}')] == [("the mat",)]


def test_an_unknown_severity_is_refused():
    with pytest.raises(InputError, match="severity 'huge' is unknown"):
        read_answer('[{"span": "mat", "severity": "huge"}]', TRANSLATION)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ('Major:\naccuracy - "a ... a ... a ... a ... ZQ"', "a " * 20_000),
        ("Major:\n" + '"' * 90_000, "Der Hund."),
        ("Major:\naccuracy - " + '"x" ' * 20_000, "Der Hund."),
        ("minor" + " " * 90_000 + "x", "Der Hund."),
        ("Minor:\nno " + "error " * 15_000 + "x", "Der Hund."),
        ("Minor:\n" + "-" * 90_000 + "x", "Der Hund."),
        ('Major:\naccuracy - "' + "a … " * 20_000 + '"', "a " * 20_000),
    ],
)
def test_a_hostile_answer_is_read_in_bounded_time(answer: str, text: str) -> None:
    began = time.process_time()
    with suppress(InputError):
        read_answer(answer, text, text)
    assert time.process_time() - began < 2


def test_a_quote_with_an_ellipsis_spans_its_parts() -> None:
    (span,) = read_answer('Major:\naccuracy - "Der … laut"', "Der Hund bellt laut.").spans
    assert (span.start, span.end) == (0, 19)
    far = "Der " + "x" * 400 + " laut."
    assert read_answer('Major:\naccuracy - "Der … laut"', far).spans == ()


LONG = {
    "spaces before a slash": "Major:\nx" + " " * 90_000 + 'y - "Hund"',
    "semicolons": "x;" * 45_000,
    "quotes and semicolons": '"x ;' * 22_000,
    "severities and semicolons": "major - ;" * 10_000,
    "one long quote": 'Major:\naccuracy - "' + "a " * 40_000 + '"',
    "many long quotes": "Major:\n" + ('accuracy - "' + "a " * 190 + '"\n') * 230,
    "many ends": "Major:\n" + ('accuracy - "' + 'a" ' * 30 + "\n") * 900,
    "many ellipses": "Major:\n" + 'accuracy - "a...a...a...ZQ"\n' * 3_000,
    "objects": "[" + ",".join(['{"severity":"major","quote":"a a a a a"}'] * 2_000) + "]",
    "brackets": "Major:\n" + "( " * 40_000 + ' - "a"',
    "blanks": " " * 95_000,
    "tags": "<think>" * 14_000,
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("text", ["a " * 200, "a" * 4_000, "ab " * 1_000], ids=["words", "letters", "pairs"])
def test_the_time_to_read_an_answer_is_bounded(kind: str, text: str) -> None:
    """Finding C2: answers of 100,000 characters, in seconds of the processor (hundredths, but for machines under load)."""
    begun = time.process_time()
    with suppress(InputError):
        read_answer(without_thoughts(LONG[kind]), text, text)
    assert time.process_time() - begun < 10


def test_an_answer_of_thousands_of_errors_is_unreadable() -> None:
    answer = "Major:\n" + 'accuracy - "a"\n' * 2_001
    with pytest.raises(InputError, match="lists 2,001 errors, more than the maximum of 2,000"):
        read_answer(answer, "a", "a")


@given(
    st.text("aAbBß ẞ\tİıiIſsSσςΣµμ.…K\u212aÅ\u212bǅǆǄﬀ\u00a0\n\u3000éÉ猫ΐ\u0345ιᾳ\u1fbeϐβ", max_size=30),
    st.text("aAbBß ẞ\tİıiIſsSσςΣµμ.…K\u212aÅ\u212bǅǆǄﬀ\u00a0\n\u3000éÉ猫ΐ\u0345ιᾳ\u1fbeϐβ", max_size=4),
    st.data(),
)
def test_quotes_are_found_where_a_regular_expression_finds_them(text: str, other: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = data.draw(st.sampled_from([text[start : start + 6], text[start : start + 6].swapcase(), other]))
    words = quote.split()
    pattern = r"\s+".join(map(re.escape, words))
    expected = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)] if words else []
    assert SearchText(text).whole(quote) == expected
