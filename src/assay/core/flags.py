"""Flags: what a reader should know about a row beside its scores. One name and one sentence each, whoever raises them.

Flags of the texts are raised by the engine for every verb (`assay.engine.flags`); those of a metric stand with the metric's
name before them (``comet-22 truncated``).
"""

from __future__ import annotations

from collections.abc import Mapping

FLAGS: Mapping[str, tuple[str, str]] = {
    "empty_hypothesis": ("empty hypothesis", "empty hypotheses"),
    "copied_source": ("hypothesis equal to its source", "hypotheses equal to their source"),
    "far_longer": ("hypothesis far longer than its reference", "hypotheses far longer than their reference"),
    "empty_reference": ("empty reference", "empty references"),
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
    "nothing_to_compare": ("segment with neither source nor reference", "segments with neither source nor reference"),
}
"""Every flag with its sentence for one row and for several."""


def is_flag(name: str) -> bool:
    """Whether it is the name of a flag: of the texts, or of a metric."""
    return name.rpartition(" ")[2] in FLAGS


def flag_notes(flags: Mapping[str, int]) -> list[str]:
    """Counted flags as lines under a table."""
    return [f"⚠ {sentence}" for sentence in flag_sentences(flags)]


def flag_sentences(flags: Mapping[str, int]) -> list[str]:
    """Counted flags in words: of the texts (``empty_hypothesis``), or of a metric (``comet truncated``)."""
    sentences = []
    for flag, rows in flags.items():
        metric, _, kind = flag.rpartition(" ")
        if metric and flags.get(kind) == rows:
            continue  # said of the texts already
        what = FLAGS.get(kind, (kind.replace("_", " "),) * 2)[rows != 1]
        sentences.append(f"{rows:,} {what}" + (f" ({metric})" if metric else ""))
    return sentences
