"""``assay spans``: evaluation of error spans from metrics, language models or annotators against annotated spans."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.analyses.spans import categories, consistency, raters, tables
from assay.analyses.spans.alignment import align, check_texts, match_translations, predictions_of, with_gold_names
from assay.analyses.spans.tables import Counted, Resampling, describe_size
from assay.core.call import recorded
from assay.core.columns import Columns, joined
from assay.core.errors import InputError, count, unknown
from assay.core.metric import Metric, Scores
from assay.core.table import Table
from assay.engine.scoring import may_mark_spans, score
from assay.engine.store import Store
from assay.io.judgements.campaign import read_campaign
from assay.metrics import build_metrics
from assay.stats.spans import FIELDS
from assay.verbs.result import Result
from assay.verbs.shared.campaigns import judged_batch, read_people
from assay.verbs.shared.input_files import tree_files

if TYPE_CHECKING:
    from assay.analyses.spans.alignment import AlignedSpans, Marks
    from assay.core.campaign import Campaign, Cell

PathName = str | os.PathLike[str]


@dataclass(repr=False)
class SpansResult(Result):
    """Tables of an error span evaluation, with the underlying rows."""

    gold: str
    compared: AlignedSpans | None = None
    """Every gold judgement with every prediction; None if only annotators were compared with each other."""
    scores: dict[str, Scores] = field(default_factory=dict)
    """Everything that each metric returned for the translations, each of which is scored once."""
    seed: int | None = None

    verb = "spans"

    def subject(self) -> str:
        return f"assay spans {self.gold}"

    def heading(self) -> str:
        return f"Error spans: {self.gold}"

    def head(self) -> Mapping[str, Any]:
        return {"gold": self.gold}

    def lead(self) -> str:
        """Return the size of the comparison."""
        if self.compared is None:
            return "raters with one another"

        return f"{describe_size(self.compared)} · {', '.join(self.compared.predicted)}"

    def columns(self) -> Columns:
        """Return one row per gold judgement and prediction, with the numbers of characters and spans."""
        if self.compared is None:
            return super().columns()

        parts: list[Columns] = []
        for name, rows in Counted(self.compared, Resampling()).rows.items():
            keys = {
                key: [getattr(cell, key) for cell in self.compared.cells] for key in ("langpair", "system", "segment")
            }
            columns = {part: rows[:, position] for position, part in enumerate(FIELDS)}
            parts.append({"prediction": [name] * len(rows), **keys, **columns})
        return joined(parts)

    def scores_columns(self) -> Columns | None:
        """Return the rows of `columns`."""
        return self.columns() if self.compared is not None else None

    def sizes(self) -> Mapping[str, int]:
        return {self.gold: len(self.compared.cells)} if self.compared is not None else {}


@recorded("spans")
def spans(
    gold: PathName,
    predicted: Sequence[PathName] | Mapping[str, PathName] = (),
    metrics: Sequence[str | Metric] = (),
    *,
    langpairs: Sequence[str] | None = None,
    rater: str | None = None,
    common: bool = False,
    columns: Mapping[str, str] | None = None,
    skip_bad: bool = False,
    data_dir: PathName | None = None,
    samples: int = 1000,
    trials: int = 10_000,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
) -> SpansResult:
    """Evaluate error spans: character-level F1 with partial credit (WMT23 quality estimation), intervals and tests.

    Other tables report inter-rater agreement, calibration, and how a metric's score relates to its spans.

    Args:
        gold: The annotated spans: a year (``wmt23``), an mt-metrics-eval tree, or a file (MQM, ESA, a table with spans).
        predicted: Files with spans or language model answers (``NAME=FILE`` assigns a name), or a mapping from names to files.
        metrics: Metrics that mark error spans, run on the translations of `gold`.
        langpairs: Use only these language pairs; for a file that names none, specify its language pair.
        rater: Use only this rater's judgements.
        common: Compare the translations that all predictions cover, instead of rejecting incomplete predictions.
        columns: The table column for each role, if its name is not a standard one.
        skip_bad: Leave out malformed rows and list them in `notes`.
        data_dir: Folder with local copies of the data; by default ``$ASSAY_DATA``.
        samples: Number of bootstrap resamples of the segments.
        trials: Number of trials of the paired randomization test.
        seed: Random seed for the resampling.
        workers: Number of threads, by default one per core.
        store: Whether to look up and cache the scores of slow metrics.

    Returns:
        The tables, with the underlying rows.

    Raises:
        InputError: The spans are invalid, or a metric does not mark spans.
        MissingPart: The data for the year is missing.

    Example:
        >>> import assay
        >>> assay.spans("wmt23", metrics=["assay-mini"], langpairs=["en-de"]).table("spans")  # doctest: +SKIP
    """
    how = Resampling(samples, trials, seed)
    people = marked_campaign(gold, langpairs=langpairs, columns=columns, skip_bad=skip_bad, data_dir=data_dir)
    made_tables, ceilings = raters.tables(people, how)
    if rater is not None:
        people = _only(people, rater)
    notes = list(people.notes)
    marks = _read_predictions(predicted, people, columns, skip_bad, notes)
    built = build_metrics(metrics) if metrics else {}
    scored, cells = score_marked(people, built, workers=workers, store=store)
    for name, scores in scored.items():
        marks[name] = dict(zip(cells, scores.spans or (), strict=True))
    result = SpansResult({}, people.name, scores=scored, seed=seed, notes=notes)
    result.signatures = {name: metric.signed(1) for name, metric in built.items()}
    result.files = tree_files(gold, data_dir, people.langpairs)
    shown: list[Table] = []
    if marks:
        result.compared = align(people, marks, common=common)
        said = [tables.describe_size(result.compared), *map(str, ceilings)]
        ceiling = ceilings[0].f1[0] if [c.langpair for c in ceilings] == people.langpairs else None
        shown += tables.tables(result.compared, how, ceiling, said)
        shown += [*categories.table(result.compared, how), *consistency.calibration_table(result.compared)]
        shown += [consistency.interplay_table(scored, cells, how)] if scored else []
    elif not made_tables:
        raise InputError(
            f"{people.name} has one judgement per translation, so raters cannot be compared. "
            "Specify spans to evaluate (--predicted FILE, -m METRIC)."
        )
    result.tables = {table.name: table for table in [*shown, *made_tables]}
    return result


def marked_campaign(
    gold: PathName,
    *,
    langpairs: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    skip_bad: bool = False,
    data_dir: PathName | None = None,
) -> Campaign:
    """Read annotated error spans from a year, a tree or a file; reject judgements without spans."""
    people = read_people(gold, langpairs=langpairs, columns=columns, skip_bad=skip_bad, data_dir=data_dir)
    if not people.marked:
        raise InputError(f"{people.name} has scores but no error spans. To rank systems by scores, use assay campaign.")
    return people


def _only(people: Campaign, rater: str) -> Campaign:
    from dataclasses import replace

    if rater not in people.raters:
        raise unknown(f"rater in {people.name}", rater, people.raters)
    own = {cell: [j for j in judgements if j.rater == rater] for cell, judgements in people.judgements.items()}
    return replace(people, judgements={cell: judgements for cell, judgements in own.items() if judgements})


def _read_predictions(
    predicted: Sequence[PathName] | Mapping[str, PathName],
    people: Campaign,
    columns: Mapping[str, str] | None,
    skip_bad: bool,
    notes: list[str],
) -> dict[str, Marks]:
    named = list(predicted.items()) if isinstance(predicted, Mapping) else [_named(path) for path in predicted]
    predictions: dict[str, Marks] = {}
    only = people.langpairs[0] if len(people.langpairs) == 1 else ""
    for name, path in named:
        read = read_campaign(Path(path), langpair=only, columns=columns, skip_bad=skip_bad)
        if not read.marked:
            raise InputError(f"{read.name} has scores but no error spans to evaluate.")
        read = match_translations(with_gold_names(read, people), people)
        check_texts(read, people)
        notes += [f"{read.name}: {note}" for note in read.notes]
        extra = sum(cell not in people.judgements for cell in read.judgements)
        if extra:
            notes.append(f"{read.name}: {count(extra, 'translation')} without a judgement in {people.name} left out")
        for label, marks in predictions_of(read, name).items():
            predictions[label if label not in predictions else f"{label} ({path})"] = marks
    return predictions


def _named(path: PathName) -> tuple[str, PathName]:
    """Split ``NAME=FILE``; without a name, use the file name without suffixes."""
    text = os.fspath(path)
    name, equals, file = text.partition("=")
    if equals and name and not Path(text).exists():
        return name, file
    return Path(text).name.split(".")[0], path


def score_marked(
    people: Campaign, metrics: Mapping[str, Metric], *, workers: int | None = None, store: bool = True
) -> tuple[dict[str, Scores], list[Cell]]:
    """Return each metric's scores for the judged translations; reject a metric without spans."""
    if not metrics:
        return {}, []
    for metric in metrics.values():
        if not may_mark_spans(metric):
            raise InputError(_markless(metric))
    cells, batch = judged_batch(people)
    kept = Store.for_metrics(metrics, store)
    by_metric = {}
    for name, metric in metrics.items():
        scores = score(batch, metric, workers=workers, store=kept)
        if scores.spans is None:
            raise InputError(_markless(metric))
        by_metric[name] = scores
    return by_metric, cells


def _markless(metric: Metric) -> str:
    return f"{metric.card.name} marks no error spans. Use a model that does: xcomet-xl, or a checkpoint of its class."
