"""Parser for specs as typed by users: ``name``, ``name:option=value,option=value`` or ``module:Class:option=value``."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from assay.core.error_attribution import attribute_errors, is_third_party
from assay.core.errors import InputError, listing, unknown

if TYPE_CHECKING:
    from assay.core.registry import Registry

Word = Annotated[str, "a word"]
"""Type of an option that accepts any text but never treats it as a path or code, so files may specify it."""


def parse(spec: str) -> tuple[str, dict[str, str]]:
    """Split a spec into the name and its options, still as text."""
    name = name_of(spec)
    rest = spec[len(name) + 1 :]
    options: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"option {part!r} of {name!r} has no value. Write {name}:{part}=VALUE.")
        options[key.strip()] = value.strip()
    return name, options


def split(text: str) -> list[str]:
    """Split comma-separated specs: ``chrf,bleu:tokenize=zh,lowercase=yes,ter`` contains three.

    A part with an equals sign and no colon before it (``lowercase=yes``) is an option of the previous spec; any other part
    begins a new spec. This is for typed input only: in files every spec is separate, so none can be hidden in another.
    """
    specs: list[str] = []
    for piece in text.split(","):
        key, equals, _ = piece.partition("=")
        if equals and ":" not in key and specs:
            if ":" not in specs[-1]:
                raise InputError(f"option {piece!r} follows a comma. Write {specs[-1]}:{piece}.")
            specs[-1] += f",{piece}"
        elif piece.strip():
            specs.append(piece.strip())
    return specs


def name_of(spec: str) -> str:
    """Return the name in a spec, which precedes the options."""
    name, _, rest = spec.partition(":")
    attribute = rest.partition(":")[0]
    return f"{name}:{attribute}" if rest and "=" not in attribute else name


def create(registry: Registry, spec: str, base: type) -> Any:
    """Build the component that `spec` names in `registry`; reject, without calling it, one that does not implement `base`."""
    name, options = parse(spec)
    found = contracted(registry, name, base)
    if not inspect.isclass(found):
        if options:
            raise InputError(f"{registry.kind} {name!r} accepts no options, because it is an object, not a class.")
        return found
    made = build(found, name, options, f"{registry.look} {name}")
    if not isinstance(made, base):
        raise _no(registry, name, made, base)
    card = typing.get_type_hints(base).get("card")
    if card is not None and not isinstance(getattr(made, "card", None), card):
        raise InputError(
            f"{_called(type(made))} has no card: write card = {card.__name__}(...) in it ({card.__module__})."
        )
    return made


def contracted(registry: Registry, name: str, base: type) -> Any:
    """Return the class or object that `name` refers to; reject one that does not implement the interface `base`.

    Nothing is called for this check. For a protocol, only the methods are checked, so classes need not inherit from it.
    """
    found = registry.resolve(name)
    if not inspect.isclass(found):
        kept = isinstance(found, base)
    elif getattr(base, "_is_protocol", False):
        methods = [method for method, value in vars(base).items() if inspect.isfunction(value) and method[0] != "_"]
        kept = all(callable(getattr(found, method, None)) for method in methods)
    else:
        kept = issubclass(found, base)
    if not kept:
        raise _no(registry, name, found, base)
    return found


def _no(registry: Registry, name: str, found: object, base: type) -> InputError:
    what = found.__name__ if inspect.isclass(found) else type(found).__name__
    hint = f" Write {registry.mark} above a function of your own." if registry.mark and callable(found) else ""
    return InputError(f"{registry.kind} {name!r} is {what}, which is no {base.__module__}.{base.__name__}.{hint}")


def build(factory: Callable[..., Any], name: str, options: Mapping[str, str], look: str = "") -> Any:
    """Call `factory` with options converted to the annotated types; `look` is the command that lists them."""
    parameters, hints = _parameters(factory), _hints(factory) if options else {}
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
    lacking = [key for key, parameter in parameters.items() if _required(parameter) and key not in arguments]
    if lacking and is_third_party(factory):
        raise InputError(f"{name} needs the option {lacking[0]}: write {name}:{lacking[0]}=VALUE.")
    with attribute_errors(factory, f"making {name}"):
        return factory(**arguments)


def _required(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD


def free_options(factory: Callable[..., Any], options: Mapping[str, str]) -> list[str]:
    """Return the `options` that may hold any text, including a path or code, rather than a number, a boolean or a known word."""
    parameters, hints = _parameters(factory), _hints(factory)
    given = {key: _choice(text, hints.get(key, str)) for key, text in options.items() if key in parameters}
    return [
        key
        for key, hint in given.items()
        if hint not in (bool, int, float, types.NoneType, Word) and typing.get_origin(hint) is not typing.Literal
    ]


def _parameters(factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(factory).parameters
    return {key: parameter for key, parameter in parameters.items() if parameter.kind != parameter.VAR_POSITIONAL}


def _hints(factory: Callable[..., Any]) -> dict[str, Any]:
    return typing.get_type_hints(factory.__init__ if inspect.isclass(factory) else factory, include_extras=True)


def _called(factory: Any, kind: str = "the class ") -> str:
    return f"{kind}{factory.__module__}.{factory.__qualname__}"


def options(factory: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """Return the options that `build` accepts, each with its accepted values and its default as the user types them.

    A component with a required argument (a folder, a command) has no options: everything after its name is the argument.
    """
    hints = _hints(factory)
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


def _choice(text: str, hint: Any) -> Any:
    """Return the union member that `text` is converted to: None, the literal type that contains it, or else the first type."""
    if typing.get_origin(hint) not in (types.UnionType, typing.Union):
        return hint
    choices = [choice for choice in typing.get_args(hint) if choice is not types.NoneType]
    if len(choices) < len(typing.get_args(hint)) and text.lower() in ("none", ""):
        return types.NoneType
    words = [choice for choice in choices if typing.get_origin(choice) is typing.Literal]
    others = [choice for choice in choices if choice not in words]
    return next((choice for choice in words if text in typing.get_args(choice)), (others or choices)[0])


def _convert(text: str, hint: Any, name: str, key: str) -> Any:
    hint = _choice(text, hint)
    if hint is types.NoneType:
        return None
    if typing.get_origin(hint) is typing.Literal:
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
