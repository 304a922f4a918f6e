"""Precision and recall of many pairs of texts: rows in an order in which texts that recur are neighbours, a window at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from assay.models.embedding import Embedder
from assay.models.matching import match, sides
from assay.models.packing import to_device

WINDOW, GPU_WINDOW = 24_000, 400_000
"""Tokens whose vectors are held at a time (XLM-R large: 100 MB, 1.6 GB)."""

Weigh = Callable[[NDArray[np.int64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Matched:
    """Of every pair: precision, recall (NaN where a text has no tokens), and whether a text was cut."""

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    empty: NDArray[np.bool_]
    cut: NDArray[np.bool_]


def matched(
    embedder: Embedder,
    hypotheses: Sequence[str],
    others: Sequence[str],
    weigh: tuple[Weigh, Weigh],
    *,
    inner: bool,
    ngram: int = 1,
    floor: bool = False,
) -> Matched:
    """All pairs. `weigh` gives the weights of tokens on either side; `inner` leaves the special tokens out of the matching (else
    they are partners to be found, and weigh nothing)."""
    distinct = list(dict.fromkeys([*others, *hypotheses]))
    number = {text: at for at, text in enumerate(distinct)}
    tokens = embedder.tokens(distinct)
    first = np.array([number[text] for text in hypotheses], np.int64)
    second = np.array([number[text] for text in others], np.int64)
    lengths = np.array([len(one.ids) for one in tokens], np.int64)
    found = np.full((len(first), 2), np.nan)
    order = np.lexsort((first, second, lengths[second]))[::-1]
    for rows in _windows(order, first, second, lengths, GPU_WINDOW if embedder.device.type == "cuda" else WINDOW):
        here, places = np.unique(np.concatenate([first[rows], second[rows]]), return_inverse=True)
        vectors = embedder.vectors([tokens[at].ids for at in here.tolist()])
        left, right = places[: len(rows)], places[len(rows) :]
        ids = np.concatenate([np.asarray(tokens[at].ids, np.int64) for at in here.tolist()])
        ends = np.concatenate([vectors.starts[:-1], vectors.starts[1:] - 1])
        columns = []
        for weights in (one(ids) for one in weigh):
            weights[ends] = 0.0
            columns.append(to_device(torch.from_numpy(weights.astype(np.float32)), embedder.device))
        with torch.inference_mode():
            found[rows] = match(
                vectors,
                (columns[0], columns[1]),
                sides(vectors.starts, left, inner=inner),
                sides(vectors.starts, right, inner=inner),
                ngram=ngram,
                floor=floor,
            )
    cut = np.array([one.cut for one in tokens], bool)
    empty = (lengths[first] <= 2) | (lengths[second] <= 2)
    return Matched(found[:, 0], found[:, 1], empty, cut[first] | cut[second])


def _windows(
    order: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    lengths: NDArray[np.int64],
    most: int,
) -> Iterator[NDArray[np.int64]]:
    """Rows in this order, as many at a time as have `most` tokens; a text that recurs within a window counts once."""
    at, seen, total = 0, set[int](), 0
    for stop, row in enumerate(order.tolist()):
        new = {int(first[row]), int(second[row])} - seen
        size = int(sum(lengths[text] for text in new))
        if stop > at and total + size > most:
            yield order[at:stop]
            at, seen, total = stop, set(), 0
            new = {int(first[row]), int(second[row])}
            size = int(sum(lengths[text] for text in new))
        seen |= new
        total += size
    if at < len(order):
        yield order[at:]


def uniform(ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Every token counts the same."""
    return np.ones(len(ids))
