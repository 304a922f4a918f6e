"""From texts to vectors: every different text once, packed, sorted by length, on any device and in any precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.core.errors import InputError
from assay.models.encoder_files import EncoderFiles
from assay.models.inference import DTYPES
from assay.models.packing import Packed, pack
from assay.models.pretrained import LoadedEncoder, load_encoder
from assay.models.runtime.batching import encoder_runner
from assay.models.tokenizer import Tokens

Width = Literal["fp32", "bf16", "fp16"]


@dataclass(frozen=True, slots=True)
class Vectors:
    """Token vectors of several texts end to end: text i has the rows ``starts[i]`` to ``starts[i + 1]``."""

    rows: Tensor
    starts: NDArray[np.int64]


class Embedder:
    """A loaded encoder, ready to embed. Not for several threads at a time."""

    def __init__(
        self,
        files: EncoderFiles,
        *,
        precision: Width = "fp32",
        device: torch.device | str = "cpu",
        layer: int | None = None,
        budget: int | None = None,
    ) -> None:
        self.device = torch.device(device)
        dtype = DTYPES[precision]
        self.loaded: LoadedEncoder = load_encoder(files, dtype=dtype, device=self.device)
        self.loaded.tokenizer.with_leading_blank()
        self.config = self.loaded.encoder.config
        self.layer = self.config.layers if layer is None else layer
        if not 0 <= self.layer <= self.config.layers:
            raise InputError(
                f"{files.folder} has layers 0 to {self.config.layers}, and layer {self.layer} was asked for."
            )
        self.runner = encoder_runner(self.config, self.device, dtype, budget)

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Texts without blanks around them, cut to what the encoder has positions for."""
        return self.loaded.tokenizer.encode([text.strip() for text in texts], self.config.longest)

    def vectors(self, sequences: Sequence[Sequence[int]]) -> Vectors:
        """The layer's vector of every token of every sequence, in their order, each of length 1."""

        def compute(packed: Packed) -> Tensor:
            *_, hidden = self.loaded.encoder.states(packed, self.layer)
            return torch.nn.functional.normalize(hidden.float(), dim=1, eps=1e-30)

        parts = list(self.run(sequences, compute))
        lengths = np.array([len(ids) for ids in sequences], np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        if not parts:
            return Vectors(torch.empty(0, self.config.hidden, device=self.device), starts)
        order = np.concatenate([np.array(batch) for batch, _ in parts])
        came = np.cumsum(lengths[order]) - lengths[order]
        first = np.empty(len(order), np.int64)
        first[order] = came
        places = np.repeat(first - starts[:-1], lengths) + np.arange(lengths.sum())
        rows = torch.cat([rows for _, rows in parts])
        self.check(rows)
        return Vectors(rows[torch.from_numpy(places).to(self.device)], starts)

    def check(self, numbers: Tensor) -> None:
        """Refuse vectors with infinite or missing numbers."""
        if not bool(torch.isfinite(numbers).all()):
            self.runner.check_finite(numbers.float().cpu().numpy())

    def run(
        self, sequences: Sequence[Sequence[int]], compute: Callable[[Packed], Tensor]
    ) -> Iterator[tuple[list[int], Tensor]]:
        """`compute` over packed batches of the sequences; each batch as indices, longest first, and its output."""
        sizes = [len(ids) for ids in sequences]
        return self.runner.run(sizes, lambda batch: compute(self._pack([sequences[i] for i in batch])))

    def _pack(self, sequences: list[Sequence[int]]) -> Packed:
        restarts = self.config.family != "bert"
        return pack(sequences, pad=self.loaded.tokenizer.pad, pad_restarts=restarts, device=self.device)
