"""Training batches as tensors, and the teachers' predictions from which students learn.

Texts are packed end to end, each only once. For every translation, a batch stores the positions of its texts and its human
scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.io.files.tensors import read_tensors, write_tensors
from assay.models.mini.corpus import LexicalFeatures, PreparedCorpus
from assay.models.mini.plan import BatchItem, rounded
from assay.models.runtime.packing import Packed, to_device

BEGIN, END = 0, 2
HYPOTHESIS, REFERENCE, SOURCE = 0, 1, 2
SOURCE_PLACE = 3
"""Index of the source among the texts with which a row is compared."""


@dataclass(frozen=True)
class TrainingBatch:
    """`n` translations from `groups` sources; padded tensors have length `longest` on the second axis."""

    packed: Packed
    first: Tensor
    """(3, n): position of the first subword of translation, reference and source."""
    size: Tensor
    """(3, n): number of subwords, at least 1 (an empty text keeps its end token)."""
    present: Tensor
    """(2, n): whether there is a reference, and whether there is a source."""
    cells: tuple[Tensor, Tensor, Tensor]
    """Lexical features of the subwords: (n, longest, 8) for translations, (n, longest, 4) for references and for sources."""
    numbers: Tensor
    """(n, 36): lexical features of the pairs."""
    rows: Tensor
    group: Tensor
    score: Tensor
    kind: Tensor
    collection: Tensor
    labels: Tensor
    """(n, longest, 2): percentage of annotators who marked an error, and a major error."""
    labelled: Tensor
    taught: TeacherTargets | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def longest(self) -> int:
        return self.labels.shape[1]

    def to(self, device: torch.device) -> TrainingBatch:
        moved: dict[str, object] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, Tensor):
                value = to_device(value, device)
            elif isinstance(value, tuple):
                value = tuple(to_device(part, device) for part in value)
            elif value is not None:
                value = value.to(device)
            moved[one.name] = value
        return TrainingBatch(**moved)  # type: ignore[arg-type]


@dataclass(frozen=True)
class TeacherTargets:
    """Mean predictions of the teachers for the translations of a batch."""

    with_reference: Tensor
    without_reference: Tensor
    heads: Tensor
    tags: Tensor
    """(n, longest, 2) probabilities times 255."""

    def to(self, device: torch.device) -> TeacherTargets:
        return TeacherTargets(*(to_device(getattr(self, one.name), device) for one in fields(self)))


def assemble(
    corpus: PreparedCorpus, features: LexicalFeatures, items: Sequence[BatchItem], teachers: Sequence[Predictions] = ()
) -> TrainingBatch:
    """Return a batch of items."""
    rows = np.concatenate([item.rows for item in items])
    group = np.repeat(np.arange(len(items)), [len(item.rows) for item in items])
    references = np.array([item.reference for item in items])
    sources = np.array([item.source for item in items])
    texts = np.stack([corpus.row_text[rows], references[group], sources[group]])
    packed, first = _packed(corpus, texts, references, sources, group)
    sizes = corpus.lengths(texts)
    longest = rounded(max(int(sizes.max()), 1))
    cells, numbers = _lexical(features, items, sizes, longest)
    labels, labelled = _labels(corpus, rows, sizes[0], longest)
    return TrainingBatch(
        packed,
        torch.from_numpy(first),
        torch.from_numpy(np.maximum(sizes, 1)),
        torch.from_numpy(texts[1:] >= 0),
        cells,
        numbers,
        torch.from_numpy(rows),
        torch.from_numpy(group),
        torch.from_numpy(np.array(corpus.row_score[rows])),
        torch.from_numpy(np.array(corpus.group_kind[corpus.row_group[rows]])),
        torch.from_numpy(np.array(corpus.group_collection[corpus.row_group[rows]])),
        labels,
        labelled,
        _taught(teachers, rows, sizes[0], longest) if teachers else None,
    )


def _packed(
    corpus: PreparedCorpus,
    texts: NDArray[np.int64],
    references: NDArray[np.int64],
    sources: NDArray[np.int64],
    group: NDArray[np.int64],
) -> tuple[Packed, NDArray[np.int64]]:
    """Pack all texts of a batch, shortest first, and return (3, n) positions of each row's first subwords (0: no such text)."""
    n = texts.shape[1]
    has_reference, has_source = references >= 0, sources >= 0
    sequences = np.concatenate([texts[0], references[has_reference], sources[has_source]])
    kinds = np.repeat([HYPOTHESIS, REFERENCE, SOURCE], [n, has_reference.sum(), has_source.sum()])
    order = np.argsort(corpus.lengths(sequences), kind="stable")
    lengths = corpus.lengths(sequences)[order] + 2
    starts = np.concatenate([[0], np.cumsum(lengths)])
    positions = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    last = positions == np.repeat(lengths - 1, lengths)
    where = np.repeat(corpus.text_starts[sequences[order]] - 1, lengths) + positions
    ids = corpus.pieces[np.clip(where, 0, max(len(corpus.pieces) - 1, 0))].astype(np.int64)
    ids = np.where(positions == 0, BEGIN, np.where(last, END, ids))
    begins = np.zeros(len(sequences), np.int64)
    begins[order] = starts[:-1] + 1
    first = np.zeros((3, n), np.int64)
    first[HYPOTHESIS] = begins[:n]
    for kind, there, offset in ((REFERENCE, has_reference, n), (SOURCE, has_source, n + int(has_reference.sum()))):
        index = offset + np.cumsum(there) - 1
        first[kind] = np.where(there, begins[np.minimum(index, len(begins) - 1)], 0)[group]
    packed = Packed(
        torch.from_numpy(ids),
        torch.from_numpy(positions),
        torch.from_numpy(np.repeat(kinds[order], lengths)),
        torch.from_numpy(starts.astype(np.int32)),
        torch.from_numpy(lengths),
        int(lengths.max()),
    )
    return packed, first


