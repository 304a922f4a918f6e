"""Greedy token matching of text pairs: precision and recall of the most similar token vectors.

Pairs are computed in windows, many at a time, ordered so that pairs with a text in common are neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.models.encoders.embedding import Embedder, Vectors
from assay.models.runtime.packing import to_device

WINDOW, GPU_WINDOW = 24_000, 400_000
"""Number of tokens whose vectors are in memory at a time (XLM-R large: 100 MB, 1.6 GB)."""

Weigh = Callable[[NDArray[np.int64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Matched:
    """Results of all pairs: precision, recall (NaN if a text has no tokens), and whether a text was truncated."""

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
    """Match all pairs of texts.

    `weigh` returns the weights of the tokens on each side. With `inner`, special tokens are excluded from the matching. Without
    it, they can be matched but have no weight.
    """
    distinct = list(dict.fromkeys([*others, *hypotheses]))
    number = {text: at for at, text in enumerate(distinct)}
    tokens = embedder.tokens(distinct)
    first = np.array([number[text] for text in hypotheses], np.int64)
    second = np.array([number[text] for text in others], np.int64)
    lengths = np.array([len(one.ids) for one in tokens], np.int64)
    scores = np.full((len(first), 2), np.nan)
    order = np.lexsort((first, second, lengths[second]))[::-1]
    for rows in _windows(order, first, second, lengths, GPU_WINDOW if embedder.device.type == "cuda" else WINDOW):
        texts, positions = np.unique(np.concatenate([first[rows], second[rows]]), return_inverse=True)
        vectors = embedder.vectors([tokens[at].ids for at in texts.tolist()])
        left, right = positions[: len(rows)], positions[len(rows) :]
        ids = np.concatenate([np.asarray(tokens[at].ids, np.int64) for at in texts.tolist()])
        ends = np.concatenate([vectors.starts[:-1], vectors.starts[1:] - 1])
        columns = []
        for weights in (one(ids) for one in weigh):
            weights[ends] = 0.0
            columns.append(to_device(torch.from_numpy(weights.astype(np.float32)), embedder.device))
        with torch.inference_mode():
            scores[rows] = match(
                vectors,
                (columns[0], columns[1]),
                sides(vectors.starts, left, inner=inner),
                sides(vectors.starts, right, inner=inner),
                ngram=ngram,
                floor=floor,
            )
    cut = np.array([one.cut for one in tokens], bool)
    empty = (lengths[first] <= 2) | (lengths[second] <= 2)
    return Matched(scores[:, 0], scores[:, 1], empty, cut[first] | cut[second])


def _windows(
    order: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    lengths: NDArray[np.int64],
    most: int,
) -> Iterator[NDArray[np.int64]]:
    """Yield groups of rows, in this order, of up to `most` tokens; a text that recurs within a group counts once."""
    at, in_window, total = 0, set[int](), 0
    for stop, row in enumerate(order.tolist()):
        new = {int(first[row]), int(second[row])} - in_window
        size = int(sum(lengths[text] for text in new))
        if stop > at and total + size > most:
            yield order[at:stop]
            at, in_window, total = stop, set(), 0
            new = {int(first[row]), int(second[row])}
            size = int(sum(lengths[text] for text in new))
        in_window |= new
        total += size
    if at < len(order):
        yield order[at:]


def uniform(ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the same weight for every token."""
    return np.ones(len(ids))


MOST_CELLS = 1 << 22
"""Number of similarities computed at a time."""


@dataclass(frozen=True, slots=True)
class TextSide:
    """One text of every pair: its first row in the vectors, and its number of rows."""

    first: NDArray[np.int64]
    length: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Block:
    """Pairs of similar size as a dense block. `real` marks the positions that hold tokens; `weights` is 0 elsewhere."""

    rows: Tensor
    real: Tensor
    weights: Tensor


