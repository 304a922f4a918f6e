"""From answers to scores: points by hand, several samples as one."""

from __future__ import annotations

import math

import pytest

from assay.core.schema import Place
from assay.core.spans import ErrorSpan
from assay.io.judgements.answers import NamedError, read_answer, without_thoughts
from assay.io.judgements.gemba import facts
from assay.io.judgements.prompts import Message, Prompt, built_in, prompt_of
from assay.metrics.judges.reading import JudgeReading, combine_samples, errors, points, rating

ASKED = {"messages": [{"content": "{translation}"}]}
MQM, DA, STARS = (
    prompt_of(facts().prompts[name].reading | ASKED, Place(name)) for name in ("gemba-mqm", "gemba-da", "gemba-stars")
)
AUTO, OURS = built_in("automqm"), built_in("judge-mqm")


def named(*severities: str) -> list[NamedError]:
    return [NamedError(severity, "accuracy", ()) for severity in severities]


@pytest.mark.parametrize(
    ("severities", "gemba", "automqm", "ours"),
    [
        ((), 0, 0, 0),
        (("minor",), -1, -1, -1),
        (("minor", "major"), -6, -6, -6),
        (("critical",), -25, -5, -25),
        (("minor",) * 7, -5, -7, -7),  # GEMBA counts five
        (("minor",) * 5 + ("major",), -9, -10, -10),  # the worst first: 5 + 4 * 1
        (("major",) * 6, -25, -30, -25),
        (("critical", "major"), -25, -10, -25),  # 30, at most 25
        (("neutral",), 0, 0, 0),
    ],
)
def test_points(severities, gemba, automqm, ours):
    assert [points(prompt, named(*severities)) for prompt in (MQM, AUTO, OURS)] == [gemba, automqm, ours]


def test_what_was_not_translated_is_critical():
    assert points(MQM, [NamedError("minor", "non-translation", ())]) == -25


def test_a_score_counts_errors_that_stand_nowhere_and_flags_them():
    reading = rating(MQM, 'Major:\naccuracy - "dog"\nMinor:\nstyle - "cat"', "The cat.", "Die Katze.")
    assert (reading.value, [span.text for span in reading.spans], reading.flags) == (-6, ["cat"], {"lost_span"})


def test_a_clean_translation_costs_nothing_however_it_is_said():
    for said in ("no issues", "Keine Fehler", "无", "-", "0", "None"):
        answer = "\n".join(f"{level}:\n{said}" for level in ("Critical", "Major", "Minor"))
        for prompt in (MQM, OURS):
            assert rating(prompt, answer, "The cat.", "Die Katze.") == JudgeReading(0.0)


def test_a_line_that_names_no_error_is_flagged_and_costs_nothing():
    answer = 'Critical:\nall good here\nMajor:\nno-error\nMinor:\nstyle - "cat"'
    reading = rating(MQM, answer, "The cat.", "Die Katze.")
    assert (reading.value, reading.flags) == (-1, {"unread_lines"})
    alone = rating(MQM, "Critical:\nall good\nMajor:\nall good\nMinor:\nall good", "The cat.", "Die Katze.")
    assert math.isnan(alone.value) and alone.flags == {"unreadable_answer"}


def test_an_error_without_a_quote_is_not_lost():
    assert errors("Major:\naccuracy/omission", "The cat.", "").flags == frozenset()


@pytest.mark.parametrize(("answer", "flag"), [("", "unreadable_answer"), ("I cannot judge this.", "refused_answer")])
def test_no_score_is_no_zero(answer, flag):
    classes = Prompt((Message("{translation}"),), "classes", classes=("bad", "good"))
    for prompt in (MQM, DA, STARS, classes, OURS, built_in("judge-da")):
        reading = rating(prompt, answer, "a", "b")
        assert math.isnan(reading.value) and reading.flags == {flag}


def test_samples_together():
    """Values 1, 2, 6: mean 3, sample variance (4 + 1 + 9) / 2 = 7. One unreadable sample counts in the shares alone."""
    cat, mat = (ErrorSpan.of("the cat sat", start, start + 3, "minor") for start in (4, 8))
    samples = [
        JudgeReading(1, (cat,)),
        JudgeReading(2, (cat, mat)),
        JudgeReading(6, (cat, cat)),
        JudgeReading(flags=frozenset({"unreadable_answer"})),
    ]
    joined, spread = combine_samples(samples)
    assert (joined.value, spread) == (3, pytest.approx(math.sqrt(7)))
    assert [(span.text, span.confidence) for span in joined.spans] == [("cat", 0.75), ("sat", 0.25)]
    assert joined.flags == {"unreadable_answer"}
    alone, none = combine_samples([JudgeReading(5, (cat,))])
    assert (alone.value, alone.spans[0].confidence) == (5, None) and math.isnan(none)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("<think>Three errors, so 20? No.</think>\n\n85", "\n\n85"),
        ("\n<THINKING>\n20\n</THINKING>\nScore: 85", "\nScore: 85"),
        ("Three errors, so 20?\n</think>\n\n85", "\n\n85"),  # the template had the opening tag
        ("<think>\n\n</think>\n\n85", "\n\n85"),
        ("<think>I would say 85", ""),  # it never came to an answer
        ("<think>a</think><think>b", ""),
        ("85", "85"),
        ('Major: accuracy - "</think>"', 'Major: accuracy - "</think>"'),  # words of the translation
    ],
)
def test_what_a_model_thinks_aloud_is_no_answer(answer, said):
    assert without_thoughts(answer) == said


def test_errors_that_were_only_weighed_are_not_named():
    """As in files of answers, too (`assay spans`)."""
    thought = '<think>Major:\naccuracy - "cat"? No.</think>\n'
    assert not read_answer(f"{thought}no-error", "The cat.").spans
    assert [span.text for span in read_answer(f'{thought}Minor:\nstyle - "The"', "The cat.").spans] == ["The"]


def test_a_great_many_lines_are_read_in_no_time():
    assert without_thoughts("\n \t" * 1_000_000) == "\n \t" * 1_000_000


@pytest.mark.parametrize(
    ("answer", "flag"),
    [
        ("I'm sorry, but I can't help with that request.", "refused_answer"),
        ("I cannot judge this text.", "refused_answer"),
        ("As an AI language model, I do not rate people.", "refused_answer"),
        ("**Sorry**, no.", "refused_answer"),
        ("It depends.", "unreadable_answer"),
        ("Sorrow is translated well.", "unreadable_answer"),
    ],
)
def test_an_answer_that_declines_in_words_is_a_refusal(answer, flag):
    for prompt in (DA, STARS, AUTO, OURS):
        assert rating(prompt, answer, "", "").flags == {flag}
    assert rating(DA, "I'm sorry to say: Score: 20", "", "").value == 20
