"""Breakdown detection from Python: outcomes in (from a table, or from running a task), Moghe et al. 2023, 's tables out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.api.scoring import Wanted, build_metrics, default_store, signature
from assay.api.tasks import ControlledError, task_outcomes
from assay.core.errors import InputError, MissingPart, count, unknown
from assay.core.metric import Card, Metric
from assay.core.outcomes import DEV, TEST, TaskOutcomes
from assay.core.suite import Measured
from assay.core.table import Table
from assay.core.task import Task, Translator
from assay.results import Shown

if TYPE_CHECKING:
    import polars

    from assay.core.metric import Floats
    from assay.core.registry import Registry

METRICS = ("chrf", "bleu", "ter", "rouge2", "meteor", "cer")
"""What is scored when nothing is asked for: string metrics, which are always there."""


@dataclass(repr=False)
class BreakdownResult(Shown):
    """The tables of a breakdown analysis, with the outcomes and the scores behind them."""

    outcomes: TaskOutcomes
    measured: list[Measured]
    pseudo: list[Measured]
    tables: dict[str, Table]
    signatures: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    analysis: str = "breakdown"

    def __len__(self) -> int:
        return len(self.outcomes)

    def table(self) -> Table:
        """Seed 003's Table 1."""
        return self.tables["summary"]

    def to_polars(self) -> polars.DataFrame:
        """One row an example: outcome, language, split and every metric's score."""
        import polars

        mine = self.outcomes
        columns = {"id": mine.ids, "task": mine.tasks, "language": mine.languages, "split": mine.splits}
        columns |= {"success": mine.success, "error_type": mine.error_types, "controlled": mine.controlled}
        columns |= {metric.name: metric.values for metric in self.measured}
        columns |= {f"{metric.name} pseudo": metric.values for metric in self.pseudo}
        return polars.DataFrame(columns)

    def figures(self, format: str = "svg") -> dict[str, bytes]:
        """Case study and matrix as files, name to content (needs the extra ``figures``)."""
        from assay.report.figures import render

        return render(self.tables, self.analysis, format)

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """A run directory: outcomes.tsv, scores.parquet, tables.json, manifest.json and, with matplotlib, the figures."""
        from assay.engine.manifest import Manifest
        from assay.io.atomic import atomic_write
        from assay.io.outcomes import write_outcomes
        from assay.report.data import as_json
        from assay.report.figures import available

        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        write_outcomes(self.outcomes, path / "outcomes.tsv")
        with atomic_write(path / "scores.parquet", "wb") as stream:
            self.to_polars().write_parquet(stream)
        with atomic_write(path / "tables.json", "w") as stream:
            stream.write(as_json(list(self.tables.values()), {"analysis": self.analysis}))
        for format in figures if available() else ():
            for name, content in self.figures(format).items():
                with atomic_write(path / name, "wb") as stream:
                    stream.write(content)
        Manifest("assay breakdown", self.signatures, counts={"examples": len(self)}).finish().write(
            path / "manifest.json"
        )
        return path


def breakdown(
    data: str | os.PathLike[str] | TaskOutcomes,
    metrics: Sequence[Wanted] = METRICS,
    *,
    scores: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    langs: Sequence[str] = (),
    dev_share: float | None = None,
    case: str | None = None,
    seed: int = 12345,
    samples: int = 1000,
    workers: int | None = None,
    store: bool = True,
) -> BreakdownResult:
    """How well do metrics foresee breakdowns? `data` is a table of outcomes (source, translation, reference, outcome,
    language, split) or TaskOutcomes.

    `scores` are columns of the table with ready scores (``comet``, or ``ter:lower`` where lower is better). `dev_share` draws
    the development part anew; without it the table must have a split column. `langs` keeps some languages only.
    """
    from assay.analyses.breakdown import tables

    outcomes = load(data, columns=columns, scores=scores, langs=langs, dev_share=dev_share, seed=seed)
    built = build_metrics(metrics) if metrics else {}
    measured, pseudo, notes = measure(outcomes, built, workers=workers, store=store)
    measured += ready(outcomes, scores)
    if not measured:
        raise InputError("no metric was asked for (-m chrf, or --score COLUMN).")
    made = tables(outcomes, measured, pseudo=pseudo, seed=seed, samples=samples, case=case)
    if notes:
        made[0] = replace(made[0], notes=(*made[0].notes, *notes))
    return BreakdownResult(
        outcomes,
        measured,
        pseudo,
        {table.name: table for table in made},
        {name: signature(metric, 1) for name, metric in built.items()},
        notes,
    )


