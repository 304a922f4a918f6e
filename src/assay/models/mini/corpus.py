"""Prepared training data for assay-mini: memory-mapped arrays in a folder, and groups of joined segments.

All stages and processes share the arrays. A text is a range of `pieces`. A group has rows (its translations), up to three
references and possibly a source. A row and another text in its group form a pair. The lexical features of pairs are stored in
shards. Groups of consecutive segments with summed MQM scores teach the metric to judge long texts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.io.documents import read_document
from assay.io.files.tensors import read_tensors
from assay.models.mini.groups import KINDS, REFERENCES, SPLITS
from assay.models.mini.subwords import LONGEST, Arrays

CORPUS, PIECES, FACTS = "corpus.safetensors", "pieces.safetensors", "prepared.json"
Ints = NDArray[np.int64]


def shard_name(number: int) -> str:
    """Return the file name of a feature shard."""
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
        """Open the files that `prepare` wrote. Raise an error if they are incomplete."""
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
        """Return the number of subwords in each text; 0 for a missing text (-1)."""
        starts = self.arrays["text_starts"]
        return np.where(texts >= 0, starts[texts + 1] - starts[texts], 0)

    def text(self, number: int) -> NDArray[Any]:
        """Return the subwords of a text."""
        start, end = self.arrays["text_starts"][number : number + 2].tolist()
        return self.arrays["pieces"][start:end]

    def others(self, rows: Ints) -> Ints:
        """Return the texts that a row is compared with, (rows, 4): references, then the source; -1 if missing."""
        group = self.arrays["row_group"][rows]
        return np.concatenate(
            [self.arrays["group_references"][group], self.arrays["group_source"][group][:, None]], axis=1
        )


def pair_starts(corpus: PreparedCorpus) -> Ints:
    """Return the index of every row's first pair, followed by the number of pairs."""
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
        """Return the features of a row's translation, of the other text, and of the pair.

        `hypothesis` is the number of subwords in the translation; `place` is 0 to 2 for a reference, 3 for the source.
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


SIZES, SHARES = (2, 3, 4, 5, 6, 8), (0.3, 0.25, 0.2, 0.1, 0.1, 0.05)
"""Numbers of segments to join, with their probabilities."""
ROOM = 330
"""Maximum number of subwords in the first system's joined translation."""
SYSTEMS = 6


def join_documents(table: Arrays, tries: int, collection: int, rng: np.random.Generator) -> tuple[Arrays, int]:
    """Join up to `tries` groups into a new collection. Return the table and the number of added groups."""
    joiner = _Joiner(table, collection)
    documents = joiner.documents()
    for _ in range(tries if documents else 0):
        segments = documents[rng.integers(len(documents))]
        size = int(rng.choice(SIZES, p=SHARES))
        if len(segments) < size:
            continue
        start = int(rng.integers(len(segments) - size + 1))
        window = segments[start : start + size]
        if window[-1][0] - window[0][0] == size - 1:
            joiner.add([group for _, group in window], rng)
    return joiner.table(), len(joiner.groups)


