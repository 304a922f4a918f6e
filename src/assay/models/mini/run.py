"""Complete run of assay-mini's recipe: data, stages, teacher predictions, held-out evaluation, and the packed model."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.io.files.atomic import atomic_write
from assay.models.mini.config import MiniConfig
from assay.models.mini.corpus import PIECES, PreparedCorpus
from assay.models.mini.groups import KINDS, SPLITS
from assay.models.mini.model import HEADS, MiniModel
from assay.models.mini.pack import round_all, write_model
from assay.models.mini.prepare import prepare
from assay.models.mini.stage import WEIGHTS, Stage
from assay.models.training.evaluation import pearson
from assay.models.training.state import Listener, OutOfTime

MODEL = "model"
"""Folder of the packed model inside the run's folder."""
FIGURES = "figures.json"


@dataclass(frozen=True)
class RunProgress:
    """The stage that a run has reached, and the packed model once the run is complete."""

    stage: str
    model: Path | None


def run(config: MiniConfig, *, resume: bool = False, listener: Listener | None = None) -> RunProgress:
    """Run all remaining stages, until they are finished or the listener's time limit is reached."""
    listener = listener or Listener()
    output = Path(config.output)
    if not resume and any((output / stage.name).exists() for stage in config.stages):
        raise InputError(f"{output} already contains a run. Use --resume to continue it, or another output folder.")
    corpus = prepare(config, listener.note)
    taught = {teacher for stage in config.stages for teacher in stage.teachers}
    name = ""
    try:
        with listener.interruptible():
            for number, described in enumerate(config.stages):
                stage, name = Stage(config, number, corpus, listener), described.name
                fresh = not (stage.folder / WEIGHTS).is_file()
                stage.learn()
                if fresh:
                    listener.note(f"{name}: trained, {described.steps:,} steps. {_said(_figures(stage))}".strip())
                if name in taught:
                    stage.predict()
    except OutOfTime:
        return RunProgress(name, None)
    return RunProgress("packed", _packed(stage))


def _packed(stage: Stage) -> Path:
    """Return a trained stage's packed model, evaluated after rounding."""
    folder = stage.output / MODEL
    if not (folder / "manifest.json").is_file():
        model = stage.trained()
        card = {**_card(stage.config, stage.corpus), "held_out": {}}
        round_all(model)
        card["held_out"] = held_out_figures(stage, model)
        write_model(model.cpu(), stage.config.prepared_folder / PIECES, folder, card)
        stage.listener.note(f"packed to {folder}. {_said(card['held_out'])}".strip())
    return folder


def _figures(stage: Stage) -> dict[str, Any]:
    """Evaluate on held-out documents, and write the figures to the stage's folder."""
    values = held_out_figures(stage, stage.trained())
    with atomic_write(stage.folder / FIGURES, "w") as out:
        json.dump(values, out, indent=1)
    return values


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


def held_out_figures(stage: Stage, model: MiniModel) -> dict[str, Any]:
    """Return figures on the held-out documents for several ways of reading the model."""
    rows = held_out_rows(stage.corpus)
    if not len(rows):
        return {}
    rows_in_order, values, _ = stage.predicted(model, stage.planned(rows), 1)
    order = np.argsort(rows_in_order)
    rows, values = rows_in_order[order], values[order, 0]
    heads = ("ranking", "assessment", "esa", "quality", "teacher")
    readings = {"mqm": -values[:, 0], **{head: values[:, 1 + HEADS.index(head)] for head in heads}}
    return {name: asdict(figures(stage.corpus, rows, values[:, 0], by)) for name, by in readings.items()}


MIN_ROWS = 30
"""Minimum number of rows for a collection and language pair to be included in the figures."""
ESA_GAP = 4.0
"""Minimum difference in ESA points at which one translation counts as better."""


@dataclass(frozen=True)
class HeldOutFigures:
    """Means over collections and language pairs, and the number of rows."""

    pairs: float
    pearson: float
    rows: int
    mean: float
    """Mean output over these rows, for standardisation."""
    deviation: float


def held_out_rows(corpus: PreparedCorpus) -> NDArray[np.int64]:
    """Return the rows from held-out groups with MQM or ESA scores and a reference other than the translation itself."""
    group = corpus.row_group
    kinds = [KINDS.index("mqm"), KINDS.index("esa")]
    selected = (corpus.group_split[group] == SPLITS.index("dev")) & np.isin(corpus.group_kind[group], kinds)
    reference = corpus.group_references[group, 0]
    return np.flatnonzero(selected & (reference >= 0) & (reference != corpus.row_text))


def figures(
    corpus: PreparedCorpus, rows: NDArray[np.int64], log_mu: NDArray[np.float32], ranking: NDArray[np.float32]
) -> HeldOutFigures:
    """Return the figures for one output: pairs are ranked by `ranking` (higher is better), correlations use minus mu.

    They are NaN if there is nothing to compare.
    """
    group = corpus.row_group[rows]
    sets = corpus.group_collection[group] * len(corpus.langpairs) + corpus.group_langpair[group]
    results: list[tuple[float, float]] = []
    for one in np.unique(sets):
        members = np.flatnonzero(sets == one)
        if len(members) < MIN_ROWS:
            continue
        scores = corpus.row_score[rows[members]].astype(np.float64)
        esa = corpus.group_kind[group[members[0]]] == KINDS.index("esa")
        right = _right_pairs(scores, ranking[members], group[members], ESA_GAP if esa else 0.0)
        results.append((right, pearson(scores, -np.exp(log_mu[members].astype(np.float64)))))
    if not results:
        results = [(float("nan"), float("nan"))]
    pairs, correlation = (float(np.mean(column)) for column in zip(*results, strict=True))
    return HeldOutFigures(pairs, correlation, len(rows), float(ranking.mean()), float(ranking.std()))


def _right_pairs(
    people: NDArray[np.float64], model: NDArray[np.float32], group: NDArray[np.int64], gap: float
) -> float:
    right = total = 0
    for part in np.split(np.arange(len(group)), np.flatnonzero(np.diff(group)) + 1):
        better = people[part][:, None] - people[part] > gap
        right += int((model[part][:, None] > model[part])[better].sum())
        total += int(better.sum())
    return right / total if total else float("nan")
