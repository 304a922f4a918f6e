"""API reference: every public name with signature and docstring, as one Markdown page."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import assay

HEAD = """# In Python

Every verb of the command line is a function that takes the same options and gives the same numbers; what it gives back prints as a
table, and as HTML in a notebook. Importing assay is light: what a function needs is loaded when it is first called.
"""


def page() -> str:
    """Return the page: verbs first, then classes to build on."""
    names = [name for name in assay.__all__ if name != "__version__"]
    verbs = [name for name in names if assay._LAZY[name].startswith("assay.verbs")]
    parts = [HEAD, "## Verbs\n", *map(entry, verbs), "## To build on\n", *map(entry, sorted({*names} - {*verbs}))]
    return "\n".join(parts)


def entry(name: str) -> str:
    """Return one name: heading, signature, docstring, and the public methods of a class."""
    thing = getattr(assay, name)
    if not inspect.isclass(thing):
        return f"### assay.{name}\n\n{_code(f'assay.{name}', thing)}\n{_said(thing)}\n"
    return f"### assay.{name}\n\n{_code(f'class assay.{name}', thing)}\n{_said(thing)}\n{''.join(_methods(thing))}"


def _methods(thing: type) -> Iterator[str]:
    for name, member in vars(thing).items():
        inside = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        value = isinstance(inside, property | cached_property)
        if name.startswith("_") or not (value or inspect.isfunction(inside)):
            continue
        signature = "" if value else _arguments(inside, "")
        yield f"- `{name}{signature}`: {' '.join(_said(inside).split())}\n"


def _said(thing: object) -> str:
    """Return the docstring, with its sections (Args, Returns …) as lists."""
    text = inspect.getdoc(thing)
    if not text:
        raise ValueError(f"{thing} is public and has no docstring")
    lines: list[str] = []
    part = ""
    for line in text.splitlines():
        if found := re.fullmatch(r"(\w+):", line):
            part = found[1]
            lines += [f"**{part}**", ""]
        elif part and (entry := re.fullmatch(r" {4}(\w[\w, *]*): (.*)", line)):
            lines.append(f"- `{entry[1]}`: {entry[2]}")
        else:
            part = part if line.startswith(" ") else ""
            lines.append(line.strip() if part else line)
    return "\n".join(lines)


def _code(name: str, thing: Callable[..., Any]) -> str:
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return f"```python\n{name}({thing.__bases__[0].__name__})\n```\n"
    signature = _arguments(thing, "")
    return f"```python\n{name}{signature if len(name + signature) < 90 else _arguments(thing, '    ')}\n```\n"


def _arguments(thing: Callable[..., Any], indent: str) -> str:
    """Return the signature with annotations as written; with an indent, one argument per line."""
    signature = inspect.signature(thing)
    words: list[str] = []
    keyword_only = False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            words.append("*")
        keyword_only |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        words.append(_written(parameter))
    inside = f"(\n{''.join(f'{indent}{word},{chr(10)}' for word in words)})" if indent else f"({', '.join(words)})"
    gives = _annotation(signature.return_annotation)
    return inside + (f" -> {gives}" if gives and not inspect.isclass(thing) else "")


def _written(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    kind = _annotation(parameter.annotation)
    default = "" if parameter.default is parameter.empty else f"{' = ' if kind else '='}{_value(parameter.default)}"
    return f"{stars}{parameter.name}{f': {kind}' if kind else ''}{default}"


def _value(default: object) -> str:
    """Return a default as one would type it; an object of some class by its name."""
    text = repr(default)
    return f"{type(default).__name__}(…)" if " at 0x" in text or text.startswith("<") else text


def _annotation(annotation: object) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
