"""What a prompt calls a language."""

from __future__ import annotations

from functools import cache

from assay.data import rows


@cache
def _names() -> dict[str, str]:
    return {row["code"]: row["name"] for row in rows("languages.csv")}


def language_name(code: str) -> str:
    """What a prompt calls a language: its English name, or its code where we know none."""
    return _names().get(code, code)
