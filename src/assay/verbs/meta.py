"""``assay meta``: how well metrics agree with people. The official WMT tables, with further metrics put into them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.analyses.meta import tables as meta_tables
from assay.analyses.meta import tasks as analysis
from assay.analyses.meta.choice import TaskChoice
from assay.analyses.meta.recipes import langpairs_of
from assay.core.call import recorded
from assay.core.columns import Columns, joined, polars_frame
from assay.core.errors import InputError, unknown
from assay.core.judged_systems import JudgedSystems, LevelScores
from assay.core.metric import Card, Metric
from assay.core.table import Table
from assay.engine.languages import as_computed
from assay.engine.measure import measure_systems
from assay.engine.store import Store
from assay.io.wmt.metric_files import completed, read_metric
from assay.io.wmt.tree import langpairs
from assay.metrics import build_metrics
from assay.suites.wmt import card_of, facts, judged_systems, pair_facts, read_pairs, years
from assay.verbs import meta_choice
from assay.verbs.result import Result
from assay.verbs.shared.input_files import tree_files

if TYPE_CHECKING:
    import polars

    from assay.analyses.meta.tasks import TaskResult
    from assay.core.screens import PairwiseTests
    from assay.core.view_data import ViewData
    from assay.io.wmt.tree import EvalSet
    from assay.suites.wmt import PairFacts, WmtFacts


@dataclass(repr=False)
class MetaResult(Result):
    """The tables of a meta-evaluation, with the scores behind them."""

    name: str
    title: str
    sets: Mapping[str, JudgedSystems]
    new: tuple[str, ...] = ()
    seed: int | None = None
    own: bool = False
    """Whether the tasks are the caller's own, so that people look at their values first."""
    texts: Mapping[str, EvalSet] = field(default_factory=dict)
    """The texts behind `sets`."""
    gold: str | None = None
    """People's scores, where they are not the standard ones."""
    comparisons: Sequence[PairwiseTests] = ()
    """The tests of every two metrics, where significance was asked for."""
    cards: Mapping[str, Card] = field(default_factory=dict)
    """The cards of the metrics that were scored here."""

    verb = "meta"
    headline = "overall"

    def table(self, name: str | None = None) -> Table:
        """The table called `name`; without a name the ranking, or the values of tasks of one's own."""
        return super().table(name or ("tasks" if self.own else None))

    def columns(self) -> Columns:
        """One row for each task and metric."""
        return (self.tables.get("tasks") or self.table()).by_column()

    def scores(self) -> polars.DataFrame:
        """Segment scores of the metrics that were put into the table: langpair, system, segment, one column a metric."""
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
        """The segment scores, where metrics were put into the table."""
        return self._scores() if self.new else None

    def viewed(self) -> ViewData | None:
        """The translations that people judged, with their texts and every metric's score."""
        from assay.verbs.viewed_people import viewed_meta

        return viewed_meta(self.sets, self.texts, self.comparisons, self.gold, self.cards)

    def subject(self) -> str:
        """What messages call it."""
        return self.name

    def heading(self) -> str:
        """Its title."""
        return self.title

    def head(self) -> Mapping[str, Any]:
        """The data's name."""
        return {"data": self.name}

    def sizes(self) -> Mapping[str, int]:
        """Segments of all systems, by language pair."""
        return {pair: len(judged.systems) * judged.segments for pair, judged in self.sets.items()}


