"""A scoring run over a stream of batches: memory stays flat, finished chunks survive a crash, totals are exact.

Each chunk is a Batch whose `systems` column says which system a row belongs to. What is kept of a chunk: the segment values
of every metric, the exact sums of their statistics by system, and the statistics themselves when somebody will resample
them. A run of one chunk stays in memory; a longer one goes through its spool, from which an interrupted run goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Metric, Scores, statistics
from assay.engine.scoring import check_needs, describe, score

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.engine.spool import Spool
    from assay.engine.store import Store

Arrays = dict[str, Any]
Progress = Callable[[int, bool], None]
"""Called after every chunk with the number of rows in it and whether it came from the spool."""
Keep = Callable[[Batch, Mapping[str, Scores]], Mapping[str, Any]]
"""More arrays to keep of a chunk, from its texts and what every metric said about them."""


@dataclass
class RunResult:
    """What a run knows when it is through. Values and statistics are read back chunk by chunk."""

    metrics: Mapping[str, Metric]
    systems: list[str] = field(default_factory=list)
    segments: dict[str, int] = field(default_factory=dict)
    totals: dict[str, dict[str, Floats]] = field(default_factory=dict)
    flags: dict[str, int] = field(default_factory=dict)
    data_hash: str = ""
    reused: int = 0
    scored: int = 0
    _chunks: Callable[[], Iterable[Arrays]] = lambda: ()

    def values(self, system: str, metric: str) -> Iterator[Floats]:
        """Segment values of one system and metric, in order, a chunk at a time."""
        return self._column(system, f"values {metric}")

    def stats(self, system: str, metric: str) -> Floats:
        """Sufficient statistics of all segments of one system and metric (only when they were kept)."""
        return np.concatenate(list(self._column(system, f"stats {metric}")))

    def _column(self, system: str, key: str) -> Iterator[Floats]:
        code = self.systems.index(system)
        for chunk in self._chunks():
            yield chunk[key][chunk["system"] == code]

    def rows(self) -> Iterator[Arrays]:
        """Every chunk's arrays: ``system`` (numbers into `systems`), ``values METRIC``, and what else was kept."""
        yield from self._chunks()


