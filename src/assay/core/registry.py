"""Registry of names (metrics, suites, analyses …) that are imported only when they are used.

A `Registry` maps a name to ``"module:attribute"``. Third parties add names through Python entry points (``assay.metrics``,
``assay.suites``, ``assay.analyses``, ``assay.perturbations``, ``assay.tasks``, ``assay.translators``, ``assay.obtainers``).
To keep start-up fast, these are looked up only if a name is not built in or everything is listed.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Collection, Mapping
from typing import Any

from assay.core.error_attribution import describe, register_third_party, third_party_location
from assay.core.errors import AssayError, InputError, MissingPart, UnknownName, unknown

FURTHER = "*"
"""The key of a function that returns more entries. It is called only if a name is not among the other entries."""


class Registry:
    """Components of one kind (metrics, suites, …) by name.

    Args:
        kind: The kind in the singular, for messages and the entry point group.
        entries: Built-in names and their ``module:attribute``.
        commands: Names of entries that run a command from their spec; files must not name them.
        mark: The decorator that turns a function into a component of this kind.
        alias: ``module:function`` that returns the registered name for another tool's name, or None.
        excluded: Names that users may look for but that assay does not provide, with the reason.
    """

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, str],
        *,
        commands: Collection[str] = (),
        mark: str = "",
        alias: str = "",
        excluded: Mapping[str, str] | None = None,
    ) -> None:
        self.kind = kind
        self.group = f"assay.{kind}s" if not kind.endswith("s") else f"assay.{kind}"
        if kind == "analysis":
            self.group = "assay.analyses"
        self.look = f"assay list {self.group.removeprefix('assay.')}"
        self._declared = dict(entries)
        self.commands, self.mark, self.alias = frozenset(commands), mark, alias
        self.excluded = dict(excluded or {})
        self._plugins: dict[str, str] | None = None

    @functools.cached_property
    def entries(self) -> dict[str, str]:
        """All built-in names and their ``module:attribute``."""
        entries: dict[str, str] = {}
        for name, target in self._declared.items():
            entries |= load(target, self.kind)() if name == FURTHER else {name: target}
        return entries

    def _built_in(self, name: str) -> str | None:
        return None if name == FURTHER else self._declared.get(name) or self.entries.get(name)

    def plugins(self) -> dict[str, str]:
        """Return the entries that other installed distributions add."""
        if self._plugins is None:
            from importlib.metadata import entry_points

            self._plugins = {point.name: point.value for point in entry_points(group=self.group)}
        return self._plugins

    def names(self) -> list[str]:
        """Return every name, built-in ones first."""
        return [*self.entries, *(name for name in self.plugins() if name not in self.entries)]

    def registered(self, name: str) -> bool:
        """Return whether `name` is built in or added by an installed distribution; nothing is imported."""
        return self._built_in(name) is not None or name in self.plugins()

    def resolve(self, name: str) -> Any:
        """Import and return the component called `name`, which may also be ``module:attribute``."""
        target = self._built_in(name)
        if target is None and ":" in name:
            registered, _, option = name.partition(":")
            if self._built_in(registered) is not None:
                raise InputError(f"option {option!r} of {registered} has no value. Write {registered}:{option}=VALUE.")
            target = name
        if target is None:
            target = self.plugins().get(name)
        if target is None and self.alias:
            target = self.entries.get(load(self.alias, self.kind)(name))
        if target is None and name in self.excluded:
            raise UnknownName(f"assay has no {self.kind} {name}: {self.excluded[name]}")
        if target is None:
            raise unknown(self.kind, name, self.names(), self.look)
        return load(target, f"{self.kind} {name!r}")


def load(target: str, what: str) -> Any:
    """Import and return ``module:attribute``; `what` names it in error messages."""
    module_name, _, attribute = target.partition(":")
    register_third_party(module_name)
    try:
        module = importlib.import_module(module_name)
    except InputError as error:
        raise InputError(f"{what}: importing the module {module_name!r} failed{_at(error)}: {error}") from error
    except AssayError:
        raise
    except ModuleNotFoundError as error:
        if error.name and module_name.startswith(error.name):
            raise UnknownName(f"{what}: module {module_name!r} is not on the Python path.") from error
        raise MissingPart(f"{what} needs the package {error.name!r}, which is not installed.") from error
    except ImportError as error:
        raise MissingPart(f"{what} could not be imported{_at(error)}: {error}.") from error
    except Exception as error:
        raise InputError(
            f"{what}: importing the module {module_name!r} failed{_at(error)} ({describe(error)})."
        ) from error
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        raise InputError(f"{what}: module {module_name!r} has no {attribute!r}.") from error


def _at(error: Exception) -> str:
    where = third_party_location(error)
    return f" at {where}" if where else ""