@recorded("meta")
def meta(
    name: str | os.PathLike[str] = "wmt23",
    metrics: Sequence[str | Metric] = (),
    *,
    recipe: str | os.PathLike[str] = "official",
    metric_files: Sequence[str] = (),
    extra: Mapping[str, Mapping[str, LevelScores]] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    langpairs: Sequence[str] | None = None,
    tasks: Sequence[int] | None = None,
    statistics: Sequence[str] = (),
    levels: Sequence[str] = (),
    groups: Sequence[str] = (),
    gold: str | None = None,
    domains: Sequence[str] = (),
    systems: Sequence[str] = (),
    humans: bool | None = None,
    stored: Sequence[str] = (),
    contrastive: bool = False,
    significance: bool = False,
    worth: bool = False,
    draws: int | None = None,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
) -> MetaResult:
    """The official table of a WMT metrics task, or of tasks of one's own, with further metrics in it.

    Args:
        name: A year (``wmt23``) or the path of any mt-metrics-eval tree.
        metrics: Metrics to score on its texts with the standard reference.
        recipe: ``official`` for the year's tasks, ``xcomet`` for the evaluation of Guerreiro et al. (2023), or a file of tasks.
        metric_files: Scores from elsewhere.
        extra: Scores as arrays, by metric and language pair.
        data_dir: Where local copies of the data lie; by default ``$ASSAY_DATA``.
        langpairs: These language pairs only.
        tasks: These tasks only, by number.
        statistics: Tasks of one's own instead: ``pearson``, ``kendall``, ``soft_pairwise_accuracy`` …, for each language pair.
        levels: ``sys`` or ``seg``: tasks of these levels.
        groups: ``none``, ``item`` or ``system``: tasks whose statistic is averaged over these.
        gold: Other people's scores than the standard ones (``da-sqm``).
        domains: Each task once for each of these domains (patterns).
        systems: These systems only (patterns; ``!ONLINE-*`` leaves out).
        humans: Whether human translations take part as systems; by default as the official tasks have it.
        stored: These stored metrics only (patterns), primary or not.
        contrastive: Take every stored metric, not the primary ones alone.
        significance: Add clusters of metrics that cannot be told apart.
        worth: Add the tables of what a point is worth: ``point_worth`` and ``point_curve``.
        draws: Draws of the significance tests; by default 1000, and 200 for ``xcomet``.
        seed: Their seed.
        workers: Threads to use; by default one a core.
        store: Look up and keep the results of slow metrics.
    """
    choice = TaskChoice(statistics, levels, groups, domains, systems, gold, humans)
    if recipe == "xcomet":
        from assay.verbs.meta_xcomet import xcomet

        given = {
            "--task": tasks, "--contrastive": contrastive, "--worth": worth, "extra": extra, "--statistic": statistics,
            "--level": levels, "--group": groups, "--gold": gold, "--systems": systems,
            "--humans": humans is not None,
        }  # fmt: skip
        if wrong := next((option for option, value in given.items() if value), None):
            raise InputError(f"{wrong} belongs to the official tasks, not to --recipe xcomet.")
        return xcomet(
            name, metrics, stored=stored, metric_files=metric_files, data_dir=data_dir, langpairs=langpairs, domain=domains,
            draws=draws or 200, seed=seed, workers=workers, store=store,
        )  # fmt: skip
    if worth and domains:
        raise InputError("--worth looks at whole systems: leave --domain out.")

    draws = draws or 1000
    official, folder = find_set(name, data_dir)
    own = meta_choice.read_recipe(recipe)
    wanted = list(dict.fromkeys(langpairs)) if langpairs else meta_choice.pairs_of(own, default_pairs(official, folder))
    sets = read_pairs(folder, wanted)
    if gold is not None and not langpairs:
        sets = meta_choice.judged_by(gold, sets)
    about = {pair: pair_facts(evalset, official) for pair, evalset in sets.items()}
    built = build_metrics(metrics) if metrics else {}
    kept = meta_choice.stored_metrics(sets, about, official, stored, contrastive)
    new = new_metrics(sets, about, built, metric_files, extra or {}, kept, workers=workers, store=store)
    judged = {
        pair: judged_systems(evalset, about[pair], kept, {name: by[pair] for name, by in new.items() if pair in by})
        for pair, evalset in sets.items()
    }
    chosen = meta_choice.tasks(choice, own, official, judged)
    if tasks:
        chosen = chosen.only(tasks)
    chosen = choice.apply(chosen, judged)
    results = analysis.run_tasks(chosen, judged, significance=significance, draws=draws, seed=seed)
    made = meta_tables.tables(chosen, results, _kinds(judged, official, new), draws)
    if worth:
        from assay.analyses.meta.worth import point_worth_tables

        made += point_worth_tables(chosen, judged, settings=choice.settings, seed=seed, draws=draws)
    label = official.name if official is not None else Path(name).name
    notes = [*_contaminated(built, label), *meta_choice.left_out(gold, set(wanted) - set(sets))]
    made = [
        replace(table, notes=[*table.notes, *notes]) if table.name in ("overall", "tasks") else table for table in made
    ]
    computed = as_computed(built, sets)
    return MetaResult(
        {table.name: table for table in made},
        name=label,
        title=f"{label.upper()} metrics task" if official is not None else str(name),
        sets=judged,
        new=tuple(new),
        signatures={spec: metric.signed(1) for spec, metric in computed.items()},
        notes=[notice for metric in computed.values() for notice in metric.notices],
        seed=seed,
        own=bool(statistics) or own is not None,
        texts=sets,
        gold=gold,
        comparisons=_comparisons(made, results) if significance else (),
        cards={spec: metric.card for spec, metric in built.items()},
        files=tree_files(name, data_dir, list(sets)),
    )


