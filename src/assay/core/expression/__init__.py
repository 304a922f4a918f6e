"""Filter expressions over scores, columns and flags: ``chrf < 30 and lang == "de"``.

`assay filter`, the page and corpora use the same grammar. `parse` turns a text into a tree, `Expression.over` checks it against the
columns of a table, and `Condition.rows` evaluates it for a chunk of columns. Nothing is passed to Python's ``eval``. Regular
expressions run in a process with a time limit (`assay.core.patterns`).
"""

from assay.core.expression.checking import Condition
from assay.core.expression.parsing import Expression, parse

__all__ = ["Condition", "Expression", "parse"]