def match(
    vectors: Vectors,
    weights: tuple[Tensor, Tensor],
    hypotheses: TextSide,
    others: TextSide,
    *,
    ngram: int = 1,
    floor: bool = False,
) -> NDArray[np.float64]:
    """Return precision and recall of every pair.

    Precision is the mean, over the translation's tokens, of their best cosine in the other text. Recall is the same with the
    texts exchanged. `weights` contains the weight of each row of the vectors as part of a translation, and as part of another
    text. With `ngram`, runs of that many tokens are matched (fewer in shorter texts). The cosines in a run are averaged with
    the weights of its own side (Lo 2019). `floor` replaces negative cosines with 0. The result is NaN for a text that has no
    tokens or whose tokens have no weight.
    """
    scores = np.full((len(hypotheses.first), 2), np.nan)
    for rows, run in _blocks(hypotheses.length, others.length, ngram):
        a = _block(vectors.rows, weights[0], hypotheses, rows)
        b = _block(vectors.rows, weights[1], others, rows)
        cosines = torch.bmm(a.rows, b.rows.transpose(1, 2)).clamp(0.0 if floor else -1.0, 1.0)
        precision = _best(cosines, a, b, run)
        recall = _best(cosines.transpose(1, 2), b, a, run)
        scores[rows] = torch.stack([precision, recall], 1).double().cpu().numpy()
    return scores


def _best(cosines: Tensor, own: _Block, other: _Block, run: int) -> Tensor:
    """For one text, return the weighted mean over its tokens (or runs) of the best cosine with the other text."""
    heavy = own.weights
    if run > 1:
        length, wide = cosines.shape[1] - run + 1, cosines.shape[2] - run + 1
        products = cosines * heavy[:, :, None]
        total = sum(products[:, k : k + length, k : k + wide] for k in range(run))
        heavy = torch.stack([heavy[:, k : k + length] for k in range(run)]).sum(0)
        cosines = total / heavy.clamp(min=1e-30)[:, :, None]
        heavy = heavy * own.real[:, run - 1 :]
        real = other.real[:, run - 1 :]
    else:
        real = other.real
    best = cosines.masked_fill(~real[:, None, :], -torch.inf).amax(2)
    return (torch.where(heavy > 0, best, 0.0) * heavy).sum(1) / heavy.sum(1)


def _blocks(first: NDArray[np.int64], second: NDArray[np.int64], ngram: int) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield pairs of similar size that have tokens on both sides, and the run length that they allow."""
    runs = np.minimum(ngram, np.minimum(first, second))
    for run in np.unique(runs[runs > 0]).tolist():
        rows = np.flatnonzero(runs == run)
        order = rows[np.lexsort((second[rows], first[rows]))]
        at = 0
        while at < len(order):
            stop, wide = at, 0
            while stop < len(order):
                wide = max(wide, int(second[order[stop]]))
                if stop > at and (stop - at + 1) * int(first[order[stop]]) * wide > MOST_CELLS:
                    break
                stop += 1
            yield order[at:stop], run
            at = stop


def _block(rows: Tensor, weights: Tensor, side: TextSide, chosen: NDArray[np.int64]) -> _Block:
    first, length = (to_device(torch.from_numpy(column[chosen]), rows.device) for column in (side.first, side.length))
    steps = torch.arange(int(side.length[chosen].max()), device=rows.device)
    real = steps[None, :] < length[:, None]
    places = torch.where(real, first[:, None] + steps, first[:, None])
    return _Block(rows[places], real, torch.where(real, weights[places], 0.0))


def sides(starts: NDArray[np.int64], texts: NDArray[np.intp], *, inner: bool) -> TextSide:
    """Return each text's rows in the vectors; `inner` excludes the first and the last token, which are special."""
    at = np.asarray(texts, np.int64)
    cut = 1 if inner else 0
    return TextSide(starts[at] + cut, np.maximum(starts[at + 1] - starts[at] - 2 * cut, 0))