class _Joiner:
    """Texts, rows and groups to add to a table."""

    def __init__(self, table: Arrays, collection: int) -> None:
        self.old, self.collection = table, collection
        self.texts: list[NDArray[np.uint32]] = []
        self.labels: list[NDArray[np.uint8]] = []
        self.rows: list[tuple[int, int, float, int, int]] = []
        self.groups: list[tuple[int, int, int]] = []
        self.ends: list[int] = []
        self.labelled = len(table["labels"])

    def documents(self) -> list[list[tuple[int, int]]]:
        """Return documents of three or more segments as (segment, group) pairs in order."""
        selected = (self.old["group_kind"] == KINDS.index("mqm")) & (self.old["group_split"] == SPLITS.index("train"))
        documents: dict[int, dict[int, int]] = defaultdict(dict)
        for group in np.flatnonzero(selected).tolist():
            documents[int(self.old["group_document"][group])][int(self.old["group_segment"][group])] = group
        return [sorted(segments.items()) for segments in documents.values() if len(segments) > 2]

    def add(self, window: Sequence[int], rng: np.random.Generator) -> None:
        """Add a group with those systems that translated every segment and are not the reference."""
        old = self.old
        references = [int(old["group_references"][group, 0]) for group in window]
        sources = [int(old["group_source"][group]) for group in window]
        if min(references) < 0 or min(sources) < 0:
            return
        rows = [
            {int(old["row_system"][row]): row for row in range(*old["group_rows"][group : group + 2].tolist())}
            for group in window
        ]
        systems = [system for system in rows[0] if all(system in rows_of_group for rows_of_group in rows)]
        rng.shuffle(systems)
        usable = [
            system
            for system in systems[:SYSTEMS]
            if all(
                old["row_text"][rows_of_group[system]] != reference
                for rows_of_group, reference in zip(rows, references, strict=True)
            )
        ]
        if (
            len(usable) < 2
            or sum(len(self._pieces(int(old["row_text"][rows_of_group[usable[0]]]))) for rows_of_group in rows) > ROOM
        ):
            return
        number = len(old["group_kind"]) + len(self.groups)
        source, reference = self._text(sources), self._text(references)
        for system in usable:
            rows_of_group = [one[system] for one in rows]
            score = float(sum(old["row_score"][row] for row in rows_of_group))
            text = self._text([int(old["row_text"][row]) for row in rows_of_group])
            self.rows.append((number, text, score, system, self._labels(rows_of_group)))
        self.groups.append((source, reference, int(old["group_langpair"][window[0]])))
        self.ends.append(len(old["row_text"]) + len(self.rows))

    def _pieces(self, text: int) -> NDArray[np.uint32]:
        start, end = self.old["text_starts"][text : text + 2].tolist()
        return self.old["pieces"][start:end]

    def _text(self, texts: Sequence[int]) -> int:
        self.texts.append(np.concatenate([self._pieces(text) for text in texts])[:LONGEST])
        return len(self.old["text_starts"]) - 2 + len(self.texts)

    def _labels(self, rows: Sequence[int]) -> int:
        """Join the labels of rows and return their start; -1 if a row has none."""
        parts = []
        for row in rows:
            start, size = int(self.old["row_labels"][row]), len(self._pieces(int(self.old["row_text"][row])))
            if start < 0:
                return -1
            parts.append(self.old["labels"][start : start + size])
        self.labels.append(np.concatenate(parts)[:LONGEST])
        self.labelled += len(self.labels[-1])
        return self.labelled - len(self.labels[-1])

    def table(self) -> Arrays:
        """Return the old table with the additions."""
        groups, rows = np.array(self.groups, np.int64).reshape(-1, 3), self.rows
        n = len(groups)
        references = np.full((n, REFERENCES), -1, np.int64)
        references[:, 0] = groups[:, 1]
        ends = np.cumsum([len(text) for text in self.texts], dtype=np.int64)
        added: Arrays = {
            "group_collection": np.full(n, self.collection),
            "group_kind": np.full(n, KINDS.index("mqm")),
            "group_langpair": groups[:, 2],
            "group_split": np.full(n, SPLITS.index("train")),
            "group_source": groups[:, 0],
            "group_references": references,
            "group_document": np.full(n, -1),
            "group_segment": np.zeros(n, np.int64),
            "group_rows": np.array(self.ends, np.int64),
            "row_group": np.array([row[0] for row in rows], np.int64),
            "row_text": np.array([row[1] for row in rows], np.int64),
            "row_score": np.array([row[2] for row in rows], np.float32),
            "row_system": np.array([row[3] for row in rows], np.int64),
            "row_labels": np.array([row[4] for row in rows], np.int64),
            "labels": np.concatenate(self.labels) if self.labels else np.zeros((0, 2), np.uint8),
            "pieces": np.concatenate(self.texts) if self.texts else np.zeros(0, np.uint32),
            "text_starts": self.old["text_starts"][-1] + ends,
        }
        return {name: np.concatenate([value, added[name].astype(value.dtype)]) for name, value in self.old.items()}
