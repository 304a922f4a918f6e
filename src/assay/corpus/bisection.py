"""Scoring of batches that may contain a bad row: batches are halved on errors until the row is found.

A batch that does not fit into memory is also halved. A row whose scoring raises an error is rejected with the reason. A row
that crashes the process cannot be handled here: the worker logs each batch before it scores it (`CrashLog`), and the driver
bisects the rows over several crashes (`assay.corpus.crashes`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.chunk import Chunk
from assay.core.errors import InputError, MissingPart, OutOfMemory, count
from assay.core.metric import Scores

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.io.files.folders import Folder

MOST_REJECTED = 100
"""Largest number of rejected rows in a part; if more fail, the rows are not the cause."""
Scorer = Callable[[Batch], Chunk]


@dataclass
class CrashLog:
    """Log of the rows that a worker is about to score, for the driver to read after a crash."""

    folder: Folder
    name: str

    def before(self, start: int, stop: int) -> None:
        """Log that these rows of the part are next."""
        self.folder.write(self.name, json.dumps([start, stop]).encode())


@dataclass
class BisectingScorer:
    """Scorer that rejects the rows of a batch that cannot be scored."""

    score: Scorer
    crash_log: CrashLog | None = None
    suspect: tuple[int, int] | None = None
    crashing: Sequence[int] = ()
    rejected: list[tuple[int, str]] = field(default_factory=list)
    """Rejected rows of the part with the reason."""
    halved: int = 0
    """How often a batch did not fit into memory."""

    def scored(self, batch: Batch, first: int) -> tuple[list[int], list[Chunk]]:
        """Return the rows that were scored, as positions in the batch, and their chunks in order.

        `first` is the position of the batch's first row in the part.
        """
        rows: list[int] = []
        chunks: list[Chunk] = []
        for start, stop in self._stretches(first, first + len(batch)):
            self._some(batch, start - first, stop - first, first, rows, chunks)
        return rows, chunks

    def _stretches(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Return ranges of rows without crashing rows, cut at the start, the middle and the end of the suspect range."""
        cuts = {start, stop}
        if self.suspect:
            low, high = self.suspect
            cuts |= {at for at in (low, (low + high) // 2, high) if start < at < stop}
        deadly = {row for row in self.crashing if start <= row < stop}
        cuts |= {at for row in deadly for at in (row, row + 1) if start < at < stop}
        places = sorted(cuts)
        ranges = []
        for low, high in pairwise(places):
            if low in deadly:
                self._reject(low, "every worker that scored it crashed")
            else:
                ranges.append((low, high))
        return ranges

    def _some(self, batch: Batch, start: int, stop: int, first: int, rows: list[int], chunks: list[Chunk]) -> None:
        if self.crash_log is not None:
            self.crash_log.before(first + start, first + stop)
        try:
            chunk = self.score(batch if (start, stop) == (0, len(batch)) else batch.slice(start, stop))
        except (MissingPart, OutOfMemory):  # the error is not caused by the rows
            raise
        except Exception as error:
            self.halved += is_memory(error)
            if stop - start == 1:
                self._reject(first + start, _reason(error))
                return
            middle = (start + stop) // 2
            self._some(batch, start, middle, first, rows, chunks)
            self._some(batch, middle, stop, first, rows, chunks)
            return
        rows.extend(range(start, stop))
        chunks.append(chunk)

    def _reject(self, row: int, reason: str) -> None:
        self.rejected.append((row, reason))
        if len(self.rejected) > MOST_REJECTED:
            raise InputError(
                f"more than {count(MOST_REJECTED, 'row')} cannot be scored. The last one failed because: {reason}"
            )


def is_memory(error: Exception) -> bool:
    """Whether an error means that the memory of the machine or of a GPU is exhausted."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def _reason(error: Exception) -> str:
    if is_memory(error):
        return "this row alone exceeds the available memory"
    message = " ".join(str(error).split()) or type(error).__name__
    return message if isinstance(error, ValueError) else f"{type(error).__name__}: {message}"


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Join consecutive chunks with the same systems and languages. Partial sums stay separate, so that totals are exact."""
    import numpy as np

    if len(chunks) == 1:
        return chunks[0]
    last = chunks[-1]
    sums: dict[str, dict[tuple[int, int], list[Floats]]] = {}
    raised = {}
    for flag in dict.fromkeys(flag for chunk in chunks for flag in chunk.raised):
        raised[flag] = np.concatenate([c.raised.get(flag, np.zeros(len(c), bool)) for c in chunks])
    for chunk in chunks:
        for name, places in chunk.sums.items():
            for key, parts in places.items():
                sums.setdefault(name, {}).setdefault(key, []).append(parts)
    return replace(
        last,
        codes=np.concatenate([chunk.codes for chunk in chunks]),
        scores={name: Scores.concat([chunk.scores[name] for chunk in chunks]) for name in last.scores},
        sums={name: {key: np.concatenate(parts) for key, parts in places.items()} for name, places in sums.items()},
        raised=raised,
        columns={name: [value for chunk in chunks for value in chunk.columns[name]] for name in last.columns},
        language_codes=None
        if last.language_codes is None
        else np.concatenate([c.language_codes for c in chunks if c.language_codes is not None]),
    )
