"""Scoring rows of which one may be poison: out of memory halves the batch, and a row that no metric can take is found by halves.

A row whose scoring raises is rejected with the reason. One that ends the process cannot be caught here: the worker says before
each batch what it is about to do (`CrashLog`), and the driver narrows it down (`assay.corpus.driver`).
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
"""Rows of a piece that may be rejected; where more fail, it is not the rows."""
Scorer = Callable[[Batch], Chunk]


@dataclass
class CrashLog:
    """What a worker is about to score, written where the driver can read it after its death."""

    folder: Folder
    name: str

    def before(self, start: int, stop: int) -> None:
        """These rows of the piece are next."""
        self.folder.write(self.name, json.dumps([start, stop]).encode())


@dataclass
class BisectingScorer:
    """Scores batches, and puts rows aside that cannot be scored."""

    score: Scorer
    crash_log: CrashLog | None = None
    suspect: tuple[int, int] | None = None
    crashing: Sequence[int] = ()
    rejected: list[tuple[int, str]] = field(default_factory=list)
    """Rows of the piece with the reason."""
    halved: int = 0
    """How often a batch was too large for the memory."""

    def scored(self, batch: Batch, first: int) -> tuple[list[int], list[Chunk]]:
        """The rows of the batch that could be scored (by their place in it), and their chunks in order; `first` is the place of its
        first row in the piece."""
        rows: list[int] = []
        chunks: list[Chunk] = []
        for start, stop in self._stretches(first, first + len(batch)):
            self._some(batch, start - first, stop - first, first, rows, chunks)
        return rows, chunks

    def _stretches(self, start: int, stop: int) -> list[tuple[int, int]]:
        """The rows without crashing ones, cut where a suspect stretch begins, at its middle and at its end."""
        cuts = {start, stop}
        if self.suspect:
            low, high = self.suspect
            cuts |= {at for at in (low, (low + high) // 2, high) if start < at < stop}
        deadly = {row for row in self.crashing if start <= row < stop}
        cuts |= {at for row in deadly for at in (row, row + 1) if start < at < stop}
        places = sorted(cuts)
        found = []
        for low, high in pairwise(places):
            if low in deadly:
                self._reject(low, "it ended every worker that scored it")
            else:
                found.append((low, high))
        return found

    def _some(self, batch: Batch, start: int, stop: int, first: int, rows: list[int], chunks: list[Chunk]) -> None:
        if self.crash_log is not None:
            self.crash_log.before(first + start, first + stop)
        try:
            chunk = self.score(batch if (start, stop) == (0, len(batch)) else batch.slice(start, stop))
        except (MissingPart, OutOfMemory):  # whatever the rows
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
            raise InputError(f"more than {count(MOST_REJECTED, 'row')} cannot be scored; the last because: {reason}")


def is_memory(error: Exception) -> bool:
    """Whether an error says that memory, of the machine or of a GPU, did not suffice."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def _reason(error: Exception) -> str:
    if is_memory(error):
        return "there is not enough memory for this row alone"
    said = " ".join(str(error).split()) or type(error).__name__
    return said if isinstance(error, ValueError) else f"{type(error).__name__}: {said}"


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Consecutive chunks of the same systems and languages as one; sums stay apart, each exact."""
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
            for place, parts in places.items():
                sums.setdefault(name, {}).setdefault(place, []).append(parts)
    return replace(
        last,
        codes=np.concatenate([chunk.codes for chunk in chunks]),
        scores={name: Scores.concat([chunk.scores[name] for chunk in chunks]) for name in last.scores},
        sums={name: {place: np.concatenate(parts) for place, parts in places.items()} for name, places in sums.items()},
        raised=raised,
        columns={name: [value for chunk in chunks for value in chunk.columns[name]] for name in last.columns},
        spoken=None if last.spoken is None else np.concatenate([c.spoken for c in chunks if c.spoken is not None]),
    )
