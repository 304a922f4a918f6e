"""Loading, scoring and analysis of suites, for all verbs that run suites."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from assay.analyses import analyse, check_analysis
from assay.core.columns import Columns
from assay.core.errors import InputError, count, unknown
from assay.core.flags import flag_sentences
from assay.core.item import Item
from assay.core.judged import Judged
from assay.core.langpair import target
from assay.core.metric import Metric
from assay.core.spec import create, options, parse
from assay.core.suite import Measured, Suite
from assay.engine.languages import as_computed, check_languages
from assay.engine.measure import measure_items, measure_judged
from assay.engine.store import Store
from assay.io.scores.cards import file_card, missing_needs_note, split
from assay.io.scores.metric_file import read_metric
from assay.metrics import build_metrics
from assay.suites import SUITES
from assay.suites.contrastive import Contrastive
from assay.suites.locate import locate
from assay.suites.locate import verify as check_sums
from assay.suites.subsample import subsample as drawn
from assay.verbs.result import Result
from assay.verbs.shared.defaults import able, with_learned
from assay.verbs.shared.input_files import suite_files
from assay.verbs.shared.metric_labels import check_labels, labelled
from assay.verbs.shared.options import SuiteInputs, parted
from assay.verbs.shared.view_rows import view_of_items, view_of_judged

if TYPE_CHECKING:
    from assay.core.analysis import Analysis
    from assay.core.table import Table
    from assay.core.view_data import ViewData

METRICS = ("chrf", "chrf++", "bleu", "ter", "cer", "rouge2")
"""Metrics that run by default; and assay-mini, if it is installed and the suite is small."""


@dataclass(repr=False)
class SuiteResult(Result):
    """Tables of one suite, with the underlying scores."""

    suite: str
    title: str
    content: Sequence[Item] | Judged
    measured: list[Measured]
    analysis: str = ""
    reused: int = 0
    """Shards that an earlier run had finished, of a set in many files."""

    verb = "run"

    def __len__(self) -> int:
        return len(self.content.batch if isinstance(self.content, Judged) else self.content)

    def subject(self) -> str:
        return self.suite

    def heading(self) -> str:
        return self.title

    def head(self) -> Mapping[str, Any]:
        return {"suite": self.suite}

    def lead(self) -> str:
        """Return the number of pairs or segments, and the metrics."""
        what = "judged segment" if isinstance(self.content, Judged) else "pair"
        return f"{count(len(self), what)} · {', '.join(metric.name for metric in self.measured)}"

    def columns(self) -> Columns:
        """Return one row per item (or segment), with every metric's scores."""
        columns: dict[str, Any]
        if isinstance(self.content, Judged):
            n = len(self.content.batch)
            columns = {"id": self.content.batch.ids or [str(i) for i in range(1, n + 1)]}
            columns |= {metric.name: metric.values for metric in self.measured}
            return columns
        columns = {
            key: [getattr(item, key) for item in self.content] for key in ("id", "phenomenon", "category", "langpair")
        }
        for metric in self.measured:
            columns[f"{metric.name} good"], columns[f"{metric.name} incorrect"] = metric.good, metric.incorrect
        return columns

    scores_columns = columns

    def sizes(self) -> Mapping[str, int]:
        return {self.suite: len(self)}

    def viewed(self) -> ViewData:
        """Return items or judged segments with their texts and scores."""
        if isinstance(self.content, Judged):
            return view_of_judged(self.content, self.measured)
        return view_of_items(self.content, self.measured)


@dataclass(frozen=True, slots=True)
class Analysing:
    """Settings of the analysis that builds the tables."""

    analysis: str | Analysis | None = None
    """A name, ``module:function`` or a function; None for the suite's own."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Names for metrics in tables and figures."""
    seed: int = 12345
    samples: int = 1000
    correction: str = "none"

    def tables(
        self, name: str | Analysis, content: Sequence[Item] | Judged, measured: Sequence[Measured]
    ) -> dict[str, Table]:
        """Return the tables by name, with metrics under their labels."""
        made_tables = analyse(name, content, measured, seed=self.seed, samples=self.samples, correction=self.correction)
        made_tables = labelled(made_tables, self.labels, [metric.name for metric in measured])
        return {table.name: table for table in made_tables}