def score_stream(
    chunks: Iterable[Batch],
    metrics: Mapping[str, Metric],
    *,
    open_spool: Callable[[], Spool] | None = None,
    workers: int | None = None,
    store: Store | None = None,
    keep_stats: bool = False,
    keep: Keep | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Score a stream of chunks. `open_spool` is called only when there is more than one chunk."""
    result = RunResult(metrics)
    kept: list[Arrays] = []
    spool: Spool | None = None
    digest = blake2b(digest_size=16)
    sums: dict[tuple[str, str], list[Floats]] = {}
    for index, (batch, alone) in enumerate(_ahead(chunks)):
        if index == 0 and not alone and open_spool is not None:
            spool = open_spool()
        content = _hash(batch, result.systems)
        digest.update(content)
        known = spool.get(index, content) if spool is not None else None
        for metric in metrics.values() if known is None else ():
            check_needs(batch, metric, before=sum(result.segments.values()))
        arrays = known or _score_chunk(batch, metrics, result.systems, workers, store, keep_stats, keep)
        if known:
            result.reused += 1
        else:
            result.scored += 1
            if spool is not None:
                spool.put(index, content, arrays)
        if spool is None:
            kept.append(arrays)
        _account(result, batch, arrays, sums)
        if progress is not None:
            progress(len(batch), bool(known))
    result.data_hash = digest.hexdigest()
    for (system, name), parts in sums.items():
        result.totals.setdefault(system, {})[name] = _total(parts)
    result._chunks = (lambda: kept) if spool is None else lambda: (arrays for _, arrays in spool.chunks())
    return result


def _ahead(chunks: Iterable[Batch]) -> Iterator[tuple[Batch, bool]]:
    """Every chunk, with a mark on one that is the only one; the next chunk is read while this one is scored."""
    iterator = iter(chunks)
    with ThreadPoolExecutor(1, thread_name_prefix="assay-read") as reader:
        batch = next(iterator, None)
        coming = reader.submit(next, iterator, None)
        alone = batch is not None and coming.result() is None
        while batch is not None:
            yield batch, alone
            batch = coming.result()
            if batch is not None:
                coming = reader.submit(next, iterator, None)


def _hash(batch: Batch, systems: list[str]) -> bytes:
    """A digest that no other chunk shares: the texts, where each begins, and the systems met before (which it numbers)."""
    digest = blake2b("\0".join(systems).encode("utf-8", "surrogatepass"), digest_size=16)
    columns = [batch.hypotheses, batch.sources, *(batch.references or ()), batch.systems, batch.langpairs]
    for column in columns:
        if column is None:
            digest.update(b"none")
            continue
        lengths = np.fromiter((-1 if text is None else len(text) for text in column), np.int64, len(column))
        digest.update(lengths.tobytes())
        digest.update("".join(text for text in column if text is not None).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _score_chunk(
    batch: Batch,
    metrics: Mapping[str, Metric],
    systems: list[str],
    workers: int | None,
    store: Store | None,
    keep_stats: bool,
    keep: Keep | None,
) -> Arrays:
    arrays: Arrays = {}
    scored: dict[str, Scores] = {}
    known = {name: code for code, name in enumerate(systems)}
    column = batch.systems or [""] * len(batch)
    codes = np.fromiter((known.setdefault(name, len(known)) for name in column), np.int32, len(batch))
    arrays["names"] = np.array(list(known), dtype=np.str_)
    arrays["system"] = codes
    for flag, found in describe(batch).items():
        arrays[f"flag {flag}"] = np.array(found)
    for name, metric in metrics.items():
        scores = scored[name] = score(batch, metric, workers=workers, store=store)
        stats = statistics(scores)
        arrays[f"values {name}"] = scores.values
        if keep_stats:
            arrays[f"stats {name}"] = stats
        for flag, raised in scores.flags.items():
            if raised.any():
                arrays[f"flag {name} {flag}"] = np.array(int(raised.sum()))
        for code in np.unique(codes):
            arrays[f"sum {code} {name}"] = _exact_parts(stats[codes == code])
    return arrays if keep is None else {**arrays, **keep(batch, scored)}


def _account(result: RunResult, batch: Batch, arrays: Arrays, sums: dict[tuple[str, str], list[Floats]]) -> None:
    result.systems[:] = [str(name) for name in arrays["names"]]
    counts = np.bincount(arrays["system"], minlength=len(result.systems))
    for code, system in enumerate(result.systems):
        result.segments[system] = result.segments.get(system, 0) + int(counts[code])
    for key, value in arrays.items():
        kind, _, rest = key.partition(" ")
        if kind == "flag":
            result.flags[rest] = result.flags.get(rest, 0) + int(value)
        elif kind == "sum":
            code_text, _, name = rest.partition(" ")
            sums.setdefault((result.systems[int(code_text)], name), []).append(value)


def _exact_parts(stats: Floats) -> Floats:
    """Column sums as short lists of floats that add up exactly, so that no grouping of rows can change a total."""
    if bool((stats == np.rint(stats)).all()):
        return np.asarray(stats.sum(axis=0, keepdims=True))
    columns = []
    for column in stats.T:
        values = column.tolist()
        parts: list[float] = []
        while (part := math.fsum([*values, *(-known for known in parts)])) != 0 and len(parts) < 8:
            parts.append(part)
        columns.append(parts or [0.0])
    longest = max(map(len, columns))
    return np.array([[*parts, *[0.0] * (longest - len(parts))] for parts in columns]).T


def _total(parts: list[Floats]) -> Floats:
    return np.array([math.fsum(column) for column in np.concatenate(parts).T])
