"""What the Python calls give back: numbers by name, tables for people, columns for programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from assay.core.table import Table

if TYPE_CHECKING:
    pass


class Shown(ABC):
    """A result that prints as its table, in a terminal and in a notebook."""

    @abstractmethod
    def table(self) -> Table:
        """The result as a Table."""

    def __repr__(self) -> str:
        from assay.report import render

        return render([self.table()])

    def _repr_html_(self) -> str:
        from assay.report.markup import fragment

        return fragment(self.table())


from assay.verbs.score import flag_notes  # noqa: E402

__all__ = ["Shown", "flag_notes"]
