"""What a run keeps of one chunk of rows: the scores of every metric, whose rows they are, and their exact sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from assay.core.metric import Scores
from assay.core.rows import InputRows, span_objects

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.core.metric import Bools, Floats


Flagging = Literal["auto", "all", "none"]
"""Which flags of the texts are looked for: all but what would cost more than the scoring, all, or none."""
LABELS = ("ids", "documents")
"""Columns of a batch that name a row."""
NAMES = ("langpairs", *LABELS)
"""Columns of a batch that name a segment in a table of several language pairs."""
KEYS = ("source_keys", "reference_keys")
"""Digests of a row's texts, to pair the rows of several systems."""
TEXTS = ("sources", "hypotheses", "references")
OUTWARD = {"ids": "id", "documents": "doc", "sources": "src", "hypotheses": "mt", "references": "ref"}
"""Columns of a batch, by the names that they have in what is written."""


@dataclass(frozen=True, slots=True)
class Retained:
    """What is kept of a chunk beside values, components and flags."""

    stats: bool = False
    """The sufficient statistics of every segment, for resampling."""
    spans: bool = False
    """Error spans."""
    columns: tuple[str, ...] = ()
    """Columns of the batch by name: ``hypotheses``, ``langpairs``, ``ids`` …, ``reference`` for the first of those, and ``rows``
    for all columns of the input."""
    flags: Flagging = "auto"
    """Which flags of the texts are raised: see `assay.engine.flags`."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Scores of consecutive rows. `codes` numbers each row's system in `systems`, which holds all names met so far."""

    systems: Sequence[str]
    codes: NDArray[np.int32]
    scores: Mapping[str, Scores]
    """By metric; statistics and spans only where they are kept."""
    sums: Mapping[str, Mapping[tuple[int, int], Floats]]
    """By metric, and by system and language number: parts that add up to the exact sum of the statistics (`assay.core.sums`)."""
    raised: Mapping[str, Bools] = field(default_factory=dict)
    """Flags of the texts by row; those of a metric are with its scores."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Columns that are kept; empty where the batch had none. `references` is one column for each reference, `rows` what
    `InputRows.to_dict` gave."""
    languages: Sequence[str] = ()
    """The target languages met so far, where a metric goes by them; `spoken` numbers each row's."""
    spoken: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def flags(self) -> dict[str, Bools]:
        """Every flag by row: of the texts (``empty_hypothesis``), then of the metrics (``comet truncated``)."""
        flags = dict(self.raised)
        for metric, scores in self.scores.items():
            flags |= {f"{metric} {flag}": column for flag, column in scores.flags.items()}
        return flags

    def flag_lists(self) -> list[list[str]]:
        """The flags of each row by name; one that is raised for the text is not said again for a metric."""
        none: list[str] = []
        rows = [none] * len(self)
        for flag, column in self.flags().items():
            for i in column.nonzero()[0].tolist():
                if flag.rpartition(" ")[2] not in rows[i]:
                    rows[i] = [*rows[i], flag]
        return rows

    def named(self, met: dict[int, int]) -> dict[str, list[Any]]:
        """Return the system of each row, if systems have names, and its number. `met` counts the rows of each and is updated."""
        numbers, codes = [], self.codes.tolist()
        for code in codes:
            met[code] = met.get(code, 0) + 1
            numbers.append(met[code])
        named = {} if list(self.systems) == [""] else {"system": [self.systems[code] for code in codes]}
        return {**named, "segment": numbers}

    def rows(self, met: dict[int, int]) -> InputRows:
        """The columns of the input; without them what names a row: system, number, id and document."""
        named = self.named(met)
        if kept := self.columns.get("rows"):
            return InputRows(kept["columns"], kept["roles"])
        return InputRows({**named, **self.beside()})

    def span_objects(self) -> list[dict[str, Any]] | None:
        """The error spans of each row by metric; None where no metric marks any, or none are kept."""
        found = {name: scores.spans for name, scores in self.scores.items() if scores.spans is not None}
        return span_objects(found) if found else None

    def beside(self) -> dict[str, Sequence[Any]]:
        """The kept columns by the names that rows go out with: id, doc, src, mt, ref, ref2 …, and the others of the input."""
        if rows := self.columns.get("rows"):
            named = InputRows(rows["columns"], rows["roles"]).by_role()
            return {name: column for name, column in named.items() if name not in ("system", "segment")}
        found: dict[str, Sequence[Any]] = {}
        for name, shown in OUTWARD.items():
            column = self.columns.get(name) or ()
            if name == "references":
                found |= {f"{shown}{i if i > 1 else ''}": texts for i, texts in enumerate(column, 1)}
            elif len(column):
                found[shown] = column
        return found
