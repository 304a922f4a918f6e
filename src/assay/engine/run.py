"""A scoring run over a stream of batches: memory stays flat, finished chunks survive a crash, totals are exact.

This is the one way to a score: the command line, Python, `compare` and `decide` all hand their chunks to `score_stream`. Each
chunk is a Batch whose `systems` column says which system a row belongs to. A run of one chunk stays in memory; a longer one
goes through its spool where it has one, from which an interrupted run goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import Batch
from assay.core.chunk import Chunk, Retained
from assay.core.flags import total_flags
from assay.core.metric import Metric, Scores, statistics
from assay.core.references import MISSING, rows_with_empty, rows_without
from assay.core.rows import InputRows
from assay.core.sums import exact_parts, total
from assay.core.watch import show
from assay.engine.chunks import from_arrays, to_arrays
from assay.engine.flags import raise_flags, uncovered, with_languages
from assay.engine.languages import Shares, divided, only, spoken
from assay.engine.missing import refuse_all_missing, score_with_missing
from assay.engine.others import check_corpus
from assay.engine.scoring import check_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools, Floats
    from assay.engine.progress_file import ProgressFile
    from assay.engine.store import Store

RowsDone = Callable[[int, bool], None]
"""Called after every chunk with the number of rows in it and whether it came from the spool."""
Sums = dict[tuple[str, str, int], list["Floats"]]
"""By system, metric and language number."""


@dataclass
class ScoredRun:
    """What a run knows when it is through. Values and statistics are read back chunk by chunk."""

    asked: Mapping[str, Metric]
    retained: Retained = Retained()  # noqa: RUF009
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    """What there are scores by: what was `asked` for as it was computed, a metric for each target language where it goes by that
    and the rows are in several."""
    shares: Shares = field(default_factory=dict)
    """Which of the rows such a metric is about."""
    languages: list[str] = field(default_factory=list)
    """The target languages, where a metric goes by them."""
    systems: list[str] = field(default_factory=list)
    segments: dict[str, int] = field(default_factory=dict)
    totals: dict[str, dict[str, Floats]] = field(default_factory=dict)
    system_flags: dict[str, dict[str, int]] = field(default_factory=dict)
    """By system, how many of its rows a reader should know about, and why."""
    nrefs: int = 0
    data_hash: str = ""
    reused: int = 0
    scored: int = 0
    started: str = ""
    notices: list[str] = field(default_factory=list)
    """What people should hear: scores that could not be stored, a run that cannot be resumed, a slow device."""
    alerts: list[str] = field(default_factory=list)
    """Those of the notices that change how the numbers must be read; see `assay.core.alerts`."""
    progress_file: ProgressFile | None = None
    in_memory: list[Chunk] = field(default_factory=list)
    """The chunks of a run without a spool."""

    def __len__(self) -> int:
        return sum(self.segments.values())

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk, in order; its scores go by the names that were `asked` for."""
        if self.progress_file is None:
            yield from self.in_memory
        else:
            yield from (from_arrays(arrays) for _, arrays in self.progress_file.chunks())

    def scores(self, system: str, metric: str) -> Iterator[Scores]:
        """What one metric said about one system, in order, a chunk at a time; one of `shares` says nothing of other languages."""
        asked, number = self.shares.get(metric, (metric, None))
        code = self.systems.index(system)
        for chunk in self.chunks():
            rows = np.flatnonzero(chunk.codes == code)
            found = chunk.scores[asked].take(rows)
            yield found if number is None or chunk.spoken is None else only(found, chunk.spoken[rows] == number)

    def values(self, system: str, metric: str) -> Iterator[Floats]:
        """Segment values of one system and metric, in order, a chunk at a time."""
        if metric in self.shares:
            yield from (scores.values for scores in self.scores(system, metric))
            return
        code = self.systems.index(system)
        for chunk in self.chunks():
            yield chunk.scores[metric].values[chunk.codes == code]

    def partial(self, metric: str) -> bool:
        """Whether a metric is not about all rows: one for each language, or some rows lack the reference that it needs."""
        return metric in self.shares or (self.metrics[metric].card.needs_reference and MISSING in self.flags)

    def count(self, system: str, metric: str) -> int:
        """How many segments of a system a metric is about."""
        return int(self.about(system, metric).sum()) if self.partial(metric) else self.segments[system]

    def stats(self, system: str, metric: str) -> Floats:
        """Sufficient statistics of all segments of one system and metric; a run must have kept them."""
        if not self.retained.stats:
            raise ValueError("this run did not keep its statistics")
        return np.concatenate([statistics(scores) for scores in self.scores(system, metric)])

    def about(self, system: str, metric: str) -> Bools:
        """Which segments of a system a metric is about: those with the reference that it may need, of the language of one of
        `shares`."""
        if not self.partial(metric):
            return np.ones(self.segments[system], bool)
        code = self.systems.index(system)
        return np.concatenate([self.about_rows(chunk, metric)[chunk.codes == code] for chunk in self.chunks()])

    def about_rows(self, chunk: Chunk, metric: str) -> Bools:
        """The same for the rows of a chunk."""
        _, number = self.shares.get(metric, (metric, None))
        rows = np.ones(len(chunk), bool) if number is None or chunk.spoken is None else chunk.spoken == number
        if self.metrics[metric].card.needs_reference and MISSING in chunk.raised:
            rows = rows & ~chunk.raised[MISSING]
        return rows

    def own_values(self, system: str, metric: str) -> Iterator[Floats]:
        """Values of the segments that a metric is `about`, in order, a chunk at a time."""
        if metric not in self.shares:
            yield from self.values(system, metric)
            return
        code, (asked, number) = self.systems.index(system), self.shares[metric]
        for chunk in self.chunks():
            yield chunk.scores[asked].values[(chunk.codes == code) & (chunk.spoken == number)]

    def own_stats(self, system: str, metric: str) -> Floats:
        """`stats` of the segments that the metric is `about`: what resampling draws from."""
        stats = self.stats(system, metric)
        return stats[self.about(system, metric)] if self.partial(metric) else stats

    def flagged(self) -> dict[str, dict[str, int]]:
        """`system_flags` with every system, also one of which nothing is to be said."""
        return {system: self.system_flags.get(system, {}) for system in self.systems}

    @property
    def flags(self) -> dict[str, int]:
        """How many rows of all systems a reader should know about, and why: flags of the texts, then of metrics."""
        return total_flags(self.system_flags)

    @property
    def signatures(self) -> dict[str, str]:
        """Each metric's signature with the number of references."""
        return {name: metric.signed(self.nrefs) for name, metric in self.metrics.items()}

    @property
    def corpus(self) -> dict[str, dict[str, float]]:
        """Corpus scores by system and metric."""
        return {
            system: {name: float(self.metrics[name].combine(sums)) for name, sums in row.items()}
            for system, row in self.totals.items()
        }

    def close(self) -> None:
        """Let go of the spool; the same run finds it again."""
        if self.progress_file is not None:
            self.progress_file.close()

    def finish(self) -> None:
        """The results are safe: the spool goes."""
        if self.progress_file is not None:
            self.progress_file.finish()


