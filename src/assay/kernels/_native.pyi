from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Words = NDArray[np.uint64]
Texts = Sequence[str]
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
def pair_counts(gold: Floats, rows: Floats, starts: Integers, epsilons: Floats) -> Integers: ...
def kendall_like(gold: Floats, rows: Floats, starts: Integers, threshold: float) -> Integers: ...
def tie_calibration(gold: Floats, rows: Floats, starts: Integers) -> tuple[Floats, Floats, Floats]: ...
def correct_pairs(gold: Floats, rows: Floats, starts: Integers, epsilons: Floats) -> NDArray[np.uint8]: ...
def masked_counts(masks: Words, columns: Words) -> Integers: ...
def masked_sums(masks: NDArray[np.uint8], rows: Floats) -> Floats: ...
