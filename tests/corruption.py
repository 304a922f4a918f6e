"""Seeded damage to real lines: imperfect hypotheses in any language, without a translation system."""

from __future__ import annotations

import random


def corrupt(line: str, rng: random.Random) -> str:
    """The line after one to six small accidents: words or characters dropped, swapped, doubled or replaced.

    Replacements are drawn from the line itself, so that the script stays. Lines of few words (Chinese, Japanese, Thai) are
    damaged by characters. One line in fifty comes back untouched and one in two hundred empty.
    """
    fate = rng.random()
    if fate < 0.02 or not line:
        return line
    if fate < 0.025:
        return ""
    for _ in range(rng.randint(1, 6)):
        by_words = line.count(" ") > 2 and rng.random() < 0.6
        line = " ".join(_accident(line.split(" "), rng)) if by_words else "".join(_accident(list(line), rng))
    return line


def _accident(parts: list[str], rng: random.Random) -> list[str]:
    """The parts with one of them dropped, swapped with the next, doubled, or replaced by another."""
    if not parts:
        return parts
    i = rng.randrange(len(parts))
    kind = rng.choice(("drop", "swap", "double", "replace"))
    if kind == "drop":
        return parts[:i] + parts[i + 1 :]
    if kind == "swap":
        return parts[:i] + parts[i : i + 2][::-1] + parts[i + 2 :]
    if kind == "double":
        return parts[: i + 1] + parts[i:]
    return [*parts[:i], rng.choice(parts), *parts[i + 1 :]]
