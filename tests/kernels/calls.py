"""Every kernel as a call with random arguments: what fuzzing and fault injection run."""

from __future__ import annotations

import functools
import importlib.util
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.kernels.mini_model import random_model
from tests.kernels.texts import Batch

Arguments = tuple[Any, ...]


def load(path: Path) -> ModuleType:
    """A build of the kernels by its path, beside the installed one."""
    spec = importlib.util.spec_from_file_location("_native", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def mini(native: ModuleType) -> Any:
    """One small assay-mini of chance a build, which keeps its encodings from call to call."""
    return native.Mini(random_model(layers=3))


def kernel(native: ModuleType, name: str) -> Callable[..., Any]:
    """A kernel by its name, or a method of assay-mini as ``Mini.method``."""
    _, dot, method = name.partition(".")
    found: Callable[..., Any] = getattr(mini(native) if dot else native, method or name)
    return found


def kernels(native: ModuleType) -> set[str]:
    """The names of all kernels of a build."""
    functions = {name for name in dir(native) if not name.startswith("_") and name != "Mini"}
    methods = {name for name, value in vars(native.Mini).items() if not name.startswith("_") and callable(value)}
    return functions | {f"Mini.{name}" for name in methods}


def bleu(rng: random.Random, batch: Batch) -> Arguments:
    smoothing = rng.choice(("none", "exp", "floor", "add-k"))
    return (*batch, rng.choice((1, 2, 4, 4, 4, 5, 8)), rng.random() < 0.7, smoothing, rng.choice((0.0, 0.1, 1.0)))


def chrf(rng: random.Random, batch: Batch) -> Arguments:
    orders = rng.choice((1, 2, 6, 6, 8, 9)), rng.choice((0, 0, 2, 2, 4, 5))
    return (*batch, *orders, rng.choice((1.0, 2.0, 3.0)), rng.random() < 0.3, rng.random() < 0.3)


def ter(rng: random.Random, batch: Batch) -> Arguments:
    return (*batch, rng.random() < 0.7)


def rouge(rng: random.Random, batch: Batch) -> Arguments:
    return (*batch, rng.choice((0, 0, 1, 2, 3, 5)))


def plain(rng: random.Random, batch: Batch) -> Arguments:
    return tuple(batch)


def tokens(rng: random.Random, batch: Batch) -> Arguments:
    return (batch.hypotheses,)


def columns(rng: random.Random, batch: Batch) -> Arguments:
    return ([batch.hypotheses, *batch.references],)


def distinct(rng: random.Random, batch: Batch) -> Arguments:
    return (*batch, [batch.hypotheses[::-1]] if rng.random() < 0.5 else [])


def describe(rng: random.Random, batch: Batch) -> Arguments:
    sources = rng.choice((None, batch.hypotheses, batch.hypotheses[::-1]))
    return batch.hypotheses, sources, batch.references, rng.choice((1.0, 3.0)), rng.randrange(6)


def meteor(rng: random.Random, batch: Batch) -> Arguments:
    """Words numbered by Python; every stem belongs to two words or so, and has up to three synonyms among the stems."""
    numbers: dict[str, int] = {}
    texts = [text for column in (batch.hypotheses, *batch.references) for text in column]
    ids = [[-1] if text is None else [numbers.setdefault(w, len(numbers)) for w in text.split()] for text in texts]
    count = len(numbers)
    stems = [rng.randrange(count // 2 + 1) for _ in range(count)]
    synonyms = [[rng.randrange(count) for _ in range(rng.choice((0, 0, 1, 3)))] for _ in range(count)]
    return (
        np.array([number for row in ids for number in row], np.int32),
        np.cumsum([0, *map(len, ids)], dtype=np.int64),
        len(batch.hypotheses),
        np.arange(count, dtype=np.int32),
        np.array(stems, np.int32),
        np.cumsum([0, *map(len, synonyms)], dtype=np.int64),
        np.array([number for row in synonyms for number in row], np.int32),
        *(rng.choice((0.5, 0.9)), rng.choice((1.0, 3.0)), rng.choice((0.0, 0.5))),
    )


def mini_score(rng: random.Random, batch: Batch) -> Arguments:
    """A reference, a source, both or neither; one to three threads."""
    references, sources = (rng.choice((None, batch.references[0], batch.references[-1])) for _ in range(2))
    return batch.hypotheses, references, sources, rng.random() < 0.5, rng.choice((1, 2, 3))


def mini_match(rng: random.Random, batch: Batch) -> Arguments:
    kind, depth = rng.choice((1, 2)), rng.randrange(5)
    return batch.hypotheses, batch.references[0], kind, depth, rng.random() < 0.5, rng.choice((1, 2, 3))


def grouped(rng: random.Random) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(gold, rows, starts): scores with ties, in groups of nothing up to more than a machine word."""
    sizes = [rng.choice((0, 1, 2, 5, 9, 70)) for _ in range(rng.randrange(1, 5))]
    cells, rows = sum(sizes), rng.randrange(1, 4)
    scores = np.array(
        [[rng.choice((0.0, 0.25, 0.5, 1.0, rng.random())) for _ in range(cells)] for _ in range(rows + 1)]
    )
    return scores[0], scores[1:].copy(), np.cumsum([0, *sizes], dtype=np.int64)


def epsilons(rng: random.Random) -> Arguments:
    gold, rows, starts = grouped(rng)
    return gold, rows, starts, np.array([rng.choice((0.0, 0.25, 0.3)) for _ in rows])


def threshold(rng: random.Random) -> Arguments:
    return (*grouped(rng), rng.choice((0.0, 0.25, 0.5)))


def statistics(rng: random.Random) -> np.ndarray:
    return np.array([[rng.randrange(9) for _ in range(4)] for _ in range(rng.randrange(1, 40))], np.float64)


def resample_sums(rng: random.Random) -> Arguments:
    stats = statistics(rng)
    return stats, np.array([[rng.randrange(len(stats)) for _ in stats] for _ in range(7)], np.int64)


def bit_sums(rng: random.Random) -> Arguments:
    stats, samples = statistics(rng), rng.randrange(1, 9)
    return stats, np.array([rng.getrandbits(32) for _ in range(samples * len(stats) // 32 + 1)], np.uint32), samples


def masked_counts(rng: random.Random) -> Arguments:
    words = rng.randrange(1, 4)
    return tuple(
        np.array([[rng.getrandbits(64) for _ in range(words)] for _ in range(rng.randrange(1, 6))], np.uint64)
        for _ in range(2)
    )


def masked_sums(rng: random.Random) -> Arguments:
    cells, draws = rng.randrange(1, 30), rng.randrange(1, 9)
    masks = np.array([[rng.randrange(256) for _ in range(draws)] for _ in range((cells + 7) // 8)], np.uint8)
    return masks, np.array([[rng.randrange(9) for _ in range(cells)] for _ in range(rng.randrange(1, 20))], np.float64)


def span_credits(rng: random.Random) -> Arguments:
    """Up to six spans on each side of a few segments, under a random measure and matching."""
    severities = ("minor", "major", "critical")

    def spans() -> list[tuple[int, int, str, str]]:
        starts = [rng.randrange(30) for _ in range(rng.choice((0, 1, 2, 6)))]
        return [
            (start, start + rng.randrange(1, 12), rng.choice(("source", "target")), rng.choice(severities))
            for start in starts
        ]

    segments = rng.randrange(4)
    measure, matching = (
        rng.choice(("EM", "MP", "MPP", "WMT25")),
        rng.choice(("one_to_one-optimal", "one_to_one-greedy", "many_to_many")),
    )
    weights = dict.fromkeys(severities, 0.5) if measure == "MPP" and rng.random() < 0.3 else {}
    sides = [[spans() for _ in range(segments)] for _ in range(2)]
    return (*sides, measure, matching, rng.choice((0.0, 0.5, 1.0)), weights)


TEXTS: dict[str, Callable[[random.Random, Batch], Arguments]] = {
    "bleu": bleu,
    "chrf": chrf,
    "ter": ter,
    "cer": plain,
    "wer": plain,
    "rouge": rouge,
    "meteor": meteor,
    "tokenize_13a": tokens,
    "word_ids": columns,
    "distinct": distinct,
    "describe": describe,
    "Mini.pieces": tokens,
    "Mini.score": mini_score,
    "Mini.match": mini_match,
}
"""The kernels that read texts, and how their arguments are drawn."""

ARRAYS: dict[str, Callable[[random.Random], Arguments]] = {
    "resample_sums": resample_sums,
    "bit_sums": bit_sums,
    "pair_counts": epsilons,
    "kendall_like": threshold,
    "tie_calibration": grouped,
    "correct_pairs": epsilons,
    "masked_counts": masked_counts,
    "masked_sums": masked_sums,
    "span_credits": span_credits,
}
"""The kernels that read arrays or spans."""


def as_lists(result: Any) -> Any:
    """A result as plain values that can be compared: arrays as lists."""
    if isinstance(result, np.ndarray):
        return result.tolist()
    return (
        [as_lists(part) for part in result] if isinstance(result, Sequence) and not isinstance(result, str) else result
    )
