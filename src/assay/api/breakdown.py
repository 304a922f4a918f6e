"""Breakdown detection from Python: outcomes in (from a table, or from running a task), the tables of Moghe et al. 2023 out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.api.outcomes import concat, load, measure, ready
from assay.api.scoring import Wanted, build_metrics, signature
from assay.api.tasks import ControlledError, find_task, find_translator, task_outcomes
from assay.core.errors import InputError, count, unknown
from assay.core.outcomes import TaskOutcomes
from assay.core.suite import Measured
from assay.core.table import Table
from assay.core.task import Task, Translator
from assay.results import Shown

if TYPE_CHECKING:
    import polars

    from assay.core.question import Question
    from assay.report.page import Section

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
        """Table 1 of Moghe et al. 2023."""
        return self.tables["summary"]

    def to_polars(self) -> polars.DataFrame:
        """One row an example: outcome, language, split and every metric's score."""
        import polars

        mine = self.outcomes
        columns: dict[str, Any] = {"id": mine.ids, "task": mine.tasks, "language": mine.languages, "split": mine.splits}
        columns |= {"success": mine.success, "error_type": mine.error_types, "controlled": mine.controlled}
        columns |= {metric.name: metric.values for metric in self.measured}
        columns |= {f"{metric.name} pseudo": metric.values for metric in self.pseudo}
        return polars.DataFrame(columns)

    def figures(self, format: str = "svg") -> dict[str, bytes]:
        """Case study and matrix as files, name to content (needs the extra ``figures``)."""
        from assay.report.figures import render

        return render(self.tables, format)

    def section(self, tables: Sequence[Table] | None = None) -> Section:
        """The result as part of an HTML report, with figures where they can be drawn."""
        from assay.report.figures import available, inline
        from assay.report.page import Section

        shown = list(self.tables.values()) if tables is None else list(tables)
        lead = f"{count(len(self), 'outcome')} · {', '.join(metric.name for metric in self.measured)}"
        return Section("Breakdown detection", shown, lead, inline(shown) if available() else {})

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """A run directory: outcomes.tsv, scores.parquet, tables.json, manifest.json and, with matplotlib, the figures."""
        from assay.engine.manifest import Manifest
        from assay.io.files.atomic import atomic_write
        from assay.io.judgements.outcomes import write_outcomes
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
    decisions: str | os.PathLike[str] | None = None,
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
    `decisions` is a file of error types that people gave (``assay breakdown --review``).
    """
    from assay.analyses.breakdown.tables import tables

    outcomes = load(data, columns=columns, scores=scores, langs=langs, dev_share=dev_share, seed=seed)
    if decisions is not None:
        from assay.review.decisions import Decisions
        from assay.review.error_types import typed

        outcomes = replace(outcomes, error_types=typed(outcomes, Decisions(Path(decisions))))
    built = build_metrics(metrics) if metrics else {}
    brought = ready(outcomes, scores, built)
    measured, pseudo, notes = measure(outcomes, built, workers=workers, store=store)
    measured += brought
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


def type_questions(
    result: BreakdownResult, metric: str | None = None, *, most: int = 50, seed: int = 12345
) -> list[Question]:
    """Up to `most` false positives and as many false negatives of a metric, drawn for a person to name their error types."""
    import numpy as np

    from assay.analyses.breakdown.errors import best
    from assay.analyses.breakdown.verdicts import judge, setups
    from assay.review.error_types import question, rows_of

    outcomes = result.outcomes
    verdicts = judge(outcomes, result.measured, setups(outcomes)[0])
    name = metric or best(result.measured, verdicts)
    if name not in {measured.name for measured in result.measured}:
        raise unknown("metric among those scored", name, [measured.name for measured in result.measured])
    rng, rows, found = np.random.default_rng(seed), rows_of(outcomes), []
    for let_through, what in (
        (True, f"broke down, but {name} let it through"),
        (False, f"is fine, but {name} held it back"),
    ):
        wrong = [
            verdict.scored[(verdict.predicted != verdict.good) & (verdict.predicted == let_through)]
            for verdict in verdicts.values()
            if verdict.metric == name
        ]
        everyone = np.concatenate([part for part in wrong if len(part)] or [np.empty(0, np.int64)])
        chosen = np.sort(rng.permutation(everyone)[:most]).tolist()
        found += [question(outcomes, i, rows[i], what) for i in chosen]
    return found


def run_task(
    task: Task | str | Sequence[Task | str],
    translator: Translator | str | None,
    langs: Sequence[str],
    metrics: Sequence[Wanted] = METRICS,
    *,
    pseudo: bool = False,
    errors: Sequence[ControlledError] | ControlledError = (),
    dev_share: float | None = None,
    decisions: str | os.PathLike[str] | None = None,
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
    made = [find_task(one) if isinstance(one, str) else one for one in tasks]
    chosen = find_translator(translator) if isinstance(translator, str) else translator
    wanted = [errors] if callable(errors) else list(errors)
    runs = [task_outcomes(one, chosen, langs, pseudo=pseudo, errors=wanted, seed=seed) for one in made]
    outcomes = concat([run.outcomes for run in runs])
    result = breakdown(
        outcomes,
        metrics,
        dev_share=dev_share,
        decisions=decisions,
        case=case,
        seed=seed,
        samples=samples,
        workers=workers,
        store=store,
    )
    notes = [
        (f"{one.name}: " if len(runs) > 1 else "") + note
        for one, run in zip(made, runs, strict=True)
        for note in run.notes()
    ]
    result.tables["summary"] = replace(result.table(), notes=(*notes, *result.table().notes))
    result.notes = [*notes, *result.notes]
    return result
