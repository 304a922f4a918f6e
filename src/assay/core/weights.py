"""What a metric needs and no package brings, weights above all: how large it is, how to get it, where to look for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.core.errors import MissingPart
from assay.core.registry import load

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class WeightsNeeded:
    """What ``assay list metrics`` and the table in the documentation say of a metric's weights.

    `gigabytes` is the download; None where any folder of the right kind will do. `get` is the command that brings them, or how
    else they are had, without a full stop. `find` is a ``module:function`` that gives their folder by the metric's name (or by
    `name`, where that differs), and None or `MissingPart` where there is none; it must not import torch. Without `find`, weights
    come only by a path that the user gives. `what` says what it is that is needed, where it is something else than weights, and
    `licence` under which it comes, where the metric's own is another. `given` is what an option must name besides, every time.
    """

    gigabytes: float | None
    get: str
    find: str = ""
    name: str = ""
    what: str = "weights"
    licence: str = ""
    given: str = ""

    @property
    def size(self) -> str:
        """The size of the download for people; empty where it is not known."""
        size = self.gigabytes
        if size is None:
            return ""
        return f"{size:g} GB" if size >= 0.1 else f"{size * 1e3:g} MB" if size >= 1e-3 else f"{size * 1e6:g} kB"

    def place(self, name: str) -> Path | None:
        """Where the weights of the metric called `name` lie on this machine; None when they are not here."""
        if not self.find:
            return None
        try:
            found: Path | None = load(self.find, f"the weights of {name}")(self.name or name)
        except MissingPart:
            return None
        return found
