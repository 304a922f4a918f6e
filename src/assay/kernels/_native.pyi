from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
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
def cer(hypotheses: Texts, references: References) -> tuple[Floats, Floats, Bools]: ...
def ter(hypotheses: Texts, references: References, lowercase: bool) -> tuple[Floats, Floats, Bools]: ...
def wer(hypotheses: Texts, references: References) -> tuple[Floats, Floats, Bools]: ...
