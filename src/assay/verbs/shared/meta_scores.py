"""Result of `assay meta`, and scores of metrics added to a WMT metrics task."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.analyses.meta import tables as meta_tables
from assay.analyses.meta import tasks as analysis
from assay.analyses.meta.custom_tasks import TaskChoice
from assay.analyses.meta.delta_agreement import point_worth_tables
from assay.analyses.meta.significance import comparisons
from assay.core.columns import Columns, joined, polars_frame
from assay.core.judged_systems import JudgedSystems, LevelScores
from assay.core.metric import Card, Metric
from assay.core.table import Table
from assay.engine.languages import as_computed
from assay.engine.measure import measure_systems
from assay.engine.store import Store
from assay.io.wmt.metric_files import read_metric, with_system_means
from assay.metrics import build_metrics
from assay.suites.wmt import judged_systems, pair_facts, read_pairs
from assay.verbs.result import Result
from assay.verbs.shared import meta_choice
from assay.verbs.shared.input_files import tree_files
from assay.verbs.shared.named_sets import default_pairs, find_set
from assay.verbs.shared.view_judgements import view_of_meta

if TYPE_CHECKING:
    import polars

    from assay.analyses.meta.tasks import TaskResult
    from assay.core.screens import PairwiseTests
    from assay.core.view_data import ViewData
    from assay.io.wmt.tree import EvalSet
    from assay.suites.wmt import PairFacts, WmtFacts
    from assay.verbs.shared.meta_choice import MetaChoice

NewScores = Mapping[str, Mapping[str, LevelScores]]
"""Scores by metric and language pair."""


@dataclass(repr=False)
class MetaResult(Result):
    """Tables of a meta-evaluation, with the underlying scores."""

    name: str
    title: str
    sets: Mapping[str, JudgedSystems]
    new: tuple[str, ...] = ()
    seed: int | None = None
    own: bool = False
    """Whether the tasks are the caller's own; then their values are the main table."""
    texts: Mapping[str, EvalSet] = field(default_factory=dict)
    """The texts behind `sets`."""
    gold: str | None = None
    """Name of the human scores, unless they are the standard ones."""
    comparisons: Sequence[PairwiseTests] = ()
    """Tests of all pairs of metrics, if significance was requested."""
    cards: Mapping[str, Card] = field(default_factory=dict)
    """Cards of the metrics that were scored."""

    verb = "meta"
    headline = "overall"

    def table(self, name: str | None = None) -> Table:
        """Return the table called `name`; by default, the ranking or the values for custom tasks."""
        return super().table(name or ("tasks" if self.own else None))

    def columns(self) -> Columns:
        """Return one row per task and metric."""
        return (self.tables.get("tasks") or self.table()).by_column()

    def scores(self) -> polars.DataFrame:
        """Return segment scores of the added metrics: langpair, system, segment, and one column per metric."""
        return polars_frame(self._scores(), "scores()")

    def _scores(self) -> Columns:
        parts = []
        for pair, judged in self.sets.items():
            names = [name for name in self.new if judged.metrics[name].seg is not None]
            columns: dict[str, Any] = {
                "langpair": [pair] * (len(judged.systems) * judged.segments),
                "system": [system for system in judged.systems for _ in range(judged.segments)],
                "segment": list(range(1, judged.segments + 1)) * len(judged.systems),
            }
            parts.append(columns | {name: judged.metrics[name].at("seg").ravel() for name in names})  # type: ignore[union-attr]
        return joined(parts)

    def scores_columns(self) -> Columns | None:
        """Return the segment scores, if metrics were added."""
        return self._scores() if self.new else None

    def viewed(self) -> ViewData | None:
        """Return the judged translations with their texts and every metric's score."""
        return view_of_meta(self.sets, self.texts, self.comparisons, self.gold, self.cards)

    def subject(self) -> str:
        return self.name

    def heading(self) -> str:
        return self.title

    def head(self) -> Mapping[str, Any]:
        return {"data": self.name}

    def sizes(self) -> Mapping[str, int]:
        """Return the number of segments over all systems, by language pair."""
        return {pair: len(judged.systems) * judged.segments for pair, judged in self.sets.items()}


