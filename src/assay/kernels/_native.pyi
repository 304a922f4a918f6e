from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Singles = NDArray[np.float32]
Integers = NDArray[np.int64]
Words = NDArray[np.uint64]
Texts = Sequence[str]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
References = Sequence[Sequence[str | None]]

def chrf(
    hypotheses: Texts,
    references: References,
    char_order: int,
    word_order: int,
    beta: float,
    whitespace: bool,
    eps_smoothing: bool,
) -> tuple[Floats, Floats]: ...
def distinct(
    hypotheses: Texts, references: References, others: References
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def describe(
    hypotheses: Texts, sources: Texts | None, references: References, ratio: float, margin: int
) -> NDArray[np.uint8]: ...
def resample_sums(stats: Floats, indices: NDArray[np.int64]) -> Floats: ...
def bit_sums(stats: Floats, words: NDArray[np.uint32], samples: int) -> Floats: ...
def bleu(
    hypotheses: Texts,
    references: References,
    max_order: int,
    tokenize: bool,
    smooth_method: str,
    smooth_value: float,
) -> tuple[Floats, Floats]: ...
def tokenize_13a(texts: Texts) -> list[str]: ...
def rouge(
    hypotheses: Texts, references: References, order: int
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]: ...
def word_ids(columns: References) -> tuple[list[str], Ints, Longs]: ...
def meteor(
    ids: Ints,
    starts: Longs,
    rows: int,
    surface: Ints,
    stem: Ints,
    synonym_starts: Longs,
    synonyms: Ints,
    alpha: float,
    beta: float,
    gamma: float,
) -> Floats: ...
def cer(hypotheses: Texts, references: References) -> tuple[Floats, Floats, Bools]: ...
def ter(hypotheses: Texts, references: References, lowercase: bool) -> tuple[Floats, Floats, Bools]: ...
def wer(hypotheses: Texts, references: References) -> tuple[Floats, Floats, Bools]: ...
def pair_counts(gold: Floats, rows: Floats, starts: Integers, epsilons: Floats) -> Integers: ...
def kendall_like(gold: Floats, rows: Floats, starts: Integers, threshold: float) -> Integers: ...
def tie_calibration(gold: Floats, rows: Floats, starts: Integers) -> tuple[Floats, Floats, Floats]: ...
def correct_pairs(gold: Floats, rows: Floats, starts: Integers, epsilons: Floats) -> NDArray[np.uint8]: ...
def masked_counts(masks: Words, columns: Words) -> Integers: ...
def masked_sums(masks: NDArray[np.uint8], rows: Floats) -> Floats: ...

class Mini:
    """assay-mini's network; `reference/mini.py` says what it computes."""

    def __init__(self, tensors: dict[str, NDArray[Any]], processor: str = "") -> None: ...
    @property
    def processor(self) -> str: ...
    def pieces(self, texts: Sequence[str | None]) -> tuple[Ints, Longs, Ints, Ints, Ints, Ints, Ints]: ...
    def score(
        self,
        hypotheses: Texts,
        references: Sequence[str | None] | None,
        sources: Sequence[str | None] | None,
        precise: bool,
        workers: int,
    ) -> tuple[Singles, Singles, Longs, Ints, Ints, NDArray[np.uint8]]: ...
    def match(
        self, hypotheses: Texts, others: Texts, kind: int, depth: int, precise: bool, workers: int
    ) -> Singles: ...

def span_credits(
    predictions: Sequence[Sequence[Sequence[int | str]]],
    references: Sequence[Sequence[Sequence[int | str]]],
    measure: str,
    matching: str,
    penalty: float,
    weights: dict[str, float],
) -> Floats: ...
