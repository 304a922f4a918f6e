"""``assay train``: training of a metric on judged translations, a preview of the training data, and example files."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from assay.core.errors import InputError, MissingPart
from assay.core.table import Table, TableColumn
from assay.io.documents import read_document
from assay.models.mini.config import MiniConfig, is_mini, parse_mini
from assay.models.mini.groups import load_groups
from assay.models.training.config import TrainConfig, parse_config
from assay.models.training.data import load_held_out, load_phase
from assay.models.training.search import best, read_tries
from assay.models.training.state import Listener
from assay.models.training.toy import write_example, write_mini_example
from assay.verbs.result import Result

if TYPE_CHECKING:
    from assay.models.training.config import PhaseConfig as PhaseConfig
    from assay.models.training.evaluation import Evaluation as Evaluation

    Configuration = str | os.PathLike[str] | TrainConfig | MiniConfig


@dataclass(repr=False)
class TrainResult(Result):
    """Result of a training run: `path` is the trained metric for ``-m PATH``, or the run's folder if it is not `finished`."""

    path: Path
    metric: str = ""
    """Value for ``-m``."""
    finished: bool = True

    verb: ClassVar[str] = "train"
    headline: ClassVar[str] = "trained"


@dataclass(repr=False)
class TrainingData(Result):
    """Training data for a configuration, phase by phase."""

    verb: ClassVar[str] = "train"
    headline: ClassVar[str] = "training"


def train(
    config: Configuration,
    *,
    resume: bool = False,
    minutes: float | None = None,
    listener: object | None = None,
) -> TrainResult:
    """Train a metric that marks error spans, with xCOMET's curriculum or assay-mini's recipe.

    Args:
        config: Path of a YAML file (docs/train.md, docs/train_mini.md), or its sections as a mapping.
        resume: Resume the run in the output folder; the result is the same as for an uninterrupted run.
        minutes: Stop a run of assay-mini's recipe after this time; it can be resumed.
        listener: Object with any of the methods ``note(sentence)``, ``phase(config, records, first_step, steps)``,
            ``step(number, loss)``, ``evaluated(config, number, evaluation)`` and, for stages,
            ``stage_step(stage, number, steps, loss)``.

    Returns:
        The path of the metric and whether the run is finished.

    Raises:
        InputError: The configuration or its data are invalid.
        MissingPart: The extra ``neural`` is not installed.

    Example:
        >>> import assay
        >>> assay.train("xcomet.yaml").metric  # doctest: +SKIP
    """
    read = _configuration(config)
    _need_torch()

    if isinstance(read, MiniConfig):
        return _train_stages(read, resume, minutes, listener)
    if minutes is not None:
        raise InputError(
            "minutes requires a configuration with architecture: mini. Stop other runs with Ctrl-C, and resume with --resume."
        )
    from assay.models.training.trainer import Trainer

    path = Trainer(read, resume=resume, listener=Listener.of(listener)).run()
    columns = [TableColumn("name"), TableColumn("phases", kind="count"), TableColumn("path")]
    table = Table("trained", columns, [{"name": read.name, "phases": len(read.phases), "path": str(path)}])
    tables = {table.name: table}
    if any(phase.search for phase in read.phases):
        tables["search"] = _search_table(read)
    return TrainResult(tables, path, str(path))


