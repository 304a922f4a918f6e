"""A tiny contrastive file whose figures can be told by looking at it."""

from pathlib import Path

PAIRS = [
    ("omission", "the cat sat on the mat", "the cat sat on the mat", "the cat sat"),
    ("omission", "a green house stands there", "a green house stands there", "a house stands there"),
    ("omission", "we left early", "we left early", "we left"),
    ("omission", "they came by train", "they came by bus", "they came by bus"),
    ("addition", "he sleeps", "he sleeps", "he sleeps soundly"),
    ("addition", "it rains", "it rains", "it rains again today"),
]
"""Phenomenon, reference, good, incorrect. Every string metric prefers good, but for the fourth, which is a tie."""


def write_pairs(path: Path, pairs=PAIRS) -> Path:
    """The pairs as a TSV with ACES's column names."""
    head = "phenomena\treference\tgood-translation\tincorrect-translation\tlangpair\n"
    path.write_text(head + "".join("\t".join((*pair, "de-en")) + "\n" for pair in pairs), encoding="utf-8")
    return path
