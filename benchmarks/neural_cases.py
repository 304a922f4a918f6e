"""What a case of `benchmarks/neural.py` is: a class of metric that writes its weights and gives the scores of both sides."""

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
    """What is scored: several systems' translations of the same sources, row by row."""

    sources: list[str]
    hypotheses: list[str]
    references: list[str]

    def __len__(self) -> int:
        return len(self.hypotheses)


@dataclass(frozen=True)
class Setting:
    """How a case is run."""

    folder: Path
    size: str
    precision: str
    device: str
    batch: int


class Case(ABC):
    """One class of metric. An object of it lives for one setting."""

    name: ClassVar[str]
    peer_module: ClassVar[str]
    """What is imported for the original code."""
    tolerance: ClassVar[float] = 1e-3
    """How far the scores of both sides may lie apart in fp32; ten times that in half precision."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    @abstractmethod
    def prepare(self, texts: Texts) -> None:
        """Write the weights, and load both sides as far as that is not part of scoring."""

    @abstractmethod
    def ours(self, texts: Texts) -> Sequence[float]:
        """Our scores."""

    @abstractmethod
    def peer(self, texts: Texts) -> Sequence[float]:
        """The original code's scores."""