def _lexical(
    features: LexicalFeatures, items: Sequence[BatchItem], sizes: NDArray[np.int64], longest: int
) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor]:
    n = sizes.shape[1]
    cells = [np.zeros((n, longest, width), np.uint8) for width in (8, 4, 4)]
    numbers = np.zeros((n, 36), np.float32)
    at = 0
    for item in items:
        for row in item.rows.tolist():
            size = int(sizes[0, at])
            for kind, place in ((REFERENCE, item.place), (SOURCE, SOURCE_PLACE if item.source >= 0 else -1)):
                if place < 0:
                    continue
                own, other, pair_numbers = features.of(row, place, size)
                cells[0][at, :size, 4 * kind - 4 : 4 * kind] = own
                cells[kind][at, : len(other)] = other
                numbers[at, 18 * kind - 18 : 18 * kind] = pair_numbers
            at += 1
    return (torch.from_numpy(cells[0]), torch.from_numpy(cells[1]), torch.from_numpy(cells[2])), torch.from_numpy(
        numbers
    )


def _labels(
    corpus: PreparedCorpus, rows: NDArray[np.int64], sizes: NDArray[np.int64], longest: int
) -> tuple[Tensor, Tensor]:
    labels = np.zeros((len(rows), longest, 2), np.uint8)
    starts = corpus.row_labels[rows]
    for at in np.flatnonzero(starts >= 0).tolist():
        labels[at, : sizes[at]] = corpus.labels[starts[at] : starts[at] + sizes[at]]
    return torch.from_numpy(labels), torch.from_numpy(starts >= 0)


def _taught(
    teachers: Sequence[Predictions], rows: NDArray[np.int64], sizes: NDArray[np.int64], longest: int
) -> TeacherTargets:
    """Average the teachers' predictions.

    Predictions with a reference are means of those with and without the source. Predictions without a reference also include
    the one from the source alone.
    """
    values = np.mean([teacher.values[rows] for teacher in teachers], axis=0)
    both, reference, source = values[:, 0], values[:, 1], values[:, 2]
    with_reference = (both + reference) / 2
    tags = np.zeros((len(rows), longest, 2), np.float32)
    for teacher in teachers:
        for at, row in enumerate(rows.tolist()):
            start = int(teacher.starts[row])
            tags[at, : sizes[at]] += teacher.tags[start : start + sizes[at]]
    return TeacherTargets(
        torch.from_numpy(with_reference[:, 0]),
        torch.from_numpy((with_reference[:, 0] + source[:, 0]) / 2),
        torch.from_numpy(np.ascontiguousarray(with_reference[:, 1:])),
        torch.from_numpy((tags / len(teachers)).astype(np.uint8)),
    )


FILE = "predictions.safetensors"
VIEWS = 3
"""Inputs for a prediction: both texts, the reference alone, the source alone. If a row lacks one of them, the other is used."""
READINGS = 7
"""log mu and the six heads."""


@dataclass(frozen=True)
class Predictions:
    """Memory-mapped predictions of one teacher."""

    values: NDArray[np.float32]
    """(rows, views, readings)."""
    tags: NDArray[np.uint8]
    """(subwords, 2): probabilities of any error and of a major error, times 255, of all rows end to end."""
    starts: NDArray[np.int64]

    @classmethod
    def open(cls, folder: Path) -> Predictions:
        """Open the file that `join` wrote."""
        arrays = read_tensors(folder / FILE)
        return cls(arrays["values"], arrays["tags"], arrays["starts"])


def part_path(folder: Path, number: int) -> Path:
    """Return the path of a completed part of the predictions."""
    return folder / f"predictions-{number:04d}.safetensors"


def join(folder: Path, parts: int, sizes: NDArray[np.int64]) -> None:
    """Join all parts in one file. `sizes` contains the length of every row's translation; rows that are in no part are zero."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    values = np.zeros((len(sizes), VIEWS, READINGS), np.float32)
    tags = np.zeros((int(starts[-1]), 2), np.uint8)
    for number in range(parts):
        part: dict[str, Any] = read_tensors(part_path(folder, number))
        values[part["rows"]] = part["values"]
        ends = np.cumsum(sizes[part["rows"]])
        for row, end in zip(part["rows"].tolist(), ends.tolist(), strict=True):
            tags[starts[row] : starts[row + 1]] = part["tags"][end - sizes[row] : end]
    write_tensors(folder / FILE, {"values": values, "tags": tags, "starts": starts.astype(np.int64)})
    for number in range(parts):
        part_path(folder, number).unlink()
