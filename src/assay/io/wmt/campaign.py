"""The ratings of an mt-metrics-eval tree as a campaign: every rater's spans, and scores by the weights in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.core.campaign import Campaign, Cell, JudgedText
from assay.core.errors import InputError, listing
from assay.core.judged import Judgement
from assay.io.wmt.tree import EvalSet


def campaign_of(sets: Sequence[EvalSet], references: Mapping[str, str], name: str) -> Campaign:
    """The rated translations of some language pairs; `references` names the standard one of each."""
    judgements: dict[Cell, list[Judgement]] = {}
    texts: dict[Cell, JudgedText] = {}
    for evalset in sets:
        pair = evalset.langpair
        standard = evalset.references[references[pair]]
        for rater in evalset.raters:
            for system, row in evalset.ratings(rater).items():
                for place, judgement in enumerate(row):
                    if judgement is None:
                        continue
                    cell = Cell(pair, system, str(place + 1))
                    judgements.setdefault(cell, []).append(judgement)
                    document = evalset.documents[place] if evalset.documents else ""
                    texts[cell] = JudgedText(
                        evalset.outputs[system][place], evalset.sources[place], standard[place], document
                    )
    if not judgements:
        pairs = listing(evalset.langpair for evalset in sets)
        raise InputError(f"{name} has no ratings with error spans for {pairs} (human-scores/PAIR.NAME.seg.rating).")
    standard_systems = frozenset((pair, reference) for pair, reference in references.items())
    return Campaign(name, "MQM", judgements, texts, marked=True, standard=standard_systems)
