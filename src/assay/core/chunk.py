"""Scored chunk of rows: every metric's scores, the rows' systems, exact sums, and retained columns."""

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
"""Which flags of the texts are raised: all but those that would cost more than the scoring itself, all, or none."""
LABELS = ("ids", "documents")
"""Columns of a batch that identify a row."""
NAMES = ("langpairs", *LABELS)
"""Columns of a batch that identify a segment in a table of several language pairs."""
KEYS = ("source_keys", "reference_keys")
"""Digests of a row's texts, for pairing the rows of several systems."""
TEXTS = ("sources", "hypotheses", "references")
OUTWARD = {"ids": "id", "documents": "doc", "sources": "src", "hypotheses": "mt", "references": "ref"}
"""Columns of a batch and their names in output rows."""


@dataclass(frozen=True, slots=True)
class Retained:
    """Data that a run retains for each chunk in addition to values, components and flags."""

    stats: bool = False
    """Sufficient statistics of every segment, for resampling."""
    spans: bool = False
    """Error spans."""
    columns: tuple[str, ...] = ()
    """Columns of the batch by name: ``hypotheses``, ``langpairs``, ``ids`` …, ``reference`` for the first reference, and ``rows``
    for all columns of the input."""
    flags: Flagging = "auto"
    """Which flags of the texts are raised; see `assay.engine.flags`."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Scores of consecutive rows. `codes` are indices into `systems`, the names of all systems up to this chunk."""

    systems: Sequence[str]
    codes: NDArray[np.int32]
    scores: Mapping[str, Scores]
    """By metric; with statistics and spans only if the run retains them."""
    sums: Mapping[str, Mapping[tuple[int, int], Floats]]
    """By metric, then by index of system and language: the exact sum of the statistics in parts (`assay.core.sums`)."""
    raised: Mapping[str, Bools] = field(default_factory=dict)
    """Flags of the texts by row. Flags of a metric are part of its scores."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Retained columns; empty if the batch has no such column. `references` is one column per reference, `rows` is the value of
    `InputRows.to_dict`."""
    languages: Sequence[str] = ()
    """All target languages up to this chunk, if a metric depends on them."""
    language_codes: NDArray[np.int32] | None = None
    """The index of each row's language in `languages`."""

    def __len__(self) -> int:
        return len(self.codes)

    def flags(self) -> dict[str, Bools]:
        """Return every flag by row: text flags (``empty_hypothesis``), then metric flags (``comet truncated``)."""
        flags = dict(self.raised)
        for metric, scores in self.scores.items():
            flags |= {f"{metric} {flag}": column for flag, column in scores.flags.items()}
        return flags

    def flag_lists(self) -> list[list[str]]:
        """Return the names of each row's flags. A metric flag is omitted if the text has the same flag."""
        none: list[str] = []
        rows = [none] * len(self)
        for flag, column in self.flags().items():
            for i in column.nonzero()[0].tolist():
                if flag.rpartition(" ")[2] not in rows[i]:
                    rows[i] = [*rows[i], flag]
        return rows

    def row_numbers(self, counts: dict[int, int]) -> dict[str, list[Any]]:
        """Return the system of each row, if systems have names, and the row's number within it.

        `counts` holds the rows of each system before this chunk; it is updated.
        """
        numbers, codes = [], self.codes.tolist()
        for code in codes:
            counts[code] = counts.get(code, 0) + 1
            numbers.append(counts[code])
        systems = {} if list(self.systems) == [""] else {"system": [self.systems[code] for code in codes]}
        return {**systems, "segment": numbers}

    def rows(self, counts: dict[int, int]) -> InputRows:
        """Return the input columns or, if they were not retained, the columns that identify a row."""
        numbers = self.row_numbers(counts)
        if rows := self.columns.get("rows"):
            return InputRows(rows["columns"], rows["roles"])
        return InputRows({**numbers, **self.outward()})

    def span_objects(self) -> list[dict[str, Any]] | None:
        """Return the error spans of each row by metric; None if no spans were marked or retained."""
        spans = {name: scores.spans for name, scores in self.scores.items() if scores.spans is not None}
        return span_objects(spans) if spans else None

    def outward(self) -> dict[str, Sequence[Any]]:
        """Return the retained columns under the names of output rows: id, doc, src, mt, ref, ref2 …, and other input columns."""
        if rows := self.columns.get("rows"):
            by_role = InputRows(rows["columns"], rows["roles"]).by_role()
            return {name: column for name, column in by_role.items() if name not in ("system", "segment")}
        columns: dict[str, Sequence[Any]] = {}
        for name, shown in OUTWARD.items():
            column = self.columns.get(name) or ()
            if name == "references":
                columns |= {f"{shown}{i if i > 1 else ''}": texts for i, texts in enumerate(column, 1)}
            elif len(column):
                columns[shown] = column
        return columns

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the chunk as named arrays; each name is a JSON list that describes the array."""
        import numpy as np

        arrays: dict[str, NDArray[Any]] = {}

        def put(array: Any, *name: object) -> None:
            arrays[json.dumps(name)] = np.asarray(array)

        put(_encoded([list(self.systems), dict(self.columns), list(self.languages)]), "about")
        put(self.codes, "codes")
        if self.language_codes is not None:
            put(self.language_codes, "spoken")
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
        """Rebuild the chunk from the arrays of `to_arrays`."""
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
        language_codes = of("spoken", "").get("")
        return cls(systems, of("codes", "")[""], scores, sums, raised, columns, languages, language_codes)


def _encoded(value: object) -> NDArray[np.uint8]:
    """Return a JSON document as bytes; lone surrogates are escaped."""
    import numpy as np

    return np.frombuffer(json.dumps(value, separators=(",", ":")).encode(), np.uint8)
