"""Human scores divided into groups, the common input for all statistics of agreement with human judgements.

Gold scores are a matrix of systems by segments, NaN if not judged. A statistic uses all judged cells at once (``none``),
the systems of each segment (``item``) or the segments of each system (``system``), and is averaged over the groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Grouping = Literal["none", "item", "system"]


@dataclass(frozen=True)
class Groups:
    """Judged cells in group order: gold scores, the start of each group, and each cell's position in the matrix."""

    gold: Floats
    starts: Integers
    cells: Integers
    shape: tuple[int, int]

    @cached_property
    def sizes(self) -> Integers:
        """Number of judged cells in each group."""
        return np.diff(self.starts)

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Groups with at least two judged cells, the minimum for any agreement."""
        return np.asarray(self.sizes >= 2)

    @cached_property
    def pairs(self) -> Integers:
        """Number of pairs in each group."""
        return np.asarray(self.sizes * (self.sizes - 1) // 2)

    @property
    def systems(self) -> Integers:
        """Row of each cell."""
        return np.asarray(self.cells // self.shape[1])

    @property
    def items(self) -> Integers:
        """Column of each cell."""
        return np.asarray(self.cells % self.shape[1])

    def stack(self, metrics: Floats) -> Floats:
        """Return metric scores with systems and segments as the last two axes.

        If gold is a vector, rows of system scores are also accepted.
        """
        metrics = np.asarray(metrics, dtype=np.float64)
        if self.shape[1] == 1 and metrics.shape[-1:] == self.shape[:1] and metrics.shape[-2:] != self.shape:
            metrics = metrics[..., None]
        if metrics.shape[-2:] != self.shape:
            raise InputError(
                f"metric scores have shape {metrics.shape[-2:]}, gold scores {self.shape}: systems by segments must match."
            )
        return metrics

    def leading(self, metrics: Floats) -> tuple[int, ...]:
        """Return the axes of metric scores before systems and segments: () for a single metric."""
        return self.stack(metrics).shape[:-2]

    def rows(self, metrics: Floats) -> Floats:
        """Return one row of judged cells per metric; a judged cell without a finite score is an error."""
        metrics = self.stack(metrics)
        rows = np.ascontiguousarray(metrics.reshape(-1, self.shape[0] * self.shape[1])[:, self.cells])
        if not np.isfinite(rows).all():
            row, cell = np.argwhere(~np.isfinite(rows))[0]
            raise InputError(
                f"metric {row + 1} has no finite score for system {self.systems[cell] + 1}, segment "
                f"{self.items[cell] + 1}, which annotators judged. Score every judged segment or leave the metric out."
            )
        return rows

    def parts(self, row: Floats) -> list[Floats]:
        """Split a row into its groups."""
        return [row[start:stop] for start, stop in pairwise(self.starts)]

    def sums(self, values: Floats) -> Floats:
        """Sum within groups along the last axis."""
        if len(self.sizes) == 1:
            return np.asarray(values.sum(axis=-1, keepdims=True))
        return np.asarray(np.add.reduceat(values, self.starts[:-1], axis=-1))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Repeat one value per group for each of its cells."""
        return np.repeat(values, self.sizes, axis=-1)

    def constant(self, values: Floats) -> NDArray[np.bool_]:
        """Return which groups contain only one distinct value along the last axis."""
        first = values[..., self.starts[:-1]]
        return np.asarray(np.logical_and.reduceat(values == self.spread(first), self.starts[:-1], axis=-1))


def group(gold: Floats, by: Grouping = "none") -> Groups:
    """Divide gold scores (systems by segments, or one score per system) into groups of judged cells; empty groups are dropped."""
    matrix = np.asarray(gold, dtype=np.float64)
    matrix = matrix[:, None] if matrix.ndim == 1 else matrix
    if matrix.ndim != 2:
        raise InputError(f"gold scores must be a matrix, systems by segments, not an array of {matrix.ndim} axes.")
    if np.isinf(matrix).any():
        system, item = np.argwhere(np.isinf(matrix))[0]
        raise InputError(f"the gold score of system {system + 1}, segment {item + 1} is infinite.")
    cells: Integers = np.arange(matrix.size).reshape(matrix.shape)
    if by == "item":
        cells = cells.T
    elif by == "none":
        cells = cells.reshape(1, -1)
    elif by != "system":
        raise InputError(f"grouping {by!r} is unknown. Use none, item or system.")
    judged = ~np.isnan(matrix.ravel()[cells])
    sizes = judged.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
    judged_cells = cells[judged]
    return Groups(matrix.ravel()[judged_cells], starts, judged_cells, (matrix.shape[0], matrix.shape[1]))


def pool(gold: Sequence[Floats]) -> Groups:
    """Return one group per vector of gold scores, such as the systems in each language pair; NaN cells are left out.

    Metric scores are then one vector (or rows with a last axis of 1) over all of them in the same order.
    """
    lengths = [len(scores) for scores in gold]
    flat = np.concatenate([np.asarray(scores, dtype=np.float64) for scores in gold])
    judged = ~np.isnan(flat)
    sizes = [int(part.sum()) for part in np.split(judged, np.cumsum(lengths)[:-1])]
    starts = np.concatenate([[0], np.cumsum([size for size in sizes if size])]).astype(np.int64)
    return Groups(flat[judged], starts, np.flatnonzero(judged), (len(flat), 1))


@dataclass(frozen=True)
class Agreement:
    """A statistic's mean over groups, and the weight behind it.

    Arrays have one entry per metric; for a single metric they are zero-dimensional. `weight` is the number of groups, of scores
    (micro-average) or of pairs that were averaged. If nothing can be averaged, both are 0, as in mt-metrics-eval.
    """

    value: Floats
    weight: Floats


def average(
    groups: Groups,
    values: Floats,
    shape: tuple[int, ...],
    nan_as_zero: bool = False,
    micro: bool = False,
) -> Agreement:
    """Average over usable groups; undefined values (a constant group) are left out or count as zero."""
    defined = ~np.isnan(values)
    weights = np.where(groups.usable, groups.sizes if micro else 1, 0) * (
        np.ones_like(defined) if nan_as_zero else defined
    )
    total = weights.sum(axis=-1)
    summed = (np.where(defined, values, 0) * weights).sum(axis=-1)
    mean = np.divide(summed, total, out=np.zeros(len(total)), where=total > 0)
    return Agreement(mean.reshape(shape), total.astype(np.float64).reshape(shape))
