"""Interface of an analysis: its arguments, requirements and result.

An analysis is a function ``tables(content, measured, *, seed, samples, correction) -> list[Table]``. The content is the
items in a challenge set, or a `Judged` batch. The decorator `requires` states what a set must contain; other sets are
rejected with one sentence. An analysis without the decorator accepts every set. Only decorated functions may be named as
``module:function``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from assay.core.errors import InputError, listing
from assay.core.item import Item
from assay.core.judged import Judged
from assay.core.suite import Measured
from assay.core.table import Table

ContentKind = Literal["items", "judged", "outcomes"]
_WORDS = {
    "items": "pairs of a good and an incorrect translation",
    "judged": "segments with human judgements",
    "outcomes": "outcomes of a task (assay breakdown)",
}
_COLUMNS = ("source", "reference", "phenomenon", "category", "severity", "langpair")


class Analysis(Protocol):
    """Call signature of an analysis. A terminal shows the table called ``summary``."""

    def __call__(
        self, content: Any, measured: Sequence[Measured], /, *, seed: int, samples: int, correction: str
    ) -> Sequence[Table]:
        """Return the tables; `seed` and `samples` control resampling, `correction` the multiple-testing correction."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """Requirement of an analysis: the kind of set, and a function that describes missing content (empty if nothing is missing)."""

    kind: ContentKind | None = None
    lacks: Callable[[Any], str] | None = None
    spans: bool = False
    """Whether it uses the error spans that metrics mark. If so, sets in many files are scored with spans."""

    def check(self, analysis: str, content: Sequence[Item] | Judged) -> None:
        """Reject a set that does not meet the requirement."""
        kind = "judged" if isinstance(content, Judged) else "items"
        if self.kind is not None and self.kind != kind:
            raise InputError(f"the analysis {analysis} needs {_WORDS[self.kind]}, but this set has {_WORDS[kind]}.")
        if self.lacks is not None and (missing := self.lacks(content)):
            raise InputError(f"the analysis {analysis} needs {missing}, but the set has {_contents(content)}.")


Function = TypeVar("Function", bound=Callable[..., Any])


def requires(
    kind: ContentKind | None = None, lacks: Callable[[Any], str] | None = None, *, spans: bool = False
) -> Callable[[Function], Function]:
    """Mark a function as an analysis and state its requirements for a set.

    Args:
        kind: What a set must contain: ``items``, ``judged`` or ``outcomes``; by default anything.
        lacks: A function that describes missing content in a set, or returns an empty string if nothing is missing.
        spans: Whether the analysis uses the error spans that metrics mark.

    Returns:
        A decorator. ``@requires()`` accepts every set.

    Example:
        ```python
        @assay.requires("items")
        def tables(items, measured, *, seed, samples, correction): ...
        ```
    """

    def mark(function: Function) -> Function:
        vars(function)["requirement"] = Requirement(kind, lacks, spans)
        return function

    return mark


def is_analysis(function: object) -> bool:
    """Return whether a function is decorated with `requires`."""
    return isinstance(getattr(function, "requirement", None), Requirement)


def requirement_of(function: object) -> Requirement:
    """Return the requirement of an analysis; a function without the decorator requires nothing."""
    requirement = getattr(function, "requirement", None)
    return requirement if isinstance(requirement, Requirement) else Requirement()


def columns(*names: str) -> Callable[[Sequence[Item]], str]:
    """Return a `lacks` function that checks that these columns are filled in every item."""

    def lacks(items: Sequence[Item]) -> str:
        missing = [name for name in names if not all(filled(item, name) for item in items)]
        return f"the column {' and '.join(missing)} in every row" if missing else ""

    return lacks


def filled(item: Item, column: str) -> bool:
    """Return whether a column of an item is filled. Files without phenomena use the placeholder ``all``, which does not count."""
    value = getattr(item, column)
    return bool(value) and not (column == "phenomenon" and value == "all")


def _contents(content: Sequence[Item] | Judged) -> str:
    if isinstance(content, Judged):
        present = [*(f"the score {name}" for name in content.scores), *(f"the label {name}" for name in content.labels)]
        return listing(present) or "neither scores nor labels"
    present = [name for name in _COLUMNS if any(filled(item, name) for item in content)]
    phenomena = list(dict.fromkeys(item.phenomenon for item in content if filled(item, "phenomenon")))
    detail = f" ({listing(phenomena, 4)})" if phenomena else ""
    return f"the columns {', '.join(('good', 'incorrect', *present))}{detail}"
