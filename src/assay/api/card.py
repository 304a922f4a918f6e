"""A metric's card: what it is, and all its results on the suites that are at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.api.scoring import Wanted
from assay.api.suites import SuiteResult
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Card
from assay.core.table import Table, TableColumn
from assay.results import Shown


@dataclass(repr=False)
class MetricCard(Shown):
    """What a metric is, and what it did on every suite that was at hand."""

    metric: str
    card: Card
    signature: str
    results: dict[str, SuiteResult]
    skipped: dict[str, str] = field(default_factory=dict)
    """Suites whose data is not here, with the sentence that says how to get it."""
    settings: dict[str, Any] = field(default_factory=dict)

    def table(self) -> Table:
        """The facts: what it needs, what a value means, what it was trained on, how to cite it."""
        card = self.card
        low, high = ("…" if bound is None else f"{bound:g}" for bound in card.range)
        trained = [suite for suite in self.results if suite in card.trained_on]
        facts = {
            "meaning": card.meaning,
            "needs": {"both": "source and reference", "either": "source or reference"}.get(card.needs, card.needs),
            "better": "higher" if card.higher_is_better else "lower",
            "range": f"{low} to {high}",
            "languages": ", ".join(card.languages),
            "trained on": ", ".join(card.trained_on) or "nothing",
            "contaminated": f"† trained on {', '.join(trained)}: those results flatter it" if trained else "",
            "licence": card.licence,
            "citation": card.citation,
            "signature": self.signature,
        }
        rows = [{"field": name, "value": value} for name, value in facts.items() if value]
        return Table("card", (TableColumn("field", " "), TableColumn("value", " ")), rows, card.label)

    def tables(self, everything: bool = True) -> list[Table]:
        """The facts, then the tables of every suite; without `everything`, the shortest one of each."""
        shown = [self.table()]
        for result in self.results.values():
            made = list(result.tables.values())
            chosen = made if everything else [result.tables.get("summary") or min(made, key=lambda t: len(t.rows))]
            for table in chosen:
                caption = table.caption or table.name
                titled = caption if caption.startswith(result.title) else f"{result.title} · {caption}"
                shown.append(replace(table, caption=titled))
        return shown

    def to_dict(self) -> dict[str, Any]:
        """``{"metric", "signature", "card", "settings", "results": {SUITE: {TABLE: rows}}}``: what `check` reads."""
        from assay import __version__
        from assay.report.data import plain, rows

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


def card(
    metric: Wanted,
    suites: Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    *,
    seed: int = 12345,
    samples: int = 1000,
    workers: int | None = None,
) -> MetricCard:
    """Run a metric on `suites` (by default on every known one whose data is here) and make its card."""
    from assay.api.scoring import build_metrics, signature
    from assay.api.suites import run
    from assay.suites import SUITES

    ((name, built),) = build_metrics([metric]).items()
    results: dict[str, SuiteResult] = {}
    skipped: dict[str, str] = {}
    for suite in suites or SUITES.names():
        try:
            results[suite] = run(suite, [metric], data_dir=data_dir, seed=seed, samples=samples, workers=workers)
        except MissingPart as error:
            if suites or not SUITES.resolve(suite).card.folders:
                raise
            skipped[suite] = str(error)
    settings = {"seed": seed, "samples": samples}
    return MetricCard(name, built.card, signature(built, 1), results, skipped, settings)


def read_card(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A card as ``assay card METRIC --format json`` wrote it."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"there is no file {path}. Make it with: assay card METRIC --format json --out {path}"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is not a card: {error}.") from error
    if not isinstance(found, dict) or not isinstance(found.get("results"), dict) or "metric" not in found:
        raise InputError(f"{path} is not a card: it lacks 'metric' or 'results' (assay card METRIC --format json).")
    return found
