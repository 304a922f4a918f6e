"""Hallucination detection with quality metrics (Guerreiro et al. 2023a, Section 7.2; corpus of Guerreiro, Voita and Martins 2023).

- `detection`: ROC area (xCOMET's Table 6) and precision at 90% recall (as published by stopes, Dale et al. 2023), for all
  hallucinations and for each kind against the rest of the corpus. A low quality score raises an alarm.
- `distribution`: quantiles of the raw scores by category (xCOMET's Figure 4).

Intervals come from resampling positives and negatives separately. First place: the best, and every metric whose paired
bootstrap on the same resamples does not show it to be worse at 0.05 (one-sided).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.analyses.table_parts import (
    FIRST,
    MARKS,
    METRIC,
    UNSCORED,
    area_dots,
    contamination_notes,
    coverage_notes,
    estimate_columns,
    first_place_note,
    inverted_note,
    metric_cells,
    without_places,
)
from assay.core.analysis import requires
from assay.core.errors import InputError, count, listing
from assay.core.judged import Judged
from assay.core.suite import Measured
from assay.core.table import Figure, Table, TableColumn
from assay.stats.classification import auroc, detection_draws, precision_at_recall, resamples
from assay.stats.multiple import correct_family
from assay.stats.paired import bootstrap_p, share_first
from assay.stats.resampling import median_interval, percentile_interval

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

KINDS = {"oscillatory": "repetitions", "strongly detached": "strong-unsupport", "fully detached": "full-unsupport"}
"""The three types of hallucination, with the corpus label for each."""
SETS = ("all", "fully detached", "oscillatory", "strongly detached")
CATEGORIES = {"correct": "correct", "omission": "omission", "named entities": "named-entities", **KINDS}
FEWEST = 5
"""Minimum number of positives, and of negatives, at which a metric may be shown to be worse than another."""
QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
Draws = tuple[Floats, Floats]


def _lacks(judged: Judged) -> str:
    missing = [label for label in KINDS.values() if label not in judged.labels]
    return f"the label {listing(missing)}" if missing else ""


@requires("judged", _lacks)
def tables(
    judged: Judged,
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """Return the tables `detection` and `distribution`."""
    values = [_values(metric, len(judged.batch)) for metric in measured]
    kinds = {name: _label(judged, label) for name, label in KINDS.items()}
    positives = kinds | {"all": np.logical_or.reduce(list(kinds.values()))}
    notes = [f"95% bootstrap, n={samples:,}, seed {seed}"]
    if len(measured) > 1:
        notes.append(first_place_note(correction) + f"; never by fewer than {FEWEST} positives")
    notes += contamination_notes(measured)
    for metric, column in zip(measured, values, strict=True):
        if missing := int(np.isnan(column).sum()):
            notes.append(f"{metric.name}: {count(missing, 'segment')} unscored and left out")
    notes += coverage_notes(judged.batch.langpairs or (), measured)
    sets = {name: positives[name] for name in SETS}
    detection = _detection(measured, values, sets, seed, samples, correction, notes)
    upside_down = _inverted_notes(measured, detection)
    return [
        replace(detection, notes=(*detection.notes, *upside_down)),
        _distribution(judged, measured, values, kinds, seed, samples, notes),
    ]


def _inverted_notes(measured: Sequence[Measured], detection: Table) -> list[str]:
    """Warn about metrics whose area is below 25% for all types of hallucination."""
    notes = []
    for metric in measured:
        areas = [row["auroc"] for row in detection.rows if row["metric"] == metric.name and row["auroc"] is not None]
        if areas and max(areas) < 0.25:
            what = f"hallucinations score higher than other segments (area {100 * max(areas):.1f} at most)"
            notes.append(inverted_note(metric.name, what, higher_is_better=metric.card.higher_is_better))
    return notes


def _values(metric: Measured, size: int) -> Floats:
    if metric.values is None or len(metric.values) != size:
        number = "no" if metric.values is None else f"{len(metric.values):,}"
        raise InputError(f"{metric.name} has {number} scores for {count(size, 'segment')}.")
    return metric.values


def _label(judged: Judged, label: str) -> Bools:
    if label not in judged.labels:
        raise InputError(
            f"the judged set has no label {label!r}. Available labels: {', '.join(judged.labels) or 'none'}."
        )
    return judged.labels[label]


def _generator(seed: int, *names: str) -> np.random.Generator:
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])


def _detection(
    measured: Sequence[Measured],
    values: Sequence[Floats],
    sets: dict[str, Bools],
    seed: int,
    samples: int,
    correction: str,
    notes: Sequence[str],
) -> Table:
    alarms = [-v if metric.card.higher_is_better else v for metric, v in zip(measured, values, strict=True)]
    rows: list[dict[str, Any]] = []
    p_area, p_precision = np.full((len(sets), len(measured)), np.nan), np.full((len(sets), len(measured)), np.nan)
    for s, (name, positive) in enumerate(sets.items()):
        areas, precisions = np.full(len(measured), np.nan), np.full(len(measured), np.nan)
        bounds: list[tuple[tuple[float, float], tuple[float, float]] | None] = []
        sampler = _Sampler(alarms, positive, seed, samples, name)
        for m, alarm in enumerate(alarms):
            scored = ~np.isnan(alarm)
            areas[m] = auroc(alarm[scored], positive[scored])
            precisions[m] = precision_at_recall(alarm[scored], positive[scored])
            draws = None if np.isnan(areas[m]) else sampler.draws(m, scored)
            bounds.append(None if draws is None else (percentile_interval(draws[0]), percentile_interval(draws[1])))
        p_area[s], p_precision[s] = sampler.worse(areas, 0), sampler.worse(precisions, 1)
        for m, metric in enumerate(measured):
            rows.append(_detection_row(name, metric, alarms[m], positive, areas[m], precisions[m], bounds[m]))
    _mark(rows, "auroc", "first", p_area, correction)
    _mark(rows, "precision_at_90_recall", "precision_first", p_precision, correction)
    columns = (
        TableColumn("set"),
        METRIC,
        TableColumn("n_positive", "positives", kind="count"),
        TableColumn("n", kind="count"),
        *estimate_columns("auroc", "AUROC", "percent", 2),
        *estimate_columns("precision_at_90_recall", "P@90R", "percent", 2, "precision_first"),
        UNSCORED,
        *MARKS,
        TableColumn("precision_first", hidden=True),
    )
    caption = "Hallucination detection · ROC area and precision at 90% recall, each kind against the rest of the corpus"
    return Table(
        "detection",
        columns,
        rows,
        caption,
        tuple(notes),
        reading="Low scores raise alarms. The area is the chance that a hallucination scores below another segment, in percent: "
        "50 is chance, 100 is perfect. P@90R is the share of true alarms when nine in ten hallucinations are found.",
        figures=(area_dots("hallucinations", "detection", "set"),),
    )


def _detection_row(
    name: str,
    metric: Measured,
    alarm: Floats,
    positive: Bools,
    area: float,
    precision: float,
    bounds: tuple[tuple[float, float], tuple[float, float]] | None,
) -> dict[str, Any]:
    scored = ~np.isnan(alarm)
    row: dict[str, Any] = {"set": name, **metric_cells(metric)}
    row |= {"n_positive": int(positive[scored].sum()), "n": int(scored.sum())}
    pairs = bounds or ((None, None), (None, None))
    for key, value, (low, high) in zip(("auroc", "precision_at_90_recall"), (area, precision), pairs, strict=True):
        row |= {key: None if bounds is None else float(value), f"{key}_low": low, f"{key}_high": high}
    return row | {"unscored": int((~scored).sum())}


class _Sampler:
    """Bootstrap draws of the detection figures for one set; metrics that scored the same segments share their resamples."""

    def __init__(self, alarms: Sequence[Floats], positive: Bools, seed: int, samples: int, name: str) -> None:
        self.alarms, self.positive = alarms, positive
        self.seed, self.samples, self.name = seed, samples, name
        self._resamples: dict[bytes, Any] = {}
        self._draws: dict[tuple[int, bytes], Draws] = {}

    def draws(self, m: int, scored: Bools) -> Draws:
        """Return draws of ROC area and precision of metric `m` on the segments `scored`, which include positives and negatives."""
        mask = scored.tobytes()
        if mask not in self._resamples:
            n_positive = int(self.positive[scored].sum())
            generator = _generator(self.seed, self.name)
            self._resamples[mask] = resamples(n_positive, int(scored.sum()) - n_positive, generator, self.samples)
        if (m, mask) not in self._draws:
            pair = detection_draws(self.alarms[m][scored], self.positive[scored], self._resamples[mask])
            self._draws[m, mask] = pair
        return self._draws[m, mask]

    def worse(self, values: Floats, figure: int) -> Floats:
        """Return one p-value per metric: that its figure (0 area, 1 precision) is worse than the best metric's."""
        p = np.full(len(values), np.nan)
        if np.count_nonzero(~np.isnan(values)) < 2:
            return p
        best = int(np.nanargmax(values))
        for m in range(len(values)):
            common = ~np.isnan(self.alarms[best]) & ~np.isnan(self.alarms[m])
            both = self.positive[common]
            if m != best and min(both.sum(), (~both).sum()) >= FEWEST:
                difference = self.draws(best, common)[figure] - self.draws(m, common)[figure]
                p[m] = bootstrap_p(difference)
        return p


