"""Receipts: a published table derived anew from the data and held against the printed one, cell by cell."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.errors import InputError
from assay.core.table import Table
from assay.core.trust import check_spec
from assay.metrics import METRICS
from assay.receipts.obtain import OBTAINERS, Derived, Obtained, named_metrics, obtain
from assay.receipts.published import load_publication, load_receipts, names
from assay.receipts.tables import (
    Checked,
    by_origin,
    by_table,
    counts,
    derivable,
    display_table,
    raw_table,
    reasons_table,
    summary,
    totals,
)
from assay.suites import admit_suite
from assay.verbs.result import Result
from assay.verbs.shared.meta_scores import NewMetrics, evaluate
from assay.verbs.shared.suites import Analysing, run_suite

if TYPE_CHECKING:
    from assay.receipts.published import Publication


@dataclass(repr=False)
class ReproduceResult(Result):
    """Every printed cell of a set of published tables, checked."""

    name: str
    source: Publication
    cells: list[Checked]

    verb: ClassVar[str] = "reproduce"
    headline: ClassVar[str] = "receipts"

    @classmethod
    def of(cls, name: str, source: Publication, cells: Sequence[Checked]) -> ReproduceResult:
        """From checked cells: each published table, all receipts as rows, and why some cells do not follow."""
        made = [display_table(table, mine, source, everything=True) for table, mine in by_table(cells).items()]
        made += [raw_table(cells, source), reasons_table(cells, source)]
        return cls({table.name: table for table in made}, name, source, list(cells))

    @property
    def receipts(self) -> list[dict[str, Any]]:
        """One mapping for each printed cell: table, row, column, published, obtained, difference, tolerance, verdict, and what
        the obtained value was computed from (``data``, ``printed cells`` or ``count``)."""
        return [cell.to_dict() for cell in self.cells]

    @property
    def counts(self) -> dict[str, int]:
        """Number of cells by verdict."""
        return counts(self.cells)

    @property
    def differing(self) -> list[Checked]:
        """The cells that should follow from the data and do not."""
        return [cell for cell in self.cells if cell.verdict == "differs"]

    @property
    def failed(self) -> bool:
        """True when a cell that should follow differs."""
        return bool(self.differing)

    def summary(self) -> str:
        """One line: what matched in each table, and how many printed cells do not follow from public data."""
        return summary(self.cells)

    def totals(self) -> str:
        """One line: how many cells match, by what they were computed from."""
        return totals(self.cells)

    def shown(self, everything: bool = False) -> list[Table]:
        """One table for each published one, as people read it: the differing cells and a sample of those that match, or
        `everything`. Obtained values have two digits more than the printed ones."""
        return [
            display_table(name, cells, self.source, everything)
            for name, cells in by_table(self.cells).items()
            if everything or derivable(cells)
        ]

    def reasons(self) -> Table:
        """Why cells do not follow from public data, and how far off they are where something can be obtained."""
        return self.tables["reasons"]

    def to_dict(self) -> dict[str, Any]:
        """``{"summary": {...}, "receipts": [...]}``."""
        kinds = {origin: len(cells) for origin, cells in by_origin(self.cells).items()}
        summary = {
            "name": self.name,
            "citation": self.source.citation,
            **self.counts,
            "from": kinds,
            "failed": self.failed,
        }
        return {"summary": summary, "receipts": self.receipts}


def reproduce(
    name: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    receipts: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    trust: bool = False,
) -> ReproduceResult:
    """Derive published tables anew and compare them cell by cell.

    `name` is one of the package's sets (``demetr``, ``aces``, ``hallucinations``, ``wmt23``), or the path of a receipts CSV
    whose JSON file says which suite it is about. With `receipts`, the path of a CSV, its cells are looked up in a run of the
    suite `name` instead; docs/reproduce.md says how such a CSV names its cells. `data_dir` holds local copies of the
    suites (default: ``$ASSAY_DATA``). `workers` is the number of threads (default: all cores). Receipts name registered metrics and
    suites, or files of pairs; with ``trust=True`` also ``module:name`` and checkpoints by their path.
    """
    path = Path(receipts) if receipts is not None else os.fspath(name)
    published, source = load_receipts(path), load_publication(path)
    suite = str(name) if receipts is not None else source.suite
    if not suite:
        raise InputError(f"{name} does not say which suite it is about: assay reproduce SUITE --receipts {name}")
    if receipts is None and not OBTAINERS.registered(suite):
        admit_suite(suite, str(Path(name).with_suffix(".json")), trust=trust)
    for metric in named_metrics(published):
        check_spec(METRICS, metric, str(path), trust=trust)
    obtainer = str(name) if str(name) in names() else suite
    obtained = obtain(obtainer, suite, published, VerbRunner(data_dir, workers))
    cells = [Checked(receipt, *obtained.get(receipt.cell, Obtained(None))) for receipt in published]
    return ReproduceResult.of(str(path), source, cells)


@dataclass(frozen=True)
class VerbRunner:
    """What obtainers derive cells with: the verbs ``run`` and ``meta`` on one data directory."""

    data_dir: str | os.PathLike[str] | None = None
    workers: int | None = None

    def run(self, suite: str, metrics: Sequence[str]) -> Derived:
        """One run of metrics on a suite; receipts hold no intervals, so hardly anything is resampled."""
        result = run_suite(suite, metrics, Analysing(samples=2), data_dir=self.data_dir, workers=self.workers)
        return Derived(result.tables, result.content)

    def meta(self, name: str) -> Derived:
        """The official tables of a WMT metrics task."""
        new = NewMetrics({}, workers=self.workers)
        return Derived(evaluate(name, new, {}, data_dir=self.data_dir).tables)
