"""Flags: what a reader should know about a row beside its scores. One name and one sentence each, whoever raises them.

Flags of the texts are raised by the engine for every verb (`assay.engine.flags`); those of a metric stand with the metric's
name before them (``comet-22 truncated``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from assay.core.batch import MISSING_REFERENCE
from assay.core.errors import count, listing

if TYPE_CHECKING:
    from assay.core.metric import Metric

FLAGS: Mapping[str, tuple[str, str]] = {
    "empty_hypothesis": ("empty hypothesis", "empty hypotheses"),
    "copied_source": ("hypothesis equal to its source", "hypotheses equal to their source"),
    "far_longer": ("hypothesis far too long", "hypotheses far too long"),
    "far_shorter": ("hypothesis far too short", "hypotheses far too short"),
    "wrong_language": ("hypothesis in another language", "hypotheses in another language"),
    "empty_reference": ("empty reference", "empty references"),
    "missing_reference": ("segment without a reference", "segments without a reference"),
    "truncated": ("segment longer than the model reads", "segments longer than the model reads"),
    "bounded": ("segment too long for an exact search", "segments too long for an exact search"),
    "unsupported_script": (
        "segment without a letter that the metric reads",
        "segments without a letter that the metric reads",
    ),
    "unknown_characters": ("segment with many unknown characters", "segments with many unknown characters"),
    "untrained_language": (
        "segment in a language that training never met",
        "segments in languages that training never met",
    ),
    "unknown_language": (
        "segment in a language that the model does not know",
        "segments in languages that the model does not know",
    ),
    "refused_answer": ("segment that the judge refused to judge", "segments that the judge refused to judge"),
    "unreadable_answer": ("segment whose answer could not be read", "segments whose answers could not be read"),
    "cut_answer": ("segment whose answer was cut off", "segments whose answers were cut off"),
    "unread_spans": ("segment whose errors could not be read", "segments whose errors could not be read"),
    "unread_lines": (
        "segment whose answer has lines that name no error",
        "segments whose answers have lines that name no error",
    ),
    "lost_span": (
        "segment with a quoted error that stands in neither text",
        "segments with quoted errors that stand in neither text",
    ),
    "nothing_to_compare": ("segment with neither source nor reference", "segments with neither source nor reference"),
}
"""Every flag with its sentence for one row and for several."""


def is_flag(name: str) -> bool:
    """Whether it is the name of a flag: of the texts, or of a metric."""
    return name.rpartition(" ")[2] in FLAGS


def total_flags(systems: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Flags counted by system as counts over all of them: first those of the texts, each kind in its place."""
    totals: dict[str, int] = {}
    for flags in systems.values():
        for flag, rows in flags.items():
            totals[flag] = totals.get(flag, 0) + rows
    places = {flag: place for place, flag in enumerate(FLAGS)}

    def order(flag: str) -> tuple[bool, int]:
        return " " in flag, places.get(flag.rpartition(" ")[2], len(places))

    return {flag: totals[flag] for flag in sorted(totals, key=order)}


def flag_notes(systems: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Counted flags by system, as a line under a table: how many rows, and of which systems where there are several."""
    totals = total_flags(systems)
    if not totals:
        return []
    several = len(systems) > 1
    said = []
    for flag, sentence in _said(totals).items():
        mine = {system: flags[flag] for system, flags in systems.items() if flag in flags}
        shown = listing((f"{system} {rows:,}" if len(mine) > 1 else system for system, rows in mine.items()), 4)
        said.append(f"{sentence}: {shown}" if several else sentence)
    return [f"⚠ {' · '.join(said)}"]


def flag_sentences(flags: Mapping[str, int]) -> list[str]:
    """Counted flags in words: of the texts (``empty_hypothesis``), or of a metric (``comet truncated``)."""
    return list(_said(flags).values())


def _said(flags: Mapping[str, int]) -> dict[str, str]:
    sentences: dict[str, str] = {}
    for flag, rows in flags.items():
        metric, _, kind = flag.rpartition(" ")
        if metric and flags.get(kind) == rows:
            continue  # said of the texts already
        what = FLAGS.get(kind, (kind.replace("_", " "),) * 2)[rows != 1]
        sentences[flag] = f"{rows:,} {what}" + (f" ({metric})" if metric else "")
    return sentences


def missing_notes(metrics: Iterable[Metric], flags: Mapping[str, Mapping[str, int]], segments: int) -> list[str]:
    """What to report of rows without a reference, and of empty references that were scored; `flags` are counts by system."""
    needy = listing(metric.card.label for metric in metrics if metric.card.needs_reference)
    notes = []
    for flag, said in (
        (MISSING_REFERENCE, f"no reference: left out of {needy} (--empty-reference changes that)"),
        (
            "empty_reference",
            f"an empty reference: scored against it by {needy} (--empty-reference skip leaves them out)",
        ),
    ):
        counts = {system: mine[flag] for system, mine in flags.items() if flag in mine}
        if counts and needy:
            rows = sum(counts.values())
            of = listing(f"{system} {n:,}" for system, n in counts.items()) if len(flags) > 1 else ""
            notes.append(
                f"{rows:,} of {count(segments, 'segment')} {'has' if rows == 1 else 'have'} {said}{of and f': {of}'}."
            )
    return notes