def score_stream(
    chunks: Iterable[Batch],
    metrics: Mapping[str, Metric],
    *,
    open_progress_file: Callable[[], ProgressFile] | None = None,
    workers: int | None = None,
    store: Store | None = None,
    retain: Retained = Retained(),  # noqa: B008
    fingerprint: bool = True,
    progress: RowsDone | None = None,
) -> ScoredRun:
    """Score a stream of chunks.

    `open_progress_file` is called only if there is more than one chunk. Without `fingerprint`, a run that needs no progress file
    does not hash its texts.
    """
    run = ScoredRun(metrics, retain)
    digest = blake2b(digest_size=16)
    sums: Sums = {}
    identify = False
    for index, (batch, alone) in enumerate(_ahead(chunks)):
        if index == 0:
            identify = with_languages(retain.flags, metrics.values(), len(batch) if alone else None)
            if not alone and open_progress_file is not None:
                run.progress_file = open_progress_file()
        content = _hash(batch, run.systems, retain.columns) if fingerprint or run.progress_file is not None else b""
        digest.update(content)
        arrays = run.progress_file.get(index, content) if run.progress_file is not None else None
        if arrays is not None:
            run.reused += 1
            chunk = from_arrays(arrays)
        else:
            run.scored += 1
            chunk = score_chunk(batch, run, workers, store, identify, last=alone)
            if run.progress_file is not None:
                run.progress_file.put(index, content, to_arrays(chunk))
        if run.progress_file is None:
            run.in_memory.append(chunk)
        _account(run, batch, chunk, sums)
        show(chunk, retain, arrays is not None)
        if progress is not None:
            progress(len(batch), arrays is not None)
    run.data_hash = digest.hexdigest() if fingerprint else ""
    run.metrics, run.shares = divided(metrics, run.languages)
    refuse_all_missing(run)
    for name, metric_sums in ((name, run.shares.get(name, (name, 0))) for name in run.metrics):
        for system in run.systems:
            if parts := sums.get((system, *metric_sums)):
                run.totals.setdefault(system, {})[name] = total(parts)
                check_corpus(run.metrics[name], run.totals[system][name])
    return run


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


def _hash(batch: Batch, systems: list[str], kept: Sequence[str] = ()) -> bytes:
    """A digest that no other chunk shares: the texts, where each begins, and the systems met before (which it numbers).

    Further columns that are `kept` count where there are any.
    """
    digest = blake2b("\0".join(systems).encode("utf-8", "surrogatepass"), digest_size=16)
    columns = [batch.hypotheses, batch.sources, *(batch.references or ()), batch.systems, batch.langpairs]
    columns += [column for name in ("ids", "documents", "groups") if name in kept and (column := batch.column(name))]
    for column in columns:
        if column is None:
            digest.update(b"none")
            continue
        lengths = np.fromiter((-1 if text is None else len(text) for text in column), np.int64, len(column))
        digest.update(lengths.tobytes())
        digest.update("".join(text for text in column if text is not None).encode("utf-8", "surrogatepass"))
    if "rows" in kept and batch.rows is not None:
        digest.update(json.dumps(batch.rows.to_dict()).encode())
    return digest.digest()


