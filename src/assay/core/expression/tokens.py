"""Tokenizer of filter expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from assay.core.expression.tree import TextSpan

MOST_CHARACTERS = 100_000
"""Largest length of an expression; a list of ids after ``in`` may be long."""
KEYWORDS = ("and", "or", "not", "in", "is", "missing", "matches", "true", "false")
OTHER_LANGUAGES = {"=": "==", "&&": "and", "||": "or", "&": "and", "|": "or", "!": "not", "<>": "!=", "=~": "~"}
"""Operators of other languages and their equivalents."""

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
    """A token: its kind (``number``, ``name``, ``text``, ``end``, or the keyword or sign itself), value and position."""

    kind: str
    value: str
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of an expression, followed by one of kind ``end``."""
    if len(text) > MOST_CHARACTERS:
        raise TextSpan(text, 0, 0).error(f"the expression is longer than {MOST_CHARACTERS:,} characters.")
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unexpected(text, at)
        kind, value, start, at = str(match.lastgroup), match[0], at, match.end()
        if kind == "blank":
            continue
        span = TextSpan(text, start, at)
        if kind == "sign" and value in OTHER_LANGUAGES:
            raise span.error(f"write {OTHER_LANGUAGES[value]!r} instead of {value!r}.")
        if kind == "word" and value.lower() in KEYWORDS:
            yield Token(value.lower(), value, start, at)
        elif kind == "word":
            yield Token("name", value, start, at)
        elif kind == "quoted":
            if not value[1:-1].strip():
                raise span.error("the name between the backticks is empty.")
            yield Token("name", value[1:-1], start, at)
        elif kind == "text":
            yield Token("text", _unescaped(value[1:-1]), start, at)
        else:
            yield Token(value if kind == "sign" else kind, value, start, at)
    yield Token("end", "", len(text), len(text))


def _unescaped(inner: str) -> str:
    r"""Replace ``\n``, ``\t``, ``\\`` and escaped quotation marks; keep other backslashes, which regular expressions need."""
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), inner, flags=re.DOTALL)


def _unexpected(text: str, at: int) -> Exception:
    rest = TextSpan(text, at, len(text))
    if text[at] in "\"'`":
        what = "name" if text[at] == "`" else "text"
        return rest.error(f"the {what} that begins with {text[at]} is not closed.")
    if text[at].isdigit():
        word = re.match(r"[\w.]+", text[at:])
        end = at + (word.end() if word else 1)
        return TextSpan(text, at, end).error(
            f"{text[at:end]!r} is not a number. A name that starts with a digit needs backticks."
        )
    return TextSpan(text, at, at + 1).error(f"unexpected {text[at]!r}. A name that contains it needs backticks.")
