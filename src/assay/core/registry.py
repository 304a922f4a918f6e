"""Names to things, resolved only when used.

A `Registry` maps a name to ``"module:attribute"``. Third parties add names through Python entry points
(``assay.metrics``, ``assay.suites``, ``assay.analyses``, ``assay.perturbations``, ``assay.tasks``, ``assay.translators``,
``assay.obtainers``), which are looked up only when a built-in
name does not match or when everything is listed, so that start-up stays light.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Collection, Mapping
from typing import Any

from assay.core.error_attribution import describe, register_third_party, third_party_location
from assay.core.errors import AssayError, InputError, MissingPart, UnknownName, unknown

FURTHER = "*"
"""The key of a function that returns further entries in this place, called when a name is not among the others."""


class Registry:
    """One kind of thing (metrics, suites, …) by name.

    `commands` are those of the entries that run a command out of their spec; no file may name them. `mark` is the decorator
    that makes a function one of these things. `elsewhere` is a function that gives the name here of one from elsewhere, or None.
    `left_out` says of names that people may look for why there is nothing by them.
    """

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, str],
        *,
        commands: Collection[str] = (),
        mark: str = "",
        elsewhere: str = "",
        left_out: Mapping[str, str] | None = None,
    ) -> None:
        self.kind = kind
        self.group = f"assay.{kind}s" if not kind.endswith("s") else f"assay.{kind}"
        if kind == "analysis":
            self.group = "assay.analyses"
        self.look = f"assay list {self.group.removeprefix('assay.')}"
        self._given = dict(entries)
        self.commands, self.mark, self.elsewhere = frozenset(commands), mark, elsewhere
        self.left_out = dict(left_out or {})
        self._plugins: dict[str, str] | None = None

    @functools.cached_property
    def entries(self) -> dict[str, str]:
        """All built-in names and what they stand for."""
        found: dict[str, str] = {}
        for name, target in self._given.items():
            found |= load(target, self.kind)() if name == FURTHER else {name: target}
        return found

    def _built_in(self, name: str) -> str | None:
        return None if name == FURTHER else self._given.get(name) or self.entries.get(name)

    def plugins(self) -> dict[str, str]:
        """Names that other installed distributions add."""
        if self._plugins is None:
            from importlib.metadata import entry_points

            self._plugins = {point.name: point.value for point in entry_points(group=self.group)}
        return self._plugins

    def names(self) -> list[str]:
        """Every name, built-in ones first."""
        return [*self.entries, *(name for name in self.plugins() if name not in self.entries)]

    def registered(self, name: str) -> bool:
        """Whether `name` is built in or an installed distribution's; nothing is imported to find out."""
        return self._built_in(name) is not None or name in self.plugins()

    def resolve(self, name: str) -> Any:
        """The thing called `name`; ``module:attribute`` is taken as it is."""
        target = self._built_in(name)
        if target is None and ":" in name:
            known, _, option = name.partition(":")
            if self._built_in(known) is not None:
                raise InputError(f"option {option!r} of {known} has no value. Write {known}:{option}=VALUE.")
            target = name
        if target is None:
            target = self.plugins().get(name)
        if target is None and self.elsewhere:
            target = self.entries.get(load(self.elsewhere, self.kind)(name))
        if target is None and name in self.left_out:
            raise UnknownName(f"there is no {self.kind} {name} in assay: {self.left_out[name]}")
        if target is None:
            raise unknown(self.kind, name, self.names(), self.look)
        return load(target, f"{self.kind} {name!r}")


def load(target: str, what: str) -> Any:
    """Import ``module:attribute``; a missing module or attribute is reported by name."""
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
            raise UnknownName(f"{what}: there is no module {module_name!r} on the Python path.") from error
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
