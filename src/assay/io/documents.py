"""Bounded readers of JSON and YAML.

Nesting is limited to `MOST_DEPTH` levels. A whole document (`read_document`) is limited to `MOST_BYTES` bytes (YAML:
`MOST_YAML`) and its numbers to `MOST_DIGITS` digits. Duplicate keys and lone surrogates are rejected.

JSON lines are decoded with `decode`. Integers are limited to 4,300 digits, Python's default, and the last of two duplicate
keys counts. NaN and Infinity are accepted in Python's notation. The schema (`assay.core.schema`) or the reader of a cell
(`assay.core.numbers`) decides whether a number must be finite.
"""

from __future__ import annotations

import functools
import json
import os
from typing import Any

from assay.core.errors import InputError, MissingPart
from assay.io.files.text import read_text

MOST_BYTES = 1 << 26
"""Bytes of a document. Rules, cards, manifests and configurations have thousands."""
MOST_YAML = 1 << 20
"""Bytes of a YAML file, which takes a thousand times longer to read."""
MOST_DEPTH = 100
MOST_DIGITS = 300
"""Digits of a whole number: about as many as the largest float has."""
MOST_VALUES = 20_000_000
"""Values in a document. YAML's references to earlier values count each time."""
_DEEP = f"nested more than {MOST_DEPTH} deep"


def decode(text: str) -> Any:
    """Return the JSON value of a text; raise ValueError if it is not JSON or exceeds the bounds."""
    try:
        value, end = _SCAN(text, 0)
        if end != len(text):  # whitespace around the value, or not JSON: the decoder distinguishes them
            value = _DECODER.decode(text)
    except StopIteration:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError(_DEEP) from None
    if len(text) > MOST_DEPTH:
        check_depth(value, text.count("[") + text.count("{"))
    return value


def check_depth(value: object, brackets: int) -> None:
    """Reject a value that is nested too deeply. Most values are skipped because their text has too few `brackets`."""
    if brackets > MOST_DEPTH:
        _check_values(value, texts=False)


def read_document(
    path: str | os.PathLike[str],
    *,
    yaml: bool = False,
    most: int | None = None,
    said: str | None = None,
    remedy: str = "",
) -> Any:
    """Return the plain values of a JSON or YAML file, plain or compressed.

    If the file cannot be read, the InputError names the file, the problem (`said`, such as ``is not JSON``), the reason and
    the `remedy`.
    """
    text = read_text(path, most or (MOST_YAML if yaml else MOST_BYTES))
    return parse_document(text, os.fspath(path), yaml=yaml, said=said, remedy=remedy)


def parse_document(text: str, where: str, *, yaml: bool = False, said: str | None = None, remedy: str = "") -> Any:
    """Return the plain values of a JSON or YAML text; `where` names it in messages."""
    said = said or ("is not YAML" if yaml else "is not JSON")
    try:
        value = _load_yaml(text) if yaml else _WHOLE_DECODER.decode(text)
        _check_values(value, texts=True)
    except (ValueError, RecursionError) as error:
        reason = _DEEP if isinstance(error, RecursionError) else " ".join(str(error).split()).rstrip(".")
        if isinstance(error, json.JSONDecodeError) and _is_cut(text):
            reason = "it is incomplete; copy it again"
        raise InputError(f"{where} {said}: {reason}. {remedy}".rstrip()) from error
    return value


def _is_cut(text: str) -> bool:
    """Return whether an object or a list is opened but not closed."""
    return text.lstrip().startswith(("{", "[")) and not text.rstrip().endswith(("}", "]"))


def _parse_int(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number of {len(text):,} digits")
    return int(text)


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)[:40]!r} is repeated in one object")
    return members


_DECODER = json.JSONDecoder()
_SCAN = _DECODER.scan_once  # type: ignore[attr-defined]
"""The decoder's function that returns the value at a position and its end, without the search for whitespace."""
_WHOLE_DECODER = json.JSONDecoder(parse_int=_parse_int, object_pairs_hook=_unique_members)


def _check_values(value: object, *, texts: bool) -> None:
    """Reject a value that is nested too deeply or contains too many values; with `texts`, also reject lone surrogates."""
    level, depth, seen = [value], 0, 0
    while level:
        depth += 1
        seen += len(level)
        inner: list[object] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
                inner += one if texts else ()
            elif isinstance(one, list | tuple):
                inner += one
            elif texts and isinstance(one, str) and not one.isascii() and not _is_encodable(one):
                raise ValueError(f"a lone surrogate in the text {one[:40]!r}")
        if seen + len(inner) > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES:,} values")
        level = inner
        if depth >= MOST_DEPTH and any(isinstance(one, dict | list | tuple) for one in level):
            raise ValueError(_DEEP)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _load_yaml(text: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise MissingPart("YAML files need the extra 'neural': pip install 'mt-assay[neural]'") from error
    try:
        return yaml.load(text, Loader=_yaml_loader())  # a subclass of SafeLoader: plain values only
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise ValueError(str(error)) from error


@functools.cache
def _yaml_loader() -> Any:
    """Return PyYAML's safe loader with bounds on numbers and without duplicate keys."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.value != "<<"]
            if len(set(keys)) < len(keys):
                raise ValueError(f"a key is repeated in the mapping that begins on line {node.start_mark.line + 1}")
            return super().construct_mapping(node, deep)

        def construct_number(self, node: Any) -> Any:
            if len(str(node.value)) > MOST_DIGITS:
                raise ValueError(f"a number of {len(node.value):,} digits")
            whole = node.tag.endswith(":int")
            return self.construct_yaml_int(node) if whole else self.construct_yaml_float(node)

    for kind in ("int", "float"):
        Loader.add_constructor(f"tag:yaml.org,2002:{kind}", Loader.construct_number)
    return Loader
