"""``assay reproduce``: receipts, which compare each number of a published table with a recomputed one."""

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
    """Results for every printed cell of a set of published tables."""

    name: str
    source: Publication
    cells: list[Checked]

    verb: ClassVar[str] = "reproduce"
    headline: ClassVar[str] = "receipts"

    @classmethod
    def of(cls, name: str, source: Publication, cells: Sequence[Checked]) -> ReproduceResult:
        """Build the result from compared cells: published tables, all receipts as rows, and the reasons some cells cannot be
        recomputed."""
        made_tables = [
            display_table(table, cells_of_table, source, everything=True)
            for table, cells_of_table in by_table(cells).items()
        ]
        made_tables += [raw_table(cells, source), reasons_table(cells, source)]
        return cls({table.name: table for table in made_tables}, name, source, list(cells))

    @property
    def receipts(self) -> list[dict[str, Any]]:
        """Return one mapping per printed cell: table, row, column, published, obtained, difference, tolerance and verdict.

        The key ``from`` names the basis of the obtained value (``data``, ``printed cells`` or ``count``).
        """
        return [cell.to_dict() for cell in self.cells]

    @property
    def counts(self) -> dict[str, int]:
        """Number of cells by verdict."""
        return counts(self.cells)

    @property
    def differing(self) -> list[Checked]:
        """Cells that can be recomputed but differ."""
        return [cell for cell in self.cells if cell.verdict == "differs"]

    @property
    def failed(self) -> bool:
        """Whether a cell that can be recomputed differs."""
        return bool(self.differing)

    def summary(self) -> str:
        """Return one line with the matches per table and the number of cells that cannot be recomputed from public data."""
        return summary(self.cells)

    def totals(self) -> str:
        """Return one line with the number of matching cells for each basis of computation."""
        return totals(self.cells)

    def shown(self, everything: bool = False) -> list[Table]:
        """Return one table per published table: differing cells and a sample of matching ones, or `everything`.

        Obtained values have two more digits than the printed ones.
        """
        return [
            display_table(name, cells, self.source, everything)
            for name, cells in by_table(self.cells).items()
            if everything or derivable(cells)
        ]

    def reasons(self) -> Table:
        """Return the reasons cells cannot be recomputed from public data, and the difference if a value can be obtained."""
        return self.tables["reasons"]

    def to_dict(self) -> dict[str, Any]:
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
    """Recompute published tables and compare them with the printed numbers, cell by cell.

    Args:
        name: A bundled set (``demetr``, ``aces``, ``hallucinations``, ``wmt23``), or the path of a receipts CSV whose JSON
        file names the suite. With `receipts`, a suite.
        receipts: Path of a CSV whose cells are compared with a run of the suite `name` (docs/reproduce.md).
        data_dir: Folder with local copies of the suites; by default ``$ASSAY_DATA``.
        workers: Number of threads, by default one per core.
        trust: Let receipts name ``module:name`` and checkpoints by their path.

    Returns:
        One receipt per printed cell.

    Raises:
        InputError: The set or the CSV is invalid.
        MissingPart: The data for the set is missing.

    Example:
        >>> import assay
        >>> assay.reproduce("demetr").summary()  # doctest: +SKIP
    """
    path = Path(receipts) if receipts is not None else os.fspath(name)
    published, source = load_receipts(path), load_publication(path)
    suite = str(name) if receipts is not None else source.suite
    if not suite:
        raise InputError(f"{name} does not name its suite. Use assay reproduce SUITE --receipts {name}")
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
    """Functions that recompute cells: runs and meta-evaluations on one data directory."""

    data_dir: str | os.PathLike[str] | None = None
    workers: int | None = None

    def run(self, suite: str, metrics: Sequence[str]) -> Derived:
        """Run metrics on a suite. Receipts do not include intervals, so the number of resamples is minimal."""
        result = run_suite(suite, metrics, Analysing(samples=2), data_dir=self.data_dir, workers=self.workers)
        return Derived(result.tables, result.content)

    def meta(self, name: str) -> Derived:
        """Return the official tables of a WMT metrics task."""
        new = NewMetrics({}, workers=self.workers)
        return Derived(evaluate(name, new, {}, data_dir=self.data_dir).tables)
