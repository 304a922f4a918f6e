"""Running metrics on challenge sets and judged sets: what is missing is scored, everything is tabled, all of it is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.analyses import analyse
from assay.api.scoring import Wanted, build_metrics, default_store, signature
from assay.core.errors import InputError, count
from assay.core.item import Item
from assay.core.judged import Judged
from assay.core.suite import Measured, Suite
from assay.core.table import Table
from assay.results import Shown

if TYPE_CHECKING:
    import polars

    from assay.core.metric import Metric
    from assay.report.page import Section


@dataclass(repr=False)
class SuiteResult(Shown):
    """The tables of one suite, with the scores behind them."""

    suite: str
    title: str
    content: Sequence[Item] | Judged
    measured: list[Measured]
    tables: dict[str, Table]
    signatures: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    analysis: str = ""

    def __len__(self) -> int:
        return len(self.content.batch if isinstance(self.content, Judged) else self.content)

    def table(self) -> Table:
        """The summary, or the first table of a suite without one."""
        return self.tables.get("summary") or next(iter(self.tables.values()))

    def to_polars(self) -> polars.DataFrame:
        """One row for each item (or segment), with every metric's scores."""
        import polars

        columns: dict[str, Any]
        if isinstance(self.content, Judged):
            n = len(self.content.batch)
            columns = {"id": self.content.batch.ids or [str(i) for i in range(1, n + 1)]}
            columns |= {metric.name: metric.values for metric in self.measured}
            return polars.DataFrame(columns)
        columns = {
            key: [getattr(item, key) for item in self.content] for key in ("id", "phenomenon", "category", "langpair")
        }
        for metric in self.measured:
            columns[f"{metric.name} good"], columns[f"{metric.name} incorrect"] = metric.good, metric.incorrect
        return polars.DataFrame(columns)

    def figures(self, format: str = "svg") -> dict[str, bytes]:
        """The suite's figures as files, name to content (needs the extra ``figures``)."""
        from assay.report.figures import render

        return render(self.tables, format)

    def section(self, tables: Sequence[Table] | None = None, figures: bool = True) -> Section:
        """This suite's part of an HTML report: all tables (or some), how to read them, and the figures if they can be drawn."""
        from assay.report.figures import available, inline
        from assay.report.page import Section

        shown = list(self.tables.values()) if tables is None else list(tables)
        what = "judged segment" if isinstance(self.content, Judged) else "pair"
        lead = f"{count(len(self), what)} · {', '.join(metric.name for metric in self.measured)}"
        return Section(self.title, shown, lead, inline(shown) if figures and available() else {})

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """A run directory: scores.parquet, tables.json, manifest.json and, where matplotlib is installed, the figures."""
        from assay.engine.manifest import Manifest
        from assay.io.files.atomic import atomic_write
        from assay.report.data import as_json
        from assay.report.figures import available

        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        with atomic_write(path / "scores.parquet", "wb") as stream:
            self.to_polars().write_parquet(stream)
        with atomic_write(path / "tables.json", "w") as stream:
            stream.write(as_json(list(self.tables.values()), {"suite": self.suite}))
        for format in figures if available() else ():
            for name, content in self.figures(format).items():
                with atomic_write(path / name, "wb") as stream:
                    stream.write(content)
        Manifest("assay run", self.signatures, counts={self.suite: len(self)}).finish().write(path / "manifest.json")
        return path


def run(
    suite: str | Suite = "embedded",
    metrics: Sequence[Wanted] = ("chrf", "bleu", "ter"),
    *,
    metric_files: Sequence[str] = (),
    data_dir: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    langpair: str | None = None,
    skip_bad: bool = False,
    verify: bool = False,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
    workers: int | None = None,
    store: bool = True,
) -> SuiteResult:
    """Run metrics on a suite and make its tables.

    `suite` is a registered name (``demetr``), the path of a contrastive file, or a Suite object. `metric_files` are files of
    scores by metrics that live elsewhere. `data_dir` holds local copies of the suites (default: ``$ASSAY_DATA``); `verify`
    checks their checksums first.
    """
    made, content = load_suite(
        suite, data_dir=data_dir, columns=columns, langpair=langpair, skip_bad=skip_bad, verify=verify
    )
    built = build_metrics(metrics) if metrics else {}
    measured = measure(made, content, built, workers=workers, store=store)
    measured += [read_metric_file(path, content) for path in metric_files]
    if not measured:
        raise InputError("no metric was asked for (-m chrf, or --metric-file scores.tsv).")
    tables = analyse(made.card.analysis, content, measured, seed=seed, samples=samples, correction=correction)
    return SuiteResult(
        suite=made.card.name,
        title=made.card.title,
        content=content,
        measured=measured,
        tables={table.name: table for table in tables},
        signatures={name: signature(metric, 1) for name, metric in built.items()},
        problems=list(made.problems),
        analysis=made.card.analysis,
    )


def load_suite(
    suite: str | Suite,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    langpair: str | None = None,
    skip_bad: bool = False,
    verify: bool = False,
) -> tuple[Suite, Sequence[Item] | Judged]:
    """The suite object and its content."""
    from assay.core.spec import create
    from assay.suites import SUITES
    from assay.suites.locate import locate
    from assay.suites.locate import verify as check

    if isinstance(suite, Suite):
        made = suite
    elif suite.partition(":")[0] not in SUITES.entries and (
        os.sep in suite or Path(suite).suffix or Path(suite).is_file()
    ):
        from assay.suites.contrastive import Contrastive

        made = Contrastive(Path(suite), columns=columns, langpair=langpair, skip_bad=skip_bad)
    else:
        made = create(SUITES, suite, Suite)
    made.skip_bad = made.skip_bad or skip_bad
    folder = locate(made.card, data_dir) if made.card.folders else None
    if verify and folder is not None:
        check(folder, made.card)
    content = made.load(folder)
    if not isinstance(content, Judged) and len(content) == 0:
        raise InputError(f"{made.card.title} has no items: there is nothing to run.")
    return made, content


def measure(
    suite: Suite,
    content: Sequence[Item] | Judged,
    metrics: Mapping[str, Metric],
    *,
    workers: int | None = None,
    store: bool = True,
) -> list[Measured]:
    """What every metric says about the suite's texts."""
    from assay.engine.measure import measure_items, measure_judged

    kept = default_store() if store and any(metric.card.stored for metric in metrics.values()) else None
    name = suite.card.name
    if isinstance(content, Judged):
        return [
            measure_judged(content, m, built, suite=name, workers=workers, store=kept) for m, built in metrics.items()
        ]
    return [measure_items(content, m, built, suite=name, workers=workers, store=kept) for m, built in metrics.items()]


def read_metric_file(spec: str, content: Sequence[Item] | Judged) -> Measured:
    """A metric from a file of its scores, aligned to the suite's items."""
    from assay.io.scores.metric_file import read_metric

    if isinstance(content, Judged):
        n = len(content.batch)
        return read_metric(spec, ids=content.batch.ids or [str(i) for i in range(1, n + 1)], judged=True)
    return read_metric(spec, ids=[item.id for item in content], judged=False)
