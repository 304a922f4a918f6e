"""Base class of metrics with a pretrained encoder, and token weights based on document frequency."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.core.errors import InputError
from assay.core.metric import Signature
from assay.core.spec import Word
from assay.data.checkpoints import checkpoints
from assay.io.files.text import read_lines
from assay.metrics.neural import NeuralMetric, Precision, need_neural

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.models.encoders.embedding import Embedder


class EncoderMetric(NeuralMetric):
    """Base class of metrics with a pretrained encoder.

    `model` is a hub folder, or the name of an encoder that ``assay fetch`` downloads. `precision`: auto means fp32 on a CPU and
    fp16 on a GPU. `device`: auto means the GPU if there is one.
    """

    default_model: ClassVar[str]
    layer: int | None = None
    """Layer whose vectors are compared; None means the last one."""

    def __init__(self, *, model: str | None = None, precision: Precision = "auto", device: Word = "auto") -> None:
        super().__init__(precision, device)
        need_neural(self.card.name, "tokenizers", "safetensors")
        from assay.models.files.encoder import locate_encoder
        from assay.models.files.published import encoder_name, find_encoder

        self.model = model or self.default_model
        self.folder = Path(self.model) if Path(self.model).is_dir() else find_encoder(self.model)
        self.files = locate_encoder(self.folder)
        if self.model != self.default_model:
            published = encoder_name(self.model)
            licence = (
                f"{checkpoints()[published].licence} (the encoder {published})" if published else "the encoder's own"
            )
            self.card = replace(self.card, languages=("any",), licence=licence)

    def _load(self) -> Embedder:
        from assay.models.encoders.embedding import Embedder

        device, precision = self.place()
        return Embedder(self.files, precision=precision, device=device, layer=self.layer)

    def others(self) -> Sequence[Path]:
        """Return other files that affect the scores."""
        return ()

    def _fingerprint(self) -> str:
        return self.files.fingerprint(*self.others())

    def signed_as(self, version: int, **parameters: object) -> Signature:
        """Return the signature of a metric that uses this encoder."""
        return super().signed_as(version, model=self.folder.resolve().name, **parameters)


def frequency_file(name: str, option: str, given: str | None) -> str | None:
    """Return the file specified in an option. Raise an error if it does not exist."""
    if given is not None and not Path(given).is_file():
        raise InputError(
            f"{name} requires a text file for counting tokens, but {given} does not exist ({option}=FILE)."
        )
    return given


PART = 4096


class Rarity:
    """Token weights by document frequency; each line of a file is one document."""

    def __init__(self, path: str | Path, embedder: Embedder, weigh: Callable[[float, float], float]) -> None:
        counted: Counter[int] = Counter()
        total = 0
        for lines in read_lines(path, PART):
            total += len(lines)
            for tokens in embedder.tokens(lines):
                counted.update(set(tokens.ids))
        if not total:
            raise InputError(f"{path} is empty: it contains no tokens to count (idf=FILE).")
        self.table = np.full(embedder.config.vocabulary, weigh(total, 0))
        for token, count in counted.items():
            self.table[token] = weigh(total, count)

    def __call__(self, ids: np.ndarray) -> Floats:
        """Return the weight of each token."""
        return np.asarray(self.table[ids])


def bertscore_weight(lines: float, count: float) -> float:
    """Return the negative log of the share of lines that contain a token, after adding one to both counts (Zhang et al. 2020,
    section 3).
    """
    return math.log((lines + 1) / (count + 1))


def yisi_weight(lines: float, count: float) -> float:
    """Return YiSi's weight for a token, which is above 0 even for a token in every line (Lo 2019, section 2)."""
    return math.log2(1 + (lines + 1) / (count + 1))
