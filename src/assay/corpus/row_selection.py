"""Selection of the rows to write: those that satisfy an expression, and a sample of these.

Each row gets a random number: a hash of the seed, its shard and its number. It does not depend on when or where the row is
scored. From each stratum, the rows with the smallest numbers are taken, in proportion to the number of kept rows in the stratum.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, unknown
from assay.core.expression import parse
from assay.corpus.job import WORK, Job, ShardTask

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.core.metric import Bools
    from assay.corpus.shard_reader import ShardRows
    from assay.io.files.folders import Folder

RATIO = "length_ratio"
"""Extra column for expressions: the length of the longer of translation and source (or first reference) divided by that of the
shorter."""


class RowSelection:
    """Row selection for one part."""

    def __init__(self, job: Job, task: ShardTask, names: Sequence[str]) -> None:
        self._job, self._task = job, task
        self._condition = None
        if job.keep and names:
            columns = [*names, *job.added, *(() if RATIO in names else (RATIO,))]
            self._condition = parse(job.keep).over(columns, task.shard.title)
        if job.sample_by and names and job.sample_by not in names:
            raise unknown(f"column in {task.shard.title}", job.sample_by, names)
        self._draws: list[int] = []
        self._strata: list[int] = []
        self._named: dict[str, int] = {}

    def kept(self, rows: ShardRows, added: Mapping[str, Sequence[Any]]) -> Bools | None:
        """Return a mask of the rows that satisfy the expression; None without an expression."""
        if self._condition is None:
            return None

        def column(name: str) -> Sequence[Any]:
            if name in added:
                return added[name]
            return _ratios(rows.batch) if name == RATIO and name not in rows.names else rows.column(name)

        columns = {name: column(name) for name in self._condition.names} or {"": rows.numbers}

        def where(i: int) -> str:
            return f"{self._task.shard.title} {rows.noun} {rows.numbers[i]}"

        return self._condition.rows(columns, where)

    def draw(self, rows: ShardRows) -> None:
        """Record the random numbers and strata of kept rows, if a sample is drawn."""
        job, shard = self._job, self._task.shard
        if job.sample is None:
            return
        name = f"{job.seed}\0{shard.name}\0{self._task.part.number}\0".encode("utf-8", "surrogatepass")
        begun = blake2b(name, digest_size=8)
        for number in rows.numbers:
            hashed = begun.copy()
            hashed.update(b"%d" % number)
            self._draws.append(int.from_bytes(hashed.digest(), "little"))
        values = [shard.name] * len(rows) if job.sample_by is None else rows.column(job.sample_by)
        for value in values:
            self._strata.append(self._named.setdefault("" if value is None else str(value), len(self._named)))

    def write_draws(self, folder: Folder) -> None:
        """Write the part's random numbers to the work folder."""
        import numpy as np

        if self._job.sample is None:
            return
        held = io.BytesIO()
        strata = np.array(self._strata, np.int64)
        sizes = np.bincount(strata, minlength=len(self._named))
        names = np.frombuffer(json.dumps(list(self._named)).encode(), np.uint8)
        np.savez(held, sizes=sizes, names=names, strata=strata, draws=np.array(self._draws, np.uint64))
        folder.write(_draws_name(self._task), held.getvalue())


def _ratios(batch: Batch) -> list[float]:
    others = batch.sources or (batch.references[0] if batch.references else None)
    if others is None:
        raise InputError(f"--keep: {RATIO} requires sources or references, but the input has neither.")
    return length_ratios(batch.hypotheses, others)


def length_ratios(hypotheses: Sequence[str], others: Sequence[str | None]) -> list[float]:
    """Return the length of the longer text divided by that of the shorter; an empty shorter text counts as one character."""
    pairs = ((weighed(a), weighed(b or "")) for a, b in zip(hypotheses, others, strict=True))
    return [max(a, b) / max(min(a, b), 1) if max(a, b) else 1.0 for a, b in pairs]


def weighed(text: str) -> int:
    """Return the number of characters; a Han character or kana counts as three, a Hangul syllable as two."""
    if text.isascii():
        return len(text)
    return sum(
        3 if "\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff" else 2 if "\uac00" <= c <= "\ud7a3" else 1
        for c in text
    )


def _draws_name(task: ShardTask, number: int | None = None) -> str:
    return f"{WORK}/{task.shard.handle}-{task.part.number if number is None else number:05}.draws"


def _chosen_name(task: ShardTask) -> str:
    return f"{WORK}/{task.shard.handle}.chosen"


def choose(job: Job, shards: Sequence[tuple[ShardTask, int]], folder: Folder) -> None:
    """Draw the sample from the kept rows, and write the rows to take from each shard's parts.

    `shards` are tasks with their number of parts, in order. Memory use depends on the sample size, not on the corpus size.
    """
    import numpy as np

    places = [(task, number) for task, n_parts in shards for number in range(n_parts)]
    sizes: dict[str, int] = {}
    for task, number in places:
        with _loaded(folder, task, number) as held:
            for name, size in zip(json.loads(held["names"].tobytes()), held["sizes"].tolist(), strict=True):
                sizes[name] = sizes.get(name, 0) + size
    shares = allocate(sizes, job.sample or 0)
    best: dict[str, Any] = {}
    for at, (task, number) in enumerate(places):
        with _loaded(folder, task, number) as held:
            names, strata, draws = json.loads(held["names"].tobytes()), held["strata"], held["draws"]
        for code, name in enumerate(names):
            rows = np.flatnonzero(strata == code)
            drawn = np.empty(len(rows), [("draw", "u8"), ("place", "i8"), ("row", "i8")])
            drawn["draw"], drawn["place"], drawn["row"] = draws[rows], at, rows
            both = np.concatenate([best[name], drawn]) if name in best else drawn
            best[name] = np.sort(both)[: shares[name]]
    taken: dict[int, list[int]] = {}
    for drawn in best.values():
        for position, row in zip(drawn["place"].tolist(), drawn["row"].tolist(), strict=True):
            taken.setdefault(position, []).append(row)
    at = 0
    for task, n_parts in shards:
        rows_of = [sorted(taken.get(at + number, ())) for number in range(n_parts)]
        folder.write(_chosen_name(task), json.dumps(rows_of).encode())
        at += n_parts


def allocate(sizes: Mapping[str, int], wanted: int) -> dict[str, int]:
    """Return the number of `wanted` rows per stratum: proportional shares, rounded so that the sum is right.

    If remainders are tied, the first names are rounded up.
    """
    whole = sum(sizes.values())
    if wanted >= whole:
        return dict(sizes)
    shares = {name: divmod(size * wanted, whole) for name, size in sizes.items()}
    left = wanted - sum(share for share, _ in shares.values())
    more = sorted(shares, key=lambda name: (-shares[name][1], name))[:left]
    return {name: share + (name in more) for name, (share, _) in shares.items()}


def _loaded(folder: Folder, task: ShardTask, number: int) -> Any:
    import numpy as np

    return np.load(io.BytesIO(folder.read(_draws_name(task, number)) or b""))


def chosen(job: Job, task: ShardTask, folder: Folder) -> list[list[int]] | None:
    """Return the rows to take from each part of a shard; None if all are written."""
    if job.sample is None:
        return None
    rows: list[list[int]] = json.loads(folder.read(_chosen_name(task)) or b"[]")
    return rows
