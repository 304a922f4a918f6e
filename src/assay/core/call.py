"""Recorded calls: the verb and arguments behind a result, from which ``assay rerun`` repeats the call.

The decorator `recorded` attaches the call to the result of a verb. The manifest of a run stores it.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

NOT_RECORDED = ("progress", "asked", "fewest")
"""Arguments that do not affect the result, or that are recorded through the arguments they were made from."""


def now() -> str:
    """Return the time in UTC to the second, in ISO 8601 format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Call:
    """A verb and its arguments as plain values. `unkept` names arguments that a file cannot represent, such as texts in memory."""

    verb: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unkept: tuple[str, ...] = ()
    started: str = field(default_factory=now)

    @classmethod
    def of(
        cls, verb: str, arguments: Mapping[str, Any], more: Call | None = None, *, texts: Collection[str] = ()
    ) -> Call:
        """Build the call from arguments of any type.

        `more` is the call of an earlier step, whose arguments are included. `texts` names arguments that contain texts,
        which are not recorded because there may be millions of them.
        """
        values: dict[str, Any] = dict(more.arguments) if more is not None else {}
        unkept = list(more.unkept) if more is not None else []
        for name, value in arguments.items():
            if name in NOT_RECORDED or value is None:
                continue
            try:
                if name in texts:
                    raise TypeError(f"the texts of {name} are in memory")
                values[name] = _plain(value)
            except TypeError:
                unkept.append(name)
        return cls(verb, values, tuple(unkept), more.started if more is not None else now())


def recorded(verb: str, defaults: Mapping[str, Any] | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that attaches the `Call` to a verb's result.

    If the argument ``asked`` has a `call`, its arguments are included. `defaults` are the default values of the options
    that the function takes as ``**options``. They are recorded as well, and any other option raises a TypeError.
    """

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        rest = next((p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), "")

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            options = bound.arguments.pop(rest, {})
            if defaults is not None and (wrong := [name for name in options if name not in defaults]):
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {wrong[0]!r}")
            arguments = {**bound.arguments, **(defaults or {}), **options}
            record = Call.of(verb, arguments, getattr(arguments.get("asked"), "call", None))
            result = function(*args, **kwargs)
            result.call = record  # type: ignore[attr-defined]
            return result

        return call

    return mark


def _plain(value: Any) -> Any:
    """Convert a value for JSON; raise a TypeError if that is impossible."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    raise TypeError(f"{type(value).__name__} is not a plain value")
