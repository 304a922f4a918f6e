"""The contract of an analysis: what it gets, what it must find there, and what it gives back.

An analysis is a function ``tables(content, measured, *, seed, samples, correction) -> list[Table]``. The content is a set's
items (a challenge set) or its `Judged`. `requires` says before the function what a set must have, so that any set that has
it can be analysed and any other is refused in one sentence; a function without it takes whatever comes. It is also the mark
by which a function may be named as ``module:function``.
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
    "judged": "segments that people judged",
    "outcomes": "outcomes of a task (assay breakdown)",
}
_COLUMNS = ("source", "reference", "phenomenon", "category", "severity", "langpair")


class Analysis(Protocol):
    """What every analysis is called with. A table called ``summary`` is what a terminal shows."""

    def __call__(
        self, content: Any, measured: Sequence[Measured], /, *, seed: int, samples: int, correction: str
    ) -> Sequence[Table]:
        """The tables; `seed` and `samples` are for resampling, `correction` for many comparisons."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What an analysis needs of a set: its kind, and a test that says in words what is missing (empty: nothing)."""

    kind: ContentKind | None = None
    lacks: Callable[[Any], str] | None = None
    spans: bool = False
    """Whether it looks at the error spans that metrics mark: a set in many files is scored with them, then."""

    def check(self, analysis: str, content: Sequence[Item] | Judged) -> None:
        """Refuse a set that the analysis cannot work on."""
        given = "judged" if isinstance(content, Judged) else "items"
        if self.kind is not None and self.kind != given:
            raise InputError(f"the analysis {analysis} needs {_WORDS[self.kind]}, and this set has {_WORDS[given]}.")
        if self.lacks is not None and (missing := self.lacks(content)):
            raise InputError(f"the analysis {analysis} needs {missing}; the set has {_has(content)}.")


Function = TypeVar("Function", bound=Callable[..., Any])


def requires(
    kind: ContentKind | None = None, lacks: Callable[[Any], str] | None = None, *, spans: bool = False
) -> Callable[[Function], Function]:
    """Write an analysis's requirement above it: ``@requires("items", columns("category", "phenomenon"))``.

    `kind` is what a set must hold (``items``, ``judged``, ``outcomes``), `lacks` says in words what one is missing, if anything.
    `spans` says that the analysis looks at the error spans that metrics mark.
    ``@requires()`` marks an analysis that takes whatever comes.
    """

    def mark(function: Function) -> Function:
        vars(function)["requirement"] = Requirement(kind, lacks, spans)
        return function

    return mark


def is_analysis(function: object) -> bool:
    """Whether `requires` stands above a function."""
    return isinstance(getattr(function, "requirement", None), Requirement)


def requirement_of(function: object) -> Requirement:
    """What was written above an analysis; of a plain function, nothing."""
    requirement = getattr(function, "requirement", None)
    return requirement if isinstance(requirement, Requirement) else Requirement()


def columns(*names: str) -> Callable[[Sequence[Item]], str]:
    """The test that every item has these columns filled in."""

    def lacks(items: Sequence[Item]) -> str:
        missing = [name for name in names if not all(filled(item, name) for item in items)]
        return f"the column {' and '.join(missing)} in every row" if missing else ""

    return lacks


def filled(item: Item, column: str) -> bool:
    """Whether an item says something in a column; a file without phenomena calls them all ``all``."""
    value = getattr(item, column)
    return bool(value) and not (column == "phenomenon" and value == "all")


def _has(content: Sequence[Item] | Judged) -> str:
    if isinstance(content, Judged):
        there = [*(f"the score {name}" for name in content.scores), *(f"the label {name}" for name in content.labels)]
        return listing(there) or "neither scores nor labels"
    there = [name for name in _COLUMNS if any(filled(item, name) for item in content)]
    names = list(dict.fromkeys(item.phenomenon for item in content if filled(item, "phenomenon")))
    told = f" ({listing(names, 4)})" if names else ""
    return f"the columns {', '.join(('good', 'incorrect', *there))}{told}"
