from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from assay.metrics import porter
from tests.data import demetr_requests, ntrex

ORACLE = PorterStemmer()
SUFFIXES = [suffix for suffix, _ in porter.STEP_4 + porter.STEP_2 + porter.STEP_3]
SUFFIXES += [
    "s",
    "es",
    "ies",
    "sses",
    "ss",
    "ed",
    "eed",
    "ied",
    "ing",
    "y",
    "ll",
    "e",
    "alli",
    "logi",
    "li",
    "at",
    "bl",
    "iz",
    "*d",
]


# Porter 1980, the examples beside each rule that NLTK's extensions leave alone, carried through all steps by hand.
@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("ties", "tie"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("sized", "size"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("happy", "happi"),
        ("relational", "relat"),
        ("generalizations", "gener"),
        ("oscillators", "oscil"),
        ("adoption", "adopt"),
        ("controll", "control"),
        ("Dying", "die"),
        ("IS", "is"),
    ],
)
def test_examples(word, stem):
    assert porter.stem(word) == stem


@pytest.mark.real
def test_every_word_of_demetr_and_some_of_ntrex():
    words = {word for pair in demetr_requests() for text in pair for word in text.split()}
    words |= {word for code in ("deu", "rus", "arb", "jpn", "tur") for line in ntrex(code) for word in line.split()}
    assert {w: porter.stem(w) for w in words} == {w: ORACLE.stem(w) for w in words}


@given(st.text(alphabet="abdeilnostyzé*İΣ", max_size=8), st.lists(st.sampled_from(SUFFIXES), max_size=3))
@example("a*d", ["ed"])
@example("yyyy", ["ing"])
def test_built_words(start, suffixes):
    word = start + "".join(suffixes)
    assert porter.stem(word) == ORACLE.stem(word)


@given(st.text())
def test_any_text(word):
    assert porter.stem(word) == ORACLE.stem(word)


def test_the_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(porter, "_CACHE_WORDS", 10)
    monkeypatch.setattr(porter, "_cache", {})
    for i in range(100):
        porter.stem(f"word{i}")
    porter.stem("long" * 100)
    assert len(porter._cache) <= 10
    assert "long" * 100 not in porter._cache