def _search_table(config: TrainConfig) -> Table:
    """Return a table with all trials of all searches, including the one that was trained."""
    tried = read_tries(Path(config.output))
    rows: list[dict[str, Any]] = []
    for number, phase in enumerate(config.phases, 1):
        trials = [one for one in tried if one.phase == number]
        chosen = best(trials, phase.search.by, phase.name) if trials and phase.search else None
        for one in trials:
            alpha = " ".join(f"{weight:g}" for weight in one.class_weights)
            rows.append({"phase": phase.name, "lambda": one.loss_lambda, "alpha": alpha, "steps": one.steps})
            rows[-1] |= {"kendall": one.kendall, "pearson": one.pearson, "span_f1": one.span_f1}
            rows[-1]["chosen"] = "*" if one is chosen else ""
    figures = {"kendall": "Kendall's τ-b", "pearson": "Pearson's r", "span_f1": "span F1"}
    columns = [
        TableColumn("phase"),
        TableColumn("lambda", "λ", "number", 3, mark="chosen"),
        TableColumn("alpha", "α (ok, minor, major, critical)"),
        TableColumn("steps", kind="count"),
        *(TableColumn(key, label, "number", 3) for key, label in figures.items()),
        TableColumn("chosen", hidden=True),
    ]
    reading = (
        "Short runs from the start of the phase, evaluated on the held-out records; the best one was trained fully."
    )
    return Table("search", columns, rows, f"{config.name}: trials", ("* trained",), reading=reading)


def _train_stages(config: MiniConfig, resume: bool, minutes: float | None, listener: object) -> TrainResult:
    from assay.models.mini.run import run

    until = math.inf if minutes is None else time.monotonic() + 60 * minutes
    reached = run(config, resume=resume, listener=Listener.of(listener, until))
    path = reached.model or Path(config.output)
    columns = [TableColumn("name"), TableColumn("stage"), TableColumn("path")]
    table = Table("trained", columns, [{"name": config.name, "stage": reached.stage, "path": str(path)}])
    return TrainResult({table.name: table}, path, f"assay-mini:path={path}", reached.model is not None)


def preview(config: Configuration) -> TrainingData:
    """Read, check and count the data for every phase without training; `notes` lists rejected and added data.

    `config` is the path of a YAML file (docs/train.md) or a TrainConfig.
    """
    read = _configuration(config)
    if isinstance(read, MiniConfig):
        return _preview_groups(read)
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
                "tries": phase.search.tries if phase.search else 0,
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
    columns.append(TableColumn("tries", kind="count", hidden=not any(phase.search for phase in read.phases)))
    table = Table("training", columns, rows, f"{read.name}: training data")
    return TrainingData({table.name: table}, notes=notes)


def _preview_groups(config: MiniConfig) -> TrainingData:
    """Return the groups in every collection, as read by assay-mini's recipe."""
    groups, notes = load_groups(config)
    rows = []
    for name in dict.fromkeys(group.collection for group in groups):
        of_collection = [group for group in groups if group.collection == name]
        judged = [one for group in of_collection for one in group.hypotheses]
        rows.append(
            {
                "collection": name,
                "groups": len(of_collection),
                "records": len(judged),
                "spans": sum(one.marks is not None for one in judged),
                "references": sum(bool(group.references) for group in of_collection),
                "held_out": sum(group.split != "train" for group in of_collection),
                "mix": config.share_of(name, config.stages[-1]),
            }
        )
    labels = {
        "groups": "",
        "records": "",
        "spans": "with spans",
        "references": "groups with reference",
        "held_out": "groups held out",
    }
    columns = [TableColumn("collection"), *(TableColumn(key, label, "count") for key, label in labels.items())]
    columns.append(TableColumn("mix", "seen an epoch", "number", 2))
    table = Table("training", columns, rows, f"{config.name}: training data")
    return TrainingData({table.name: table}, notes=notes)


def example(folder: str | os.PathLike[str], architecture: Literal["xcomet", "mini"] = "xcomet") -> Path:
    """Write an example configuration with toy data, and return the path of the configuration."""
    return (write_mini_example if architecture == "mini" else write_example)(Path(folder))


def _configuration(config: Configuration) -> TrainConfig | MiniConfig:
    if isinstance(config, TrainConfig | MiniConfig):
        return config
    path = Path(config)
    if not path.is_file():
        raise InputError(f"the configuration {path} does not exist.")
    data = read_document(path, yaml=True)
    return (parse_mini if is_mini(data) else parse_config)(data, path.name, path.parent)


def _need_torch() -> None:
    try:
        import safetensors  # noqa: F401
        import tokenizers  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingPart(
            f"training requires {error.name} of the extra 'neural': pip install 'mt-assay[neural]'"
        ) from error
