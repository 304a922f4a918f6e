"""Batch schedule of a stage; depends only on the seed and the step number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.models.mini.config import MiniConfig, StageConfig
from assay.models.mini.corpus import PreparedCorpus
from assay.models.mini.groups import SPLITS

Ints = NDArray[np.int64]
HEAD_PLACES = 150_000
"""Maximum number of padded positions (translation, reference and source of every row) in one batch of the head."""
FIRST_REFERENCE = 0.6
"""Minimum probability of the first of several references; it also gets an equal part of the remaining probability."""
LENGTH_JITTER = 8.0
"""Random variation of lengths in subwords, so batches of similar lengths differ between epochs."""
MOST_TRANSLATIONS = 16
"""Maximum number of translations per source that are scored together outside training."""


@dataclass(frozen=True, slots=True)
class BatchItem:
    """Translations of the same source that are scored together, with one reference (or -1) and possibly the source (or -1)."""

    rows: Ints
    place: int
    """Index of the reference within the group; -1 for none."""
    reference: int
    source: int


def measure(corpus: PreparedCorpus, item: BatchItem) -> tuple[int, int]:
    """Return the longest text in an item, and the number of subwords in all its texts with end tokens, each text counted once."""
    texts = [*corpus.row_text[item.rows].tolist(), item.reference, item.source]
    lengths = corpus.lengths(np.array(texts))
    return int(lengths.max()), int(lengths.sum()) + 2 * sum(text >= 0 for text in texts)


def batches(items: Sequence[BatchItem], sizes: Sequence[tuple[float, int]], tokens: int) -> list[list[BatchItem]]:
    """Group items of similar length into batches of up to `tokens`; `sizes` contains each item's length and number of tokens."""
    result: list[list[BatchItem]] = []
    batch: list[BatchItem] = []
    tokens_in_batch = rows = 0
    for number in sorted(range(len(items)), key=lambda i: sizes[i][0]):
        longest, cost = sizes[number]
        item = items[number]
        padded = 3 * (rows + len(item.rows)) * rounded(int(longest) + 1)
        if batch and (tokens_in_batch + cost > tokens or padded > HEAD_PLACES):
            result.append(batch)
            batch, tokens_in_batch, rows = [], 0, 0
        batch.append(item)
        tokens_in_batch += cost
        rows += len(item.rows)
    return [*result, batch] if batch else result


def rounded(length: int) -> int:
    """Round a length up to a multiple of 16."""
    return -(-length // 16) * 16


class BatchPlan:
    """All batches of a stage."""

    def __init__(self, corpus: PreparedCorpus, config: MiniConfig, stage: StageConfig, seed: int) -> None:
        self.corpus, self.stage, self.seed = corpus, stage, seed
        learned = corpus.group_split == SPLITS.index("train")
        self.groups = [
            (np.flatnonzero(learned & (corpus.group_collection == i)), config.share_of(name, stage))
            for i, name in enumerate(corpus.collections)
        ]
        self._epoch: tuple[int, int, list[list[BatchItem]]] | None = None
        """Number, first step and batches of the epoch that was last requested."""

    def batch(self, step: int) -> list[BatchItem]:
        """Return the items of a step."""
        number, first, batches_of_epoch = self._epoch or (0, 0, self.epoch(0))
        if step < first:
            number, first, batches_of_epoch = 0, 0, self.epoch(0)
        while step >= first + len(batches_of_epoch):
            number, first = number + 1, first + len(batches_of_epoch)
            batches_of_epoch = self.epoch(number)
        self._epoch = (number, first, batches_of_epoch)
        return batches_of_epoch[step - first]

    def epoch(self, number: int) -> list[list[BatchItem]]:
        """Return all batches of an epoch, shuffled."""
        rng = np.random.default_rng([self.seed, number, 0xE90C])
        items = [item for groups, share in self.groups for item in self._drawn(groups, share, rng)]
        sizes: list[tuple[float, int]] = []
        for item in items:
            longest, tokens = measure(self.corpus, item)
            sizes.append((longest + LENGTH_JITTER * rng.random(), tokens))
        result = batches(items, sizes, self.stage.batch_tokens)
        if not result:
            raise ValueError("the training data yield no batch")
        return [result[index] for index in rng.permutation(len(result)).tolist()]

    def _drawn(self, groups: Ints, share: float, rng: np.random.Generator) -> Iterable[BatchItem]:
        """Yield each group as often as its collection's share requires: some translations with a reference, a source or both."""
        whole, part = divmod(share, 1)
        rest = rng.choice(groups, int(part * len(groups)), replace=False) if len(groups) else groups
        drawn_groups = np.concatenate([groups] * int(whole) + [rest])
        for group, draw in zip(drawn_groups.tolist(), rng.random(len(drawn_groups)).tolist(), strict=True):
            item = self._item(group, draw, rng)
            if item is not None:
                yield item

    def _item(self, group: int, draw: float, rng: np.random.Generator) -> BatchItem | None:
        corpus, stage = self.corpus, self.stage
        first, last = corpus.group_rows[group : group + 2].tolist()
        rows = np.arange(first, last)
        if len(rows) > stage.hypotheses:
            rows = np.sort(rng.choice(rows, stage.hypotheses, replace=False))
        references = corpus.group_references[group]
        count, source = int((references >= 0).sum()), int(corpus.group_source[group])
        place = -1
        if count and not (draw < stage.without_reference and source >= 0):
            place = 0 if count == 1 or rng.random() < FIRST_REFERENCE else int(rng.integers(count))
            if draw < stage.without_reference + stage.without_source:
                source = -1
            rows = rows[corpus.row_text[rows] != references[place]]
        if not len(rows) or (place < 0 and source < 0):
            return None
        return BatchItem(rows, place, int(references[place]) if place >= 0 else -1, source)


def items_of_rows(corpus: PreparedCorpus, rows: Ints) -> list[BatchItem]:
    """Return rows (ascending) with the first reference and the source of their group.

    A translation that is identical to the reference gets no reference.
    """
    items = []
    groups = corpus.row_group[rows]
    for part in np.split(rows, np.flatnonzero(np.diff(groups)) + 1) if len(rows) else []:
        group = int(corpus.row_group[part[0]])
        reference, source = int(corpus.group_references[group, 0]), int(corpus.group_source[group])
        same = (corpus.row_text[part] == reference) & (reference >= 0)
        for selected, place in ((part[~same], 0 if reference >= 0 else -1), (part[same], -1)):
            if place < 0 and source < 0:
                continue
            for start in range(0, len(selected), MOST_TRANSLATIONS):
                together = selected[start : start + MOST_TRANSLATIONS]
                items.append(BatchItem(together, place, reference if place >= 0 else -1, source))
    return items
