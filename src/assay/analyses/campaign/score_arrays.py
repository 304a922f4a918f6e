"""A campaign's scores as arrays: systems by segments for rankings, raters by translations for agreement."""

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
"""(translation, rater) to the score standardised by rater."""


@dataclass(frozen=True)
class ScoredPair:
    """One language pair: each translation's mean score over raters, plain and standardised (NaN: not judged)."""

    langpair: str
    systems: list[str]
    segments: list[str]
    score: Floats
    z: Floats
    judgements: Floats
    """How many raters gave each translation a score."""
    errors: Floats | None
    """Mean number of marked errors (neutral ones aside) of each translation."""

    def at(self, name: str) -> Floats:
        """``score`` or ``z``."""
        found: Floats = getattr(self, name)
        return found


def scored_pairs(campaign: Campaign, standardised: Standardised) -> list[ScoredPair]:
    """The language pairs of a campaign; one without any score is refused."""
    made = [_pair(campaign, pair, standardised) for pair in campaign.langpairs]
    if not any(np.isfinite(pair.score).any() for pair in made):
        there = "error spans and no scores: assay spans evaluates spans." if campaign.marked else "no scores."
        raise InputError(f"{campaign.name} has {there}")
    return made


def _pair(campaign: Campaign, langpair: str, standardised: Standardised) -> ScoredPair:
    systems = campaign.systems(langpair)
    here = [cell for cell in campaign.judgements if cell.langpair == langpair]
    segments = list(dict.fromkeys(cell.segment for cell in here))
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (systems, segments))
    shape = (len(systems), len(segments))
    score, z, errors, judged = (np.full(shape, np.nan) for _ in range(4))
    for cell in here:
        at = rows[cell.system], columns[cell.segment]
        known = [j for j in campaign.judgements[cell] if j.score is not None]
        judged[at] = len(known)
        if known:
            score[at] = np.mean([j.score for j in known])
            scaled = [standardised.get((cell, j.rater), np.nan) for j in known]
            if not np.isnan(scaled).all():
                z[at] = np.nanmean(scaled)
        marked = [sum(s.severity != "neutral" for s in j.spans) for j in campaign.judgements[cell]]
        errors[at] = np.mean(marked)
    return ScoredPair(langpair, systems, segments, score, z, np.nan_to_num(judged), errors if campaign.marked else None)


def by_rater(campaign: Campaign, langpair: str) -> tuple[list[str], list[Cell], Floats]:
    """Raters, translations, and the score each rater gave each (NaN: did not see it)."""
    cells = [cell for cell in campaign.judgements if cell.langpair == langpair]
    raters = list(dict.fromkeys(j.rater for cell in cells for j in campaign.judgements[cell]))
    rows = {rater: row for row, rater in enumerate(raters)}
    scores = np.full((len(raters), len(cells)), np.nan)
    for column, cell in enumerate(cells):
        for judgement in campaign.judgements[cell]:
            if judgement.score is not None:
                scores[rows[judgement.rater], column] = judgement.score
    return raters, cells, scores


def described(campaign: Campaign) -> str:
    """How large a campaign is, in a sentence."""
    judged = sum(len(found) for found in campaign.judgements.values())
    raters = count(len(campaign.raters), "rater")
    return f"{count(judged, 'judgement')} of {count(len(campaign.judgements), 'translation')} by {raters}"