def run_task(
    task: Task | str | Sequence[Task | str],
    translator: Translator | str | None,
    langs: Sequence[str],
    metrics: Sequence[Wanted] = METRICS,
    *,
    pseudo: bool = False,
    errors: Sequence[ControlledError] | ControlledError = (),
    dev_share: float | None = None,
    case: str | None = None,
    seed: int = 12345,
    samples: int = 1000,
    workers: int | None = None,
    store: bool = True,
) -> BreakdownResult:
    """Run one task (or several) on translated input and judge metrics by the outcomes (Moghe et al. 2023, Section 3).

    Tasks and translators are names of the registries or objects (`assay.core.task`). `pseudo` also translates back, for
    Table 4. `errors` makes controlled errors: any callable ``(text, rng) -> (text, error type) | None``.
    """
    tasks = [task] if isinstance(task, (Task, str)) else list(task)
    made = [resolve("task", one) if isinstance(one, str) else one for one in tasks]
    chosen = resolve("translator", translator) if isinstance(translator, str) else translator
    wanted = [errors] if callable(errors) else list(errors)
    runs = [task_outcomes(one, chosen, langs, pseudo=pseudo, errors=wanted, seed=seed) for one in made]
    outcomes = concat([run.outcomes for run in runs])
    result = breakdown(
        outcomes, metrics, dev_share=dev_share, case=case, seed=seed, samples=samples, workers=workers, store=store
    )
    notes = [
        (f"{one.name}: " if len(runs) > 1 else "") + note
        for one, run in zip(made, runs, strict=True)
        for note in run.notes()
    ]
    result.tables["summary"] = replace(result.table(), notes=(*notes, *result.table().notes))
    result.notes = [*notes, *result.notes]
    return result


def resolve(kind: str, name: str) -> Task | Translator:
    """A task or a translator by its registered name, with options after a colon."""
    import importlib

    from assay.core.spec import build, parse

    try:
        module = importlib.import_module("assay.tasks")
    except ModuleNotFoundError:
        raise MissingPart(
            f"no {kind} is installed under the name {name!r}: this assay has no tasks. Use --data outcomes.tsv."
        ) from None
    registry: Registry = getattr(module, f"{kind.upper()}S")
    if kind == "translator" and name.startswith("cmd:"):
        made: Task | Translator = registry.resolve("cmd")(name.removeprefix("cmd:"))
        return made
    plain, options = parse(name)
    made = build(registry.resolve(plain), plain, options)
    return made


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
    from assay.io.outcomes import read_outcomes

    if isinstance(data, TaskOutcomes):
        outcomes, name = data, "the outcomes"
    else:
        outcomes = read_outcomes(data, columns, [column_of(spec)[0] for spec in scores])
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


def ready(outcomes: TaskOutcomes, scores: Sequence[str]) -> list[Measured]:
    """Metrics whose scores came with the data."""
    found = []
    for spec in scores:
        name, higher = column_of(spec)
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
    batch, online = outcomes.batch, outcomes.pseudo_batch()
    has_references = batch.references is not None and any(text for text in batch.references[0])
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
        notes.append(f"⚠ there are no references: {', '.join(instead)} were scored with pseudo-references")
    if online is not None and missing.any():
        notes.append(
            f"⚠ {count(int(missing.sum()), 'row')} without a back-translation, unscored with pseudo-references"
        )
    return measured, pseudo, notes


def _scored(outcomes: TaskOutcomes, metric: Metric, workers: int | None, store: object) -> Floats:
    """A value a row; NaN where a row lacks the reference that others have."""
    import numpy as np

    from assay.engine.scoring import score

    batch = outcomes.batch
    values = np.full(len(batch), np.nan)
    if metric.card.needs_reference and batch.references is not None:
        there = [i for i, text in enumerate(batch.references[0]) if text is not None]
        if len(there) < len(batch):
            values[there] = score(batch.select(there), metric, workers=workers, store=store).values  # type: ignore[arg-type]
            return values
    values[:] = score(batch, metric, workers=workers, store=store).values  # type: ignore[arg-type]
    return values
