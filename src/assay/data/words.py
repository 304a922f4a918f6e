"""Word lists for the perturbations: tab-separated files in `words/`, read on first use."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from assay.data import rows


@functools.cache
def lists(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the lists of ``words/NAME.tsv`` by their keys.

    The first column is the key, the second its words: separated by commas if one of them has a space, otherwise by spaces. Rows
    with the same key belong to one list, in order.
    """
    cells: dict[str, list[str]] = {}
    for row in rows(f"words/{name}.tsv"):
        key, items = row.values()
        cells.setdefault(key, []).append(items)
    return {key: _words(parts) for key, parts in cells.items()}


def _words(parts: list[str]) -> tuple[str, ...]:
    if any(", " in part for part in parts):
        return tuple(", ".join(parts).split(", "))
    return tuple(" ".join(parts).split())


@functools.cache
def patterns(name: str) -> Mapping[str, str]:
    """Return the regular expressions of one list in ``words/patterns.tsv``, by language."""
    return {row["language"]: row["pattern"] for row in rows("words/patterns.tsv") if row["list"] == name}


@functools.cache
def nested_lists(name: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the lists of ``words/NAME.tsv`` whose keys have two words, such as a language and a pronoun, by both words."""
    by_word: dict[str, dict[str, tuple[str, ...]]] = {}
    for key, items in lists(name).items():
        first, _, second = key.partition(" ")
        by_word.setdefault(first, {})[second] = items
    return by_word


def word_list(name: str) -> tuple[str, ...]:
    """Return a list of ``words/lists.tsv``."""
    return lists("lists")[name]


def name_list(name: str) -> tuple[str, ...]:
    """Return a list of ``words/names.tsv``."""
    return lists("names")[name]
