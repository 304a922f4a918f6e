"""What was asked of assay, kept so that it can be asked again: the words of a command line, and the arguments of a verb.

A verb that is marked with `recorded` hangs the call on its result; the manifest keeps it, and ``assay rerun`` makes it again.
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

NOT_THE_QUESTION = ("progress", "asked", "fewest")
"""Arguments that change no result, or that are kept by what they were made from."""


def now() -> str:
    """The time in UTC, as ISO 8601 writes it, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Call:
    """A verb and its arguments, as plain values. `unkept` are those that a file cannot hold: texts in memory, objects."""

    verb: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unkept: tuple[str, ...] = ()
    started: str = field(default_factory=now)

    @classmethod
    def of(
        cls, verb: str, arguments: Mapping[str, Any], more: Call | None = None, *, texts: Collection[str] = ()
    ) -> Call:
        """From arguments of any kind. `more` are those that an earlier step was given; `texts` are the names of those that hold
        texts, which may be millions and are not kept."""
        kept: dict[str, Any] = dict(more.arguments) if more is not None else {}
        unkept = list(more.unkept) if more is not None else []
        for name, value in arguments.items():
            if name in NOT_THE_QUESTION or value is None:
                continue
            try:
                if name in texts:
                    raise TypeError(f"the texts of {name} are in memory")
                kept[name] = _plain(value)
            except TypeError:
                unkept.append(name)
        return cls(verb, kept, tuple(unkept), more.started if more is not None else now())


def recorded(verb: str, defaults: Mapping[str, Any] | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a verb's function, so that its result has the `call` that made it.

    An argument ``asked`` brings along the call by which it was made. `defaults` are those of the options that the function takes
    as ``**options``: they are recorded like those of its other parameters, and an option that is not among them is a TypeError.
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
            made = Call.of(verb, arguments, getattr(arguments.get("asked"), "call", None))
            result = function(*args, **kwargs)
            result.call = made  # type: ignore[attr-defined]
            return result

        return call

    return mark


def _plain(value: Any) -> Any:
    """A value that JSON holds and gives back; TypeError for any other."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    raise TypeError(f"{type(value).__name__} is no plain value")