@dataclass(frozen=True)
class NewMetrics:
    """Metrics to add to a table: metrics to run, score files, and score arrays."""

    metrics: Mapping[str, Metric]
    files: Sequence[str] = ()
    extra: NewScores = field(default_factory=dict)
    workers: int | None = None
    store: bool = True

    @classmethod
    def of(
        cls,
        metrics: Sequence[str | Metric],
        files: Sequence[str],
        extra: NewScores,
        workers: int | None,
        store: bool,
    ) -> NewMetrics:
        """Build the metrics that are specified by name."""
        return cls(build_metrics(metrics) if metrics else {}, files, extra, workers, store)

    def scores(
        self, sets: Mapping[str, EvalSet], about: Mapping[str, PairFacts], stored: Sequence[str] | None
    ) -> dict[str, dict[str, LevelScores]]:
        """Return the scores by name and language pair; a name that is already `stored` gets the suffix ``(new)``."""
        kept = Store.for_metrics(self.metrics, self.store)
        by_metric: dict[str, dict[str, LevelScores]] = {}
        for spec, metric in self.metrics.items():
            by_metric[spec] = {
                pair: measure_systems(evalset, about[pair].standard_reference, metric, workers=self.workers, store=kept)
                for pair, evalset in sets.items()
            }
        for file in self.files:
            for metric_name, by_pair in read_metric(file, sets).items():
                by_metric.setdefault(metric_name, {}).update(by_pair)
        for metric_name, scores in self.extra.items():
            by_metric.setdefault(metric_name, {}).update(
                {pair: with_system_means(given) for pair, given in scores.items()}
            )
        taken = {name.name for evalset in sets.values() for name in evalset.metric_names()}
        taken &= set(stored) if stored is not None else taken
        return {f"{name} (new)" if name in taken else name: by_pair for name, by_pair in by_metric.items()}

    def about(self, sets: Mapping[str, EvalSet], judged: Mapping[str, JudgedSystems]) -> dict[str, Any]:
        """Return the fields of a `MetaResult` that name its texts and metrics."""
        return {
            "sets": judged,
            "texts": sets,
            "signatures": {spec: metric.signed(1) for spec, metric in as_computed(self.metrics, sets).items()},
            "cards": {spec: metric.card for spec, metric in self.metrics.items()},
        }


def judged_with(
    sets: Mapping[str, EvalSet], about: Mapping[str, PairFacts], stored: Sequence[str] | None, new: NewScores
) -> dict[str, JudgedSystems]:
    """Return the judged systems for each language pair with the scores of stored and new metrics."""
    return {
        pair: judged_systems(evalset, about[pair], stored, {name: by[pair] for name, by in new.items() if pair in by})
        for pair, evalset in sets.items()
    }


def evaluate(
    name: str | os.PathLike[str],
    added: NewMetrics,
    options: MetaChoice,
    *,
    recipe: str | os.PathLike[str] = "official",
    data_dir: str | os.PathLike[str] | None = None,
    langpairs: Sequence[str] | None = None,
    tasks: Sequence[int] | None = None,
    significance: bool = False,
    worth: bool = False,
    draws: int = 1000,
    seed: int = 12345,
) -> MetaResult:
    """Evaluate the metrics on the tasks in a recipe."""
    stored, contrastive = options.pop("stored", ()), options.pop("contrastive", False)
    choice, gold = TaskChoice(**options), options.get("gold")  # type: ignore[misc]
    official, folder = find_set(name, data_dir)
    own = meta_choice.read_recipe(recipe)
    wanted = list(dict.fromkeys(langpairs)) if langpairs else meta_choice.pairs_of(own, default_pairs(official, folder))
    sets = read_pairs(folder, wanted)
    if gold is not None and not langpairs:
        sets = meta_choice.judged_by(gold, sets)
    about = {pair: pair_facts(evalset, official) for pair, evalset in sets.items()}
    kept = meta_choice.stored_metrics(sets, about, official, stored, contrastive)
    built = added.metrics
    new = added.scores(sets, about, kept)
    judged = judged_with(sets, about, kept, new)
    chosen = meta_choice.tasks(choice, own, official, judged)
    if tasks:
        chosen = chosen.only(tasks)
    chosen = choice.apply(chosen, judged)
    results = analysis.run_tasks(chosen, judged, significance=significance, draws=draws, seed=seed)
    made_tables = meta_tables.tables(chosen, results, _kinds(judged, official, new), draws)
    if worth:
        made_tables += point_worth_tables(chosen, judged, settings=choice.settings, seed=seed, draws=draws)
    label = official.name if official is not None else Path(name).name
    notes = [*_contaminated(built, label), *meta_choice.left_out(gold, set(wanted) - set(sets))]
    made_tables = [
        replace(table, notes=[*table.notes, *notes]) if table.name in ("overall", "tasks") else table
        for table in made_tables
    ]
    return MetaResult(
        {table.name: table for table in made_tables},
        name=label,
        title=official.title if official is not None else str(name),
        new=tuple(new),
        notes=[notice for metric in as_computed(built, sets).values() for notice in metric.notices],
        seed=seed,
        own=bool(choice.statistics) or own is not None,
        gold=gold,
        comparisons=_comparisons(made_tables, results) if significance else (),
        files=tree_files(name, data_dir, list(sets)),
        **added.about(sets, judged),
    )


def _comparisons(made: Sequence[Table], results: Sequence[TaskResult]) -> tuple[PairwiseTests, ...]:
    """Return the tests for all metric pairs: over all tasks and in ranking order, if the ranking has clusters."""
    (ranking,) = (table for table in made if table.name == "overall")
    ranked = all("cluster" in row for row in ranking.rows)
    return comparisons(results, [row["metric"] for row in ranking.rows] if ranked else ())


def _kinds(judged: Mapping[str, JudgedSystems], official: WmtFacts | None, new: Mapping[str, object]) -> dict[str, str]:
    names = {name for one in judged.values() for name in one.metrics}
    return {name: "new" if name in new else official.kind(name) if official is not None else "stored" for name in names}


def _contaminated(built: Mapping[str, Metric], suite: str) -> list[str]:
    parts = {name: metric.card.trained_on_parts_of(suite) for name, metric in built.items()}
    return [f"⚠ {name} was trained on {', '.join(seen)}" for name, seen in parts.items() if seen]
