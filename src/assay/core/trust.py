"""Trust check for specs in files: third-party rules, cards and receipts must not run code.

A spec that the user types may name anything. A spec in a file may name only registered components (built in, or an entry
point of an installed package), with numbers, booleans or plain words as options. It must not name code, a command, a path or
a paid service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.errors import InputError
from assay.core.spec import free_options, name_of, parse

if TYPE_CHECKING:
    from assay.core.registry import Registry


def check_spec(registry: Registry, spec: object, where: str, *, trust: bool = False) -> str:
    """Return a spec from the file `where`, or reject it if it could do harm; with `trust`, every spec is accepted.

    Nothing is imported before the name is found in the registry.
    """
    if not isinstance(spec, str):
        raise InputError(f"{where} names a {registry.kind} that is {type(spec).__name__}, not text.")
    if trust:
        return spec
    name = name_of(spec)
    if not registry.registered(name):
        raise _refused(registry, spec, where, f"is not registered ({registry.look})")
    if name in registry.commands:
        raise _refused(registry, spec, where, "runs a command")
    if service := getattr(getattr(registry.resolve(name), "card", None), "service", ""):
        raise _refused(registry, spec, where, f"sends requests to {service} with your key and at your expense")
    try:
        options = parse(spec)[1]
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if options and (free := free_options(registry.resolve(name), options)):
        raise _refused(registry, spec, where, f"has the option {free[0]}, which may be a path")
    return spec


def _refused(registry: Registry, spec: str, where: str, why: str) -> InputError:
    return InputError(
        f"{where} names the {registry.kind} {spec[:200]!r}, which {why}. Use --trust (trust=True) if the file is your own."
    )
