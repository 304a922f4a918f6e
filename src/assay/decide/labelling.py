"""Labels for a long run, chunk by chunk: what a rule needs of a chunk is its scores, its languages and its error spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.core.chunk import Chunk, Kept
from assay.decide.apply import Decisions, label
from assay.decide.rule import Rule

KEPT = Kept(spans=True, columns=("langpairs",))
"""What a run must keep of its chunks for `labelled`; nothing of it depends on the rule."""


def labelled(rule: Rule, chunks: Iterable[Chunk], language: str = "") -> Iterator[Decisions]:
    """The decisions about each chunk. `language` is that of every row; without it the language pairs of the rows count."""
    for chunk in chunks:
        pairs = [pair or "" for pair in chunk.columns["langpairs"]]
        yield label(rule, chunk.scores, language if language or not pairs else pairs)
