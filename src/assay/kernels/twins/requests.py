"""What the request kernels compute."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0010ffff]")


def distinct(
    hypotheses: Sequence[str], references: Sequence[Sequence[str | None]], others: Sequence[Sequence[str | None]]
) -> tuple[list[int], list[int]]:
    """The first row of every different request, equal references side by side, and each row's place among them."""
    keys = [
        (tuple(column[i] for column in references), hypotheses[i], tuple(column[i] for column in others))
        for i in range(len(hypotheses))
    ]
    groups = {reference: number for number, reference in enumerate(dict.fromkeys(key[0] for key in keys))}
    order = sorted(dict.fromkeys(keys), key=lambda key: groups[key[0]])
    place = {key: position for position, key in enumerate(order)}
    return [keys.index(key) for key in order], [place[key] for key in keys]


def describe(hypothesis: str, source: str | None, references: Sequence[str | None], ratio: float, margin: int) -> int:
    """Bits: 1 empty hypothesis, 2 copied source, 4 far longer than its references (or, without any, its source), 8 empty
    reference, 16 far shorter."""
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
    """How much a text says: its characters; a Hangul syllable counts as two, a Han character or kana as three."""
    return sum(3 if _WORD.match(character) else 2 if "\uac00" <= character <= "\ud7a3" else 1 for character in text)
