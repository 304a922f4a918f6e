"""``assay compare``: systems beside each other, with intervals and significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.call import recorded
from assay.core.columns import Columns, by_column
from assay.core.errors import InputError, count, unknown
from assay.core.metric import Metric
from assay.verbs.request import TextRequest, request, unequal
from assay.verbs.score import RunOverTexts, flag_notes

if TYPE_CHECKING:
    from assay.engine.given import References, Texts
    from assay.engine.inputs import PathName
    from assay.engine.run import RowsDone
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice


@dataclass(repr=False)
class Comparison(RunOverTexts):
    """Several systems beside each other; the first is the baseline."""

    settings: str = field(default="", kw_only=True)
    """How sure the intervals and p-values are, and why."""

    verb = "compare"

    @property
    def worth(self) -> dict[str, dict[float, float]]:
        """What a point is worth: for each metric that is known, the difference from which people agreed in 80, 90 and 95%."""
        asked = {name: metric for name, metric in self.run.asked.items() if name in self.metrics}
        usual = [name for name, metric in asked.items() if metric.signature == self.metrics[name].signature]
        return {name: worth for name in usual if (worth := known_worth(name)) is not None}

    @property
    def baseline(self) -> str:
        """The system that the others are tested against."""
        return next(iter(self.standings))

    def __len__(self) -> int:
        return self.run.segments[self.baseline]

    def to_dict(self) -> dict[str, Any]:
        """``{"baseline": ..., "systems": {SYSTEM: {METRIC: {...}}}}``."""
        made_of = self.components
        systems = {
            system: {
                name: {
                    **asdict(standing),
                    "signature": self.signatures[name],
                    **({"components": parts} if (parts := made_of[system].get(name)) else {}),
                }
                for name, standing in row.items()
            }
            for system, row in self.standings.items()
        }
        worth = {name: {f"{level:.0%}": d for level, d in known.items()} for name, known in self.worth.items()}
        about = {"baseline": self.baseline, "segments": len(self), "settings": self.settings}
        return {**about, "systems": systems, "difference_people_agree_with": worth}

    def columns(self) -> Columns:
        """One row for each system and metric."""
        return by_column(
            {"system": system, "metric": name, **asdict(standing)}
            for system, row in self.standings.items()
            for name, standing in row.items()
        )


def compare(
    systems: Mapping[str, Texts] | None = None,
    references: References | None = None,
    *,
    sources: Texts | None = None,
    mt: Sequence[PathName] | Mapping[str, PathName] = (),
    ref: PathName | Sequence[PathName] = (),
    src: PathName | None = None,
    data: Any = None,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    langpair: str | None = None,
    testset: PathName | None = None,
    data_dir: PathName | None = None,
    metrics: Sequence[str | Metric] | None = None,
    baseline: str | None = None,
    samples: int = 1000,
    trials: int = 10_000,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
) -> Comparison:
    """Compare systems on the same segments: scores, bootstrap intervals, and p-values against the baseline.

    Args:
        systems: System to translations, in memory: ``{"online": texts, "ours": texts}``.
        references: Their references, as in `score`.
        sources: What was translated.
        mt: Instead: text files of one segment a line, one file a system, with names or without.
        ref: The files of references that go with `mt`.
        src: The file of sources that goes with `mt`.
        data: Instead: a table with a system column, or a frame, as in `score`.
        columns: Which column of `data` plays which role where the names differ.
        quoting: How quotation marks in a TSV are read: ``auto``, ``csv`` or ``none``.
        langpair: The language pair, as in en-de, where the table does not say.
        testset: Where sources and references come from, instead of `ref` and `src`: a year (``wmt23``), the path of an
            mt-metrics-eval tree, or a test set that sacrebleu has downloaded; with `langpair`.
        data_dir: Where local copies of test sets lie; by default ``$ASSAY_DATA``.
        metrics: Names with options, paths of checkpoints, or Metric objects; by default as in `score`.
        baseline: The system to test against; by default the first.
        samples: Bootstrap resamples.
        trials: Trials of the randomization test; 0 leaves it out.
        seed: The same seed gives sacrebleu's p-values.
        workers: Threads to use; by default one a core.
        store: Look up and keep the results of slow metrics.
        progress: Called after every chunk with its rows and whether they came from an earlier, interrupted run.
    """
    asked = request(
        systems=systems, references=references, sources=sources, mt=mt, ref=ref, src=src, data=data, columns=columns,
        quoting=quoting, langpair=langpair, testset=testset, data_dir=data_dir,
        metrics=metrics,
    )  # fmt: skip
    return compare_request(
        asked, baseline=baseline, samples=samples, trials=trials, seed=seed, workers=workers, store=store,
        progress=progress, fewest=1 if systems is not None else 2,
    )  # fmt: skip


@recorded("compare")
def compare_request(
    asked: TextRequest,
    *,
    baseline: str | None = None,
    samples: int = 1000,
    trials: int = 10_000,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
    fewest: int = 2,
) -> Comparison:
    """`compare` for a request that is made already, with `fewest` systems or more."""
    from assay.analyses import comparison
    from assay.core.chunk import Kept

    run = asked.run(Kept(stats=True), workers, store, progress)
    systems = list(run.systems)
    try:
        if baseline is not None:
            if baseline not in systems:
                raise unknown("system", baseline, systems)
            systems.sort(key=lambda system: system != baseline)
        if len(systems) < fewest:
            raise InputError("compare needs two systems or more: repeat --mt, or give --data with a system column.")
        unequal(run.segments)
        for name in run.shares:
            unequal({system: int(run.about(system, name).sum()) for system in systems}, f" of {name}")
        stats = {s: {m: run.own_stats(s, m) for m in run.metrics} for s in systems}
        standings = comparison.compare(stats, run.metrics, samples=samples, trials=trials, seed=seed)
    except BaseException:
        run.close()
        raise
    said = settings(samples, trials, seed)
    made = Comparison({}, run, standings, files=asked.inputs.paths, seed=seed, settings=said)
    notes = [f"{count(len(made), 'segment')} · {said}"]
    if len(standings) > 1:
        notes.append(f"* better than {made.baseline}, p < {comparison.SIGNIFICANT} (paired bootstrap)")
        notes += comparison.identical_notes(standings, run.metrics)
        notes += worth_notes(made.worth, run.metrics)
    table = comparison.table(standings, run.metrics, notes=[*notes, *flag_notes(run.flags)])
    made.tables[table.name] = table
    made.add_components()
    return made


def settings(samples: int, trials: int, seed: int | None) -> str:
    """The line under a comparison that says how sure it is and why."""
    tests = f"95% bootstrap, n={samples}"
    return tests + (f", randomization, n={trials}" if trials else "") + f", seed {seed}"


def known_worth(metric: str) -> dict[float, float] | None:
    """The difference between two systems from which people agree in 80, 90 and 95% of WMT23's system pairs.

    None for a metric (or for options) about which nothing was measured.
    """
    from assay.data import rows

    row = next((row for row in rows("point_worth.csv") if row["metric"] == metric), None)
    return None if row is None else {level: float(row[f"d{100 * level:.0f}"]) for level in (0.80, 0.90, 0.95)}


def worth_notes(worth: Mapping[str, Mapping[float, float]], metrics: Mapping[str, Metric]) -> list[str]:
    """One line that says which difference people would agree with, for the metrics where it was measured."""
    if not worth:
        return []
    parts = []
    for name, known in worth.items():
        digits = 1 if metrics[name].card.decimals <= 1 else 3
        parts.append(
            f"{metrics[name].card.label} " + " / ".join(f"{difference:.{digits}f}" for difference in known.values())
        )
    levels = " / ".join(f"{level:.0%}" for level in next(iter(worth.values())))
    return [f"difference from which people agreed in {levels} of WMT23's system pairs: {', '.join(parts)}"]
