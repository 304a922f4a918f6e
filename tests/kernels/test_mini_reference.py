"""assay-mini's twin against the research code that trained and checked the model."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from assay.kernels.reference.mini import Mini
from tests.data import need
from tests.kernels.mini_model import random_model, research_model

TRIPLES = [
    ("The treaty was signed in 1997 by two countries.", "Der Vertrag wurde 1979 von zwei Ländern unterzeichnet.",
     "Der Vertrag wurde 1997 von zwei Staaten unterzeichnet."),
    ("The weather will be fine tomorrow.", "明天天气会很好。", ""),
    ("", "Он  прочитал 1,234.5 книги\u00a0вчера…", "Вчера он прочитал 1,234.5 книги!"),
    ("Please close the window.", "कृपया खिड़की बंद करें। ΞΩ ጀጁ", "खिड़की बंद कर दें।"),
    ("It never happened.", "", "Es ist nie geschehen."),
    ("word " * 450, "Wort " * 30, "Wort oder " * 30),
]  # fmt: skip


@pytest.fixture(scope="module")
def research() -> tuple[Any, Mini]:
    """The research code's own model, and the twin on the same weights."""
    pytest.importorskip("torch")
    folder = need("research", "mini")
    spec = importlib.util.spec_from_file_location("research_mini", folder / "prototype" / "load.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Model(str(folder / "D1")), Mini(research_model(folder / "D1"))


def test_the_twin_is_the_research_model(research: tuple[Any, Mini]) -> None:
    model, twin = research
    sources, hypotheses, references = zip(*TRIPLES, strict=True)
    values, tags, starts, begins, ends, cut = twin.score(hypotheses, references, sources)
    for i, (source, hypothesis, reference) in enumerate(TRIPLES):
        log_mu, heads, wanted_tags, spans = model.score(source, hypothesis, reference)
        rows = slice(starts[i], starts[i + 1])
        assert np.abs(values[i] - [log_mu, *heads]).max() < 1e-3, i
        # Ours leave out any blank in front of a piece, the research code " " alone.
        bare = [(b - len(hypothesis[a:b].lstrip()), b) for a, b in spans]
        assert list(zip(begins[rows], ends[rows], strict=True)) == bare
        assert np.abs(tags[rows] - wanted_tags[: len(spans)]).max(initial=0) < 1e-3, i
    assert cut.tolist() == [0, 0, 0, 0, 0, 4]


def test_the_twin_matches_as_the_research_model_does(research: tuple[Any, Mini]) -> None:
    model, twin = research
    _, hypothesis, reference = TRIPLES[0]
    _, _, vectors, own, rare = model.encode(hypothesis, 0)
    _, _, others, other, other_rare = model.encode(reference, 1)
    for depth in range(5):
        similar = (own[depth] @ other[depth].T).numpy()
        best, best_other = similar.max(axis=1), similar.max(axis=0)
        expected = [
            best.mean(), best_other.mean(), np.average(best, weights=rare), np.average(best_other, weights=other_rare),
        ]  # fmt: skip
        a, b = vectors.numpy().mean(axis=0), others.numpy().mean(axis=0)
        expected.append(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        assert twin.match([hypothesis], [reference], 1, depth)[0] == pytest.approx(expected, abs=1e-4)


def test_pieces_cover_the_text_and_count_what_is_strange() -> None:
    twin = Mini(random_model())
    text = "die  katze ΞΩ 1979"
    ids, starts, begins, ends, unknown, characters, foreign = twin.pieces([text, "", " ", "\ud83d\0"])
    words = twin.vocabulary.texts
    assert [words[i] for i in ids[: starts[1]]] == ["\u2581die", "\u2581katze", "\u2581", "<unk>", "\u258119", "79"]
    assert [text[a:b] for a, b in zip(begins[: starts[1]], ends[: starts[1]], strict=True)] == [
        "die", "katze", "", "ΞΩ", "19", "79",
    ]  # fmt: skip
    assert starts.tolist() == [0, 6, 6, 7, 9]
    assert unknown.tolist() == [2, 0, 0, 2]
    assert characters.tolist() == [14, 0, 0, 2]
    untrained = sum(len(words[i].strip("\u2581")) for i in ids[:6] if not twin.vocabulary.trained[i])
    assert foreign.tolist() == [2 + untrained, 0, 0, 2]


def test_what_looks_like_a_mark_is_text() -> None:
    twin = Mini(random_model())
    assert min(twin.pieces(["<s>abc</s><pad>"])[0]) >= 3


def test_a_text_that_is_missing_and_one_that_is_blank_are_the_same() -> None:
    twin = Mini(random_model())
    without = twin.score(["die katze"], None, ["the cat"])[0]
    for nothing in (None, "", "  "):
        assert (twin.score(["die katze"], [nothing], ["the cat"])[0] == without).all()
