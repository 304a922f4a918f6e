"""What a model says of rows of texts: scores, components and spans as columns, put together from the passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.spans import ErrorSpan

RELEASED, PAPER = (0.12, 0.33, 0.33, 0.22), (1 / 9, 1 / 3, 1 / 3, 2 / 9)
"""Weights of src, ref, src+ref and MQM in xCOMET's score: as in unbabel-comet, and as in the paper (equation 7)."""
PASSES = ("src", "ref", "unified")


@dataclass(frozen=True, slots=True)
class Prediction:
    """Columns over the rows: the score, its components, spans where the model tags, and whether a text was cut."""

    values: NDArray[np.float64]
    truncated: NDArray[np.bool_]
    components: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    spans: list[tuple[ErrorSpan, ...]] | None = None


def mean(columns: dict[str, NDArray[np.float32]]) -> NDArray[np.float64]:
    """The mean of the passes that a row has."""
    stacked = np.stack(list(columns.values()))
    count = (~np.isnan(stacked)).sum(axis=0)
    return np.asarray(np.nansum(stacked, axis=0) / count.astype(np.float32), dtype=np.float64)


def combine(
    columns: dict[str, NDArray[np.float32]], errors: NDArray[np.float32], weights: Sequence[float]
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float32]]]:
    """xCOMET's equation 7. A row with one pass only gives that pass the weight of all three, as the released package does;
    its component is then capped at 1 like the score."""
    shares = np.array(weights, dtype=np.float32)
    passes = np.stack([columns.get(name, np.full(len(errors), np.nan, np.float32)) for name in PASSES])
    whole = ~np.isnan(passes).any(axis=0)
    capped = np.minimum(passes, np.float32(1.0))
    single = np.nanmax(np.where(np.isnan(capped), -np.inf, capped), axis=0) * np.float32(sum(weights[:3]))
    three = (capped * shares[:3, None]).sum(axis=0)
    values = np.where(whole, three, single) + errors * shares[3]
    shown = {name: np.where(whole, column, np.minimum(column, np.float32(1.0))) for name, column in columns.items()}
    return np.asarray(values, dtype=np.float64), shown


def components(columns: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float64]]:
    """The passes' scores as they are shown."""
    return {name: column.astype(np.float64) for name, column in columns.items()}


def take(whole: Prediction, rows: NDArray[np.int64]) -> Prediction:
    """The given rows, in the given order."""
    return Prediction(
        whole.values[rows],
        whole.truncated[rows],
        {name: column[rows] for name, column in whole.components.items()},
        None if whole.spans is None else [whole.spans[i] for i in rows],
    )


def join(parts: Sequence[Prediction]) -> Prediction:
    """Consecutive predictions as one; a component that a part lacks is NaN there."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Prediction(np.empty(0), np.empty(0, dtype=bool))
    names = dict.fromkeys(name for part in parts for name in part.components)
    columns = {
        name: np.concatenate([part.components.get(name, np.full(len(part.values), np.nan)) for part in parts])
        for name in names
    }
    tagged = parts[0].spans is not None
    return Prediction(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.truncated for part in parts]),
        columns,
        [spans for part in parts for spans in part.spans or ()] if tagged else None,
    )
