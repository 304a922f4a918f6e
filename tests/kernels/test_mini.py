"""assay-mini's kernel against its twin, and against itself: whatever is scored beside a text, its numbers are the same bytes."""

from __future__ import annotations

import gc
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.io.resources.mini import load_mini, mini_folder
from assay.kernels._native import Mini
from assay.kernels.reference import mini as reference
from tests.kernels.mini_model import LETTERS, NORMAL, Tensors, random_model
from tests.kernels.test_mini_reference import TRIPLES
from tests.kernels.texts import batch

PROCESSORS = ("avx512-vnni", "avx2", "generic")
MODEL = random_model()
NATIVE, REFERENCE = Mini(MODEL), reference.Mini(MODEL)
ALPHABET = sorted({*LETTERS, *NORMAL, *" \t\x00\ud800\udfffΞΩкшअ्ጀ一猫\U0001f600\U0010ffff\u2581<>/|"})
TEXTS = st.text(ALPHABET, max_size=60) | st.sampled_from(["", " ", "\x00", "<s></s>", "19,79.5", "1.", "a" * 900])
ROWS = st.lists(st.tuples(TEXTS, st.none() | TEXTS, st.none() | TEXTS), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def shipped() -> Tensors:
    """The weights that are installed."""
    if mini_folder() is None:
        pytest.skip("assay-mini's weights are not installed")
    return dict(load_mini().tensors)


def tables(tensors: Tensors) -> list[Mini]:
    """A model for each kind of processor that this one can stand for; the last of them runs everywhere."""
    found = []
    for name in PROCESSORS:
        try:
            found.append(Mini(tensors, name))
        except ValueError as error:
            assert "no kind of processor" in str(error)
    assert found[-1].processor == "generic"
    return found


def same(one: Any, other: Any) -> bool:
    """Equal to the last bit."""
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


def differences(model: Mini, model_reference: reference.Mini, rows: list[Any], precise: bool) -> tuple[float, float]:
    """How far values and tags lie from the twin's; everything else is equal."""
    hypotheses, references, sources = map(list, zip(*rows, strict=True))
    found = model.score(hypotheses, references, sources, precise, 2)
    expected = model_reference.score(hypotheses, references, sources)
    assert same(found[2:], expected[2:])
    values, tags = (np.abs(a - b).max(initial=0) for a, b in zip(found[:2], expected[:2], strict=True))
    return float(values), float(tags)


@given(st.lists(TEXTS, max_size=5))
def test_pieces_are_those_of_the_twin(texts: list[str]) -> None:
    assert same(NATIVE.pieces(texts), REFERENCE.pieces(texts))


@settings(max_examples=25)
@given(ROWS)
def test_scores_are_near_the_twin(rows: list[tuple[str, str | None, str | None]]) -> None:
    values, tags = differences(NATIVE, REFERENCE, rows, precise=True)
    assert values < 0.005 and tags < 0.002
    values, tags = differences(NATIVE, REFERENCE, rows, precise=False)
    assert values < 0.2 and tags < 0.08


@settings(max_examples=25)
@given(ROWS, st.sampled_from([1, 2]), st.integers(0, 4))
def test_similarities_are_near_the_twin(rows: list[Any], kind: Any, depth: int) -> None:
    hypotheses, others, _ = zip(*rows, strict=True)
    others = [text or "" for text in others]
    expected = REFERENCE.match(hypotheses, others, kind, depth)
    for precise, near in ((True, 0.001), (False, 0.05)):
        found = NATIVE.match(hypotheses, others, kind, depth, precise, 2)
        assert np.abs(found - expected).max() < near


@pytest.mark.slow
def test_the_shipped_model_is_near_its_twin(shipped: Tensors) -> None:
    """Within the 0.002 and the small loss of 8 bits that are promised."""
    model, twin = Mini(shipped), reference.Mini(shipped)
    rows = [(hypothesis, reference, source) for source, hypothesis, reference in TRIPLES[:5]]
    texts = [text for row in TRIPLES for text in row]
    assert same(model.pieces(texts), twin.pieces(texts))
    values, tags = differences(model, twin, rows, precise=True)
    assert values < 0.002 and tags < 0.001
    values, tags = differences(model, twin, rows, precise=False)
    assert values < 0.1 and tags < 0.05


def drawn(seed: int, rows: int) -> tuple[list[str], list[str | None], list[str | None]]:
    """Texts of all scripts, some of them too long, some shared."""
    rng = random.Random(seed)
    texts = batch(rng, rows, long=3)
    sources = [rng.choice((None, "", text, f"the cat {i // 3}")) for i, text in enumerate(texts.hypotheses)]
    return texts.hypotheses, texts.references[0], sources


@pytest.mark.parametrize("precise", [False, True], ids=["8 bits", "14 bits"])
def test_every_processor_gives_the_same_bytes(precise: bool) -> None:
    texts = drawn(1, 120)
    first, *others = tables(MODEL)
    expected = first.score(*texts, precise, 1)
    matched = first.match(texts[0], texts[1], 1, 4, precise, 1).tobytes()
    for other in others:
        assert same(other.score(*texts, precise, 1), expected), other.processor
        assert other.match(texts[0], texts[1], 1, 4, precise, 1).tobytes() == matched


@pytest.mark.slow
def test_every_processor_gives_the_same_bytes_from_the_shipped_model(shipped: Tensors) -> None:
    sources, hypotheses, references = map(list, zip(*TRIPLES[:2], strict=True))
    for precise in (False, True):
        first, *others = (model.score(hypotheses, references, sources, precise, 2) for model in tables(shipped))
        assert all(same(other, first) for other in others)


@pytest.mark.parametrize("workers", [0, 1, 2, 3, 7, 2**60])
def test_workers_and_what_was_scored_before_change_nothing(workers: int) -> None:
    """On a new model, on one that has seen the texts, and on one that has seen others."""
    texts, others = drawn(2, 250), drawn(3, 60)
    expected = NATIVE.score(*texts, False, 1)
    model = Mini(MODEL)
    assert same(model.score(*texts, False, workers), expected)
    assert same(model.score(*texts, False, workers), expected)
    seen = Mini(MODEL)
    seen.score(*others, True, workers)
    seen.score(*others, False, workers)
    assert same(seen.score(*texts, False, workers), expected)


def test_order_and_batch_change_nothing() -> None:
    texts = drawn(4, 90)
    values, tags, starts, begins, ends, cut = NATIVE.score(*texts, False, 2)
    order = random.Random(5).sample(range(90), 90)
    mixed = Mini(MODEL).score(*([column[i] for i in order] for column in texts), False, 2)
    for place, i in enumerate(order):
        alone = Mini(MODEL).score(*([column[i]] for column in texts), False, 1)
        here, there = slice(starts[i], starts[i + 1]), slice(mixed[2][place], mixed[2][place + 1])
        row = [values[i], tags[here], begins[here], ends[here], cut[i]]
        assert same(row, [mixed[0][place], mixed[1][there], mixed[3][there], mixed[4][there], mixed[5][place]])
        assert same(row, [alone[0][0], alone[1], alone[3], alone[4], alone[5][0]])


def test_threads_may_share_a_model() -> None:
    batches = [drawn(seed, 30) for seed in range(6)]
    expected = [NATIVE.score(*texts, False, 1) for texts in batches]
    model = Mini(MODEL)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda texts: model.score(*texts, False, 2), batches * 3))
    assert all(same(one, other) for one, other in zip(found, expected * 3, strict=True))


