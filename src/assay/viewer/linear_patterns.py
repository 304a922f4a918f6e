"""Regular expressions that mean the same in Python and in the linear engine of polars, written for the latter.

Python's engine backtracks and runs in a process of its own (`assay.core.patterns`); a million texts are more than it finds in a
blink. Literals, classes, alternatives and repetition ask whether a text has a part in a regular language, and both engines answer
alike. Groups that look around or back, word boundaries and classes that the two read off different tables (``\\w``, ``\\s``),
letters of any case: those stay Python's.
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
"""Repetitions of one part that are written out: the linear engine refuses what grows too large."""


MOST_SIGNS = 4000
"""Signs of a pattern for letters of any case."""


class Unlike(Exception):
    """The other engine would understand this differently, or not at all."""


def linear(pattern: str) -> str:
    """The pattern for polars; `Unlike` where it cannot be the same."""
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
    """A pattern for polars that finds letters, as `str.casefold` leaves them, where the text's own casefold has them.

    The engine folds letter by letter. A sign that `casefold` makes several of (ß, the ligature ﬁ) may stand for some of the
    letters, and at the beginning and the end for more than those: every such sign is written into the pattern. `Unlike` where
    that becomes too long, or a letter has a fold that is not its small form.
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
        if len(after[i]) > MOST_SIGNS:
            raise Unlike("too many ways")
    ways = [after[0], *_ways({sign: "" for sign, several in signs.items() if folded in several})]
    for i in range(1, min(len(folded), 3)):
        before = {
            sign: after[i] for sign, several in signs.items() if several.endswith(folded[:i]) and len(several) > i
        }
        ways += _ways(before)
    return f"(?i){_either(ways)}"


def _ways(signs: Mapping[str, str]) -> list[str]:
    """One way for the signs that the same follows."""
    found: dict[str, str] = {}
    for sign, rest in signs.items():
        found[rest] = found.get(rest, "") + _sign(ord(sign))
    return [f"[{chosen}]{rest}" for rest, chosen in found.items()]


def _either(ways: list[str]) -> str:
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


@cache
def _several() -> dict[str, str]:
    """Every sign that `casefold` makes several signs of, with them."""
    return {sign: sign.casefold() for sign in map(chr, range(0x80, 0x20000)) if len(sign.casefold()) > 1}
