"""Flags: named warnings about a row, with the text that reports use for them.

The engine raises text flags for every verb (`assay.engine.flags`). Metric flags are preceded by the metric's name
(``comet-22 truncated``).
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
    "wrong_language": ("hypothesis in the wrong language", "hypotheses in the wrong language"),
    "empty_reference": ("empty reference", "empty references"),
    "missing_reference": ("segment without a reference", "segments without a reference"),
    "truncated": ("segment longer than the model reads", "segments longer than the model reads"),
    "bounded": ("segment too long for an exact search", "segments too long for an exact search"),
    "unsupported_script": (
        "segment in a script that the metric does not support",
        "segments in scripts that the metric does not support",
    ),
    "unknown_characters": ("segment with many unknown characters", "segments with many unknown characters"),
    "untrained_language": (
        "segment in a language without training data",
        "segments in languages without training data",
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
        "segment with a quoted error that is in neither text",
        "segments with quoted errors that are in neither text",
    ),
    "nothing_to_compare": ("segment with neither source nor reference", "segments with neither source nor reference"),
}
"""Every flag with its description for one row and for several."""


def is_flag(name: str) -> bool:
    """Return whether a name is a text flag or a metric flag."""
    return name.rpartition(" ")[2] in FLAGS


def total_flags(systems: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return the number of rows with each flag over all systems: text flags first, each group in the order of `FLAGS`."""
    totals: dict[str, int] = {}
    for flags in systems.values():
        for flag, rows in flags.items():
            totals[flag] = totals.get(flag, 0) + rows
    ranks = {flag: rank for rank, flag in enumerate(FLAGS)}

    def order(flag: str) -> tuple[bool, int]:
        return " " in flag, ranks.get(flag.rpartition(" ")[2], len(ranks))

    return {flag: totals[flag] for flag in sorted(totals, key=order)}


def flag_notes(systems: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return a line that reports flags below a table: the number of rows with each flag and, with several systems, their
    systems."""
    totals = total_flags(systems)
    if not totals:
        return []
    several = len(systems) > 1
    reports = []
    for flag, description in _descriptions(totals).items():
        counts = {system: flags[flag] for system, flags in systems.items() if flag in flags}
        shown = listing((f"{system} {rows:,}" if len(counts) > 1 else system for system, rows in counts.items()), 4)
        reports.append(f"{description}: {shown}" if several else description)
    return [f"⚠ {' · '.join(reports)}"]


def flag_sentences(flags: Mapping[str, int]) -> list[str]:
    """Return counted flags in words."""
    return list(_descriptions(flags).values())


def _descriptions(flags: Mapping[str, int]) -> dict[str, str]:
    descriptions: dict[str, str] = {}
    for flag, rows in flags.items():
        metric, _, kind = flag.rpartition(" ")
        if metric and flags.get(kind) == rows:
            continue  # already reported for the texts
        description = FLAGS.get(kind, (kind.replace("_", " "),) * 2)[rows != 1]
        descriptions[flag] = f"{rows:,} {description}" + (f" ({metric})" if metric else "")
    return descriptions


def missing_notes(metrics: Iterable[Metric], flags: Mapping[str, Mapping[str, int]], segments: int) -> list[str]:
    """Return notes about rows without a reference and about empty references that were scored; `flags` are counts by system."""
    needy = listing(metric.card.label for metric in metrics if metric.card.needs_reference)
    notes = []
    for flag, text in (
        (MISSING_REFERENCE, f"no reference; {needy} skipped them (--empty-reference changes that)"),
        ("empty_reference", f"an empty reference; {needy} scored against it (--empty-reference skip leaves them out)"),
    ):
        counts = {system: of_system[flag] for system, of_system in flags.items() if flag in of_system}
        if counts and needy:
            rows = sum(counts.values())
            of = listing(f"{system} {n:,}" for system, n in counts.items()) if len(flags) > 1 else ""
            notes.append(
                f"{rows:,} of {count(segments, 'segment')} {'has' if rows == 1 else 'have'} {text}{of and f': {of}'}."
            )
    return notes
