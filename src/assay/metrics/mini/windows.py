"""Texts longer than assay-mini reads: windows of all sides at corresponding places that overlap, put together again."""

from __future__ import annotations

import math
from itertools import chain
from typing import NamedTuple

import numpy as np

from assay.metrics.mini.model import LONGEST, PART, Model, Opinion, Triple
from assay.models.windows import cut

OVERLAP = 8
"""A window reaches into its neighbours by the eighth part of its own length on either side."""
FEWEST = 24
"""Pieces of the translation that a window has at least; where that cannot be, the texts stay cut off."""


class Window(NamedTuple):
    """A part of a text, and what it sees of the text around it."""

    start: int
    end: int
    seen_from: int
    seen_to: int

    def share(self) -> float:
        """How much of what it sees is its own."""
        return (self.end - self.start) / max(self.seen_to - self.seen_from, 1)


def windows(text: str, parts: int) -> list[Window]:
    """`text` in `parts` windows, cut behind a sentence or a word where it can be."""
    out = []
    for start, piece in cut(text, parts):
        end, reach = start + len(piece), len(piece) // OVERLAP
        before, after = max(start - reach, 0), min(end + reach, len(text))
        while before > 0 and before > start - 2 * reach and not text[before - 1].isspace():
            before -= 1
        while after < len(text) and after < end + 2 * reach and not text[after].isspace():
            after += 1
        out.append(Window(start, end, before, after))
    return out


def judge_long(model: Model, triple: Triple, whole: Opinion) -> Opinion:
    """The triple in as few windows as the model can read; the judgement as it is where no windows would do.

    Expected errors are added up, each window's by the share of it that is its own; the other heads are means by length.
    """
    texts = [text for text in triple if text]
    lengths = model.strangeness(texts)
    most = lengths[triple.hypothesis].pieces // FEWEST
    parts = math.ceil(max(lengths[text].pieces for text in texts) * (1 + 2 / OVERLAP) / LONGEST)
    while parts <= most:
        sides = [windows(text, parts) if text else [] for text in triple]
        seen = [_seen(triple, sides, k) for k in range(parts)]
        if max(text.pieces for text in model.strangeness(filter(None, chain(*seen))).values()) <= LONGEST:
            found = [judgement for at in range(0, parts, PART) for judgement in model.ask(seen[at : at + PART])]
            return _joined(sides[0], found)
        parts = math.ceil(parts * 1.25)
    return whole


def _seen(triple: Triple, sides: list[list[Window]], k: int) -> Triple:
    """What window `k` sees of each text."""
    hypothesis, reference, source = (
        text[side[k].seen_from : side[k].seen_to] if text else None for text, side in zip(triple, sides, strict=True)
    )
    return Triple(hypothesis or "", reference, source)


def _joined(sides: list[Window], found: list[Opinion]) -> Opinion:
    values = np.stack([judgement.values for judgement in found]).astype(np.float64)
    own = np.array([side.share() for side in sides])
    lengths = np.array([side.end - side.start for side in sides], np.float64)
    total = (values * (lengths / lengths.sum())[:, None]).sum(axis=0)
    total[0] = math.log(math.fsum(math.exp(value) * share for value, share in zip(values[:, 0], own, strict=True)))
    tags, ranges = [], []
    for side, judgement in zip(sides, found, strict=True):
        places = judgement.ranges + side.seen_from
        inside = (places[:, 0] >= side.start) & (places[:, 0] < side.end)
        tags.append(judgement.tags[inside])
        ranges.append(places[inside])
    return Opinion(total.astype(np.float32), np.concatenate(tags), np.concatenate(ranges), long=True)
