"""What a teacher says of every training row: with reference and source, with the reference alone, with the source alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.io.files.tensors import read_tensors, write_tensors

FILE = "predictions.safetensors"
VIEWS = 3
"""Both texts, the reference alone, the source alone; where a row lacks one, the view is that of what there is."""
READINGS = 7
"""log mu and the six heads."""


@dataclass(frozen=True)
class Predictions:
    """Mapped arrays of one teacher."""

    values: NDArray[np.float32]
    """(rows, views, readings)."""
    tags: NDArray[np.uint8]
    """(pieces, 2): probabilities of any error and of a major one, times 255, of the pieces of all rows end to end."""
    starts: NDArray[np.int64]

    @classmethod
    def open(cls, folder: Path) -> Predictions:
        """What `join` wrote."""
        arrays = read_tensors(folder / FILE)
        return cls(arrays["values"], arrays["tags"], arrays["starts"])


def piece_path(folder: Path, number: int) -> Path:
    """Where a finished part of the predictions lies until all are there."""
    return folder / f"predictions-{number:04d}.safetensors"


def join(folder: Path, pieces: int, sizes: NDArray[np.int64]) -> None:
    """One file of all parts; `sizes` are the lengths of every row's translation. Rows of no part have zeros."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    values = np.zeros((len(sizes), VIEWS, READINGS), np.float32)
    tags = np.zeros((int(starts[-1]), 2), np.uint8)
    for number in range(pieces):
        part: dict[str, Any] = read_tensors(piece_path(folder, number))
        values[part["rows"]] = part["values"]
        ends = np.cumsum(sizes[part["rows"]])
        for row, end in zip(part["rows"].tolist(), ends.tolist(), strict=True):
            tags[starts[row] : starts[row + 1]] = part["tags"][end - sizes[row] : end]
    write_tensors(folder / FILE, {"values": values, "tags": tags, "starts": starts.astype(np.int64)})
    for number in range(pieces):
        piece_path(folder, number).unlink()