def analysis_name(analysis: str | Analysis) -> str:
    """Return the name of an analysis that is specified by name or as a function."""
    return analysis if isinstance(analysis, str) else getattr(analysis, "__name__", repr(analysis))


def run_suite(
    suite: str | Suite,
    metrics: Sequence[str | Metric] | None,
    how: Analysing,
    *,
    metric_files: Sequence[str] = (),
    subsample: int | None = None,
    workers: int | None = None,
    store: bool = True,
    **inputs: Unpack[SuiteInputs],
) -> SuiteResult:
    """Run metrics on a suite in memory and build its tables; the arguments are the same as for `assay.run`."""
    loaded, whole, content = _loaded(suite, inputs)
    content = choose(content, subsample, how.seed)
    name = how.analysis or loaded.card.analysis
    check_analysis(name, content)  # before anything is scored
    unasked = metrics is None and not metric_files
    if unasked:
        metrics = with_learned(METRICS, len(content.batch) if isinstance(content, Judged) else 2 * len(content))
    built, pairs = build_metrics(metrics) if metrics else {}, langpairs_of(content)
    if not loaded.card.by_language:
        built = {name: metric.for_language("") for name, metric in built.items()}
    built, left_out = able(built, pairs) if unasked else (built, [])
    read = [read_metric_file(path, content, loaded.card.name, whole) for path in metric_files]
    if not built and not read:
        raise InputError("no metric is specified. Use -m chrf, or --metric-file scores.tsv.")
    check_labels(how.labels, [*built, *(metric.name for metric in read)])
    unable = unscored(built, pairs)
    measured = [*measure(loaded, content, built, workers=workers, store=store), *read]
    computed = as_computed(built, pairs)
    notices = [notice for metric in computed.values() for notice in metric.notices]
    notes = [*loaded.notes, *loaded.problems, *flagged(measured), *left_out, *unable, *notices, *_unsaid(metric_files)]
    return SuiteResult(
        how.tables(name, content, measured),
        suite=loaded.card.name,
        title=loaded.card.title,
        content=content,
        measured=measured,
        analysis=analysis_name(name),
        signatures={name: metric.signed(1) for name, metric in computed.items()},
        notes=notes,
        files=suite_files(loaded.card, inputs.get("data_dir")),
    )


def unscored(metrics: Mapping[str, Metric], langpairs: Sequence[str]) -> list[str]:
    """Return one note per metric and unsupported language; reject a metric that supports none of the languages."""
    return [
        f"⚠ {name}: {sum(target(pair) == language for pair in langpairs):,} of {len(langpairs):,} are not scored: {reason}"
        for name, metric in metrics.items()
        for language, reason in check_languages(metric, langpairs).items()
    ]


def flagged(measured: Sequence[Measured]) -> list[str]:
    """Return notes on the texts, based on metric flags."""
    return flag_sentences({f"{metric.name} {flag}": n for metric in measured for flag, n in metric.flags.items()})


def load_suite(suite: str | Suite, **inputs: Unpack[SuiteInputs]) -> tuple[Suite, Sequence[Item] | Judged]:
    """Return the suite object and its content."""
    loaded, _, content = _loaded(suite, inputs)
    return loaded, content


