"""A scoring run over inputs that can be taken up again: spool, store, interruption, and what people should hear of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.core.alerts import alert
from assay.core.call import now
from assay.core.chunk import Retained
from assay.core.errors import InputError, Interrupted, count
from assay.engine.inputs import Inputs
from assay.engine.missing import missing_notes
from assay.engine.progress_file import ProgressFile
from assay.engine.run import RowsDone, ScoredRun, score_stream
from assay.engine.store import Store
from assay.engine.target_script import settle_language
from assay.io.files.paths import progress_dir

if TYPE_CHECKING:
    from assay.core.metric import Metric


def run_inputs(
    inputs: Inputs,
    metrics: Mapping[str, Metric],
    *,
    retain: Retained = Retained(),  # noqa: B008
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
) -> ScoredRun:
    """Score `inputs`. Finished chunks of files lie in a spool until `ScoredRun.finish`; the same call goes on from there."""
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

    # A judge's answers are kept one by one, and which model gave them belongs to its signature: they are read again each time.
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
        run.notices.append(f"the texts are in {languages}: {split} is given for each, and there is none for all.")
    return run


def _key(inputs: Inputs, metrics: Mapping[str, Metric], retain: Retained) -> str:
    """What makes two runs the same run."""
    signed = [f"{name} {metric.signature}{' by language' * metric.by_language}" for name, metric in metrics.items()]
    parts = [*signed, repr(retain), inputs.about]
    return "\n".join([*parts, *(os.path.abspath(path) if path != "-" else "-" for path in inputs.paths)])


def _stopped(inputs: Inputs, done: int, progress_files: list[ProgressFile]) -> str:
    kept = any(progress_file.notice is None for progress_file in progress_files)
    what_now = "nothing is lost. The same command goes on from there." if kept else "give the same command again."
    of = f" of about {inputs.rows:,}" if inputs.rows and inputs.rows > done else ""
    return f"stopped at {done:,}{of} segments; {what_now}"
