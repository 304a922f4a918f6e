"""A whole run: prepare, train each stage, let teachers predict, pack the last stage, and evaluate it on held-out documents.

The toy recipe runs the same on a made-up language pair in seconds, without any data.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import InputError, Interrupted
from assay.io.files.atomic import atomic_write
from assay.models.mini.config import MiniConfig
from assay.models.mini.corpus import PIECES, PreparedCorpus
from assay.models.mini.pack import round_all, write_model
from assay.models.mini.prepare import prepare
from assay.models.mini.stage import WEIGHTS, OutOfTime, StageRun, StageWatcher
from assay.models.training.state import interruptible
from assay.models.training.toy import vocabulary

MODEL = "model"
"""The folder of the packed model inside the run's folder."""
FIGURES = "figures.json"


@dataclass(frozen=True)
class RunProgress:
    """How far a run came: the stage it stands in, and the packed model where it is whole."""

    stage: str
    model: Path | None


def run(config: MiniConfig, *, resume: bool = False, watcher: StageWatcher | None = None) -> RunProgress:
    """Everything that is not done yet, until it is or the watcher's time is over."""
    watcher = watcher or StageWatcher()
    output = Path(config.output)
    if not resume and any((output / stage.name).exists() for stage in config.stages):
        raise InputError(f"{output} holds a run already: --resume goes on with it, or give another output.")
    corpus = prepare(config, watcher.note)
    taught = {teacher for stage in config.stages for teacher in stage.teachers}
    name = ""
    try:
        with interruptible(watcher):
            for number, described in enumerate(config.stages):
                stage, name = StageRun(config, number, corpus, watcher), described.name
                fresh = not (stage.folder / WEIGHTS).is_file()
                stage.train()
                if fresh:
                    watcher.note(f"{name}: trained, {described.steps:,} steps. {_said(_figures(stage))}".strip())
                if name in taught:
                    stage.predict()
    except OutOfTime:
        if watcher.stop:
            raise Interrupted(f"stopped in {name}; --resume goes on from there.") from None
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
        stage.watcher.note(f"packed to {folder}. {_said(card['held_out'])}".strip())
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


CONFIG = """# A trial of the recipe of assay-mini on a made-up language pair: assay train mini.yaml
architecture: mini
name: toy-mini
output: run
seed: 1
encoder: {name: tiny, tiny_hidden: 64, tiny_layers: 3, tiny_heads: 2, tiny_vocabulary: 300}
width: 64
data: [{path: toy.jsonl}]
documents: 40
errors: {toy: 0.2}
checkpoint_every: 20
stages:
  - {name: teacher-1, steps: 40, batch_tokens: 400, learning_rate: 2.0e-3, head_learning_rate: 2.0e-3}
  - {name: teacher-2, steps: 40, batch_tokens: 400, learning_rate: 2.0e-3, head_learning_rate: 2.0e-3, ranking: 3}
  - name: student
    steps: 60
    batch_tokens: 400
    learning_rate: 2.0e-3
    head_learning_rate: 2.0e-3
    teachers: [teacher-1, teacher-2]
"""
SYSTEMS = 4
SEGMENTS = 5
"""Of a document."""
MAJOR_WEIGHT = 5.0


def toy_groups(n: int, seed: int = 1, words: int = 40) -> list[dict[str, Any]]:
    """`n` sources, word for word translated by several systems that put words of the source language in; every third is assessed
    instead of annotated, and every tenth document is held out."""
    rng = np.random.default_rng([seed, 0x70E])
    source, target = vocabulary("bdgkmz", "aou", words), vocabulary("flnprst", "eiy", words)
    groups = []
    for number in range(n):
        chosen = rng.choice(words, int(rng.integers(4, 8)), replace=False).tolist()
        translated = [target[word] for word in chosen]
        hypotheses: list[dict[str, Any]] = []
        for system in range(SYSTEMS):
            said, wrong = list(translated), []
            for _ in range(int(rng.integers(0, 3))):
                at = int(rng.integers(len(said)))
                said[at] = source[int(rng.integers(words))]
            text, place = " ".join(said), 0
            for word, right in zip(said, translated, strict=True):
                if word != right:
                    wrong.append([place, place + len(word), MAJOR_WEIGHT, 1])
                place += len(word) + 1
            hypotheses.append(
                {"sys": f"system {system}", "text": text, "score": -MAJOR_WEIGHT * len(wrong), "spans": wrong}
            )
        assessed = number % 3 == 2
        if assessed:
            for one in hypotheses:
                one["score"] = 0.5 + 0.1 * one["score"]
                del one["spans"]
        document = number // SEGMENTS
        groups.append(
            {
                "ds": "toy-da" if assessed else "toy",
                "kind": "da" if assessed else "mqm",
                "lp": "xx-yy",
                "doc": f"document {document}",
                "seg": number,
                "split": "dev" if document % 10 == 9 else "train",
                "src": " ".join(source[word] for word in chosen),
                "refs": [" ".join(translated)],
                "hyps": hypotheses,
            }
        )
    return groups


def write_mini_example(folder: Path, n: int = 300) -> Path:
    """Toy data and a configuration that runs on it; gives the configuration's path."""
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(folder / "toy.jsonl", "w") as out:
        for group in toy_groups(n):
            out.write(json.dumps(group) + "\n")
    with atomic_write(folder / "mini.yaml", "w") as out:
        out.write(CONFIG)
    return folder / "mini.yaml"
