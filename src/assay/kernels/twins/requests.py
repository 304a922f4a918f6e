"""What the request kernels compute."""

from __future__ import annotations

from collections.abc import Sequence


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
    """Bits: 1 empty hypothesis, 2 copied source, 4 far longer than its references, 8 empty reference."""
    present = [text for text in references if text is not None]
    longest = max(map(len, present), default=0)
    return (
        (not hypothesis.split())
        + 2 * bool(hypothesis.split() and hypothesis == source)
        + 4 * bool(present and len(hypothesis) > longest + margin and len(hypothesis) > ratio * longest)
        + 8 * any(not text.split() for text in present)
    )
