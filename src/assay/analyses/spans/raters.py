"""The ceiling of error spans: how far raters agree among themselves on the translations that both of them judged."""

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
    """The mean F1 over pairs of raters with its interval, from so many pairs and translations."""

    langpair: str
    f1: tuple[float, float, float]
    pairs: int
    translations: int

    def __str__(self) -> str:
        value, low, high = self.f1
        return (
            f"raters among themselves{f' ({self.langpair})' if self.langpair else ''}: F1 {value:.3f} ({low:.3f} to {high:.3f}), "
            f"{count(self.pairs, 'pair')} of raters, {count(self.translations, 'translation')}"
        )


def tables(campaign: Campaign, how: Resampling) -> tuple[list[Table], list[Ceiling]]:
    """The table `raters` with every pair of raters and their mean, and the means; nothing where no two share a translation."""
    rows: list[dict[str, Any]] = []
    ceilings = []
    for pair in campaign.langpairs:
        shared = {
            cell: {judgement.rater: judgement for judgement in found}
            for cell, found in campaign.judgements.items()
            if cell.langpair == pair and len(found) > 1
        }
        raters = list(dict.fromkeys(rater for found in shared.values() for rater in found))
        rated = {two: _both(shared, *two) for two in combinations(raters, 2)}
        rated = {two: found for two, found in rated.items() if found}
        if rated:
            made, ceiling = _of_pair(pair, rated, campaign, how)
            rows += made
            ceilings.append(ceiling)
    if not rows:
        return [], []
    columns = [
        TableColumn("langpair", "langpair"), TableColumn("first", "rater"), TableColumn("second", "rater"),
        *estimate_columns("f1", "F1", mark=None), TableColumn("cells", "translations", "count"),
    ]  # fmt: skip
    reading = "How well one rater predicts another: what a metric can be expected to reach. Either may be called gold."
    caption = "agreement of raters on error spans, character-level F1"
    return [Table("raters", columns, rows, caption, [how.note(False)], reading=reading)], ceilings


def _both(shared: Mapping[Cell, Mapping[str, Judgement]], first: str, second: str) -> list[Cell]:
    return [cell for cell, found in shared.items() if first in found and second in found]


def _of_pair(
    langpair: str, rated: Mapping[tuple[str, str], Sequence[Cell]], campaign: Campaign, how: Resampling
) -> tuple[list[dict[str, Any]], Ceiling]:
    """The rows of a language pair: all raters are drawn on the same segments."""
    judged = {cell: {j.rater: j for j in campaign.judgements[cell]} for found in rated.values() for cell in found}
    segments = list(dict.fromkeys(cell.segment for cell in judged))
    places = {segment: place for place, segment in enumerate(segments)}
    rows, drawn, values = [], [], []
    for (first, second), found in rated.items():
        by_segment = _counted(found, first, second, judged, campaign, places)
        draws = f1(bootstrap_sums(by_segment, how.samples, how.seed), empty=np.nan)
        value = float(f1(by_segment.sum(axis=0)))
        row = {"langpair": langpair, "first": first, "second": second, "cells": len(found)}
        rows.append({**row, **cells("f1", bounds(np.asarray(value), draws))})
        drawn.append(draws)
        values.append(value)
    whole = bounds(np.asarray(np.mean(values)), np.mean(drawn, axis=0))
    mean = {"langpair": langpair, "first": "mean", "second": "", "cells": len(judged), **cells("f1", whole)}
    return [*rows, mean], Ceiling(langpair, whole, len(rated), len(judged))


def _counted(
    found: Sequence[Cell],
    first: str,
    second: str,
    judged: Mapping[Cell, Mapping[str, Judgement]],
    campaign: Campaign,
    places: Mapping[str, int],
) -> Floats:
    summed = np.zeros((len(places), len(FIELDS)))
    for cell in found:
        one, other = (as_tuples(on_target(judged[cell][rater].spans)) for rater in (first, second))
        summed[places[cell.segment]] += counts(one, other, len(campaign.texts[cell].text or ""))
    return summed
