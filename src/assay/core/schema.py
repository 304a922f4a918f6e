"""Validation of plain values from JSON and YAML: every value is checked against the type annotation of its field.

An annotation is a dataclass, ``str``, ``bool``, ``int``, ``float`` (finite), ``Literal``, ``tuple``, ``dict[str, X]``,
``X | None``, ``int | str``, ``Any``, or one of these in ``Annotated[X, Bounds(low, high)]``. Other values are rejected with
one sentence that gives the position in the document, the expected type and the actual value.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, Union

from assay.core.errors import InputError, count, unknown
from assay.core.numbers import to_number

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Minimum and maximum of a number, both inclusive."""

    least: float = -math.inf
    most: float = math.inf

    def __str__(self) -> str:
        if self.most == math.inf:
            return f"at least {self.least:,g}"
        return f"at most {self.most:,g}" if self.least == -math.inf else f"between {self.least:,g} and {self.most:,g}"


Share = Annotated[float, Bounds(0, 1)]
Count = Annotated[int, Bounds(0, 10**15)]


@dataclass(frozen=True, slots=True)
class Place:
    """Position in a document, as shown in messages: ``rule.json: groups.de.above``."""

    file: str = ""
    path: str = ""

    def inside(self, key: object) -> Place:
        """Return the position of a key's value."""
        shown = shorten(str(key), 40).removeprefix("'").removesuffix("'")
        return Place(self.file, f"{self.path}.{shown}" if self.path else shown)

    def item(self, number: int) -> Place:
        """Return the position of a list entry, counted from 1."""
        return Place(self.file, f"{self.path}[{number}]")

    def __str__(self) -> str:
        return f"{self.file}: {self.path}" if self.file and self.path else self.file or self.path or "the document"


def shorten(value: object, most: int = 60) -> str:
    """Return a value for a message: on one line, and shortened if it is long."""
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, list | tuple):
        return f"a list of {count(len(value), 'value')}"
    if isinstance(value, int) and abs(value) > 10**most:
        return f"a number of more than {most} digits"
    if isinstance(value, str):
        return repr(value) if len(value) <= most else f"{value[:most]!r} …"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)


_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}

Trail = tuple[Any, Any]
"""Position of a value: its container's trail, and its key or number; the outermost trail holds the document's `Place`."""
Check = Callable[[Any, Trail, bool], Any]
"""Function that returns the converted value or raises InputError; the last argument is whether to reject unknown keys."""


def typed(kind: type[T], value: Any, where: Place, *, strict: bool = True) -> T:
    """Convert a value to `kind`, a dataclass. With `strict`, unknown keys are rejected, otherwise ignored."""
    check: Check = _check_of(typing.cast(Any, kind))
    found: T = check(value, (None, where), strict)
    return found


def _at(trail: Trail) -> Place:
    holder, key = trail
    if holder is None:
        return key  # type: ignore[no-any-return]
    place = _at(holder)
    return place.item(key) if isinstance(key, int) else place.inside(key)


