"""Downstream task outcomes: reading, splitting into development and test sets, and scoring with metrics."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError, count, unknown
from assay.core.metric import Card, Metric
from assay.core.outcomes import BOTH, DEV, TaskOutcomes, draw_development_part
from assay.core.suite import Measured
from assay.engine.scoring import score
from assay.io.judgements.outcomes import read_benchmark, read_outcomes

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.engine.store import Store
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice


def load_outcomes(
    data: str | os.PathLike[str] | TaskOutcomes,
    *,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
    scores: Sequence[str] = (),
    langs: Sequence[str] = (),
    dev_share: float | None = None,
    seed: int = 12345,
    need_split: bool = True,
    success_at: float | None = None,
    judged: Sequence[float | None] | None = None,
) -> TaskOutcomes:
    """Read outcomes from a table or a folder of tables, select languages, and ensure that there is a development set.

    Notes about the reading are added to `notes`. `success_at` turns graded outcomes into successes and failures. `judged`
    contains the outcomes of the table's rows if a judge produced them.
    """
    if isinstance(data, TaskOutcomes):
        outcomes, name = data, "the outcomes"
    else:
        wanted = list(dict.fromkeys(column_of(spec)[0] for spec in scores))
        if Path(data).is_dir():
            outcomes = read_benchmark(data, columns, wanted, quoting=quoting, notes=notes)
        else:
            outcomes = read_outcomes(data, columns, wanted, quoting=quoting, notes=notes, judged=judged)
        name = Path(data).name
    outcomes = outcomes.cut_at(success_at)
    if langs:
        known = list(dict.fromkeys(outcomes.languages))
        for language in langs:
            if language not in known:
                raise unknown(f"language in {name}", language, known)
        outcomes = outcomes.select([language in langs for language in outcomes.languages])
    if dev_share is not None:
        return draw_development_part(outcomes, dev_share, seed)
    if need_split and not any(part in (DEV, BOTH) for part in outcomes.splits):
        raise InputError(
            f"{name} has no development set for choosing thresholds. Add a split column with dev and test, "
            "or draw a development set with --dev-share 0.5."
        )
    return outcomes


def column_of(spec: str) -> tuple[str, bool]:
    """Return the column and whether higher is better for a spec such as ``comet`` or ``ter:lower``."""
    name, colon, order = spec.rpartition(":")
    return (name, order == "higher") if colon and order in ("lower", "higher") else (spec, True)


def precomputed_scores(outcomes: TaskOutcomes, scores: Sequence[str], metrics: Collection[str] = ()) -> list[Measured]:
    """Return metrics whose scores are in the data; their names must differ from each other and from `metrics`."""
    measured: list[Measured] = []
    for spec in scores:
        name, higher = column_of(spec)
        if name in metrics or any(name == other.name for other in measured):
            raise InputError(f"{name} is requested twice. Remove one of the requests, or rename the score column.")
        if name not in outcomes.scores:
            raise unknown("column of scores", name, outcomes.scores)
        card = Card(name, name, "either", higher, (None, None), "Scores from a file.", decimals=3, kind="file")
        measured.append(Measured(name, card, values=outcomes.fold(outcomes.scores[name], higher)))
    return measured


def check_references(outcomes: TaskOutcomes, metrics: Mapping[str, Metric]) -> None:
    """Reject metrics that need references if the outcomes have none: a rule cannot be learned from pseudo-references."""
    if outcomes.has_references:
        return
    for name, metric in metrics.items():
        if metric.card.needs_reference:
            raise InputError(
                f"{name} requires references, but the outcomes have none. Add a reference column or use a metric without "
                "references. "
                "Alternatively, use back-translations as translations and sources as references, both here and when "
                "applying the rule."
            )


def measure_outcomes(
    outcomes: TaskOutcomes, metrics: Mapping[str, Metric], *, workers: int | None = None, store: Store | None = None
) -> tuple[list[Measured], list[Measured], list[str]]:
    """Return the scores of every metric, those with pseudo-references, and notes.

    If there are back-translations, metrics that need a reference are also scored with pseudo-references. If there are no references
    at all, such metrics are scored with pseudo-references only.
    """
    import numpy as np

    online, has_references = outcomes.pseudo_batch(), outcomes.has_references
    missing = outcomes.pseudo_missing()
    measured, pseudo, notes, instead = [], [], [], []
    for name, metric in metrics.items():
        card = metric.card
        back: Floats | None = None
        if card.needs_reference and online is not None:
            values = np.where(missing, np.nan, score(online, metric, workers=workers, store=store).values)
            back = outcomes.fold(values, card.higher_is_better)
        if has_references or not card.needs_reference:
            values = _scored(outcomes, metric, workers, store)
            measured.append(Measured(name, card, values=outcomes.fold(values, card.higher_is_better)))
        elif back is not None:
            instead.append(name)
            measured.append(Measured(name, card, values=back))
        else:
            raise InputError(
                f"{name} requires references, but the outcomes have none. Add a reference column, or pseudo-references: "
                "the sources "
                "and a column back_translation with each translation translated back into the source language."
            )
        if back is not None and has_references:
            pseudo.append(Measured(name, card, values=back))
    if instead:
        notes.append(f"⚠ no references; scored with pseudo-references: {', '.join(instead)}")
    gaps = int((missing & ~outcomes.controlled[outcomes.example]).sum()) if online is not None else 0
    if gaps:
        notes.append(f"⚠ {count(gaps, 'row')} without a back-translation not scored with pseudo-references")
    return measured, pseudo, notes


def _scored(outcomes: TaskOutcomes, metric: Metric, workers: int | None, store: Store | None) -> Floats:
    """Return one value per row; NaN if a row lacks the reference that other rows have."""
    import numpy as np

    batch = outcomes.batch
    values = np.full(len(batch), np.nan)
    if metric.card.needs_reference and batch.references is not None:
        rows = [i for i, text in enumerate(batch.references[0]) if text is not None]
        if len(rows) < len(batch):
            values[rows] = score(batch.select(rows), metric, workers=workers, store=store).values
            return values
    values[:] = score(batch, metric, workers=workers, store=store).values
    return values
