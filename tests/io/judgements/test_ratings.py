"""Ratings as models write them. `theirs` is what GEMBA's own parser makes of the answer (scripts/gemba_answers.py runs it)."""

from __future__ import annotations

import pytest

from assay.io.judgements.ratings import read_class, read_number, read_stars

CLASSES = ["Rubbish", "Rubbish, but polite", "Usable", "Good, small slips", "Flawless"]


@pytest.mark.parametrize(
    ("answer", "theirs"),
    [("85", 85), ("85.", 85), ("Score: 85", 85), ("85/100", 85), ("['85']", 85), ("**85**", 85), ("85%", 85), ("0", 0),
     ("100", 100), ("101", None), ("", None), ("none", None), ("between 80 and 90", None), ("85, because 2 words are wrong", None)],
)  # fmt: skip
def test_numbers_as_gemba_reads_them(answer, theirs):
    assert read_number(answer, 0, 100) == theirs


@pytest.mark.parametrize(
    ("answer", "ours"),
    [("85.5", 85.5), ("85 out of 100", 85), ("Score: 85/100", 85), ("Score (0-100): 85", 85), ("On a scale of 0 to 100: 85", 85),
     ("-5", None), ("80-90", None), ("1e5", None), ("1,000", None), ("Score: 85. Two words (3 and 4) are wrong. Score: 85", 85),
     ("Score: 80 or score: 90", None), ("Of 12 words 2 are wrong.\n\nScore: 70", 70)],
)  # fmt: skip
def test_numbers_that_a_person_reads(answer, ours):
    assert read_number(answer, 0, 100) == ours


@pytest.mark.parametrize(
    ("answer", "theirs"),
    [("five", 5), ("5 stars", 5), ("four stars: fine", 4), ("****", 4), ("★★★", 3), ("3", 3), ("6", None), ("******", None),
     ("four or five", None), ("", None)],
)  # fmt: skip
def test_stars_as_gemba_reads_them(answer, theirs):
    assert read_stars(answer, 1, 5) == theirs


@pytest.mark.parametrize(
    ("answer", "ours"),
    [("**2 stars**", 2), ("**two stars**", 2), ("4/5", 4), ("4.5 stars", None), ("★★★★ (4 stars)", 4)],
)
def test_stars_that_a_person_reads(answer, ours):
    assert read_stars(answer, 1, 5) == ours


def test_classes():
    assert [read_class(f'Class: "{name.upper()}".', CLASSES) for name in CLASSES] == [0, 1, 2, 3, 4]
    assert read_class(f"{CLASSES[1]} or {CLASSES[2]}", CLASSES) is None
    assert read_class("Good", CLASSES) is None
    assert read_class("very bad", ["bad", "very bad", "good"]) == 1
