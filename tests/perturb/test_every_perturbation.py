"""What holds for all of them: any text in, a right result or a counted refusal out, the same for the same generator."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.batch import Segment
from assay.core.perturbation import Perturbation, Perturbed, Refused
from assay.perturb import PERTURBATIONS
from assay.perturb.making.selection import find_obstacle
from tests.perturb.texts import perturbation, pool_tools, tools

NAMES = list(PERTURBATIONS.entries)
FREE = [name for name in NAMES if PERTURBATIONS.resolve(name).card.languages == ("any",)]
SENTENCES = [
    "Green was born in 1946 to a working-class Jewish family in London's Bethnal Green.",
    'According to Dmitri Kislov from the NGO "The Right to Arms", a Makarov pistol can be purchased for 100-300 dollars.',
    "However, he didn't say (at least not today) that she'd won 3 of the 5 prizes, and nobody asked.",
    "Read the manual first; then, if you must, call us at 12:30!",
    "Is it?",
    "U.S.",
]


def test_results_are_right_or_refused() -> None:
    wrong, lacking = [], []
    for name in NAMES:
        language = language_of(name)
        if reason := find_obstacle(PERTURBATIONS.resolve(name).card, language):
            lacking.append(reason)
            continue
        rule = perturbation(name, language)
        source = "Das ist irgendein Satz über Menschen und Häuser."
        for text in SENTENCES:
            segment = Segment(text, source, ("Some reference.",), "de-en" if language == "en" else f"en-{language}")
            wrong += [(name, text, seed) for seed in range(8) if not right(rule, segment, language, seed)]
    assert wrong == []
    if lacking:
        warnings.warn(f"not tried: {'; '.join(lacking)}", stacklevel=1)


def language_of(name: str) -> str:
    languages = PERTURBATIONS.resolve(name).card.languages
    return "en" if {"any", "en"} & set(languages) else languages[0]


def right(rule: Perturbation, segment: Segment, language: str, seed: int) -> bool:
    """The same again for the same seed; a refusal with its reason, or changes where they say and no problems."""
    made, again = (rule.perturb(segment, language, np.random.default_rng(seed), tools()) for _ in range(2))
    if made != again:
        return False
    if isinstance(made, Refused):
        return bool(made.reason)
    bad = made.incorrect(segment)
    there = [bad[start:end] for start, end in made.spans()] == [change.text for change in made.changes]
    return there and rule.problems(segment, made, language, tools()) == []


def test_same_seed_same_text() -> None:
    segment = Segment(
        "In March 2018 Mr. Smith walked 12 miles and might return.",
        "Im März 2018 lief Mr. Smith 12 Meilen.",
        ("Mr. Smith walked 12 miles in March 2018.",),
        "de-en",
    )
    for name in NAMES:
        rule = PERTURBATIONS.resolve(name)()
        if not find_obstacle(rule.card, "en"):
            first, second = (rule.perturb(segment, "en", np.random.default_rng(5), pool_tools()) for _ in range(2))
            assert first == second, name


@settings(max_examples=60)
@given(st.text(max_size=60), st.integers(0, 9), st.sampled_from(["de", "ru", "ar", "he", "zh", "ja"]))
def test_any_text_in_any_language(text: str, seed: int, language: str) -> None:
    segment = Segment(text, "a source", ("a reference",), f"en-{language}")
    for name in FREE:
        if not text.strip() or find_obstacle(PERTURBATIONS.resolve(name).card, language):
            continue
        rule = perturbation(name, language)
        made = rule.perturb(segment, language, np.random.default_rng(seed), tools())
        if isinstance(made, Perturbed):
            good = made.good if made.good is not None else text
            assert made.incorrect(segment) != good


@pytest.mark.parametrize("name", ["repeat-twice", "word-swap", "shuffled", "punctuation-added", "number-replaced"])
def test_mixed_direction(name: str) -> None:
    text = "قال \u200fApple Inc.\u200f إن المبيعات بلغت 1,250 وحدة في (London)."
    rule = perturbation(name, "ar")
    segment = Segment(text, None, (), "en-ar")
    for seed in range(10):
        made = rule.perturb(segment, "ar", np.random.default_rng(seed), tools())
        assert isinstance(made, Perturbed)
        assert rule.problems(segment, made, "ar", tools()) == []
        assert made.apply(text).endswith(".") or name == "shuffled"
