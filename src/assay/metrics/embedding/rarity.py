"""How rare a token is: in how many lines of a text file it stands, counted once for a metric and a file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.models.embedding import Embedder

PART = 4096


class Rarity:
    """Weights of tokens by the lines of a file that have them; every line is a document."""

    def __init__(self, path: str | Path, embedder: Embedder, weigh: Callable[[float, float], float]) -> None:
        from assay.io.files.text import read_lines

        counted: Counter[int] = Counter()
        total = 0
        for lines in read_lines(path, PART):
            total += len(lines)
            for tokens in embedder.tokens(lines):
                counted.update(set(tokens.ids))
        if not total:
            raise InputError(f"{path} has no line to count tokens in (idf=FILE).")
        self.table = np.full(embedder.config.vocabulary, weigh(total, 0))
        for token, count in counted.items():
            self.table[token] = weigh(total, count)

    def __call__(self, ids: np.ndarray) -> Floats:
        """The weight of each token."""
        return np.asarray(self.table[ids])


def bertscore_weight(lines: float, count: float) -> float:
    """Zhang et al. 2020, section 3: minus the logarithm of the share of lines, with one added to both."""
    return math.log((lines + 1) / (count + 1))


def yisi_weight(lines: float, count: float) -> float:
    """Lo 2019, section 2: never 0, since a token that stands in every line still counts a little."""
    return math.log2(1 + (lines + 1) / (count + 1))
