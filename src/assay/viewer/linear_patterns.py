"""Translation of regular expressions to the linear-time engine of polars, if both engines match the same texts.

Python's engine backtracks and runs in a separate process (`assay.core.patterns`), which takes seconds for a million texts.
Literals, classes, alternatives and repetitions match the same texts in both engines and are translated. Lookaround,
backreferences, word boundaries, ignored case, and classes with different tables (``\\w``, ``\\s``) are left to Python.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from re import _constants as words  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST = 200
"""Largest number of repetitions; the linear-time engine rejects large patterns."""
MOST_CHARACTERS = 4000
"""Largest length of a pattern that ignores case."""


class Unlike(Exception):
    """Raised if the other engine would match different texts or does not support the expression."""


def linear(pattern: str) -> str:
    """Return the pattern for polars; raise `Unlike` if there is no equivalent."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise Unlike(str(error)) from None
    if tree.state.flags & ~re.UNICODE:
        raise Unlike("flags")
    return _all(tree)


def _all(tree: Iterable[tuple[Any, Any]]) -> str:
    return "".join(_one(operation, argument) for operation, argument in tree)


def _one(operation: Any, argument: Any) -> str:
    if operation is words.LITERAL:
        return _sign(argument)
    if operation is words.NOT_LITERAL:
        return f"[^{_sign(argument)}]"
    if operation is words.ANY:
        return "[^\n]"
    if operation is words.IN:
        return _class(argument)
    if operation is words.BRANCH:
        return "(?:" + "|".join(_all(branch) for branch in argument[1]) + ")"
    if operation is words.SUBPATTERN:
        _, added, removed, inner = argument
        if added or removed:
            raise Unlike("flags")
        return f"(?:{_all(inner)})"
    if operation in (words.MAX_REPEAT, words.MIN_REPEAT):
        least, most, inner = argument
        if least > MOST or (most is not words.MAXREPEAT and most > MOST):
            raise Unlike("many repetitions")
        return f"(?:{_all(inner)}){{{least},{'' if most is words.MAXREPEAT else most}}}"
    if operation is words.AT:
        return _place(argument)
    raise Unlike(str(operation))


def _place(where: Any) -> str:
    if where in (words.AT_BEGINNING, words.AT_BEGINNING_STRING):
        return r"\A"
    if where is words.AT_END:
        return r"(?:\n?\z)"  # Python's $ holds before a last newline, too
    if where is words.AT_END_STRING:
        return r"\z"
    raise Unlike(str(where))


def _class(parts: list[tuple[Any, Any]]) -> str:
    shown = []
    for operation, argument in parts:
        if operation is words.NEGATE:
            shown.append("^")
        elif operation is words.LITERAL:
            shown.append(_sign(argument))
        elif operation is words.RANGE:
            shown.append(f"{_sign(argument[0])}-{_sign(argument[1])}")
        elif operation is words.CATEGORY and argument is words.CATEGORY_DIGIT:
            shown.append(r"\d")
        else:
            raise Unlike(str(argument))
    return f"[{''.join(shown)}]"


def _sign(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF:
        raise Unlike("half a surrogate pair")
    return f"\\x{{{code:x}}}"


def any_case(folded: str) -> str:
    """Return a pattern for polars that finds a case-folded text in the case-folded texts of a column.

    The engine folds one letter at a time. A character that `casefold` expands (ß, the ligature ﬁ) may match several letters, and
    more than those at the beginning and end of the match, so every such character is part of the pattern. `Unlike` is raised if the
    pattern becomes too long, or if a letter's case fold is not its lower case.
    """
    if any(sign.lower() != sign for sign in folded):
        raise Unlike(folded)
    signs = {sign: several for sign, several in _several().items() if set(several) & set(folded)}
    after = [""] * (len(folded) + 1)
    for i in reversed(range(len(folded))):
        rest = folded[i:]
        inside = {sign: after[i + len(several)] for sign, several in signs.items() if rest.startswith(several)}
        beyond = {sign: "" for sign, several in signs.items() if several.startswith(rest) and several != rest}
        after[i] = _either([_sign(ord(folded[i])) + after[i + 1], *_ways(inside), *_ways(beyond)])
        if len(after[i]) > MOST_CHARACTERS:
            raise Unlike("too many alternatives")
    ways = [after[0], *_ways({sign: "" for sign, several in signs.items() if folded in several})]
    for i in range(1, min(len(folded), 3)):
        before = {
            sign: after[i] for sign, several in signs.items() if several.endswith(folded[:i]) and len(several) > i
        }
        ways += _ways(before)
    return f"(?i){_either(ways)}"


def _ways(signs: Mapping[str, str]) -> list[str]:
    """Return one alternative per group of characters with the same continuation."""
    by_rest: dict[str, str] = {}
    for sign, rest in signs.items():
        by_rest[rest] = by_rest.get(rest, "") + _sign(ord(sign))
    return [f"[{characters}]{rest}" for rest, characters in by_rest.items()]


def _either(ways: list[str]) -> str:
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


@cache
def _several() -> dict[str, str]:
    """Return every character that `casefold` expands to several characters, with its expansion."""
    return {sign: sign.casefold() for sign in map(chr, range(0x80, 0x20000)) if len(sign.casefold()) > 1}
