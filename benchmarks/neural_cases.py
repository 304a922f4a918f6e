"""Contract of a case of `benchmarks/neural.py`: a class of metric that writes its weights and returns the scores of both
sides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True)
class Texts:
    """Texts to score: several systems' translations of the same sources, row by row."""

    sources: list[str]
    hypotheses: list[str]
    references: list[str]

    def __len__(self) -> int:
        return len(self.hypotheses)


@dataclass(frozen=True)
class Setting:
    """Settings of a case."""

    folder: Path
    size: str
    precision: str
    device: str
    batch: int


class Case(ABC):
    """One class of metric. An object of it lives for one setting."""

    name: ClassVar[str]
    peer_module: ClassVar[str]
    """The module of the original code."""
    tolerance: ClassVar[float] = 1e-3
    """Permitted difference of the scores in fp32; ten times as much in half precision."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    @abstractmethod
    def prepare(self, texts: Texts) -> None:
        """Write the weights, and load both sides as far as loading is not part of scoring."""

    @abstractmethod
    def ours(self, texts: Texts) -> Sequence[float]:
        """Return assay's scores."""

    @abstractmethod
    def peer(self, texts: Texts) -> Sequence[float]:
        """Return the original code's scores."""
