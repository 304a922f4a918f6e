from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.meteor_score import meteor_score

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.core.metric import statistics
from assay.metrics import metric
from assay.metrics.meteor import Meteor
from tests.corruption import corrupt
from tests.data import demetr_requests, ntrex
from tests.wordnets import NoWordNet, hand_made, need_debian, nltk_reader

LANGUAGES = ("deu", "rus", "zho-CN", "jpn", "kor", "tha", "arb", "heb", "hin", "fin")


def values(batch, **options):
    return Meteor(**options).score(batch).values


def by_nltk(batch, wordnet, **options):
    rows = zip(batch.hypotheses, *batch.references, strict=True)
    return [
        meteor_score([ref.split() for ref in refs if ref is not None], hyp.split(), wordnet=wordnet, **options)
        for hyp, *refs in rows
    ]


def assert_equal(batch, folder, reader, **options):
    ours = values(batch, wordnet=str(folder), **options)
    assert np.abs(ours - by_nltk(batch, reader, **options)).max(initial=0) <= 1e-12


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return hand_made(tmp_path_factory.mktemp("small") / "wordnet")


# The example of NLTK's documentation, whose printed result is 0.6944 with WordNet and without: nothing there is a synonym.
def test_nltks_printed_example():
    hypothesis = "It is a guide to action which ensures that the military always obeys the commands of the party"
    references = (
        "It is a guide to action that ensures that the military will forever heed Party commands",
        "It is the guiding principle which guarantees the military forces always being under the command of the Party",
        "It is the practical guide for the army always to heed the directions of the party",
    )
    batch = Batch([hypothesis], references=tuple([ref] for ref in references))
    assert round(float(values(batch, wordnet="none")[0]), 4) == 0.6944


def test_by_hand(small):
    batch = Batch(
        ["the cat sat", "cats run", "an auto", "x y", "b a", "cat", "", "a", ""],
        references=(["the cat sat", "cat running", "a car", "a b", "a b", "cat", "a", "", ""],),
    )
    expected = [
        1 - 0.5 / 27,  # three words in one chunk
        1 - 0.5 / 8,  # both match by their stems
        0.5 * 0.5,  # one of two words, a synonym: precision = recall = 1/2, one chunk of one word
        0.0,  # nothing in common
        0.5,  # both words, two chunks: the penalty is gamma
        0.5,  # one word is one chunk of one match, even when perfect
        0.0,
        0.0,
        0.0,
    ]
    assert values(batch, wordnet=str(small)).tolist() == pytest.approx(expected, abs=1e-15)
    assert values(batch, wordnet="none")[2] == 0.0


def test_empty_batch():
    assert values(Batch([], references=([],)), wordnet="none").shape == (0,)


@given(
    st.lists(
        st.tuples(
            *[
                st.lists(
                    st.sampled_from(["dog", "DOG", "dogs", "cad", "car", "auto", "machine", "run", "go", "ran", "İs"])
                ).map(" ".join)
            ]
            * 3
        )
    ),
    st.floats(0, 1),
    st.floats(0, 5),
    st.floats(0, 1),
)
def test_random_lines_with_a_hand_made_wordnet(small, rows, alpha, beta, gamma):
    hyps, *refs = ([row[k] for row in rows] for k in range(3))
    assert_equal(Batch(hyps, references=tuple(refs)), small, nltk_reader(small), alpha=alpha, beta=beta, gamma=gamma)


@given(st.lists(st.tuples(st.text(), st.text())))
def test_random_text(rows):
    batch = Batch([h for h, _ in rows], references=([r for _, r in rows],))
    assert_equal(batch, "none", NoWordNet())


@pytest.mark.real
@pytest.mark.slow
def test_demetr_without_wordnet():
    pairs = demetr_requests()
    assert len(pairs) == 31_918
    batch = Batch([h for h, _ in pairs], references=([r for _, r in pairs],))
    assert_equal(batch, "none", NoWordNet())


@pytest.mark.real
@pytest.mark.slow
def test_demetr_with_wordnet():
    folder = need_debian()
    pairs = demetr_requests()[::6]
    batch = Batch([h for h, _ in pairs], references=([r for _, r in pairs],))
    assert_equal(batch, folder, nltk_reader(folder))


@pytest.mark.real
@pytest.mark.parametrize("code", LANGUAGES)
def test_damaged_lines_with_two_references(code):
    lines, rng = ntrex(code)[:1000], random.Random(code)
    hyps = [corrupt(line, rng) for line in lines]
    second: list[str | None] = [corrupt(line, rng) if rng.random() < 0.9 else None for line in lines]
    assert_equal(Batch(hyps, references=(lines, second)), "none", NoWordNet())


@pytest.mark.real
def test_damaged_english_with_wordnet_and_two_references():
    folder = need_debian()
    lines, rng = ntrex("eng")[:1000], random.Random("eng")
    hyps = [corrupt(line, rng) for line in lines]
    second = [corrupt(lines[i - 1], rng) for i in range(len(lines))]
    assert_equal(Batch(hyps, references=(lines, second)), folder, nltk_reader(folder))


def test_corpus_score_is_the_mean():
    meteor = Meteor(wordnet="none")
    scores = meteor.score(Batch(["a b", "c"], references=(["a b", "d"],)))
    assert meteor.combine(statistics(scores).sum(axis=0)) == (0.9375 + 0.0) / 2


def test_signature_names_the_wordnet(small, monkeypatch):
    assert str(Meteor(wordnet="none").signature) == "METEOR|alpha:0.9|beta:3.0|gamma:0.5|stem:porter|wordnet:none|v:1"
    monkeypatch.setenv("ASSAY_WORDNET", str(small))
    auto = Meteor()
    assert "|wordnet:0.1-" in str(auto.signature)
    assert pickle.loads(pickle.dumps(auto)).signature == auto.signature
    assert len(pickle.dumps(auto)) < 1000


def test_options_as_people_type_them(small):
    made = metric(f"meteor:alpha=0.8,wordnet={small}")
    assert isinstance(made, Meteor)
    assert "alpha:0.8|" in str(made.signature)
    assert "|wordnet:0.1-" in str(made.signature)


def test_wrong_options(tmp_path):
    with pytest.raises(InputError, match="alpha and gamma from 0 to 1"):
        Meteor(alpha=1.5)
    with pytest.raises(InputError):
        Meteor(beta=-1)
    with pytest.raises(MissingPart, match="no WordNet in"):
        Meteor(wordnet=str(tmp_path))
    with pytest.raises(InputError, match="requires a reference"):
        Meteor(wordnet="none").score(Batch(["a"]))
