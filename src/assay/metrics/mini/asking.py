"""From a batch to the texts that a metric of assay-mini's family asks about, and what a reader should know about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.core.batch import Batch
from assay.core.langpair import outside
from assay.core.metric import Card
from assay.metrics.mini.model import Model, Triple

if TYPE_CHECKING:
    from assay.core.metric import Bools

UNKNOWN = 0.1
"""The share of unknown characters in one of its texts from which on a row is flagged."""
FOREIGN = 0.5
"""The same for characters of pieces that training never met."""


def triples(batch: Batch, card: Card, inputs: str) -> tuple[list[int], list[Triple]]:
    """Each row beside each of its references, and the rows those belong to; a blank text is none."""
    card.check_columns(batch)
    columns = () if inputs == "src" else batch.references or ()
    sources = None if inputs == "ref" else batch.sources
    rows: list[int] = []
    asked: list[Triple] = []
    for i, hypothesis in enumerate(batch.hypotheses):
        source = None if sources is None else sources[i]
        here: list[str | None] = [text for column in columns if (text := column[i]) is not None and text.strip()]
        rows += [i] * max(len(here), 1)
        asked += [Triple(hypothesis, text, source if source and source.strip() else None) for text in here or [None]]
    return rows, asked


def strange_flags(model: Model, asked: Sequence[Triple], langpairs: Sequence[str] | None) -> dict[str, Bools]:
    """Flags on triples: empty, held against nothing, characters that are unknown, languages that training never met."""
    known = model.strangeness(text for triple in asked for text in triple if text is not None)

    def any_text(far: str, limit: float) -> Bools:
        return np.array([any(getattr(known[text], far) > limit for text in triple if text) for triple in asked], bool)

    pairs = langpairs or [""] * len(asked)
    strange = {pair: outside(pair, model.known) for pair in set(pairs)}
    unmet = {pair: outside(pair, model.trained) for pair in set(pairs)}
    unknown_language = np.array([strange[pair] for pair in pairs], bool)
    return {
        "empty_hypothesis": np.array([known[triple.hypothesis].characters == 0 for triple in asked], bool),
        "nothing_to_compare": np.array([not triple.others for triple in asked], bool),
        "unknown_characters": any_text("unknown", UNKNOWN),
        "unknown_language": unknown_language,
        "untrained_language": ~unknown_language
        & (np.array([unmet[pair] for pair in pairs], bool) | any_text("foreign", FOREIGN)),
    }
