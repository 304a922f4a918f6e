"""Groups of synthetic errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.models.mini.groups import Group


def synthetic_groups(groups: Sequence[Group], shares: Mapping[str, float], seed: int) -> list[Group]:
    """Placeholder."""
    return []
