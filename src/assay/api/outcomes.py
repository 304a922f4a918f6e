"""Outcomes on their way to an analysis or a rule: read, cut into parts, and scored."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.api.scoring import default_store
from assay.core.errors import InputError, count, unknown
from assay.core.metric import Card, Metric
from assay.core.outcomes import DEV, TEST, TaskOutcomes
from assay.core.suite import Measured

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.engine.store import Store


def load(
    data: str | os.PathLike[str] | TaskOutcomes,
    *,
    columns: Mapping[str, str] | None = None,
    scores: Sequence[str] = (),
    langs: Sequence[str] = (),
    dev_share: float | None = None,
    seed: int = 12345,
    need_split: bool = True,
) -> TaskOutcomes:
    """Outcomes from a table, with the wanted languages and with a development part."""
    from assay.io.judgements.outcomes import read_outcomes

    if isinstance(data, TaskOutcomes):
        outcomes, name = data, "the outcomes"
    else:
        outcomes = read_outcomes(data, columns, list(dict.fromkeys(column_of(spec)[0] for spec in scores)))
        name = Path(data).name
    if langs:
        known = list(dict.fromkeys(outcomes.languages))
        for language in langs:
            if language not in known:
                raise unknown(f"language in {name}", language, known)
        outcomes = outcomes.select([language in langs for language in outcomes.languages])
    if dev_share is not None:
        return split(outcomes, dev_share, seed)
    if need_split and not any(part == DEV for part in outcomes.splits):
        raise InputError(
            f"{name} has no development part to choose thresholds on: give a split column with dev and test, "
            "or draw one with --dev-share 0.5."
        )
    return outcomes


def split(outcomes: TaskOutcomes, share: float, seed: int) -> TaskOutcomes:
    """The same outcomes with a share of each task and language drawn as the development part.

    Both classes are divided alike; examples that differ only in a controlled error stay together.
    """
    import zlib

    import numpy as np

    if not 0 < share < 1:
        raise InputError(f"the development part must be a share between 0 and 1, not {share}.")
    strata: dict[tuple[str, str, bool], dict[str, list[int]]] = {}
    first: dict[tuple[str, str, str], bool] = {}
    for i, name in enumerate(outcomes.ids):
        task, language, base = outcomes.tasks[i], outcomes.languages[i], name.partition("#")[0]
        good = first.setdefault((task, language, base), bool(outcomes.success[i]))
        strata.setdefault((task, language, good), {}).setdefault(base, []).append(i)
    parts = [TEST] * len(outcomes)
    for (task, language, good), members in strata.items():
        rng = np.random.default_rng([seed, zlib.crc32(f"{task}\t{language}".encode()), good])
        names = list(members)
        for at in rng.permutation(len(names))[: round(share * len(names))].tolist():
            for i in members[names[at]]:
                parts[i] = DEV
    return replace(outcomes, splits=parts)


def concat(parts: Sequence[TaskOutcomes]) -> TaskOutcomes:
    """Outcomes of several tasks as one."""
    import numpy as np

    from assay.core.batch import Batch

    if len(parts) == 1:
        return parts[0]

    def joined(name: str) -> list[str]:
        return [value for part in parts for value in getattr(part, name)]

    shifts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    some_back = any(part.back is not None for part in parts)
    return TaskOutcomes(
        batch=Batch(
            [text for part in parts for text in part.batch.hypotheses],
            [text for part in parts for text in part.batch.sources or [""] * len(part.batch)],
            ([text for part in parts for text in (part.batch.references or ([None] * len(part.batch),))[0]],),
        ),
        success=np.concatenate([part.success for part in parts]),
        languages=joined("languages"),
        splits=joined("splits"),
        tasks=joined("tasks"),
        ids=joined("ids"),
        error_types=joined("error_types"),
        controlled=np.concatenate([part.controlled for part in parts]),
        example=np.concatenate([part.example + shift for part, shift in zip(parts, shifts, strict=True)]),
        parts=[name for part in parts for name in part.parts or [""] * len(part.batch)],
        back=[text for part in parts for text in part.back or [None] * len(part.batch)] if some_back else None,
    )


def column_of(spec: str) -> tuple[str, bool]:
    """``comet`` or ``ter:lower``: the column's name, and whether higher is better."""
    name, colon, order = spec.rpartition(":")
    return (name, order == "higher") if colon and order in ("lower", "higher") else (spec, True)


def ready(outcomes: TaskOutcomes, scores: Sequence[str], metrics: Collection[str] = ()) -> list[Measured]:
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


def measure(
    outcomes: TaskOutcomes, metrics: Mapping[str, Metric], *, workers: int | None = None, store: bool = True
) -> tuple[list[Measured], list[Measured], list[str]]:
    """Every metric's score of every example, the same with pseudo-references, and what to say about it.

    Where there are back-translations, metrics that need a reference are scored a second time with pseudo-references. Where
    there are no references at all, that is all such a metric gets.
    """
    import numpy as np

    from assay.engine.scoring import score

    kept = default_store() if store and any(metric.card.stored for metric in metrics.values()) else None
    online, has_references = outcomes.pseudo_batch(), outcomes.has_references
    missing = outcomes.pseudo_missing()
    measured, pseudo, notes, instead = [], [], [], []
    for name, metric in metrics.items():
        card = metric.card
        back: Floats | None = None
        if card.needs_reference and online is not None:
            values = np.where(missing, np.nan, score(online, metric, workers=workers, store=kept).values)
            back = outcomes.fold(values, card.higher_is_better)
        if has_references or not card.needs_reference:
            values = _scored(outcomes, metric, workers, kept)
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

    from assay.engine.scoring import score

    batch = outcomes.batch
    values = np.full(len(batch), np.nan)
    if metric.card.needs_reference and batch.references is not None:
        there = [i for i, text in enumerate(batch.references[0]) if text is not None]
        if len(there) < len(batch):
            values[there] = score(batch.select(there), metric, workers=workers, store=store).values
            return values
    values[:] = score(batch, metric, workers=workers, store=store).values
    return values
