"""Validation of arguments from a manifest: they must match the verb's signature and must not run code."""

from __future__ import annotations

import builtins
import inspect
import os
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, Literal, Unpack

from assay.analyses import ANALYSES
from assay.core.errors import InputError, unknown
from assay.core.schema import shorten
from assay.core.trust import check_spec
from assay.io.files.folders import is_remote
from assay.metrics import METRICS
from assay.suites import SUITES
from assay.verbs.shared.input_files import several

KNOWN = {
    "PathName": str, "Quoting": Literal["auto", "csv", "none"], "Texts": NoneType, "References": NoneType, "RowsDone": NoneType,
    "ColumnChoice": Mapping[str, str | int | Sequence[str | int]],
    "Paths": str | Sequence[str], "OnError": Literal["stop", "skip"], "ProgressCallback": NoneType,
    "SystemTest": str, "Correlation": str, "Analysis": NoneType, "LevelScores": NoneType,
}  # fmt: skip
"""Types of values in a file for names in annotations of verbs; other names accept any value."""

_NO_PATHS = ("metrics", "analysis", "judge", "out", "engine", "address")
"""Arguments whose names are checked by `admitted`, or that are not used again."""


class _Names(dict[str, Any]):
    """Namespace for annotations: known names, built-ins and the module's names; any other name is ``Any``."""

    def __init__(self, thing: Callable[..., Any]) -> None:
        super().__init__(KNOWN)
        self.module = vars(sys.modules[inspect.unwrap(thing).__module__])

    def __missing__(self, name: str) -> Any:
        return self.module[name] if name in self.module else getattr(builtins, name, Any)


def fitting(function: Callable[..., Any], arguments: Mapping[str, Any], where: str) -> None:
    """Reject arguments that `function` does not accept, and values of the wrong type."""
    kinds = parameter_types(function)
    for name, value in arguments.items():
        if name not in kinds:
            raise unknown(f"argument of {function.__name__}", name, kinds, f"in {where}")
        if not _fits(value, kinds[name]):
            raise InputError(f"{where}: {name} cannot be {shorten(value)}.")


def parameter_types(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of a verb's parameters by name, including those in its ``**options: Unpack[…]``."""
    hints = typing.get_type_hints(inspect.unwrap(function), localns=_Names(function))
    kinds: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD and typing.get_origin(hints.get(name)) is Unpack:
            (options,) = typing.get_args(hints[name])
            kinds |= typing.get_type_hints(options, localns=_Names(options))
        else:
            kinds[name] = hints.get(name, Any)
    return kinds


def _fits(value: Any, hint: Any) -> bool:
    if hint is Any:
        return True
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return any(_fits(value, choice) for choice in inner)
    if origin is Literal:
        return value in inner
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(_fits(one, inner[1]) for one in value.values())
    if inspect.isclass(origin) and issubclass(origin, Sequence):
        return isinstance(value, list) and all(_fits(one, inner[0]) for one in value)
    if hint is float:
        return type(value) in (int, float)
    return type(value) is hint


def inside(arguments: Mapping[str, Any], known: Collection[str], roots: Sequence[Path], where: str) -> None:
    """Reject arguments that name a file outside the `roots`, unless it is one of the `known` files.

    A manifest could name any of the user's files, and the output of the run may be shared.
    """
    for given in _texts([value for name, value in arguments.items() if name not in _NO_PATHS]):
        for text in dict.fromkeys((given, given.partition("=")[2], given.rpartition(":")[0])):
            path = Path(text.replace("\0", "")).expanduser()
            if not text or not (path.is_absolute() or ".." in path.parts or os.path.lexists(path)):
                continue
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise InputError(f"{where} names {shorten(text)}, which is neither a file nor a folder.")
            if text not in known and not any(path.resolve().is_relative_to(root) for root in roots):
                raise InputError(
                    f"{where} names {shorten(text)}, which is in neither the manifest's folder nor the working directory, "
                    "and does not match a file recorded "
                    "in the manifest. Specify the folder that contains it (--folder DIR), or use --trust (trust=True) if "
                    "the manifest is your own."
                )


def _texts(value: Any) -> Iterator[str]:
    """Return every string in the arguments, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(list(value.keys()))
        yield from _texts(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)


def admitted(arguments: Mapping[str, Any], where: str, *, trust: bool) -> None:
    """Reject unregistered metrics, suites and analyses, and all judges, unless the user trusts the manifest."""
    if (judge := arguments.get("judge")) is not None and not trust:
        raise InputError(
            f"{where} names the judge {shorten(judge)}, which runs a command. Use --trust (trust=True) if the file is your own."
        )
    for given in (*several(arguments.get("data")), *several(arguments.get("suite"))):
        if is_remote(given) and not trust:
            raise InputError(
                f"{where} names {shorten(given)}, which requires your credentials. Use --trust (trust=True) if the file "
                "is your own."
            )
    for spec in several(arguments.get("metrics")):
        check_spec(METRICS, spec, where, trust=trust)
    if (analysis := arguments.get("analysis")) is not None:
        check_spec(ANALYSES, analysis, where, trust=trust)
    for suite in () if "out" in arguments else several(arguments.get("suite")):
        if not (os.sep in suite or Path(suite).suffix or Path(suite).is_file()):
            check_spec(SUITES, suite, where, trust=trust)
