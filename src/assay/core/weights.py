"""Description of weights and other files that a metric needs: size, how to get them, and where they are looked up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.core.errors import MissingPart
from assay.core.registry import load

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class WeightsNeeded:
    """Facts about a metric's weights, as shown by ``assay list metrics`` and in the documentation.

    Attributes:
        gigabytes: Size of the download; None if any folder of the right kind will do.
        get: The command or another way to obtain the weights, without a full stop.
        find: ``module:function`` that returns their folder for the metric's name; None or `MissingPart` if they are not installed.
            It must not import torch. Without it, users pass the path of the weights.
        name: The name for `find`, if it differs from the metric's.
        what: The name of the requirement, if it is not weights.
        licence: The licence of the weights, if it differs from the metric's.
        given: Anything else that an option must specify each time.
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
        """The size of the download with its unit; empty if unknown."""
        size = self.gigabytes
        if size is None:
            return ""
        return f"{size:g} GB" if size >= 0.1 else f"{size * 1e3:g} MB" if size >= 1e-3 else f"{size * 1e6:g} kB"

    def folder(self, name: str) -> Path | None:
        """Return the folder of a metric's weights; None if they are not installed."""
        if not self.find:
            return None
        try:
            folder: Path | None = load(self.find, f"the weights of {name}")(self.name or name)
        except MissingPart:
            return None
        return folder
