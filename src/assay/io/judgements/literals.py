"""Reader for literals in a Python file, which is parsed but never executed.

The file is untrusted. Anything that is not a literal is rejected with its name and line.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from assay.core.errors import InputError

MOST_SOURCE = 1 << 20
"""Bytes of a source file."""
MOST_WORDS = 20_000
"""Characters of one text."""
MOST_EXAMPLES = 20
MOST_STEPS = 10_000
"""Literals that are evaluated: names that refer to two others each could otherwise take forever."""


class PythonLiterals:
    """Literals in Python source code, by the names that they are assigned to."""

    def __init__(self, text: str, name: str) -> None:
        self.name, self._steps = name, 0
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else "it cannot be parsed"
            raise InputError(f"{name} cannot be read as Python: {reason}. None of it was run or saved.") from None
        self._values = _assignments(body)
        self._functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}

    def value(self, name: str) -> Any:
        """Return the value of a module-level name: texts, numbers, or lists and dictionaries of these."""
        try:
            return self._read(self._node(name))
        except RecursionError:
            raise self._refusal(self._node(name), f"{name} refers to itself or is nested too deeply") from None

    def conversation(self, name: str) -> list[dict[str, str]]:
        """Return the messages that a function builds from examples: ``name = function([example, …])``.

        The function's ``prompts`` are the opening and its ``template`` is the question. Every example is a dictionary with
        values for the question's placeholders and the ``answer``. The question with its placeholders comes last.
        """
        call = self._node(name)
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and len(call.args) == 1):
            raise self._refusal(call, f"{name} is not built from examples")
        function = self._functions.get(call.func.id)
        inside = _assignments(function.body) if function else {}
        if not {"prompts", "template"} <= inside.keys():
            raise self._refusal(call, f"the function that builds {name} has no opening and question")
        try:
            opening, question = self._read(inside["prompts"]), self._read(inside["template"])
            examples = self._read(call.args[0])
        except RecursionError:
            raise self._refusal(call, f"{name} refers to itself or is nested too deeply") from None
        if not (
            _messages(opening) and isinstance(question, str) and _examples(examples) and len(examples) <= MOST_EXAMPLES
        ):
            raise self._refusal(call, f"{name} is not a conversation with examples")
        turns = list(opening)
        for example in examples:
            turns.append({"role": "user", "content": self._fill(question, example, call)})
            turns.append({"role": "assistant", "content": example["answer"]})
        return [*turns, {"role": "user", "content": question}]

    def _node(self, name: str) -> ast.expr:
        if name not in self._values:
            raise InputError(f"{self.name} has no {name}. Use the published file.")
        return self._values[name]

    def _read(self, node: ast.expr) -> Any:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise self._refusal(node, f"there are more than {MOST_STEPS:,} literals")
        match node:
            case ast.Constant(value=str() | int() | float() | None as value):
                return self._check_length(value, node)
            case ast.JoinedStr(values=parts) if all(isinstance(part, ast.Constant) for part in parts):
                return self._check_length("".join(str(self._read(part)) for part in parts), node)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                before, after = self._read(left), self._read(right)
                if isinstance(before, str) and isinstance(after, str):
                    return self._check_length(before + after, node)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [self._read(element) for element in elements]
            case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
                pairs = zip(keys, values, strict=True)
                return {key.value: self._read(value) for key, value in pairs if isinstance(key, ast.Constant)}
            case ast.Lambda(args=ast.arguments(args=names, defaults=defaults)):
                defaulted = names[
                    len(names) - len(defaults) :
                ]  # a function body is code, but its default values are not
                return {name.arg: self._read(default) for name, default in zip(defaulted, defaults, strict=True)}
            case ast.Name(id=name):
                return self._read(self._node(name))
            case ast.Subscript(value=ast.Name() as whole, slice=ast.Constant(value=key)):
                holder = self._read(whole)
                if isinstance(holder, dict) and key in holder:
                    return holder[key]
        raise self._refusal(node, "a value is computed by code")

    def _check_length(self, value: Any, node: ast.expr) -> Any:
        if isinstance(value, str) and len(value) > MOST_WORDS:
            raise self._refusal(node, f"a text has more than {MOST_WORDS:,} characters")
        return value

    def _fill(self, question: str, example: dict[str, str], node: ast.expr) -> str:
        try:
            return str(self._check_length(re.sub(r"\{(\w+)\}", lambda match: example[match[1]], question), node))
        except KeyError as error:
            raise self._refusal(node, f"an example has no {error}") from None

    def _refusal(self, node: ast.expr, why: str) -> InputError:
        return InputError(
            f"{self.name}, line {node.lineno}: {why}, but assay reads only texts. None of it was run or saved."
        )


def _assignments(body: list[ast.stmt]) -> dict[str, ast.expr]:
    """Return the first value of every name that a body assigns."""
    values: dict[str, ast.expr] = {}
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, node.value)
    return values


def _messages(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and one.keys() == {"role", "content"} and _all_texts(one) for one in value
    )


def _examples(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and "answer" in one and _all_texts(one) for one in value
    )


def _all_texts(value: dict[Any, Any]) -> bool:
    return all(isinstance(text, str) for text in value.values())
