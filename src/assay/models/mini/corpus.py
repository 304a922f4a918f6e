"""Prepared training data: memory-mapped arrays in a folder, shared by all stages and processes.

A text is a range of `pieces`. A group has rows (its translations), up to three references and possibly a source. A row and
another text of its group form a pair. The lexical features of pairs are stored in shards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.io.documents import read_document
from assay.io.files.tensors import read_tensors
from assay.models.mini.subwords import Arrays

CORPUS, PIECES, FACTS = "corpus.safetensors", "pieces.safetensors", "prepared.json"
Ints = NDArray[np.int64]


def shard_name(number: int) -> str:
    """Return the file name of a shard of features."""
    return f"features-{number:03d}.safetensors"


@dataclass(frozen=True)
class PreparedCorpus:
    """Prepared groups, rows and texts."""

    arrays: Arrays
    collections: tuple[str, ...]
    langpairs: tuple[str, ...]
    facts: Mapping[str, Any]

    @classmethod
    def open(cls, folder: Path) -> PreparedCorpus:
        """Open the files that `prepare` wrote. Raise if they are incomplete."""
        if not (folder / FACTS).is_file():
            raise InputError(
                f"{folder} contains no prepared data. Run assay train with this configuration to prepare them."
            )
        facts = read_document(folder / FACTS)
        return cls(read_tensors(folder / CORPUS), tuple(facts["collections"]), tuple(facts["langpairs"]), facts)

    def __getattr__(self, name: str) -> NDArray[Any]:
        arrays = self.__dict__.get("arrays", {})
        if name not in arrays:
            raise AttributeError(name)
        array: NDArray[Any] = arrays[name]
        return array

    @property
    def rows(self) -> int:
        """Number of translations."""
        return len(self.arrays["row_text"])

    def lengths(self, texts: Ints) -> Ints:
        """Return the number of subwords of texts; 0 for a missing text (-1)."""
        starts = self.arrays["text_starts"]
        return np.where(texts >= 0, starts[texts + 1] - starts[texts], 0)

    def text(self, number: int) -> NDArray[Any]:
        """Return the subwords of a text."""
        start, end = self.arrays["text_starts"][number : number + 2].tolist()
        return self.arrays["pieces"][start:end]

    def others(self, rows: Ints) -> Ints:
        """Return the texts to compare a row with, (rows, 4): references, then the source; -1 if missing."""
        group = self.arrays["row_group"][rows]
        return np.concatenate(
            [self.arrays["group_references"][group], self.arrays["group_source"][group][:, None]], axis=1
        )


def pair_starts(corpus: PreparedCorpus) -> Ints:
    """Return the first pair of every row, followed by the number of pairs."""
    counts = (corpus.others(np.arange(corpus.rows)) >= 0).sum(axis=1)
    return np.concatenate([[0], np.cumsum(counts)])


class LexicalFeatures:
    """Lexical features of every pair, in shards of consecutive rows."""

    def __init__(self, folder: Path, corpus: PreparedCorpus) -> None:
        bounds = read_document(folder / "features.json")
        self.bounds = np.array(bounds["rows"], np.int64)
        self.shards = [read_tensors(folder / shard_name(i)) for i in range(len(self.bounds) - 1)]
        self.pairs = pair_starts(corpus)
        self.present = corpus.others(np.arange(corpus.rows)) >= 0

    def of(
        self, row: int, place: int, hypothesis: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.float32]]:
        """Return the cells of a row's translation, the cells of the other text, and the numbers of the pair.

        `hypothesis` is the number of subwords of the translation; `place` is 0 to 2 for a reference, 3 for the source.
        """
        shard = int(np.searchsorted(self.bounds, row, "right")) - 1
        arrays = self.shards[shard]
        pair = int(self.pairs[row]) + int(self.present[row, :place].sum()) - int(self.pairs[self.bounds[shard]])
        start, end = arrays["cell_starts"][pair : pair + 2].tolist()
        cells = arrays["cells"][start:end]
        return cells[:hypothesis], cells[hypothesis:], arrays["numbers"][pair]


def write_facts(folder: Path, facts: Mapping[str, Any]) -> None:
    """Write the file that marks the folder as complete and describes its content."""
    from assay.io.files.atomic import atomic_write

    with atomic_write(folder / FACTS, "w") as out:
        json.dump(facts, out, indent=1, sort_keys=True)