@functools.cache
def _check_of(hint: Any) -> Check:
    """Return the check for an annotation; the result is cached."""
    if hint is Any:
        return lambda value, trail, strict: value
    if dataclasses.is_dataclass(hint):
        return _section(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _bounded(_check_of(arguments[0]), arguments[1])
    if origin in (types.UnionType, Union):
        return _union(arguments)
    if origin is Literal:
        return _literal(arguments)
    if origin is tuple:
        return _sequence(arguments)
    return (
        _mapping(_check_of(arguments[1])) if origin in (dict, Mapping) else _number if hint is float else _plain(hint)
    )


def _section(kind: Any) -> Check:
    hints = typing.get_type_hints(kind, include_extras=True)
    none = dataclasses.MISSING
    inner = [f for f in dataclasses.fields(kind) if f.init]
    checks = {f.name: (_check_of(hints[f.name]), _fine(hints[f.name])) for f in inner}
    needed = [f.name for f in inner if f.default is none and f.default_factory is none]

    def check(value: Any, trail: Trail, strict: bool) -> Any:
        if not isinstance(value, dict):
            raise InputError(f"{_at(trail)} must be a mapping of names to values, not {shorten(value)}.")
        for key in value if strict else ():
            if key not in checks:
                raise unknown("key", shorten(str(key), 40).strip("'"), checks, f"in {_at(trail)}")
        for name in needed:
            if name not in value:
                raise InputError(f"{_at(trail)} is missing {name!r}.")
        found = {}
        for name, (one, fine) in checks.items():
            if name in value:
                given = value[name]
                found[name] = given if type(given) in fine else one(given, (trail, name), strict)
        return kind(**found)

    return check


def _fine(hint: Any) -> frozenset[type]:
    """Return the types whose values need no conversion, to avoid a function call per value in large files."""
    if typing.get_origin(hint) in (types.UnionType, Union):
        return frozenset().union(*map(_fine, typing.get_args(hint)))
    return frozenset({hint} if hint in (str, int, bool, NoneType) else ())


def _mapping(inner: Check) -> Check:
    def check(value: Any, trail: Trail, strict: bool) -> Any:
        if not isinstance(value, dict):
            raise InputError(f"{_at(trail)} must be a mapping of names to values, not {shorten(value)}.")
        return {str(key): inner(one, (trail, str(key)), strict) for key, one in value.items()}

    return check


def _sequence(hints: tuple[Any, ...]) -> Check:
    open_ended = hints[-1] is Ellipsis
    checks = [_check_of(hint) for hint in hints if hint is not Ellipsis]
    easy = {hints[0]} if open_ended and hints[0] in (Any, str, int, bool) else None

    def check(value: Any, trail: Trail, strict: bool) -> Any:
        if not isinstance(value, (list, tuple)):
            raise InputError(f"{_at(trail)} must be a list, not {shorten(value)}.")
        if not open_ended and len(value) != len(checks):
            raise InputError(f"{_at(trail)} must have {count(len(checks), 'value')}, not {len(value)}.")
        if easy and (Any in easy or set(map(type, value)) == easy):  # no values to check individually
            return tuple(value)
        inner = itertools.repeat(checks[0], len(value)) if open_ended else checks
        return tuple([one(v, (trail, i), strict) for i, (one, v) in enumerate(zip(inner, value, strict=True), 1)])

    return check


def _union(hints: tuple[Any, ...]) -> Check:
    optional = NoneType in hints
    first, *_ = others = {hint: _check_of(hint) for hint in hints if hint is not NoneType}

    def check(value: Any, trail: Trail, strict: bool) -> Any:
        if value is None and optional:
            return None
        if len(others) > 1 and type(value) not in others:
            wanted = " or ".join(sorted(_NAMES[hint] for hint in others))
            raise InputError(f"{_at(trail)} must be {wanted}, not {shorten(value)}.")
        return (others.get(type(value)) or others[first])(value, trail, strict)

    return check


def _literal(values: tuple[Any, ...]) -> Check:
    def check(value: Any, trail: Trail, strict: bool) -> Any:
        if type(value) not in (str, int) or value not in values:
            raise unknown(f"value of {_at(trail)}", shorten(value).strip("'"), map(str, values))
        return value

    return check


def _plain(kind: type) -> Check:
    name = _NAMES[kind]

    def check(value: Any, trail: Trail, strict: bool) -> Any:
        if type(value) is not kind:
            raise InputError(f"{_at(trail)} must be {name}, not {shorten(value)}.")
        return value

    return check


def _number(value: Any, trail: Trail, strict: bool) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    number = to_number(value)  # YAML reads 1e-6 as text because it has no decimal point
    if number is None or not math.isfinite(number):
        kind = "a number" if number is None else "a finite number"
        raise InputError(f"{_at(trail)} must be {kind}, not {shorten(value)}.")
    return number


def _bounded(inner: Check, bounds: Bounds) -> Check:
    def check(value: Any, trail: Trail, strict: bool) -> Any:
        found = inner(value, trail, strict)
        if not bounds.least <= found <= bounds.most:
            raise InputError(f"{_at(trail)} must be {bounds}, not {shorten(value)}.")
        return found

    return check
