"""``assay check``: CI gate that reruns a metric and compares it with its card, phenomenon by phenomenon."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any

from assay.core.errors import InputError, count, listing
from assay.core.metric import Metric
from assay.core.table import Table, TableColumn
from assay.core.trust import check_spec
from assay.metrics import METRICS
from assay.report.markup import markdown, plain
from assay.suites import admit_suite
from assay.verbs.result import Result
from assay.verbs.shared.metric_card import build_card, read_card

GATED = {"phenomena": "phenomenon", "other_phenomena": "phenomenon", "perturbations": "name", "detection": "set"}
"""Tables that the gate compares, with the column that names a phenomenon."""
FIGURES = ("accuracy", "tau", "auroc")
"""Figures to compare: the first one that a row has. Higher is better, because analyses use the direction on the card."""


@dataclass(frozen=True, slots=True)
class PhenomenonChange:
    """A phenomenon with its figure on the card and its new figure."""

    suite: str
    phenomenon: str
    figure: str
    before: float | None
    now: float | None
    tolerance: float
    newly_unscored: int = 0

    @property
    def change(self) -> float | None:
        """The new figure minus the old one."""
        return None if self.before is None or self.now is None else self.now - self.before

    @property
    def verdict(self) -> str:
        """``worse``, ``missing`` and ``unscored`` fail; ``better``, ``same`` and ``new`` do not."""
        if self.before is None:
            return "same" if self.now is None else "new"
        if self.now is None:
            return "missing"
        change = self.now - self.before
        if change < -self.tolerance - 1e-12:
            return "worse"
        if self.newly_unscored > 0:
            return "unscored"
        return "better" if change > self.tolerance + 1e-12 else "same"

    @property
    def failed(self) -> bool:
        """Whether this phenomenon fails the gate."""
        return self.verdict in ("worse", "missing", "unscored")

    def sentence(self) -> str:
        """``demetr: 27 omitted final punctuation 0.51 → 0.42 (-0.09)``."""
        name = f"{self.suite}: {self.phenomenon}"
        if self.verdict == "missing":
            return f"{name} is missing"
        if self.verdict == "unscored":
            return f"{name} has {self.newly_unscored:,} more unscored items"
        return f"{name} {self.before:.3f} → {self.now:.3f} ({self.change:+.3f})"


@dataclass(repr=False)
class CheckResult(Result):
    """Comparison of a metric with its card. The table ``check`` lists changes beyond the tolerance, and ``phenomena`` lists
    all phenomena."""

    metric: str
    card_metric: str
    changes: list[PhenomenonChange]

    verb = "check"
    headline = "check"

    @property
    def failures(self) -> list[PhenomenonChange]:
        """Phenomena that got worse by more than their tolerance, are missing, or are no longer scored; the worst first."""
        return _failures(self.changes)

    @property
    def failed(self) -> bool:
        """Whether a phenomenon is worse than on the card."""
        return any(change.failed for change in self.changes)

    def head(self) -> Mapping[str, Any]:
        """Return the metric and whether it failed."""
        return {"metric": self.metric, "failed": self.failed}

    def sentence(self) -> str:
        """Return the result as a single line; ``assay check`` prints it if the check fails."""
        if not self.failed:
            return f"{self.metric} is as good as {_whose(self.metric, self.card_metric)}"
        what = count(len(self.failures), "phenomenon", "phenomena")
        return f"{self.metric} got worse on {what}: {listing((c.sentence() for c in self.failures), 5)}"

    def summary(self) -> str:
        """Return a Markdown summary for CI: the verdict and the changes."""
        mark = "❌" if self.failed else "✅"
        shown = self.table("check")
        changed = markdown([shown]) if shown.rows else "".join(f"{plain(note)}  \n" for note in shown.notes)
        return f"### {mark} assay check: {plain(self.sentence())}\n\n{changed}"


def _failures(changes: Sequence[PhenomenonChange]) -> list[PhenomenonChange]:
    return sorted((c for c in changes if c.failed), key=lambda c: c.change if c.change is not None else -9.0)


def _whose(metric: str, card_metric: str) -> str:
    return "its card" if metric == card_metric else f"the card of {card_metric}"


def _table(
    changes: Sequence[PhenomenonChange], metric: str, card_metric: str, notes: Sequence[str], everything: bool
) -> Table:
    """Return the table of changes beyond the tolerance, or of all phenomena."""
    failures = _failures(changes)
    others = [c for c in changes if not c.failed and (everything or c.verdict != "same")]
    rows = [
        {key: getattr(c, key) for key in ("suite", "phenomenon", "figure", "before", "now", "change")}
        | {"tolerance": c.tolerance, "verdict": c.verdict}
        for c in (*failures, *others)
    ]
    columns = (
        TableColumn("suite"),
        TableColumn("phenomenon"),
        TableColumn("figure", hidden=True),
        *(TableColumn(key, kind="number", decimals=3) for key in ("before", "now", "change")),
        TableColumn("tolerance", kind="number", decimals=3, hidden=True),
        TableColumn("verdict"),
    )
    same = sum(change.verdict == "same" for change in changes)
    better = sum(change.verdict == "better" for change in changes)
    what = count(len(changes), "phenomenon", "phenomena")
    total = f"{what}: {len(failures):,} worse, {better:,} better, {same:,} the same"
    caption = f"{metric} against {_whose(metric, card_metric)}" if rows else ""
    return Table("check", columns if rows else (), rows, caption, (*notes, total))


def check(
    against: str | os.PathLike[str] | Mapping[str, Any],
    metric: str | Metric | None = None,
    *,
    suites: Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    tolerance: float = 0.0,
    tolerances: Mapping[str, float] | None = None,
    workers: int | None = None,
    trust: bool = False,
) -> CheckResult:
    """Run a metric again on the suites of an earlier card, and report every phenomenon that got worse.

    Args:
        against: The card, as written by ``assay card METRIC --format json``, or its content.
        metric: The metric to run; by default the one on the card.
        suites: Use only these suites from the card. By default, missing data for any suite is an error.
        data_dir: Folder with local copies of the suites; by default ``$ASSAY_DATA``.
        tolerance: The largest decrease that passes.
        tolerances: Separate tolerances for suites or phenomena, by name.
        workers: Number of threads, by default one per core.
        trust: Let the card name a metric or a suite as ``module:name``, and checkpoints by path.

    Returns:
        All phenomena with their changes; `CheckResult.failed` is the verdict.

    Raises:
        InputError: The card is invalid, or has no phenomena to compare.

    Example:
        >>> import assay
        >>> card = assay.card("chrf", ["embedded"], samples=2)
        >>> assay.check(card.to_dict()).failed
        False
    """
    old_card = against if isinstance(against, Mapping) else read_card(against)
    chosen = list(suites or old_card["results"])
    for suite in chosen:
        if suite not in old_card["results"]:
            raise InputError(
                f"the card has no results on {suite!r}; it has results on {', '.join(old_card['results']) or 'none'}."
            )
    where = "the card" if isinstance(against, Mapping) else str(against)
    chosen = chosen if suites else [admit_suite(suite, where, trust=trust) for suite in chosen]
    metric = metric or check_spec(METRICS, old_card["metric"], where, trust=trust)
    settings = old_card.get("settings", {})
    seed = settings.get("seed", 12345)
    fresh = build_card(metric, chosen, data_dir=data_dir, seed=seed, samples=2, workers=workers)
    now = fresh.to_dict()
    changes: list[PhenomenonChange] = []
    notes: list[str] = []
    if fresh.signature != old_card.get("signature"):
        notes.append(f"the signature changed: {old_card.get('signature')} → {fresh.signature}")
    for suite in chosen:
        before, after = old_card["results"][suite], now["results"][suite]
        changes += _changes(suite, before, after, tolerance, tolerances or {})
        notes += _other_items(suite, before, after)
    if all(change.before is None for change in changes):
        raise InputError(f"the card has no phenomena on {', '.join(chosen)}, so there is nothing to check.")
    about = (changes, fresh.metric, str(old_card["metric"]))
    tables = {"check": _table(*about, notes, False), "phenomena": _table(*about, notes, True)}
    return CheckResult(tables, fresh.metric, str(old_card["metric"]), changes, notes=notes)


def _changes(
    suite: str, before: Mapping[str, Any], now: Mapping[str, Any], tolerance: float, own: Mapping[str, float]
) -> list[PhenomenonChange]:
    old, new = _figures(before), _figures(now)
    changes = []
    for phenomenon in dict.fromkeys((*old, *new)):
        figure, value, unscored = old.get(phenomenon) or (new[phenomenon][0], None, 0)
        _, current, unscored_now = new.get(phenomenon) or (figure, None, 0)
        allowed = own.get(phenomenon, own.get(suite, tolerance))
        changes.append(PhenomenonChange(suite, phenomenon, figure, value, current, allowed, unscored_now - unscored))
    return changes


def _other_items(suite: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return a warning if the suite's number of items differs from the card's."""
    notes = []
    for table in GATED:
        old, new = (sum(_items(row) for row in tables.get(table, ())) for tables in (before, now))
        if old and new and old != new:
            notes.append(f"⚠ {suite}: {count(new, 'item')} now, {old:,} on the card, so the figures are not comparable")
    return notes


def _items(row: Mapping[str, Any]) -> int:
    """Return the number of items behind a row, scored or not."""
    n, unscored = row.get("n"), row.get("unscored")
    return sum(value for value in (n, unscored) if isinstance(value, int))


def _figures(tables: Mapping[str, Any]) -> dict[str, tuple[str, float | None, int]]:
    """Return the name of the figure, its value and the number of unscored items for each phenomenon."""
    figures: dict[str, tuple[str, float | None, int]] = {}
    for table, key in GATED.items():
        rows = tables.get(table, ())
        if any(not isinstance(row, Mapping) or key not in row for row in rows):
            raise InputError(
                f"the card's table {table!r} has a row without {key!r}, so it is not a card written by assay."
            )
        names = Counter(str(row[key]) for row in rows)
        for row in rows:
            figure = next(
                (figure for figure in FIGURES if isinstance(row.get(figure, ""), (int, float, NoneType))), None
            )
            # Phenomena with the same name are distinguished by category.
            shared = names[str(row[key])] > 1 and row.get("category")
            label = f"{row['category']} / {row[key]}" if shared else str(row[key])
            if figure is not None:
                figures[label] = (figure, row[figure], int(row.get("unscored") or 0))
    return figures