def _loaded(suite: str | Suite, inputs: SuiteInputs) -> tuple[Suite, Sequence[Item] | Judged, Sequence[Item] | Judged]:
    """Return the suite object, its content, and the content for the language pair.

    If the suite reads one language pair at a time, both contents are the same.
    """
    parted("load_suite", inputs, SuiteInputs)
    langpair, skip_bad = inputs.get("langpair"), inputs.get("skip_bad", False)
    if isinstance(suite, Suite):
        loaded = suite
    elif suite.partition(":")[0] not in SUITES.entries and (
        os.sep in suite or Path(suite).suffix or Path(suite).is_file()
    ):
        loaded = Contrastive(
            Path(suite), columns=inputs.get("columns"), quoting=inputs.get("quoting", "auto"), langpair=langpair, skip_bad=skip_bad
        )  # fmt: skip
    else:
        loaded = create(SUITES, _directed(suite, langpair), Suite)
    loaded.skip_bad = loaded.skip_bad or skip_bad
    folder = locate(loaded.card, inputs.get("data_dir")) if loaded.card.folders else None
    if inputs.get("verify") and folder is not None:
        check_sums(folder, loaded.card)
    content = loaded.load(folder)
    if not isinstance(content, Judged) and len(content) == 0:
        raise InputError(f"{loaded.card.title} contains no items to run.")
    return loaded, content, content if langpair is None else of_langpair(content, langpair, loaded.card.title)


def choose(content: Sequence[Item] | Judged, subsample: int | None, seed: int) -> Sequence[Item] | Judged:
    """Draw at most `subsample` items per phenomenon; None keeps all."""
    if subsample is None:
        return content
    if isinstance(content, Judged):
        raise InputError("--subsample draws items per phenomenon, but a judged set has no phenomena.")
    return drawn(content, subsample, seed)


def _directed(spec: str, langpair: str | None) -> str:
    """Add the language pair to the spec of a suite that reads one language pair at a time."""
    name, given = parse(spec)
    if langpair is None or "langpair" in given or "langpair" not in options(SUITES.resolve(name)):
        return spec
    return f"{spec}{',' if given else ':'}langpair={langpair}"


def of_langpair(content: Sequence[Item] | Judged, langpair: str, title: str) -> Sequence[Item] | Judged:
    """Return the items or segments for one language pair; reject a pair that is not in the set."""
    pairs = langpairs_of(content)
    rows = [row for row, pair in enumerate(pairs) if pair == langpair]
    if not rows:
        raise unknown(f"language pair in {title}", langpair, sorted({pair for pair in pairs if pair}))
    if len(rows) == len(pairs):
        return content
    return content.select(rows) if isinstance(content, Judged) else [content[row] for row in rows]


def langpairs_of(content: Sequence[Item] | Judged) -> Sequence[str]:
    """Return the language pair of each item or segment; empty for a judged set without language pairs."""
    return content.batch.langpairs or () if isinstance(content, Judged) else [item.langpair for item in content]


def measure(
    suite: Suite,
    content: Sequence[Item] | Judged,
    metrics: Mapping[str, Metric],
    *,
    workers: int | None = None,
    store: bool = True,
) -> list[Measured]:
    """Score a suite's texts with every metric."""
    kept = Store.for_metrics(metrics, store)
    name = suite.card.name
    results = []
    for m, built in metrics.items():
        if isinstance(content, Judged):
            results.append(measure_judged(content, m, built, suite=name, workers=workers, store=kept))
        else:
            results.append(measure_items(content, m, built, suite=name, workers=workers, store=kept))
        if len(metrics) > 1:
            built.release()  # one neural metric at a time on the GPU
    return results


def read_metric_file(
    spec: str,
    content: Sequence[Item] | Judged,
    suite: str = "",
    whole: Sequence[Item] | Judged | None = None,
) -> Measured:
    """Read a metric's scores from a file, aligned with the items; the file may contain scores for the `whole` set."""
    everything = None if whole is None or whole is content else _ids(whole)
    return read_metric(spec, _ids(content), isinstance(content, Judged), suite, everything)


def _ids(content: Sequence[Item] | Judged) -> list[str]:
    """Return the ids that identify items or segments in score files."""
    if isinstance(content, Judged):
        return list(content.batch.ids or (str(i) for i in range(1, len(content.batch) + 1)))
    return [item.id for item in content]


def _unsaid(metric_files: Sequence[str]) -> list[str]:
    """Return one note per score file that does not specify its metric's inputs."""
    return [
        missing_needs_note(path) for path, words in map(split, metric_files) if file_card(path, words).needs == "either"
    ]
