"""Labels for a long run, chunk by chunk: what a rule needs of a chunk is its scores, its languages and its error spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from assay.core.chunk import LABELS, Chunk, Flagging, Retained
from assay.decide.apply import Decisions, label
from assay.decide.rule import Rule


def kept(flags: Flagging = "auto", *, texts: bool = False) -> Retained:
    """What a run must keep of its chunks for `labelled`; nothing of it depends on the rule. `texts`: all columns of the input."""
    return Retained(spans=True, columns=("langpairs", *LABELS, *(("rows",) if texts else ())), flags=flags)


def labelled(rule: Rule, chunks: Iterable[Chunk], language: str = "", *, flags: bool = True) -> Iterator[Decisions]:
    """The decisions about each chunk. `language` is that of every row; without it the language pairs of the rows count. `flags`:
    those of each row go with them."""
    met: dict[int, int] = {}
    for chunk in chunks:
        pairs = [pair or "" for pair in chunk.columns["langpairs"]]
        made = label(rule, chunk.scores, language if language or not pairs else pairs)
        yield replace(made, rows=chunk.rows(met), flags=chunk.flag_lists() if flags else None)
