"""Parser of filter expressions: from a text to a tree.

    expression := and ("or" and)*                     and := not ("and" not)*            not := "not" not | comparison
    comparison := sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*
                | sum ["not"] "in" ( "(" literal ("," literal)* ")" | name )
                | sum ("~" | "matches" | "!~" | "not" "matches") text
                | sum "is" ["not"] "missing"
    sum        := product (("+" | "-") product)*      product := signed (("*" | "/") signed)*
    signed     := "-" signed | number | text | "true" | "false" | name | function "(" expression ")" | "(" expression ")"

A list may also be written in brackets. ``30 < chrf < 50`` means ``30 < chrf and chrf < 50``.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from assay.core.expression.checking import Condition, check
from assay.core.expression.tokens import Token, tokens
from assay.core.expression.tree import COMPARISONS, LARGEST, MOST_DEPTH, Node, TextSpan

FUNCTIONS = {"length": "length", "lower": "lower", "abs": "abs", "number": "numeric"}
"""Functions and the kinds of their nodes: the length of a text in characters, a text in lower case, the absolute value of a number,
and a column read as numbers."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression."""

    text: str
    tree: Node

    def to_json(self) -> list[Any]:
        """Return the tree as nested lists, for other implementations of the grammar."""
        return self.tree.to_json()

    def over(self, columns: Collection[str], where: str = "the table") -> Condition:
        """Return the expression as a condition over these columns; reject unknown names and wrong types."""
        return check(self.text, self.tree, columns, where)


