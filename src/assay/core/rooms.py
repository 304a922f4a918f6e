"""Rooms that can be called: ``assay.metrics()`` lists what is in the package ``assay.metrics``."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class ListedRoom(ModuleType):
    """A package that answers a call with the list of what it registers (`assay.verbs.list`)."""

    def __call__(self, name: str | None = None) -> Any:
        """All that is registered here, or the one called `name` in full."""
        return importlib.import_module("assay.verbs.list").listing(self.__name__.rpartition(".")[2], name)


def listed(package: str) -> None:
    """Let a package be called; a package's name and a function's cannot both be attributes of ``assay``."""
    sys.modules[package].__class__ = ListedRoom