def _mark(rows: list[dict[str, Any]], key: str, mark: str, p: Floats, correction: str) -> None:
    """Write first places into the rows, which are ordered set by set; all sets in the table are one family of comparisons."""
    p = correct_family(p, correction)
    width = p.shape[1]
    for s in range(len(p)):
        set_rows = rows[s * width : (s + 1) * width]
        values = np.array([np.nan if row[key] is None else row[key] for row in set_rows])
        first = share_first(values, p[s]) & (np.count_nonzero(~np.isnan(values)) > 1)
        for row, is_first in zip(set_rows, first, strict=True):
            row[mark] = FIRST if is_first else ""


def _distribution(
    judged: Judged,
    measured: Sequence[Measured],
    values: Sequence[Floats],
    kinds: dict[str, Bools],
    seed: int,
    samples: int,
    notes: Sequence[str],
) -> Table:
    """Return raw scores by category; a segment with several labels counts in each of them, an unlabelled one in `other`."""
    masks = {name: judged.labels[label] for name, label in CATEGORIES.items() if label in judged.labels} | kinds
    masks["other"] = ~np.logical_or.reduce(list(masks.values()))
    rows: list[dict[str, Any]] = []
    for name, mask in masks.items():
        for metric, column in zip(measured, values, strict=True):
            column_part = column[mask]
            scored = column_part[~np.isnan(column_part)]
            row: dict[str, Any] = {"category": name, **metric_cells(metric), "n": len(scored)}
            quantile_values = (
                np.quantile(scored, list(QUANTILES.values())).tolist() if len(scored) else [None] * len(QUANTILES)
            )
            row |= dict(zip(QUANTILES, quantile_values, strict=True))
            bounds = (
                median_interval(scored, _generator(seed, metric.name, name), samples) if len(scored) else (None, None)
            )
            row |= dict(zip(("median_low", "median_high"), bounds, strict=True))
            row["mean"] = float(scored.mean()) if len(scored) else None
            rows.append(row | {"unscored": len(column_part) - len(scored)})
    decimals = max((metric.card.decimals for metric in measured), default=1)
    quantiles = [
        TableColumn(
            key, kind="number", decimals=decimals, interval=("median_low", "median_high") if key == "median" else None
        )
        for key in QUANTILES
    ]
    columns = (
        TableColumn("category"),
        METRIC,
        TableColumn("n", kind="count"),
        *quantiles,
        *(
            TableColumn(key, kind="number", decimals=decimals, hidden=True)
            for key in ("median_low", "median_high", "mean")
        ),
        UNSCORED,
        MARKS[1],
    )
    return Table(
        "distribution",
        columns,
        rows,
        "Raw scores by category",
        without_places(notes),
        reading="Raw scores on the scale of each metric. The further a category is from the correct translations, the better the "
        "metric detects it.",
        figures=(Figure("distribution", "boxes", family="hallucinations"),),
    )
