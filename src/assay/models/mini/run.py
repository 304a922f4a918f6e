"""A whole run: prepare, train each stage, let teachers predict, pack the last stage, and evaluate it on held-out documents."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import InputError
from assay.io.files.atomic import atomic_write
from assay.models.mini.config import MiniConfig
from assay.models.mini.corpus import PIECES, PreparedCorpus
from assay.models.mini.pack import round_all, write_model
from assay.models.mini.prepare import prepare
from assay.models.mini.stage import WEIGHTS, StageRun
from assay.models.training.state import Listener, OutOfTime

MODEL = "model"
"""The folder of the packed model inside the run's folder."""
FIGURES = "figures.json"


@dataclass(frozen=True)
class RunProgress:
    """How far a run came: the stage it stands in, and the packed model where it is whole."""

    stage: str
    model: Path | None


def run(config: MiniConfig, *, resume: bool = False, listener: Listener | None = None) -> RunProgress:
    """Do everything that is left, until it is finished or the listener's time is over."""
    listener = listener or Listener()
    output = Path(config.output)
    if not resume and any((output / stage.name).exists() for stage in config.stages):
        raise InputError(f"{output} holds a run already: --resume goes on with it, or give another output.")
    corpus = prepare(config, listener.note)
    taught = {teacher for stage in config.stages for teacher in stage.teachers}
    name = ""
    try:
        with listener.interruptible():
            for number, described in enumerate(config.stages):
                stage, name = StageRun(config, number, corpus, listener), described.name
                fresh = not (stage.folder / WEIGHTS).is_file()
                stage.learn()
                if fresh:
                    listener.note(f"{name}: trained, {described.steps:,} steps. {_said(_figures(stage))}".strip())
                if name in taught:
                    stage.predict()
    except OutOfTime:
        return RunProgress(name, None)
    return RunProgress("packed", _packed(stage))


def _packed(stage: StageRun) -> Path:
    """The packed model of a trained stage, with its figures after rounding."""
    folder = stage.output / MODEL
    if not (folder / "manifest.json").is_file():
        model = stage.trained()
        card = {**_card(stage.config, stage.corpus), "held_out": {}}
        round_all(model)
        card["held_out"] = stage.watch(model)
        write_model(model.cpu(), stage.config.prepared_folder / PIECES, folder, card)
        stage.listener.note(f"packed to {folder}. {_said(card['held_out'])}".strip())
    return folder


def _figures(stage: StageRun) -> dict[str, Any]:
    """Figures on held-out documents, kept beside the stage."""
    found = stage.watch(stage.trained())
    with atomic_write(stage.folder / FIGURES, "w") as out:
        json.dump(found, out, indent=1)
    return found


def _said(found: dict[str, Any]) -> str:
    if not found:
        return ""
    pairs = ", ".join(f"{name} {one['pairs']:.3f}" for name, one in found.items())
    return f"Held-out documents: pairs {pairs}; Pearson {found['mqm']['pearson']:.3f} (n = {found['mqm']['rows']:,})."


def _card(config: MiniConfig, corpus: PreparedCorpus) -> dict[str, Any]:
    groups = np.bincount(corpus.group_collection, minlength=len(corpus.collections))
    rows = np.bincount(corpus.group_collection[corpus.row_group], minlength=len(corpus.collections))
    trained = {
        name: {"groups": int(g), "rows": int(r)} for name, g, r in zip(corpus.collections, groups, rows, strict=True)
    }
    return {
        "name": config.name,
        "licence": config.licence,
        "encoder": Path(config.encoder.name).name,
        "seed": config.seed,
        "trained_on": trained,
        "langpairs": list(corpus.langpairs),
        "stages": [asdict(stage) for stage in config.stages],
    }
