"""Where a metric may keep what was paid for, for the time of a call: the engine opens the place, the metric keeps and looks up.

A language model's answers cost money and are not given twice alike. They are kept one by one as they arrive, long before the
scores of a batch are whole; and the metric, which knows nothing of stores, is not handed one through every call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Keeper(Protocol):
    """Records by key; what `put_many` says yes to survives a kill."""

    @property
    def writable(self) -> bool:
        """Whether it can still keep anything."""

    @property
    def notices(self) -> Sequence[str]:
        """Why it cannot keep anything, where it cannot."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The records that are there, by key."""

    def put_many(self, items: Iterable[tuple[bytes, bytes]]) -> bool:
        """Keep records; True when they are safe from now on."""


_keeper: ContextVar[Keeper | None] = ContextVar("keeper", default=None)


@contextmanager
def keeping(keeper: Keeper | None) -> Iterator[None]:
    """In this block, what is paid for is kept by `keeper`; by nobody where it is None."""
    token = _keeper.set(keeper)
    try:
        yield
    finally:
        _keeper.reset(token)


def keeper() -> Keeper | None:
    """Who keeps what is paid for; None where nobody does."""
    return _keeper.get()
