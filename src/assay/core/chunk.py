"""What a run keeps of one chunk of rows: the scores of every metric, whose rows they are, and their exact sums."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from assay.core.metric import Scores
from assay.core.rows import InputRows, span_objects
from assay.core.spans import ErrorSpan

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

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the chunk as named arrays; each name is a JSON list that says what the array holds."""
        import numpy as np

        arrays: dict[str, NDArray[Any]] = {}

        def put(array: Any, *name: object) -> None:
            arrays[json.dumps(name)] = np.asarray(array)

        put(_encoded([list(self.systems), dict(self.columns), list(self.languages)]), "about")
        put(self.codes, "codes")
        if self.spoken is not None:
            put(self.spoken, "spoken")
        for flag, rows in self.raised.items():
            put(rows, "raised", flag)
        for metric, scores in self.scores.items():
            put(scores.values, "values", metric)
            if scores.stats is not None:
                put(scores.stats, "stats", metric)
            if scores.spans is not None:
                put(_encoded([[span.fields() for span in row] for row in scores.spans]), "spans", metric)
            for part, column in scores.components.items():
                put(column, "component", metric, part)
            for flag, raised in scores.flags.items():
                put(raised, "flag", metric, flag)
            for place, parts in self.sums[metric].items():
                put(parts, "sum", metric, place)
        return arrays

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Chunk:
        """Return the chunk that `to_arrays` made these arrays from."""
        by_kind: dict[str, dict[str, dict[Any, NDArray[Any]]]] = {}
        for name, array in arrays.items():
            kind, metric, part = (*json.loads(name), "", "")[:3]
            by_kind.setdefault(kind, {}).setdefault(metric, {})[tuple(part) if kind == "sum" else part] = array

        def of(kind: str, metric: str) -> dict[Any, NDArray[Any]]:
            return by_kind.get(kind, {}).get(metric, {})

        systems, columns, languages = json.loads(of("about", "")[""].tobytes())
        scores = {}
        for metric, values in by_kind.get("values", {}).items():
            spans = of("spans", metric).get("")
            scores[metric] = Scores(
                values[""],
                of("stats", metric).get(""),
                of("component", metric),
                None if spans is None else [tuple(ErrorSpan(*f) for f in row) for row in json.loads(spans.tobytes())],
                of("flag", metric),
            )
        sums = {metric: of("sum", metric) for metric in scores}
        raised = {flag: column[""] for flag, column in by_kind.get("raised", {}).items()}
        spoken = of("spoken", "").get("")
        return cls(systems, of("codes", "")[""], scores, sums, raised, columns, languages, spoken)


def _encoded(value: object) -> NDArray[np.uint8]:
    """Return a JSON document as bytes; lone surrogates are escaped."""
    import numpy as np

    return np.frombuffer(json.dumps(value, separators=(",", ":")).encode(), np.uint8)
