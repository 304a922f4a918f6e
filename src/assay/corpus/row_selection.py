"""Which rows of a corpus go out: those for which an expression holds, and of these a sample.

A row's draw is a hash of the seed, its shard and its number, so that nothing depends on who scored it and when. Of every stratum
the rows with the smallest draws are taken, as many as its share of all kept rows asks for.
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
"""A column that is there for expressions: the longer of translation and source (or first reference) by the shorter."""


class RowSelection:
    """The choice of rows of one piece."""

    def __init__(self, job: Job, task: ShardTask, names: Sequence[str]) -> None:
        self._job, self._task = job, task
        self._condition = None
        if job.keep and names:
            known = [*names, *job.added, *(() if RATIO in names else (RATIO,))]
            self._condition = parse(job.keep).over(known, task.shard.title)
        if job.sample_by and names and job.sample_by not in names:
            raise unknown(f"column in {task.shard.title}", job.sample_by, names)
        self._draws: list[int] = []
        self._strata: list[int] = []
        self._named: dict[str, int] = {}

    def kept(self, rows: ShardRows, added: Mapping[str, Sequence[Any]]) -> Bools | None:
        """For which rows the expression holds; None where there is none."""
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
        """Note the draws of rows that are kept, where a sample is wanted."""
        job, shard = self._job, self._task.shard
        if job.sample is None:
            return
        name = f"{job.seed}\0{shard.name}\0{self._task.part.number}\0".encode("utf-8", "surrogatepass")
        begun = blake2b(name, digest_size=8)
        for number in rows.numbers:
            mine = begun.copy()
            mine.update(b"%d" % number)
            self._draws.append(int.from_bytes(mine.digest(), "little"))
        values = [shard.name] * len(rows) if job.sample_by is None else rows.column(job.sample_by)
        for value in values:
            self._strata.append(self._named.setdefault("" if value is None else str(value), len(self._named)))

    def write_draws(self, folder: Folder) -> None:
        """Write the draws of the piece beside its part."""
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
        raise InputError(f"--keep: {RATIO} needs sources or references, and there are none.")
    return length_ratios(batch.hypotheses, others)


def length_ratios(hypotheses: Sequence[str], others: Sequence[str | None]) -> list[float]:
    """The longer text by the shorter, in characters as the flags count them; against nothing, its length."""
    pairs = ((weighed(a), weighed(b or "")) for a, b in zip(hypotheses, others, strict=True))
    return [max(a, b) / max(min(a, b), 1) if max(a, b) else 1.0 for a, b in pairs]


def weighed(text: str) -> int:
    """Characters, of which a Han character or kana counts three and a Hangul syllable two."""
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
    """Decide which kept rows are in the sample, and write for every shard the rows to take of its parts.

    `shards` are tasks with the number of their pieces, in their order. Memory goes with the sample, not with the corpus.
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
            found = np.empty(len(rows), [("draw", "u8"), ("place", "i8"), ("row", "i8")])
            found["draw"], found["place"], found["row"] = draws[rows], at, rows
            both = np.concatenate([best[name], found]) if name in best else found
            best[name] = np.sort(both)[: shares[name]]
    taken: dict[int, list[int]] = {}
    for found in best.values():
        for place, row in zip(found["place"].tolist(), found["row"].tolist(), strict=True):
            taken.setdefault(place, []).append(row)
    at = 0
    for task, n_parts in shards:
        rows_of = [sorted(taken.get(at + number, ())) for number in range(n_parts)]
        folder.write(_chosen_name(task), json.dumps(rows_of).encode())
        at += n_parts


def allocate(sizes: Mapping[str, int], wanted: int) -> dict[str, int]:
    """How many of `wanted` rows each stratum gives: its share, rounded so that the sum is right; first names first among equals."""
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
    """The rows to take of each part of a shard; None where all go out."""
    if job.sample is None:
        return None
    found: list[list[int]] = json.loads(folder.read(_chosen_name(task)) or b"[]")
    return found
