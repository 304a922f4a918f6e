"""Inter-annotator agreement on error spans, the ceiling for predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.spans.alignment import as_tuples, on_target
from assay.analyses.spans.tables import Resampling, bounds, cells
from assay.analyses.table_parts import estimate_columns
from assay.core.campaign import Campaign, Cell
from assay.core.errors import count
from assay.core.judged import Judgement
from assay.core.table import Table, TableColumn
from assay.stats.resampling import bootstrap_sums
from assay.stats.spans import FIELDS, counts, f1

if TYPE_CHECKING:
    from assay.core.metric import Floats


@dataclass(frozen=True)
class Ceiling:
    """Mean F1 over pairs of annotators, with its interval and the numbers of pairs and translations."""

    langpair: str
    f1: tuple[float, float, float]
    pairs: int
    translations: int

    def __str__(self) -> str:
        value, low, high = self.f1
        return (
            f"agreement of annotators{f' ({self.langpair})' if self.langpair else ''}: F1 {value:.3f} ({low:.3f} to {high:.3f}), "
            f"{count(self.pairs, 'pair')} of annotators, {count(self.translations, 'translation')}"
        )


def tables(campaign: Campaign, how: Resampling) -> tuple[list[Table], list[Ceiling]]:
    """Return the table `raters` with each pair of annotators and the mean, and the means; empty if no two share a translation."""
    rows: list[dict[str, Any]] = []
    ceilings = []
    for pair in campaign.langpairs:
        shared = {
            cell: {judgement.rater: judgement for judgement in cell_judgements}
            for cell, cell_judgements in campaign.judgements.items()
            if cell.langpair == pair and len(cell_judgements) > 1
        }
        raters = list(dict.fromkeys(rater for cell_judgements in shared.values() for rater in cell_judgements))
        rated = {two: _both(shared, *two) for two in combinations(raters, 2)}
        rated = {two: cell_judgements for two, cell_judgements in rated.items() if cell_judgements}
        if rated:
            pair_rows, ceiling = _of_pair(pair, rated, campaign, how)
            rows += pair_rows
            ceilings.append(ceiling)
    if not rows:
        return [], []
    columns = [
        TableColumn("langpair", "langpair"), TableColumn("first", "annotator"), TableColumn("second", "annotator"),
        *estimate_columns("f1", "F1", mark=None), TableColumn("cells", "translations", "count"),
    ]  # fmt: skip
    reading = "How well one annotator predicts another, which is the ceiling for a metric. F1 does not depend on which one is gold."
    caption = "agreement of annotators on error spans, character-level F1"
    return [Table("raters", columns, rows, caption, [how.note(False)], reading=reading)], ceilings


def _both(shared: Mapping[Cell, Mapping[str, Judgement]], first: str, second: str) -> list[Cell]:
    return [cell for cell, by_rater in shared.items() if first in by_rater and second in by_rater]


def _of_pair(
    langpair: str, rated: Mapping[tuple[str, str], Sequence[Cell]], campaign: Campaign, how: Resampling
) -> tuple[list[dict[str, Any]], Ceiling]:
    """Return the rows for a language pair, resampling the same segments for all annotators."""
    judged = {
        cell: {j.rater: j for j in campaign.judgements[cell]}
        for shared_cells in rated.values()
        for cell in shared_cells
    }
    segments = list(dict.fromkeys(cell.segment for cell in judged))
    positions = {segment: position for position, segment in enumerate(segments)}
    rows, all_draws, values = [], [], []
    for (first, second), shared_cells in rated.items():
        by_segment = _counted(shared_cells, first, second, judged, campaign, positions)
        draws = f1(bootstrap_sums(by_segment, how.samples, how.seed), empty=np.nan)
        value = float(f1(by_segment.sum(axis=0)))
        row = {"langpair": langpair, "first": first, "second": second, "cells": len(shared_cells)}
        rows.append({**row, **cells("f1", bounds(np.asarray(value), draws))})
        all_draws.append(draws)
        values.append(value)
    mean_bounds = bounds(np.asarray(np.mean(values)), np.mean(all_draws, axis=0))
    mean = {"langpair": langpair, "first": "mean", "second": "", "cells": len(judged), **cells("f1", mean_bounds)}
    return [*rows, mean], Ceiling(langpair, mean_bounds, len(rated), len(judged))


def _counted(
    shared_cells: Sequence[Cell],
    first: str,
    second: str,
    judged: Mapping[Cell, Mapping[str, Judgement]],
    campaign: Campaign,
    positions: Mapping[str, int],
) -> Floats:
    summed = np.zeros((len(positions), len(FIELDS)))
    for cell in shared_cells:
        one, other = (as_tuples(on_target(judged[cell][rater].spans)) for rater in (first, second))
        summed[positions[cell.segment]] += counts(one, other, len(campaign.texts[cell].text or ""))
    return summed
