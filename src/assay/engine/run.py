"""Scoring run over inputs: memory use is constant, finished chunks survive a crash, and totals are exact.

This is the only path to a score: the command line, Python, `compare` and `decide` all call `run_inputs`. Each chunk is a
Batch whose `systems` column gives each row's system. A run of one chunk stays in memory; a longer run over files writes its
chunks to a progress file, from which an interrupted run resumes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import MISSING_REFERENCE, Batch, rows_with_empty_reference, rows_without_reference
from assay.core.call import now
from assay.core.chunk import Chunk, Retained
from assay.core.context import report_chunk
from assay.core.errors import InputError, Interrupted, alert, count
from assay.core.flags import missing_notes
from assay.core.metric import Metric, statistics
from assay.core.rows import InputRows
from assay.core.sums import exact_parts, total
from assay.engine.flags import raise_flags, uncovered, with_languages
from assay.engine.inputs import Inputs
from assay.engine.languages import divided, languages_of, settle_language
from assay.engine.progress_file import ProgressFile
from assay.engine.scored_run import RowsDone, ScoredRun
from assay.engine.scoring import check_corpus, score
from assay.engine.store import Store
from assay.io.files.paths import progress_dir

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools, Floats

Sums = dict[tuple[str, str, int], list["Floats"]]
"""By system, metric and index of the language."""


def run_inputs(
    inputs: Inputs,
    metrics: Mapping[str, Metric],
    *,
    retain: Retained = Retained(),  # noqa: B008
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
) -> ScoredRun:
    """Score `inputs`. Finished chunks of files are in a progress file until `ScoredRun.finish`; the same call resumes from it."""
    metrics, language_notes = settle_language(inputs, metrics)
    progress_files: list[ProgressFile] = []
    done = 0

    def open_progress_file() -> ProgressFile:
        progress_files.append(ProgressFile.open(_key(inputs, metrics, retain), progress_dir()))
        return progress_files[0]

    def count_rows(rows: int, reused: bool) -> None:
        nonlocal done
        done += rows
        if progress is not None:
            progress(rows, reused)

    # A judge's answers are cached one by one, and its signature includes the model that answered; they are read again each time.
    judged = any(metric.card.kind == "judge" for metric in metrics.values())
    started, kept_scores = now(), Store.for_metrics(metrics, store)
    try:
        run = score_stream(
            inputs.chunks,
            metrics,
            open_progress_file=open_progress_file if inputs.paths and not judged else None,
            workers=workers,
            store=kept_scores,
            retain=retain,
            fingerprint=bool(inputs.paths),
            progress=count_rows,
        )
    except BaseException as error:
        for progress_file in progress_files:
            progress_file.close()
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(_stopped(inputs, done, progress_files)) from None
        raise
    if not run.systems:
        raise InputError(f"{inputs.name} is empty: there is nothing to score.")
    run.started = started
    run.alerts = [*language_notes, *inputs.alerts, *missing_notes(metrics.values(), run.flagged(), len(run))]
    alert(run.alerts)
    run.notices = [
        *run.alerts,
        *(progress_file.notice for progress_file in progress_files if progress_file.notice),
        *inputs.notes,
        *(kept_scores.notices if kept_scores else ()),
        *(notice for metric in run.metrics.values() for notice in metric.notices if notice not in run.alerts),
    ]
    if run.shares:
        split = ", ".join(metric.card.label for metric in metrics.values() if metric.by_language)
        languages = count(len(run.languages), "target language")
        run.notices.append(
            f"the texts are in {languages}: {split} is computed for each language, and there is no total."
        )
    return run


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
            chunk = Chunk.of_arrays(arrays)
        else:
            run.scored += 1
            chunk = score_chunk(batch, run, workers, store, identify, last=alone)
            if run.progress_file is not None:
                run.progress_file.put(index, content, chunk.to_arrays())
        if run.progress_file is None:
            run.in_memory.append(chunk)
        _account(run, batch, chunk, sums)
        report_chunk(chunk, retain, arrays is not None)
        if progress is not None:
            progress(len(batch), arrays is not None)
    run.data_hash = digest.hexdigest() if fingerprint else ""
    run.metrics, run.shares = divided(metrics, run.languages)
    run.refuse_all_missing()
    for name, metric_sums in ((name, run.shares.get(name, (name, 0))) for name in run.metrics):
        for system in run.systems:
            if parts := sums.get((system, *metric_sums)):
                run.totals.setdefault(system, {})[name] = total(parts)
                check_corpus(run.metrics[name], run.totals[system][name])
    return run


def _key(inputs: Inputs, metrics: Mapping[str, Metric], retain: Retained) -> str:
    """Return a text that is the same for identical runs."""
    signed = [f"{name} {metric.signature}{' by language' * metric.by_language}" for name, metric in metrics.items()]
    parts = [*signed, repr(retain), inputs.about]
    return "\n".join([*parts, *(os.path.abspath(path) if path != "-" else "-" for path in inputs.paths)])


def _stopped(inputs: Inputs, done: int, progress_files: list[ProgressFile]) -> str:
    resumable = any(progress_file.notice is None for progress_file in progress_files)
    remedy = "Run the same command again to resume." if resumable else "Run the same command again to start over."
    of = f" of about {inputs.rows:,}" if inputs.rows and inputs.rows > done else ""
    return f"stopped at {done:,}{of} segments. {remedy}"


def _ahead(chunks: Iterable[Batch]) -> Iterator[tuple[Batch, bool]]:
    """Yield each chunk and whether it is the only one; the next chunk is read while the current one is scored."""
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
    """Return a digest that identifies a chunk: its texts with their boundaries, the systems before it, and retained columns."""
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
    """Score one chunk and return the data that `run` retains: every metric's scores, sums and flags. `identify` enables
    language identification.

    In the `last` chunk, each of several metrics releases its model before the next one is loaded.
    """
    retain = run.retained
    for metric in run.asked.values():
        metric.card.check_columns(batch)
    numbers = {name: code for code, name in enumerate(run.systems)}
    column = batch.systems or [""] * len(batch)
    for name in dict.fromkeys(column):
        numbers.setdefault(name, len(numbers))
    if len(numbers) == 1:
        codes = np.zeros(len(batch), np.int32)
    else:
        codes = np.fromiter(map(numbers.__getitem__, column), np.int32, len(batch))
    raised = {} if retain.flags == "none" else raise_flags(batch, languages=identify)
    if (missing := rows_without_reference(batch)) is not None:
        raised[MISSING_REFERENCE] = missing
    if retain.flags == "none" and (empty := rows_with_empty_reference(batch)) is not None:
        raised["empty_reference"] = empty
    kept, sums = {}, {}
    languages = languages_of(batch, run.languages) if any(metric.by_language for metric in run.asked.values()) else None
    for name, metric in run.asked.items():
        without = missing if metric.card.needs_reference else None
        scores = score(batch, metric, languages=languages, without=without, workers=workers, store=store)
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
    """Return output rows for texts without a table, numbered within their system after the rows in `before`."""
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
    """Return exact sums by system and language (0 if there are no languages), excluding rows `without` a reference."""
    sums = {}
    if without is not None:
        stats, systems = stats[~without], systems[~without]
        languages = None if languages is None else languages[~without]
    for system in np.unique(systems).tolist():
        own = systems == system
        for language in (0,) if languages is None else np.unique(languages[own]).tolist():
            rows = own if languages is None else own & (languages == language)
            sums[system, language] = exact_parts(stats if rows.all() else stats[rows])
    return sums


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
