"""Scores of a campaign as arrays: systems by segments for rankings, annotators by translations for agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.core.campaign import Campaign, Cell
from assay.core.errors import InputError, count

if TYPE_CHECKING:
    from assay.core.metric import Floats

Standardised = Mapping[tuple[Cell, str], float]
"""Scores standardised by annotator, keyed by (translation, annotator)."""


@dataclass(frozen=True)
class ScoredPair:
    """One language pair: mean score of each translation over annotators, raw and standardised (NaN: not judged)."""

    langpair: str
    systems: list[str]
    segments: list[str]
    score: Floats
    z: Floats
    judgements: Floats
    """Number of annotators who scored each translation."""
    errors: Floats | None
    """Mean number of marked errors per translation, excluding neutral ones."""

    def at(self, name: str) -> Floats:
        """Return ``score`` or ``z``."""
        values: Floats = getattr(self, name)
        return values


def scored_pairs(campaign: Campaign, standardised: Standardised) -> list[ScoredPair]:
    """Return the language pairs in a campaign; a campaign without scores is rejected."""
    pairs = [_pair(campaign, pair, standardised) for pair in campaign.langpairs]
    if not any(np.isfinite(pair.score).any() for pair in pairs):
        contents = (
            "error spans but no scores. Evaluate the spans with assay spans." if campaign.marked else "no scores."
        )
        raise InputError(f"{campaign.name} has {contents}")
    return pairs


def _pair(campaign: Campaign, langpair: str, standardised: Standardised) -> ScoredPair:
    systems = campaign.systems(langpair)
    cells = [cell for cell in campaign.judgements if cell.langpair == langpair]
    segments = list(dict.fromkeys(cell.segment for cell in cells))
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (systems, segments))
    shape = (len(systems), len(segments))
    score, z, errors, judged = (np.full(shape, np.nan) for _ in range(4))
    for cell in cells:
        at = rows[cell.system], columns[cell.segment]
        scored = [j for j in campaign.judgements[cell] if j.score is not None]
        judged[at] = len(scored)
        if scored:
            score[at] = np.mean([j.score for j in scored])
            scaled = [standardised.get((cell, j.rater), np.nan) for j in scored]
            if not np.isnan(scaled).all():
                z[at] = np.nanmean(scaled)
        marked = [sum(s.severity != "neutral" for s in j.spans) for j in campaign.judgements[cell]]
        errors[at] = np.mean(marked)
    return ScoredPair(langpair, systems, segments, score, z, np.nan_to_num(judged), errors if campaign.marked else None)


def by_rater(campaign: Campaign, langpair: str) -> tuple[list[str], list[Cell], Floats]:
    """Return annotators, translations, and each annotator's score for each translation (NaN: not judged)."""
    cells = [cell for cell in campaign.judgements if cell.langpair == langpair]
    raters = list(dict.fromkeys(j.rater for cell in cells for j in campaign.judgements[cell]))
    rows = {rater: row for row, rater in enumerate(raters)}
    scores = np.full((len(raters), len(cells)), np.nan)
    for column, cell in enumerate(cells):
        for judgement in campaign.judgements[cell]:
            if judgement.score is not None:
                scores[rows[judgement.rater], column] = judgement.score
    return raters, cells, scores


def describe_size(campaign: Campaign) -> str:
    """Describe the size of a campaign."""
    judged = sum(len(cell_judgements) for cell_judgements in campaign.judgements.values())
    raters = count(len(campaign.raters), "annotator")
    return f"{count(judged, 'judgement')} of {count(len(campaign.judgements), 'translation')} by {raters}"