def test_texts_are_cut_behind_400_pieces() -> None:
    """A mark of a blank and n letters that form no longer piece are n + 1 pieces, or n where the two join."""
    exact, longer = " ".join("猫" * 400), " ".join("猫" * 401)
    assert np.diff(NATIVE.pieces([exact, longer])[1]).tolist() == [400, 401]
    texts = (
        [exact, longer, exact, exact, longer],
        [exact, exact, longer, None, longer],
        [None, exact, exact, longer, longer],
    )
    _, tags, starts, _, _, cut = NATIVE.score(*texts, False, 2)
    assert cut.tolist() == [0, 1, 2, 4, 7]
    assert np.diff(starts).tolist() == [400] * 5 and len(tags) == 2000


@pytest.mark.parametrize("nothing", [None, "", " \t\u3000"])
def test_a_text_that_is_missing_and_one_that_is_blank_are_the_same(nothing: str | None) -> None:
    text = ["die katze"]
    assert same(NATIVE.score(text, [nothing], ["the cat"], False, 1), NATIVE.score(text, None, ["the cat"], False, 1))
    assert same(NATIVE.score(text, ["the cat"], [nothing], False, 1), NATIVE.score(text, ["the cat"], None, False, 1))


def test_no_texts_give_no_rows() -> None:
    values, tags, starts, begins, ends, cut = NATIVE.score([], [], None, False, 2)
    assert (values.shape, tags.shape, starts.tolist()) == ((0, 7), (0, 2), [0])
    assert len(begins) == len(ends) == len(cut) == 0
    assert NATIVE.match([], [], 1, 0, False, 1).shape == (0, 5)
    assert [len(array) for array in NATIVE.pieces([])] == [0, 1, 0, 0, 0, 0, 0]


def test_wrong_calls_say_what_is_wrong() -> None:
    for call, message in (
        (lambda: NATIVE.score(["a"], ["a", "b"], None, False, 1), "as long as the hypotheses"),
        (lambda: NATIVE.match(["a"], [], 1, 0, False, 1), "as many others"),
        (lambda: NATIVE.match(["a"], ["a"], 0, 0, False, 1), "kind is 1"),
        (lambda: NATIVE.match(["a"], ["a"], 1, 5, False, 1), "depth is 0 to 4"),
        (lambda: Mini(MODEL, "abacus"), "abacus is no kind of processor"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="hypotheses\\[1\\] is int"):
        NATIVE.score(["a", 1], None, ["a", "b"], False, 1)  # type: ignore[list-item]
    with pytest.raises(TypeError):
        NATIVE.score(["a"], None, ["a"], False, -1)


def test_a_model_keeps_its_table_and_lets_it_go() -> None:
    tensors = random_model(seed=6)
    codes = tensors["codes"]
    before = sys.getrefcount(codes)
    model = Mini(tensors)
    expected = model.score(["die katze"], ["the cat"], None, False, 1)
    tensors.clear()
    gc.collect()
    assert same(model.score(["die katze"], ["the cat"], None, False, 1), expected)
    del model
    gc.collect()
    assert sys.getrefcount(codes) == before - 1  # the dictionary's own reference went
