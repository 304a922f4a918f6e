"""Outcomes on their way to an analysis or a rule: read, cut into parts, and scored."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError, count, unknown
from assay.core.metric import Card, Metric
from assay.core.outcomes import BOTH, DEV, TaskOutcomes, split
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
    """Outcomes from a table (or a folder of them), with the wanted languages and with a development part.

    `notes` takes how it was read. `success_at` makes yes and no of graded outcomes. `judged` are the outcomes of the table's
    rows where a judge gave them.
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
        return split(outcomes, dev_share, seed)
    if need_split and not any(part in (DEV, BOTH) for part in outcomes.splits):
        raise InputError(
            f"{name} has no development part to choose thresholds on: give a split column with dev and test, "
            "or draw one with --dev-share 0.5."
        )
    return outcomes


def column_of(spec: str) -> tuple[str, bool]:
    """``comet`` or ``ter:lower``: the column's name, and whether higher is better."""
    name, colon, order = spec.rpartition(":")
    return (name, order == "higher") if colon and order in ("lower", "higher") else (spec, True)


def ready_scores(outcomes: TaskOutcomes, scores: Sequence[str], metrics: Collection[str] = ()) -> list[Measured]:
    """Metrics whose scores came with the data; a name is given once among them and the `metrics` that are scored here."""
    found: list[Measured] = []
    for spec in scores:
        name, higher = column_of(spec)
        if name in metrics or any(name == other.name for other in found):
            raise InputError(f"{name} is asked for twice: leave out one of them, or rename the column of scores.")
        if name not in outcomes.scores:
            raise unknown("column of scores", name, outcomes.scores)
        card = Card(name, name, "either", higher, (None, None), "Scores from a file.", decimals=3, kind="file")
        found.append(Measured(name, card, values=outcomes.fold(outcomes.scores[name], higher)))
    return found


def check_references(outcomes: TaskOutcomes, metrics: Mapping[str, Metric]) -> None:
    """Refuse metrics that need references where the outcomes have none: a rule cannot be learned from pseudo-references."""
    if outcomes.has_references:
        return
    for name, metric in metrics.items():
        if metric.card.needs_reference:
            raise InputError(
                f"{name} needs references, and the outcomes have none. Give a reference column or a metric without references; "
                "or take the back-translations as translations and the sources as references, and apply the rule alike."
            )


def measure_outcomes(
    outcomes: TaskOutcomes, metrics: Mapping[str, Metric], *, workers: int | None = None, store: Store | None = None
) -> tuple[list[Measured], list[Measured], list[str]]:
    """Every metric's score of every example, the same with pseudo-references, and what to say about it.

    Where there are back-translations, metrics that need a reference are scored a second time with pseudo-references. Where
    there are no references at all, that is all such a metric gets.
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
                f"{name} needs references, and the outcomes have none. Give a reference column, or pseudo-references: a "
                "back_translation column (each translation translated back into its source's language) beside the source."
            )
        if back is not None and has_references:
            pseudo.append(Measured(name, card, values=back))
    if instead:
        notes.append(f"⚠ there are no references; scored with pseudo-references: {', '.join(instead)}")
    gaps = int((missing & ~outcomes.controlled[outcomes.example]).sum()) if online is not None else 0
    if gaps:
        notes.append(f"⚠ {count(gaps, 'row')} without a back-translation, unscored with pseudo-references")
    return measured, pseudo, notes


def _scored(outcomes: TaskOutcomes, metric: Metric, workers: int | None, store: Store | None) -> Floats:
    """A value a row; NaN where a row lacks the reference that others have."""
    import numpy as np

    batch = outcomes.batch
    values = np.full(len(batch), np.nan)
    if metric.card.needs_reference and batch.references is not None:
        there = [i for i, text in enumerate(batch.references[0]) if text is not None]
        if len(there) < len(batch):
            values[there] = score(batch.select(there), metric, workers=workers, store=store).values
            return values
    values[:] = score(batch, metric, workers=workers, store=store).values
    return values