def _comparisons(made: Sequence[Table], results: Sequence[TaskResult]) -> tuple[PairwiseTests, ...]:
    """The tests of every two metrics; over all tasks in the order of the ranking, where that has clusters."""
    from assay.analyses.meta.significance import comparisons

    (ranking,) = (table for table in made if table.name == "overall")
    ranked = all("cluster" in row for row in ranking.rows)
    return comparisons(results, [row["metric"] for row in ranking.rows] if ranked else ())


def find_set(name: str | os.PathLike[str], data_dir: str | os.PathLike[str] | None) -> tuple[WmtFacts | None, Path]:
    """Official facts and folder of a test set, or a tree somewhere else, whose folder may carry an official name."""
    from assay.suites.locate import locate

    text = os.fspath(name)
    if text in years():
        return facts(text), locate(card_of(text), data_dir)
    path = Path(text)
    if not path.exists():
        raise unknown("WMT test set", text, years(), "or give the path of an mt-metrics-eval tree")
    return (facts(path.name) if path.name in years() else None), path


def default_pairs(official: WmtFacts | None, folder: Path) -> list[str]:
    """The language pairs of the official tasks that the tree has; all of a tree without official tasks."""
    there = langpairs(folder)
    if official is None:
        return there
    wanted = langpairs_of(official.recipe)
    here = [pair for pair in wanted if pair in there]
    if not here:
        raise InputError(f"{folder} has none of {', '.join(wanted)}, which the tasks of {official.name} are about.")
    return here


def new_metrics(
    sets: Mapping[str, EvalSet],
    about: Mapping[str, PairFacts],
    built: Mapping[str, Metric],
    metric_files: Sequence[str],
    extra: Mapping[str, Mapping[str, LevelScores]],
    stored: Sequence[str] | None,
    *,
    workers: int | None,
    store: bool,
) -> dict[str, dict[str, LevelScores]]:
    """Scores of the metrics that are put into the table, by name and language pair."""
    kept = Store.for_metrics(built, store)
    found: dict[str, dict[str, LevelScores]] = {}
    for spec, metric in built.items():
        found[spec] = {
            pair: measure_systems(evalset, about[pair].standard_reference, metric, workers=workers, store=kept)
            for pair, evalset in sets.items()
        }
    for file in metric_files:
        for metric_name, by_pair in read_metric(file, sets).items():
            found.setdefault(metric_name, {}).update(by_pair)
    for metric_name, scores in extra.items():
        found.setdefault(metric_name, {}).update({pair: completed(given) for pair, given in scores.items()})
    taken = {name.name for evalset in sets.values() for name in evalset.metric_names()}
    taken &= set(stored) if stored is not None else taken
    return {f"{name} (new)" if name in taken else name: by_pair for name, by_pair in found.items()}


def _kinds(judged: Mapping[str, JudgedSystems], official: WmtFacts | None, new: Mapping[str, object]) -> dict[str, str]:
    names = {name for one in judged.values() for name in one.metrics}
    return {name: "new" if name in new else official.kind(name) if official is not None else "stored" for name in names}


def _contaminated(built: Mapping[str, Metric], suite: str) -> list[str]:
    parts = {name: metric.card.trained_on_parts_of(suite) for name, metric in built.items()}
    return [f"⚠ {name} was trained on {', '.join(seen)}" for name, seen in parts.items() if seen]
