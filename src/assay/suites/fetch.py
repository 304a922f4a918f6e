"""Fetching a suite's official files."""

from __future__ import annotations

import os
from pathlib import Path

from assay.core.errors import InputError, MissingPart
from assay.core.spec import contracted
from assay.core.suite import Suite, SuiteCard
from assay.io.files.download import Progress, Say, download
from assay.io.files.paths import cache_dir


def fetch(
    suite: str | SuiteCard,
    data_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
) -> Path:
    """Download the files of a suite into ``data_dir/NAME`` (by default under the cache directory); the folder is returned.

    A file that is here and has the right checksum is not fetched again. What was downloaded stays as ``FILE.part`` when
    the line breaks, and the next call goes on from there. `say` is told of files for which there is no checksum.
    """
    card = _card(suite)
    if not card.downloads:
        raise MissingPart(f"{card.title} cannot be fetched by assay. {card.how_to_get}")
    folder = (Path(data_dir) if data_dir is not None else cache_dir() / "data") / card.folders[0]
    for name, address in card.downloads.items():
        download(card.title, address, folder / name, card.checksums.get(name), progress, say=say)
    return folder


def _card(suite: str | SuiteCard) -> SuiteCard:
    if isinstance(suite, SuiteCard):
        return suite
    from assay.suites import SUITES

    card = contracted(SUITES, suite, Suite).card
    if not isinstance(card, SuiteCard):
        raise InputError(f"suite {suite!r} has no card.")
    return card
