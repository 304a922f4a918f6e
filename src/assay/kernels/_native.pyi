from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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
