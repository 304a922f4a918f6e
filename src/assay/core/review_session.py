"""A review as a page sees it: numbered items, what was decided of each, and one way to decide."""

from __future__ import annotations

from typing import Any, Protocol

from assay.core.errors import InputError

SHOWS = ("undecided", "all", "mine", "others", "disagreeing", "skipped")
"""Which items a person may ask for: those that wait, all, those that they decided, those that others decided and they did not,
those of which people say different things, and those that were set aside."""


class Stale(InputError):
    """What was decided elsewhere in the meantime: the one who decides on an old view is told, and nothing is overwritten."""


class ReviewSession(Protocol):
    """What the page asks of a review, and tells it."""

    def head(self) -> dict[str, Any]:
        """What kind of review it is, who decides, how it stands and where decisions are kept."""

    def order(self, show: str) -> list[int]:
        """The numbers of the items that are asked for, one of `SHOWS`."""

    def item(self, number: int) -> dict[str, Any]:
        """One item with its texts, what was decided of it, and `seen`: what the page says it saw when it decides."""

    def decide(self, said: Any) -> dict[str, Any]:
        """Keep a decision; what comes back is the item as it is on the disk now, and how the review stands. May raise `Stale`."""
