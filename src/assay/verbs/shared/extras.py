"""Package extras: the distributions that they require, and whether these are installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires, version


def requirements() -> dict[str, list[str]]:
    """Return the distributions that each extra requires; the key "" lists those that assay always requires."""
    try:
        lines = requires("mt-assay") or []
    except PackageNotFoundError:
        return {}
    by_extra: dict[str, list[str]] = {}
    for line in lines:
        requirement, _, marker = line.partition(";")
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", marker)
        name = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
        if name:
            by_extra.setdefault(extra[1] if extra else "", []).append(name[0])
    return by_extra


def installed(extra: str) -> bool:
    """Whether all distributions of an extra are installed."""
    try:
        for distribution in requirements().get(extra, ()):
            version(distribution)
    except PackageNotFoundError:
        return False
    return True
