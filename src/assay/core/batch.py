"""`Batch`, the columns of texts that every metric receives, with chunking and the treatment of missing references.

A batch of a million rows costs no more memory than its strings. ``batch[i]`` builds a `Segment` for display; hot paths never do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from dataclasses import field as default
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, get_args

from assay.core.errors import InputError, count, unknown
from assay.core.rows import InputRows, joined_rows

if TYPE_CHECKING:
    from assay.core.metric import Bools

Column = Sequence[str]
EmptyReference = Literal["score", "skip", "error"]
"""What happens to a row whose references are all empty: it is scored against an empty reference, skipped by metrics that need a
reference, or reported as an error."""
MISSING_REFERENCE = "missing_reference"
"""The flag of a row without a reference."""
CHUNK_ROWS, CHUNK_CHARACTERS = 20_000, 16_000_000
"""Number of rows or characters at which a chunk is complete. A killed run loses one chunk of work."""


def _digest(text: str | None) -> str:
    """Return a digest that is the same in every process, so that an interrupted run can resume."""
    return "-" if text is None else blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@dataclass(frozen=True, slots=True)
class Segment:
    """One translation with its source, references and labels."""

    hypothesis: str
    source: str | None = None
    references: tuple[str, ...] = ()
    langpair: str | None = None
    system: str | None = None
    document: str | None = None
    id: str | None = None
    meta: Mapping[str, str] = default(default_factory=dict, hash=False)
    """Other columns of the row, for perturbations that need more than a sentence pair."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts and labels as columns of equal length.

    `references` holds one column per reference. A missing reference is None.

    Example:
        ```python
        batch = assay.Batch(["Das Haus."], sources=["The house."], references=(["Ein Haus."],))
        ```
    """

    hypotheses: Column
    sources: Column | None = None
    references: tuple[Sequence[str | None], ...] | None = None
    langpairs: Column | None = None
    systems: Column | None = None
    documents: Column | None = None
    ids: Column | None = None
    groups: Column | None = None
    """The group of each row, if scores are requested by group (``--by``)."""
    rows: InputRows | None = None
    """All columns of the input, if the rows are written out again."""

    def __post_init__(self) -> None:
        if isinstance(self.hypotheses, str):
            raise InputError("hypotheses must be a list of strings, not one string.")
        for name, column in self._columns():
            if len(column) != len(self.hypotheses):
                raise InputError(
                    f"{name} has {count(len(column), 'segment')}, but hypotheses has {len(self.hypotheses):,}; they must match."
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
        """Return a column by name; ``reference`` is the first reference.

        ``source_keys`` and ``reference_keys`` are digests of the texts, for comparing rows without retaining the texts.
        """
        if name == "reference":
            return self.references[0] if self.references else None
        if name == "source_keys":
            return None if self.sources is None else list(map(_digest, self.sources))
        if name == "reference_keys":
            columns = [map(_digest, column) for column in self.references or ()]
            return list(map(" ".join, zip(*columns, strict=True))) or None
        column: Sequence[str | None] | None = getattr(self, name)
        return column

    def outward(self) -> dict[str, Sequence[str | None]]:
        """Return the columns under the names that output rows use: id, doc, langpair, src, mt, ref, ref2 …"""
        named: dict[str, Sequence[str | None] | None] = {
            "id": self.ids, "doc": self.documents, "langpair": self.langpairs, "src": self.sources, "mt": self.hypotheses,
        }  # fmt: skip
        named |= {
            f"ref{number if number > 1 else ''}": column for number, column in enumerate(self.references or (), 1)
        }
        return {name: column for name, column in named.items() if column is not None}

    @property
    def nrefs(self) -> int:
        """The number of reference columns."""
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
        """Return the rows from `start` to `stop` without copying a string."""
        return self._map(lambda column: column[start:stop])

    def select(self, rows: Sequence[int]) -> Batch:
        """Return these rows, in this order."""
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


def concat(batches: Sequence[Batch]) -> Batch:
    """Join consecutive batches that have the same columns."""
    if len(batches) == 1:
        return batches[0]
    joined: dict[str, Any] = {}
    for field in fields(Batch):
        columns = [getattr(batch, field.name) for batch in batches]
        if columns[0] is None:
            continue
        if field.name == "references":
            joined[field.name] = tuple(list(chain.from_iterable(parts)) for parts in zip(*columns, strict=True))
        elif isinstance(columns[0], InputRows):
            joined[field.name] = joined_rows(columns)
        else:
            joined[field.name] = list(chain.from_iterable(columns))
    return Batch(**joined)


def regroup(batches: Iterable[Batch], rows: int = CHUNK_ROWS, characters: int = CHUNK_CHARACTERS) -> Iterator[Batch]:
    """Join consecutive batches into chunks of at least `rows` rows or `characters` characters, so that memory stays bounded."""
    waiting: list[Batch] = []
    n = size = 0
    for batch in batches:
        waiting.append(batch)
        n += len(batch)
        size += sum(map(len, batch.hypotheses))
        size += sum(len(text) for column in batch.references or () for text in column if text is not None)
        if n >= rows or size >= characters:
            yield concat(waiting)
            waiting, n, size = [], 0, 0
    if waiting:
        yield concat(waiting)


def check_empty_reference(choice: str | None) -> None:
    """Reject an unknown choice for empty references."""
    if choice is not None and choice not in get_args(EmptyReference):
        raise unknown("choice for empty references", choice, get_args(EmptyReference))


def apply_empty_reference(
    columns: Sequence[Sequence[str | None]], choice: EmptyReference, where: Callable[[int], str]
) -> tuple[Sequence[str | None], ...]:
    """Return reference columns with None for every empty text; rows without any reference are treated as `choice` says.

    `where` names a row in error messages.
    """
    columns = tuple(map(_with_none, columns))
    if choice == "skip" or not columns or None not in columns[0]:
        return columns
    rows = [i for i, texts in enumerate(zip(*columns, strict=True)) if not any(texts)]
    if rows and choice == "error":
        raise InputError(f"{where(rows[0])} has no reference. Add one, or skip such rows with --empty-reference skip.")
    first = list(columns[0])
    for i in rows:
        first[i] = ""
    return (first, *columns[1:])


def _with_none(column: Sequence[str | None]) -> Sequence[str | None]:
    if None not in column and all(map(str.strip, column)):  # type: ignore[arg-type]
        return column
    return [text if text and text.strip() else None for text in column]


def rows_with_empty_reference(batch: Batch) -> Bools | None:
    """Return a mask of the rows with an empty reference; None if there are none."""
    import numpy as np

    columns = [column for column in batch.references or () if "" in column]
    return np.any([[text == "" for text in column] for column in columns], axis=0) if columns else None


def rows_without_reference(batch: Batch) -> Bools | None:
    """Return a mask of the rows without a reference; None if all rows have one, or if the batch has no references at all."""
    import numpy as np

    columns = batch.references
    if not columns or any(None not in column for column in columns):
        return None
    rows = np.array([all(text is None for text in texts) for texts in zip(*columns, strict=True)], bool)
    return rows if rows.any() else None