def score_chunk(
    batch: Batch, run: ScoredRun, workers: int | None, store: Store | None, identify: bool, *, last: bool = False
) -> Chunk:
    """What `run` keeps of one chunk: scores of every metric, sums, flags. `identify`: look at the languages of the texts, too.

    In the `last` one, of several metrics each gives its network back before the next is loaded.
    """
    retain = run.retained
    for metric in run.asked.values():
        check_columns(batch, metric)
    numbers = {name: code for code, name in enumerate(run.systems)}
    column = batch.systems or [""] * len(batch)
    for name in dict.fromkeys(column):
        numbers.setdefault(name, len(numbers))
    if len(numbers) == 1:
        codes = np.zeros(len(batch), np.int32)
    else:
        codes = np.fromiter(map(numbers.__getitem__, column), np.int32, len(batch))
    raised = {} if retain.flags == "none" else raise_flags(batch, languages=identify)
    if (missing := rows_without(batch)) is not None:
        raised[MISSING] = missing
    if retain.flags == "none" and (empty := rows_with_empty(batch)) is not None:
        raised["empty_reference"] = empty
    kept, sums = {}, {}
    languages = spoken(batch, run.languages) if any(metric.by_language for metric in run.asked.values()) else None
    for name, metric in run.asked.items():
        without = missing if metric.card.needs_reference else None
        scores = score_with_missing(batch, metric, without, languages=languages, workers=workers, store=store)
        if last and len(run.asked) > 1:
            metric.release()
        spoken_codes = languages[1] if languages and metric.by_language else None
        sums[name] = _sums(statistics(scores), codes, spoken_codes, without)
        flags = {flag: scores.flags[flag] for flag in scores.raised()}
        if retain.flags != "none":
            flags = {**uncovered(batch, metric), **flags}
        kept[name] = replace(
            scores,
            stats=scores.stats if retain.stats else None,
            spans=scores.spans if retain.spans else None,
            flags=flags,
        )
    columns: dict[str, Any] = {name: batch.column(name) or () for name in retain.columns if name != "rows"}
    if "rows" in retain.columns:
        columns["rows"] = (batch.rows or _own_rows(batch, list(numbers), codes, run.segments)).to_dict()
    return Chunk(list(numbers), codes, kept, sums, raised, columns, *(languages or ((), None)))


def _own_rows(batch: Batch, systems: Sequence[str], codes: NDArray[np.int32], before: Mapping[str, int]) -> InputRows:
    """The rows of texts that came without a table: numbered within their system, of which `before` went before."""
    columns: dict[str, Any] = {"system": batch.systems} if batch.systems and list(systems) != [""] else {}
    met, segments = {code: before.get(name, 0) for code, name in enumerate(systems)}, []
    for code in codes.tolist():
        met[code] += 1
        segments.append(met[code])
    columns["segment"] = segments
    return InputRows({name: list(column) for name, column in (columns | batch.outward()).items()})


def _sums(
    stats: Floats, systems: NDArray[np.int32], languages: NDArray[np.int32] | None, without: Bools | None
) -> dict[tuple[int, int], Floats]:
    """Exact sums by system and language (without languages, by system and 0) of the rows that are not `without` a reference."""
    found = {}
    if without is not None:
        stats, systems = stats[~without], systems[~without]
        languages = None if languages is None else languages[~without]
    for system in np.unique(systems).tolist():
        mine = systems == system
        for language in (0,) if languages is None else np.unique(languages[mine]).tolist():
            rows = mine if languages is None else mine & (languages == language)
            found[system, language] = exact_parts(stats if rows.all() else stats[rows])
    return found


def _account(run: ScoredRun, batch: Batch, chunk: Chunk, sums: Sums) -> None:
    run.systems[:], run.languages[:] = chunk.systems, chunk.languages
    run.nrefs = max(run.nrefs, batch.nrefs)
    counts = np.bincount(chunk.codes, minlength=len(run.systems))
    for code, system in enumerate(run.systems):
        run.segments[system] = run.segments.get(system, 0) + int(counts[code])
    for flag, column in chunk.flags().items():
        for code, rows in enumerate(np.bincount(chunk.codes[column], minlength=len(run.systems)).tolist()):
            if rows:
                flags = run.system_flags.setdefault(run.systems[code], {})
                flags[flag] = flags.get(flag, 0) + rows
    for name, by_place in chunk.sums.items():
        for (code, language), parts in by_place.items():
            sums.setdefault((run.systems[code], name, language), []).append(parts)
