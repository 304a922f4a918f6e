from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels import _native
from assay.kernels.reference import meteor as twin

WORDS = st.sampled_from(["a", "as", "b", "bs", "c", "cs", "d", "e"])
LINES = st.lists(WORDS, max_size=12)
# as -> a and so on; the synonyms are between stems
STEMS = {word: word[0] for word in ("a", "as", "b", "bs", "c", "cs", "d", "e")}
TEXTS = st.lists(
    st.one_of(st.none(), st.text(), st.text(alphabet="ab \t\n\x1c\x85\xa0\u2003\u3000\ud800é")), max_size=6
)


@given(st.lists(TEXTS, max_size=3))
def test_word_ids_splits_as_python_does(columns):
    words, ids, starts = _native.word_ids(columns)
    expected_words, expected_ids = twin.word_ids(columns)
    assert words == expected_words
    assert [ids[a:b].tolist() for a, b in itertools.pairwise(starts)] == expected_ids


@given(
    st.lists(st.tuples(LINES, LINES, LINES), max_size=4),
    st.dictionaries(st.sampled_from("abcde"), st.lists(st.sampled_from("abcde"), unique=True, max_size=4)),
    st.floats(0, 1),
    st.floats(0, 5),
    st.floats(0, 1),
)
def test_alignment_is_the_twins(rows, synonyms, alpha, beta, gamma):
    columns = [[" ".join(row[k]) for row in rows] for k in range(3)]
    words, ids, starts = _native.word_ids(columns)
    names = list(dict.fromkeys(STEMS[word] for word in words))
    stem = np.array([names.index(STEMS[word]) for word in words], np.int32)
    ragged = [[names.index(s) for s in synonyms.get(name, ()) if s in names] for name in names]
    synonym_starts = np.cumsum([0, *map(len, ragged)], dtype=np.int64)
    flat = np.array([number for row in ragged for number in row], np.int32)
    surface = np.arange(len(words), dtype=np.int32)
    values = _native.meteor(ids, starts, len(rows), surface, stem, synonym_starts, flat, alpha, beta, gamma)
    expected = [
        max(twin.meteor(hyp, ref, STEMS, synonyms, alpha, beta, gamma) for ref in references)
        for hyp, *references in rows
    ]
    assert values.tolist() == expected


def test_missing_texts_are_skipped():
    # "a b" against "a b": one chunk of two words, 1 - 0.5 * (1/2) ** 3 = 0.9375; the missing reference counts for nothing
    words, ids, starts = _native.word_ids([["a b", "a b"], [None, "x"], ["a b", None]])
    same = np.arange(len(words), dtype=np.int32)
    none = np.zeros(len(words) + 1, np.int64)
    values = _native.meteor(ids, starts, 2, same, same, none, np.empty(0, np.int32), 0.9, 3.0, 0.5)
    assert values.tolist() == [0.9375, 0.0]


def test_a_megabyte_is_aligned_whole():
    # one chunk of n words: 1 - 0.5 / n ** 3
    line = "w " * 500_000
    words, ids, starts = _native.word_ids([[line], [line]])
    zero = np.zeros(1, np.int32)
    values = _native.meteor(ids, starts, 1, zero, zero, np.zeros(2, np.int64), np.empty(0, np.int32), 0.9, 3.0, 0.5)
    assert words == ["w"]
    assert values[0] == 1 - 0.5 * (1 / 500_000) ** 3
