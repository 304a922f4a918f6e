"""A learned metric from judged translations: what would be trained on, the training, and an example to try it with."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from assay.core.errors import MissingPart
from assay.core.table import Table, TableColumn
from assay.verbs.result import Result

if TYPE_CHECKING:
    from assay.models.training.config import PhaseConfig as PhaseConfig
    from assay.models.training.config import TrainConfig
    from assay.models.training.watching import Look as Look

    Configuration = str | os.PathLike[str] | TrainConfig


class TrainingWatcher(Protocol):
    """Whoever looks on while a run goes on."""

    def note(self, sentence: str) -> None:
        """A remark for people."""

    def phase(self, config: PhaseConfig, records: int, first: int, steps: int) -> None:
        """A phase of `steps` steps on so many records begins, or goes on after step `first`."""

    def step(self, number: int, loss: float) -> None:
        """A step is done."""

    def look(self, config: PhaseConfig, number: int, seen: Look) -> None:
        """The held-out records were scored after step `number`."""


@dataclass(repr=False)
class TrainResult(Result):
    """A trained metric: `path` is what ``-m PATH`` takes."""

    path: Path

    verb: ClassVar[str] = "train"
    headline: ClassVar[str] = "trained"


@dataclass(repr=False)
class TrainingData(Result):
    """What a configuration would train on, phase by phase."""

    verb: ClassVar[str] = "train"
    headline: ClassVar[str] = "training"


def train(config: Configuration, *, resume: bool = False, listener: TrainingWatcher | None = None) -> TrainResult:
    """Train a metric with error spans (the curriculum of xCOMET).

    `config` is the path of a YAML file (docs/train.md) or a TrainConfig. `resume` goes on with the run in its output folder,
    with the same result as one that was never stopped. `listener` is told how far it is.
    """
    read = _configuration(config)
    _need_torch()
    from assay.models.training.trainer import Listener, Trainer

    watched = listener and Listener(listener.note, listener.phase, listener.step, listener.look)
    path = Trainer(read, resume=resume, listener=watched or None).run()
    columns = [TableColumn("name"), TableColumn("phases", kind="count"), TableColumn("path")]
    table = Table("trained", columns, [{"name": read.name, "phases": len(read.phases), "path": str(path)}])
    return TrainResult({table.name: table}, path)


def preview(config: Configuration) -> TrainingData:
    """Read, guard and count the data of every phase, and train nothing; `notes` says what was refused or added.

    `config` is the path of a YAML file (docs/train.md) or a TrainConfig.
    """
    from assay.models.training.data import load_held_out, load_phase

    read = _configuration(config)
    rows, notes = [], []
    for number, phase in enumerate(read.phases):
        loaded = load_phase(read, number)
        notes += loaded.notes
        records = loaded.records
        rows.append(
            {
                "phase": phase.name,
                "records": len(records),
                "scores": sum(not math.isnan(record.score) for record in records),
                "spans": sum(record.spans is not None for record in records),
                "references": sum(bool(record.reference) for record in records),
                "held_out": len(load_held_out(read, number, loaded)),
                "lambda": phase.loss_lambda,
            }
        )
    counts = {
        "records": "",
        "scores": "with score",
        "spans": "with spans",
        "references": "with reference",
        "held_out": "held out",
    }
    columns = [TableColumn("phase"), *(TableColumn(key, label, "count") for key, label in counts.items())]
    columns.append(TableColumn("lambda", "λ", "number", 3))
    table = Table("training", columns, rows, f"{read.name}: what would be trained on")
    return TrainingData({table.name: table}, notes=notes)


def example(folder: str | os.PathLike[str]) -> Path:
    """Write a configuration and toy data to try it with; the configuration's path comes back."""
    from assay.models.training.toy import write_example

    return write_example(Path(folder))


def _configuration(config: Configuration) -> TrainConfig:
    from assay.models.training.config import TrainConfig, load_config

    return config if isinstance(config, TrainConfig) else load_config(Path(config))


def _need_torch() -> None:
    try:
        import safetensors  # noqa: F401
        import tokenizers  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingPart(
            f"training needs {error.name} of the extra 'neural': pip install 'mt-assay[neural]'"
        ) from error
