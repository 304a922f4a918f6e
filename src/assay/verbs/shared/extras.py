"""Extras of the package: the distributions that they require, and whether these are installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires, version


def requirements() -> dict[str, list[str]]:
    """Extra to the names of the distributions that it asks for; under "" those that assay always needs."""
    try:
        lines = requires("mt-assay") or []
    except PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for line in lines:
        requirement, _, marker = line.partition(";")
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", marker)
        name = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
        if name:
            found.setdefault(extra[1] if extra else "", []).append(name[0])
    return found


def installed(extra: str) -> bool:
    """Whether every distribution that an extra asks for is here."""
    try:
        for distribution in requirements().get(extra, ()):
            version(distribution)
    except PackageNotFoundError:
        return False
    return True
