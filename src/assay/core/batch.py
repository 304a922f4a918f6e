"""Texts to be judged, as columns.

A `Batch` is what every metric gets: columns of equal length. A million lines cost a million strings and nothing more;
``batch[i]`` makes a `Segment` for people, hot paths never do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from dataclasses import field as default
from hashlib import blake2b
from typing import Any, TypeVar

from assay.core.errors import InputError, count
from assay.core.rows import InputRows

Column = Sequence[str]
T = TypeVar("T")


def _digest(text: str | None) -> str:
    """Return a digest that stays the same in another process, so that an interrupted run can resume."""
    return "-" if text is None else blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@dataclass(frozen=True, slots=True)
class Segment:
    """One translation with all that is known about it."""

    hypothesis: str
    source: str | None = None
    references: tuple[str, ...] = ()
    langpair: str | None = None
    system: str | None = None
    document: str | None = None
    id: str | None = None
    meta: Mapping[str, str] = default(default_factory=dict, hash=False)
    """Further columns of the row by name, for perturbations that need more than a sentence pair."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Columns of equal length: hypotheses, and whatever is known beside them.

    `references` holds one column for each reference; a segment that lacks one of several references has ``None`` there.
    """

    hypotheses: Column
    sources: Column | None = None
    references: tuple[Sequence[str | None], ...] | None = None
    langpairs: Column | None = None
    systems: Column | None = None
    documents: Column | None = None
    ids: Column | None = None
    groups: Column | None = None
    """What each row is grouped by, where somebody asked (``--by``)."""
    rows: InputRows | None = None
    """All columns of the input, where the rows go out again."""

    def __post_init__(self) -> None:
        if isinstance(self.hypotheses, str):
            raise InputError("hypotheses must be a list of strings, not one string.")
        for name, column in self._columns():
            if len(column) != len(self.hypotheses):
                raise InputError(
                    f"{name} has {count(len(column), 'segment')}, hypotheses has {len(self.hypotheses):,}: they must match."
                )

    def _columns(self) -> Iterator[tuple[str, Sequence[Any]]]:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "references":
                for i, column in enumerate(value or (), 1):
                    yield (f"reference {i}", column)
            elif value is not None:
                yield (field.name, value)

    def __len__(self) -> int:
        return len(self.hypotheses)

    def column(self, name: str) -> Sequence[str | None] | None:
        """A column by name; ``reference`` is the first of the references.

        ``source_keys`` and ``reference_keys`` are digests, to compare rows without keeping their texts.
        """
        if name == "reference":
            return self.references[0] if self.references else None
        if name == "source_keys":
            return None if self.sources is None else list(map(_digest, self.sources))
        if name == "reference_keys":
            columns = [map(_digest, column) for column in self.references or ()]
            return list(map(" ".join, zip(*columns, strict=True))) or None
        found: Sequence[str | None] | None = getattr(self, name)
        return found

    def outward(self) -> dict[str, Sequence[str | None]]:
        """The columns by the names that they have in rows: id, doc, langpair, src, mt, ref, ref2 …"""
        named: dict[str, Sequence[str | None] | None] = {
            "id": self.ids, "doc": self.documents, "langpair": self.langpairs, "src": self.sources, "mt": self.hypotheses,
        }  # fmt: skip
        named |= {
            f"ref{number if number > 1 else ''}": column for number, column in enumerate(self.references or (), 1)
        }
        return {name: column for name, column in named.items() if column is not None}

    @property
    def nrefs(self) -> int:
        """Number of reference columns."""
        return len(self.references or ())

    def __getitem__(self, i: int) -> Segment:
        def at(column: Column | None) -> str | None:
            return None if column is None else column[i]

        return Segment(
            hypothesis=self.hypotheses[i],
            source=at(self.sources),
            references=tuple(text for column in self.references or () if (text := column[i]) is not None),
            langpair=at(self.langpairs),
            system=at(self.systems),
            document=at(self.documents),
            id=at(self.ids),
        )

    def slice(self, start: int, stop: int) -> Batch:
        """Rows start to stop, without copying a string."""
        return self._map(lambda column: column[start:stop])

    def select(self, rows: Sequence[int]) -> Batch:
        """The given rows, in the given order."""
        return self._map(lambda column: [column[i] for i in rows])

    def _map(self, change: Any) -> Batch:
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            if field.name == "references":
                changed[field.name] = tuple(map(change, value))
            else:
                changed[field.name] = value.map(change) if isinstance(value, InputRows) else change(value)
        return replace(self, **changed)
