"""The words of an expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from assay.core.expression.tree import Stretch

MOST_CHARACTERS = 100_000
"""An expression is written by a person; a list of ids after ``in`` may be long."""
KEYWORDS = ("and", "or", "not", "in", "is", "missing", "matches", "true", "false")
FOREIGN = {"=": "==", "&&": "and", "||": "or", "&": "and", "|": "or", "!": "not", "<>": "!=", "=~": "~"}
"""Signs of other languages, and how they are written here."""

_TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<word>[^\W\d]\w*)
      | (?P<quoted>`[^`]*`)
      | (?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')
      | (?P<sign><=|>=|==|!=|!~|=~|<>|&&|\|\||[-+*/<>~(),\[\]=&|!])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


class Token(NamedTuple):
    """A word: its kind (``number``, ``name``, ``text``, ``end``, or the keyword or sign itself) and what it says."""

    kind: str
    value: str
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    """The words of an expression, and one of kind ``end``."""
    if len(text) > MOST_CHARACTERS:
        raise Stretch(text, 0, 0).wrong(f"the expression is longer than {MOST_CHARACTERS:,} characters.")
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _strange(text, at)
        kind, said, start, at = str(found.lastgroup), found[0], at, found.end()
        if kind == "blank":
            continue
        place = Stretch(text, start, at)
        if kind == "sign" and said in FOREIGN:
            raise place.wrong(f"{said!r} is written {FOREIGN[said]!r} here.")
        if kind == "word" and said.lower() in KEYWORDS:
            yield Token(said.lower(), said, start, at)
        elif kind == "word":
            yield Token("name", said, start, at)
        elif kind == "quoted":
            if not said[1:-1].strip():
                raise place.wrong("there is no name between the backticks.")
            yield Token("name", said[1:-1], start, at)
        elif kind == "text":
            yield Token("text", _unescaped(said[1:-1]), start, at)
        else:
            yield Token(said if kind == "sign" else kind, said, start, at)
    yield Token("end", "", len(text), len(text))


def _unescaped(inner: str) -> str:
    r"""``\n``, ``\t``, ``\\`` and quotation marks; any other backslash stays, as regular expressions want it."""
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), inner, flags=re.DOTALL)


def _strange(text: str, at: int) -> Exception:
    rest = Stretch(text, at, len(text))
    if text[at] in "\"'`":
        what = "name" if text[at] == "`" else "text"
        return rest.wrong(f"the {what} that begins with {text[at]} is not closed.")
    if text[at].isdigit():
        word = re.match(r"[\w.]+", text[at:])
        end = at + (word.end() if word else 1)
        return Stretch(text, at, end).wrong(
            f"{text[at:end]!r} is not a number; a name that begins so stands in backticks."
        )
    return Stretch(text, at, at + 1).wrong(
        f"{text[at]!r} means nothing here; a name that holds it stands in backticks."
    )
