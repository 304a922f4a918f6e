"""``assay breakdown``: evaluation of how well metrics predict breakdowns of a downstream task (Moghe et al. 2023).

Task outcomes are read from a table (`breakdown`) or obtained by running the task on translations (`run_task`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO, Unpack

from assay.analyses.breakdown.errors import best
from assay.analyses.breakdown.tables import tables
from assay.analyses.breakdown.verdicts import judge, setups
from assay.core.call import recorded
from assay.core.columns import Columns
from assay.core.errors import InputError, count, unknown
from assay.core.metric import Metric
from assay.core.outcomes import NO_TYPE, TaskOutcomes, concat_outcomes
from assay.core.suite import Measured
from assay.core.task import ControlledError, Task, Translator
from assay.engine.outcomes import measure_outcomes, precomputed_scores
from assay.engine.store import Store
from assay.io.judgements.outcomes import write_outcomes
from assay.metrics import build_metrics
from assay.perturb.making.controlled_errors import find_errors
from assay.review.decisions import DecisionLog
from assay.review.error_types import fill_reviewed_types, question, rows_by_example
from assay.tasks.running import find_task, task_outcomes
from assay.tasks.translators import open_translator
from assay.verbs.result import Result
from assay.verbs.shared.outcomes import OutcomeInputs, read_outcomes
from assay.verbs.shared.review_sessions import open_review
from assay.verbs.shared.view_decisions import view_of_breakdown

if TYPE_CHECKING:
    from assay.core.review import Question, Reviewed
    from assay.core.view_data import ViewData
    from assay.verbs.shared.review_sessions import OnPage

METRICS = ("chrf", "bleu", "ter", "rouge2", "meteor", "cer")
"""Metrics to score by default: string metrics, which need no extra."""


@dataclass(repr=False)
class BreakdownResult(Result):
    """Tables of a breakdown analysis, with the underlying outcomes and scores."""

    outcomes: TaskOutcomes
    measured: list[Measured]
    pseudo: list[Measured]
    case: str | None = None
    seed: int = 12345
    samples: int = 1000
    given_types: Sequence[str] = ()
    """Error types from the data, as opposed to those from annotators; annotators are not asked about them."""

    verb: ClassVar[str] = "breakdown"
    analysis: ClassVar[str] = "breakdown"

    def __len__(self) -> int:
        return len(self.outcomes)

    def columns(self) -> Columns:
        """Return one row per example: outcome, language, split and every metric's score."""
        outcomes = self.outcomes
        columns: dict[str, Any] = {
            "id": outcomes.ids,
            "task": outcomes.tasks,
            "language": outcomes.languages,
            "split": outcomes.splits,
        }
        columns |= {"success": outcomes.success} if outcomes.grades is None else {"grade": outcomes.grades}
        columns |= {"error_type": outcomes.error_types, "controlled": outcomes.controlled}
        columns |= {metric.name: metric.values for metric in self.measured}
        columns |= {f"{metric.name} pseudo": metric.values for metric in self.pseudo}
        return columns

    scores_columns = columns

    def heading(self) -> str:
        return "Breakdown detection"

    def lead(self) -> str:
        """Return the number of outcomes and the metrics."""
        return f"{count(len(self), 'outcome')} · {', '.join(metric.name for metric in self.measured)}"

    def viewed(self) -> ViewData:
        """Return every example with its texts, outcome and scores."""
        return view_of_breakdown(self.outcomes, self.measured)

    def sizes(self) -> Mapping[str, int]:
        """Return the number of examples."""
        return {"examples": len(self)}

    def head(self) -> Mapping[str, Any]:
        return {"analysis": self.analysis}

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """Write a run directory: outcomes.tsv, scores.parquet, tables.json, manifest.json and, with matplotlib, the figures."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        write_outcomes(self.outcomes, path / "outcomes.tsv")
        return super().write(path, figures)

    def review(
        self,
        decisions: str | os.PathLike[str],
        *,
        stream: TextIO | None = None,
        write: Callable[[str], Any] | None = None,
        page: OnPage | None = None,
        annotator: str | None = None,
        most: int = 50,
    ) -> Reviewed:
        """Ask an annotator for the error types of wrongly judged translations, and update the error tables.

        Args:
            decisions: File that stores the decisions.
            stream: Source of key presses: a terminal, or the lines of a file.
            write: Called with the text to show.
            page: Page in the browser, instead of `stream` and `write`.
            annotator: Name of the annotator; by default, the user's.
            most: Maximum number of false positives, and of false negatives, to draw for the case study's metric. Examples
            whose error type is in the data are left out.

        Returns:
            The numbers of questions answered, skipped and left open.
        """
        log = DecisionLog(Path(decisions), annotator)
        questions = self.questions(most)
        reviewed = open_review(
            log, "Error types of wrongly judged translations", stream=stream, write=write, page=page
        )(questions)
        log.reload()
        self.outcomes = fill_reviewed_types(self.outcomes, log)
        settings: dict[str, Any] = {"seed": self.seed, "samples": self.samples, "case": self.case}
        made_tables = tables(self.outcomes, self.measured, pseudo=self.pseudo, **settings)
        self.tables |= {table.name: table for table in made_tables if table.name in ("errors", "matrix")}
        return reviewed

    def questions(self, most: int = 50) -> list[Question]:
        """Draw up to `most` false positives and as many false negatives whose error type is not in the data."""
        import numpy as np

        if self.outcomes.grades is not None:
            raise InputError(
                "error types require outcomes that are success or breakdown, but these are graded. Use --success-at 0.5."
            )
        verdicts = judge(self.outcomes, self.measured, setups(self.outcomes)[0])
        name = self.case or best(self.measured, verdicts)
        if name not in {metric.name for metric in self.measured}:
            raise unknown("metric among those scored", name, [metric.name for metric in self.measured])
        rng, rows, asked = np.random.default_rng(self.seed), rows_by_example(self.outcomes), []
        for let_through, what in (
            (True, f"broke down, but {name} accepted it"),
            (False, f"is fine, but {name} rejected it"),
        ):
            wrong = [
                verdict.scored[(verdict.predicted != verdict.good) & (verdict.predicted == let_through)]
                for verdict in verdicts.values()
                if verdict.metric == name
            ]
            everyone = np.concatenate([part for part in wrong if len(part)] or [np.empty(0, np.int64)])
            if self.given_types:
                everyone = np.array([i for i in everyone.tolist() if self.given_types[i] == NO_TYPE], np.int64)
            chosen = np.sort(rng.permutation(everyone)[:most]).tolist()
            asked += [question(self.outcomes, i, rows[i], what) for i in chosen]
        return asked


@recorded(
    "breakdown",
    {"quoting": "auto", "langs": (), **dict.fromkeys(("columns", "dev_share", "success_at", "judge", "judged"))},
)
def breakdown(
    data: str | os.PathLike[str] | TaskOutcomes,
    metrics: Sequence[str | Metric] = METRICS,
    *,
    scores: Sequence[str] = (),
    decisions: str | os.PathLike[str] | None = None,
    case: str | None = None,
    seed: int = 12345,
    samples: int = 1000,
    workers: int | None = None,
    store: bool = True,
    **options: Unpack[OutcomeInputs],
) -> BreakdownResult:
    """Measure how well metrics predict breakdowns, that is, translations on which a downstream program fails.

    Args:
        data: An outcome table (source, translation, reference, outcome, language, split), a folder of such tables as
        released by Moghe et al., or TaskOutcomes.
        metrics: Names with options or Metric objects.
        scores: Columns of the table with precomputed scores (``comet``, or ``ter:lower`` if lower is better).
        decisions: A file with error types named by annotators (``assay breakdown --review``).
        case: The metric for the case study; by default, the best one on the development set.
        seed: Random seed for resampling and for `dev_share`.
        samples: Number of bootstrap resamples.
        workers: Number of threads, by default one per core.
        store: Whether to look up and cache the scores of slow metrics.
        options: Options for reading outcomes (`assay.verbs.shared.outcomes.OutcomeInputs`).

    Returns:
        The tables, with the underlying outcomes and scores.

    Raises:
        InputError: The outcomes are invalid, or there is nothing to score.

    Example:
        >>> import assay
        >>> from assay.core.outcomes import TaskOutcomes
        >>> batch = assay.Batch(["a b", "c", "a b", "d"] * 10, references=(["a b"] * 40,))
        >>> splits = ["dev"] * 20 + ["test"] * 20
        >>> outcomes = TaskOutcomes.single(batch, [True, False] * 20, ["es"] * 40, splits)
        >>> len(assay.breakdown(outcomes, ["chrf"], samples=10))
        40
    """
    read: list[str] = []
    outcomes = read_outcomes(data, options, read, scores=scores, seed=seed)
    given = list(outcomes.error_types)
    if decisions is not None:
        outcomes = fill_reviewed_types(outcomes, DecisionLog(Path(decisions)))
    built = build_metrics(metrics) if metrics else {}
    brought = precomputed_scores(outcomes, scores, built)
    kept = Store.for_metrics(built, store)
    measured, pseudo, notes = measure_outcomes(outcomes, built, workers=workers, store=kept)
    measured += brought
    if not measured:
        raise InputError("no metric is specified. Use -m chrf, or --score COLUMN.")
    made_tables = tables(outcomes, measured, pseudo=pseudo, seed=seed, samples=samples, case=case)
    if notes:
        made_tables[0] = replace(made_tables[0], notes=(*made_tables[0].notes, *notes))
    return BreakdownResult(
        {table.name: table for table in made_tables},
        outcomes,
        measured,
        pseudo,
        case,
        seed,
        samples,
        given,
        signatures={name: metric.signed(1) for name, metric in built.items()},
        notes=read,
    )


@recorded("run_task")
def run_task(
    task: Task | str | Sequence[Task | str],
    translator: Translator | str | None,
    langs: Sequence[str],
    *,
    metrics: Sequence[str | Metric] = METRICS,
    pseudo: bool = False,
    errors: Sequence[ControlledError | str] | ControlledError | str = (),
    dev_share: float | None = None,
    decisions: str | os.PathLike[str] | None = None,
    case: str | None = None,
    seed: int = 12345,
    samples: int = 1000,
    workers: int | None = None,
    store: bool = True,
) -> BreakdownResult:
    """Run one or more tasks on translated input, and evaluate metrics on the outcomes (Moghe et al. 2023, Section 3).

    Args:
        task: A registered name or an object (`assay.core.task`), or several of these.
        translator: A name or an object; None if there are only controlled `errors`.
        langs: Source languages.
        metrics: As in `breakdown`.
        pseudo: Also back-translate the translations, for Table 4.
        errors: Errors to insert into the human text: perturbation names, ``all``, or callables
            ``(text, rng) -> (text, error type) | None``. Errors that cannot be made are listed in `notes`.
        dev_share: As in `breakdown`.
        decisions: As in `breakdown`.
        case: As in `breakdown`.
        seed: As in `breakdown`.
        samples: As in `breakdown`.
        workers: As in `breakdown`.
        store: As in `breakdown`.

    Returns:
        The same tables as `breakdown`, over the outcomes of all tasks.

    Raises:
        InputError: A task, translator or language does not exist.

    Example:
        >>> import assay
        >>> assay.run_task("parsing", None, ["es"], metrics=["chrf"], errors="word-swap", samples=10).table().name  # doctest: +SKIP
        'summary'
    """
    tasks = [task] if isinstance(task, (Task, str)) else list(task)
    opened = [find_task(one) if isinstance(one, str) else one for one in tasks]
    if translator is not None and not langs:
        raise InputError(f"task {opened[0].name} requires source languages: --langs es,pt (langs=[...] in Python).")
    chosen = open_translator(translator) if isinstance(translator, str) else translator
    wanted, left_out = _errors([errors] if isinstance(errors, str) or callable(errors) else errors)
    runs = [task_outcomes(one, chosen, langs, pseudo=pseudo, errors=wanted, seed=seed) for one in opened]
    result = breakdown(
        concat_outcomes([run.outcomes for run in runs]),
        metrics,
        dev_share=dev_share,
        decisions=decisions,
        case=case,
        seed=seed,
        samples=samples,
        workers=workers,
        store=store,
    )
    run_notes = [
        (f"{one.name}: " if len(runs) > 1 else "") + note
        for one, run in zip(opened, runs, strict=True)
        for note in run.notes()
    ]
    result.tables["summary"] = replace(result.table(), notes=(*run_notes, *result.table().notes))
    result.notes = left_out
    return result


def _errors(errors: Sequence[ControlledError | str]) -> tuple[list[ControlledError], list[str]]:
    """Return the controlled errors, named ones first, and a note per reason why some are left out."""
    names = [error for error in errors if isinstance(error, str)]
    functions = [error for error in errors if not isinstance(error, str)]
    if not names:
        return functions, []

    named, left_out = find_errors(names)
    return [*named, *functions], left_out
