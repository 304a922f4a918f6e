"""Every reader of files, each with a small valid file to start from."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.document_targets import documents, trees
from tests.fuzz.model_targets import bundles, checkpoints, spools, tasks, training, weights
from tests.fuzz.table_targets import judgements, suites, tables
from tests.fuzz.target import Target


def all_targets(folder: Path) -> list[Target]:
    """Every target; `folder` takes what some of them prepare."""
    plain = [*tables(), *judgements(), *suites(), *documents(), *trees(), *tasks(), *training(), *bundles()]
    return [*plain, *spools(folder), *weights(folder), *checkpoints(folder)]
