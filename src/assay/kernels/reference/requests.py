"""Reference implementation of the request kernels: deduplication and flags of texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0010ffff]")


def distinct(
    hypotheses: Sequence[str], references: Sequence[Sequence[str | None]], others: Sequence[Sequence[str | None]]
) -> tuple[list[int], list[int]]:
    """Return the first row of every distinct request, with equal references adjacent, and each row's index among these."""
    keys = [
        (tuple(column[i] for column in references), hypotheses[i], tuple(column[i] for column in others))
        for i in range(len(hypotheses))
    ]
    groups = {reference: number for number, reference in enumerate(dict.fromkeys(key[0] for key in keys))}
    order = sorted(dict.fromkeys(keys), key=lambda key: groups[key[0]])
    place = {key: position for position, key in enumerate(order)}
    return [keys.index(key) for key in order], [place[key] for key in keys]


def describe(hypothesis: str, source: str | None, references: Sequence[str | None], ratio: float, margin: int) -> int:
    """Return bits: 1 empty hypothesis, 2 copied source, 4 much longer than its references (without any: its source), 8 empty
    reference, 16 much shorter."""
    present = [text for text in references if text is not None]
    others = [weight(text) for text in present or ([] if source is None else [source])]
    mine, empty = weight(hypothesis), not hypothesis.split()

    def far(more: int, less: int) -> bool:
        return more > less + margin and more > ratio * less

    return (
        empty
        + 2 * (not empty and hypothesis == source)
        + 4 * bool(others and far(mine, max(others)))
        + 8 * any(not text.split() for text in present)
        + 16 * bool(others and not empty and far(min(others), mine))
    )


def weight(text: str) -> int:
    """Return the weighted length: characters, with two for a Hangul syllable and three for a Han character or kana."""
    return sum(3 if _WORD.match(character) else 2 if "\uac00" <= character <= "\ud7a3" else 1 for character in text)
