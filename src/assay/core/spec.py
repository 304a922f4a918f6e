"""Specs: ``name``, ``name:option=value,option=value`` or ``module:Class:option=value`` as people type them."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, listing, unknown

if TYPE_CHECKING:
    from assay.core.registry import Registry


def parse(spec: str) -> tuple[str, dict[str, str]]:
    """Split a spec into the name and its options, still as text."""
    name, _, rest = spec.partition(":")
    if rest and "=" not in rest.partition(":")[0]:
        attribute, _, rest = rest.partition(":")
        name = f"{name}:{attribute}"
    options: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"option {part!r} of {name!r} has no value. Write {name}:{part}=VALUE.")
        options[key.strip()] = value.strip()
    return name, options


def create(registry: Registry, spec: str, base: type) -> Any:
    """What `spec` names in `registry`, built with its options; a thing that is no whole `base` is refused."""
    name, options = parse(spec)
    factory = registry.resolve(name)
    if not callable(factory):
        raise InputError(f"{registry.kind} {name!r} is {type(factory).__name__}, not a class.")
    made = build(factory, name, options, f"{registry.look} {name}")
    if not isinstance(made, base):
        raise InputError(
            f"{registry.kind} {name!r} is {type(made).__name__}, which is no {base.__module__}.{base.__name__}."
        )
    card = typing.get_type_hints(base).get("card")
    if card is not None and not isinstance(getattr(made, "card", None), card):
        raise InputError(
            f"{_called(type(made))} has no card: write card = {card.__name__}(...) in it ({card.__module__})."
        )
    return made


def build(factory: Callable[..., Any], name: str, options: Mapping[str, str], look: str = "") -> Any:
    """Call `factory` with its options converted to the types its signature names; `look` is where they are listed."""
    target = factory.__init__ if inspect.isclass(factory) else factory
    parameters = {key: p for key, p in inspect.signature(factory).parameters.items() if p.kind != p.VAR_POSITIONAL}
    hints = typing.get_type_hints(target) if options else {}
    arguments = {}
    for key, text in options.items():
        if key not in parameters:
            raise unknown(f"option of {name}", key, parameters, look)
        arguments[key] = _convert(text, hints.get(key, str), name, key)
    if missing := sorted(getattr(factory, "__abstractmethods__", ())):
        base = next(base for base in inspect.getmro(factory) if missing[0] in vars(base))  # type: ignore[arg-type]
        raise InputError(
            f"{_called(factory)} lacks {listing(missing)}, which every {_called(base, kind='')} must define."
        )
    return factory(**arguments)


def _called(factory: Any, kind: str = "the class ") -> str:
    return f"{kind}{factory.__module__}.{factory.__qualname__}"


def options(factory: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """What `build` accepts: for each option what it takes, and its default, in the words in which it is typed.

    A thing that cannot be made without an argument (a folder, a command) has no options: all that follows its name is that.
    """
    target = factory.__init__ if inspect.isclass(factory) else factory
    hints = typing.get_type_hints(target)
    known: dict[str, tuple[str, str]] = {}
    for key, parameter in inspect.signature(factory).parameters.items():
        if parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            return {}
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            default = parameter.default
            shown = {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)
            known[key] = _takes(hints.get(key, str)), "" if default in (None, parameter.empty) else shown
    return known


def _takes(hint: Any) -> str:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return " or ".join(_takes(choice) for choice in typing.get_args(hint) if choice is not type(None))
    if typing.get_origin(hint) is typing.Literal:
        return ", ".join(map(str, typing.get_args(hint)))
    return {bool: "yes or no", int: "a whole number", float: "a number"}.get(hint, "text")


_TRUE, _FALSE = ("yes", "true", "1", "on"), ("no", "false", "0", "off")


def _convert(text: str, hint: Any, name: str, key: str) -> Any:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        choices = typing.get_args(hint)
        if type(None) in choices and text.lower() in ("none", ""):
            return None
        return _convert(text, next(choice for choice in choices if choice is not type(None)), name, key)
    if origin is typing.Literal:
        allowed = typing.get_args(hint)
        if text not in allowed:
            raise unknown(f"{key} of {name}", text, map(str, allowed))
        return text
    if hint is bool:
        if text.lower() in (*_TRUE, *_FALSE):
            return text.lower() in _TRUE
        raise InputError(f"option {key} of {name} takes yes or no, not {text!r}.")
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            kind = "a whole number" if hint is int else "a number"
            raise InputError(f"option {key} of {name} takes {kind}, not {text!r}.") from None
    return text
