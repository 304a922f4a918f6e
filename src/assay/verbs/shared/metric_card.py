"""Metric card: facts about a metric and its results on all available suites."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from assay import __version__
from assay.core.columns import plain
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Card, Metric
from assay.core.schema import Count, Place, typed
from assay.core.table import Table, TableColumn
from assay.io.documents import read_document
from assay.metrics import build_metrics
from assay.report.data import rows
from assay.suites import SUITES
from assay.verbs.result import Result
from assay.verbs.shared.suites import Analysing, SuiteResult, run_suite


@dataclass(repr=False)
class MetricCard(Result):
    """Facts about a metric and its results on every available suite. `tables` contains ``card``, then ``SUITE TABLE`` for
    each table."""

    metric: str
    card: Card
    signature: str
    results: dict[str, SuiteResult]
    skipped: dict[str, str] = field(default_factory=dict)
    """Suites whose data is missing, with instructions to get it."""
    settings: dict[str, Any] = field(default_factory=dict)

    verb = "card"
    headline = "card"

    def shortest(self) -> list[Table]:
        """Return the facts and every suite's main table."""
        chosen = [self.tables["card"]]
        for suite, result in self.results.items():
            suite_tables = result.tables.values()
            short = result.tables.get("summary") or min(suite_tables, key=lambda table: len(table.rows))
            chosen.append(self.tables[f"{suite} {short.name}"])
        return chosen

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"metric", "signature", "card", "settings", "results": {SUITE: {TABLE: rows}}}``, which `check` reads."""
        return {
            "metric": self.metric,
            "signature": self.signature,
            "assay": __version__,
            "card": plain(asdict(self.card)),
            "settings": self.settings,
            "results": {
                suite: {name: rows(table) for name, table in result.tables.items()}
                for suite, result in self.results.items()
            },
        }


def build_card(
    metric: str | Metric,
    suites: Sequence[str] | None,
    *,
    data_dir: str | os.PathLike[str] | None,
    seed: int,
    samples: int,
    workers: int | None,
) -> MetricCard:
    """Run a metric on suites and collect the results; by default, on all suites whose data is available."""
    ((name, built),) = build_metrics([metric]).items()
    results: dict[str, SuiteResult] = {}
    skipped: dict[str, str] = {}
    how = Analysing(seed=seed, samples=samples)
    for suite in suites or SUITES.names():
        try:
            results[suite] = run_suite(suite, [metric], how, data_dir=data_dir, workers=workers)
        except MissingPart as error:
            if suites or not SUITES.resolve(suite).card.folders:
                raise
            skipped[suite] = str(error)
    settings, signature = {"seed": seed, "samples": samples}, built.signed(1)
    tables = {"card": _facts(built.card, signature, results)}
    for suite, result in results.items():
        for table in result.tables.values():
            caption = table.caption or table.name
            titled = caption if caption.startswith(result.title) else f"{result.title} · {caption}"
            tables[f"{suite} {table.name}"] = replace(table, caption=titled)
    return MetricCard(tables, name, built.card, signature, results, skipped, settings)


def _facts(card: Card, signature: str, suites: Collection[str]) -> Table:
    """Return the fact table: inputs, meaning and range of the scores, training data, licence, citation."""
    low, high = ("…" if bound is None else f"{bound:g}" for bound in card.range)
    trained = [part for suite in suites for part in card.trained_on_parts_of(suite)]
    facts = {
        "meaning": card.meaning,
        "needs": {"both": "source and reference", "either": "source or reference"}.get(card.needs, card.needs),
        "better": "higher" if card.higher_is_better else "lower",
        "range": f"{low} to {high}",
        "languages": ", ".join(card.languages),
        "trained on": ", ".join(card.trained_on) or "nothing",
        "contaminated": f"† trained on {', '.join(trained)}, so these results are too high" if trained else "",
        "licence": card.licence,
        "citation": card.citation,
        "signature": signature,
    }
    rows = [{"field": name, "value": value} for name, value in facts.items() if value]
    return Table("card", (TableColumn("field", " "), TableColumn("value", " ")), rows, card.label)


def read_card(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a card written by ``assay card METRIC --format json``."""
    if not Path(path).exists():
        raise InputError(f"{path} does not exist. Create it with: assay card METRIC --format json --out {path}")
    content = read_document(path, said="is not a card")
    try:
        typed(_WrittenCard, content, Place(), strict=False)
    except InputError as error:
        message = str(error).rstrip(".")
        raise InputError(f"{path} is not a card: {message} (assay card METRIC --format json).") from error
    return dict(content)


@dataclass(frozen=True)
class _WrittenRow:
    """Table row with the figures that `check` compares. A row has one of them, and other columns."""

    accuracy: float | None = None
    tau: float | None = None
    auroc: float | None = None
    unscored: Count | None = None


@dataclass(frozen=True)
class _WrittenTables:
    """A suite's tables that `check` compares."""

    phenomena: tuple[_WrittenRow, ...] = ()
    other_phenomena: tuple[_WrittenRow, ...] = ()
    perturbations: tuple[_WrittenRow, ...] = ()
    detection: tuple[_WrittenRow, ...] = ()


@dataclass(frozen=True)
class _WrittenSettings:
    seed: Count = 0


@dataclass(frozen=True)
class _WrittenCard:
    metric: str
    results: Mapping[str, _WrittenTables]
    signature: str = ""
    settings: _WrittenSettings = field(default_factory=_WrittenSettings)
