"""Reader for word vectors in the word2vec and fastText text format, loaded on demand.

The first line contains the number of words and the vector size, and each following line a word and its vector. Such files
are gigabytes in size, but a run needs only a few thousand words. Word positions are indexed once, and vectors are read on
demand.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError
from assay.io.files.tensors import map_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VectorFile:
    """Unit vectors by word; if a word has several lines, the first one counts."""

    def __init__(self, path: Path) -> None:
        self.path, self.data = path, map_file(path)
        end = self.data.find(b"\n")
        head = self.data[: max(end, 0)].split()
        if len(head) != 2 or not all(cell.isdigit() and len(cell) < 12 for cell in head):
            raise InputError(
                f"{path} is not a word-vector file in text format: its first line must give the number and the dimension "
                "of the vectors."
            )
        self.width = int(head[1])
        self.places: dict[bytes, int] = {}
        self.known: dict[str, NDArray[np.float32] | None] = {}
        at, size = end + 1, len(self.data)
        while at < size:
            blank = self.data.find(b" ", at)
            if blank < 0:
                break
            self.places.setdefault(self.data[at:blank], at)
            at = self.data.find(b"\n", blank) + 1 or size
        if not self.places:
            raise InputError(f"{path} contains no word vectors.")

    def get(self, word: str) -> NDArray[np.float32] | None:
        """Return the vector of a word; None if the file does not contain it."""
        if word not in self.known:
            offset = self.places.get(word.encode("utf-8", "replace"))
            self.known[word] = None if offset is None else self._read(offset)
        return self.known[word]

    def _read(self, offset: int) -> NDArray[np.float32]:
        import numpy as np

        end = self.data.find(b"\n", offset)
        cells = self.data[offset : end if end >= 0 else len(self.data)].split()[1:]
        try:
            vector = np.array([float(cell) for cell in cells], np.float32)
        except ValueError:
            vector = np.empty(0, np.float32)
        if len(vector) != self.width or not np.isfinite(vector).all():
            line = self.data[:offset].count(b"\n") + 1
            raise InputError(f"{self.path}, line {line}: expected {self.width} numbers after the word.")
        return vector / max(float(np.linalg.norm(vector)), 1e-30)
