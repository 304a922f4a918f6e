"""Expressions over scores, columns and flags: ``chrf < 30 and lang == "de"``.

One grammar for every door: `assay filter`, a page and a cluster parse the same text into the same tree (`parse`), check it
against the columns there are (`Expression.over`) and ask it about rows, a chunk of columns at a time (`Condition.rows`). Nothing
is ever handed to Python's ``eval``; regular expressions run in a process with a limit (`assay.core.patterns`).
"""

from assay.core.expression.checking import Condition
from assay.core.expression.parsing import Expression, parse

__all__ = ["Condition", "Expression", "parse"]