def parse(text: str) -> Expression:
    """Parse a text; a syntax error is reported on one line with its position."""
    parser = _Parser(text)
    if parser.now.kind == "end":
        raise TextSpan(text, 0, 0).error('the expression is empty; write one such as: chrf < 30 and lang == "de".')
    tree = parser.either()
    parser.expect("end", "and, or, or the end")
    return Expression(text, tree)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = list(tokens(text))
        self._at = self._open = 0

    @property
    def now(self) -> Token:
        return self._tokens[self._at]

    def take(self, *kinds: str) -> Token | None:
        """Consume and return the current token if it is of one of these kinds."""
        token = self.now
        if token.kind not in kinds:
            return None
        self._at += 1
        return token

    def expect(self, kind: str, description: str) -> Token:
        """Consume and return a token of this kind; anything else is an error."""
        token = self.take(kind)
        if token is None:
            raise self.wrong(f"{description} was expected here")
        return token

    def wrong(self, sentence: str, token: Token | None = None) -> Exception:
        token = token or self.now
        actual = "but the expression ends" if token.kind == "end" else f"not {self.text[token.start : token.end]!r}"
        return TextSpan(self.text, token.start, token.end).error(f"{sentence}, {actual}.")

    def node(self, kind: str, parts: list[Node], start: int | None = None) -> Node:
        depth = 1 + max(part.depth for part in parts)
        first, end = parts[0].start if start is None else start, self._tokens[self._at - 1].end
        if depth > MOST_DEPTH:
            raise TextSpan(self.text, first, end).error(f"the expression is nested more than {MOST_DEPTH} levels deep.")
        return Node(kind, first, end, parts=tuple(parts), depth=depth)

    def either(self) -> Node:
        parts = [self.both()]
        while self.take("or"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else self.node("or", parts)

    def both(self) -> Node:
        parts = [self.negated()]
        while self.take("and"):
            parts.append(self.negated())
        return parts[0] if len(parts) == 1 else self.node("and", parts)

    def negated(self) -> Node:
        if (token := self.take("not")) is None:
            return self.comparison()
        with _Level(self, token):
            return self.node("not", [self.negated()], token.start)

    def comparison(self) -> Node:
        left = self.sum()
        if self.take("is"):
            denied = self.take("not")
            self.expect("missing", "missing (as in: chrf is missing)")
            return self._denied(self.node("missing", [left]), denied)
        if token := self.take("~", "matches", "!~"):
            return self._denied(self._matching(left), token if token.kind == "!~" else None)
        if denied := self.take("not"):
            if self.take("in"):
                return self._denied(self._among(left), denied)
            if self.take("matches", "~"):
                return self._denied(self._matching(left), denied)
            raise self.wrong("in or matches was expected after not")
        if self.take("in"):
            return self._among(left)
        compared: list[Node] = []
        while token := self.take(*COMPARISONS):
            right = self.sum()
            compared.append(self.node(token.kind, [left, right]))
            left = right
        if not compared:
            return left
        return compared[0] if len(compared) == 1 else self.node("and", compared)

    def _denied(self, node: Node, denied: Token | None) -> Node:
        return self.node("not", [node]) if denied else node

    def _matching(self, left: Node) -> Node:
        token = self.expect("text", "a regular expression in quotation marks")
        return self.node("matches", [left, Node("text", token.start, token.end, token.value)])

    def _among(self, left: Node) -> Node:
        if name := self.take("name"):
            return self.node("has", [left, Node("name", name.start, name.end, name.value)])
        opened = self.take("(", "[")
        if opened is None:
            raise self.wrong('a list such as ("de", "fr") or the name of a column was expected after in')
        options = [self._literal()]
        while self.take(","):
            options.append(self._literal())
        close = ")" if opened.kind == "(" else "]"
        self.expect(close, f"a comma or {close}")
        for option in options:
            if option.kind != options[0].kind:
                raise TextSpan(self.text, option.start, option.end).error("a list holds numbers or texts, not both.")
        return self.node("in", [left, *options])

    def _literal(self) -> Node:
        minus = self.take("-")
        if token := self.take("number"):
            node = self._number(token)
            return Node("number", minus.start, node.end, -float(node.value)) if minus else node
        if not minus and (token := self.take("text")):
            return Node("text", token.start, token.end, token.value)
        raise self.wrong("a number or a text in quotation marks was expected here")

    def _number(self, token: Token) -> Node:
        value = float(token.value)
        if not math.isfinite(value) or abs(value) >= LARGEST:
            raise TextSpan(self.text, token.start, token.end).error("the number is too large to be compared exactly.")
        return Node("number", token.start, token.end, value)

    def sum(self) -> Node:
        left = self.product()
        while token := self.take("+", "-"):
            left = self.node(token.kind, [left, self.product()])
        return left

    def product(self) -> Node:
        left = self.signed()
        while token := self.take("*", "/"):
            left = self.node(token.kind, [left, self.signed()])
        return left

    def signed(self) -> Node:
        if token := self.take("-"):
            if self.now.kind == "number":
                self._at -= 1
                return self._literal()
            with _Level(self, token):
                return self.node("negative", [self.signed()], token.start)
        if token := self.take("number"):
            return self._number(token)
        if token := self.take("text"):
            return Node("text", token.start, token.end, token.value)
        if token := self.take("true", "false"):
            return Node("truth", token.start, token.end, token.kind == "true")
        if token := self.take("name"):
            return self._called(token) if self.now.kind == "(" else Node("name", token.start, token.end, token.value)
        if token := self.take("("):
            with _Level(self, token):
                inner = self.either()
                self.expect(")", "a closing parenthesis")
                return inner
        raise self.wrong("a name, a number or a text was expected here (names with other characters need backticks)")

    def _called(self, token: Token) -> Node:
        if token.value not in FUNCTIONS:
            functions = ", ".join(FUNCTIONS)
            raise TextSpan(self.text, token.start, token.end).error(
                f"unknown function {token.value!r}. Available: {functions}."
            )
        opened = self.expect("(", "(")
        with _Level(self, opened):
            part = self.either()
            self.expect(")", "a closing parenthesis")
            return self.node(FUNCTIONS[token.value], [part], token.start)


class _Level:
    """One level of nesting while its content is parsed. Parentheses create no node, but they use Python's stack."""

    def __init__(self, parser: _Parser, token: Token) -> None:
        self._parser, self._token = parser, token

    def __enter__(self) -> None:
        self._parser._open += 1
        if self._parser._open > MOST_DEPTH // 2:
            span = TextSpan(self._parser.text, self._token.start, self._token.end)
            raise span.error(f"the expression is nested more than {MOST_DEPTH // 2} levels deep.")

    def __exit__(self, *_: object) -> None:
        self._parser._open -= 1
