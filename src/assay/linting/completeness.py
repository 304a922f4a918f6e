"""Completeness check: translations that are far too short or long, truncated, or have unclosed brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.linting.finding import Description, Finding, Texts

COMPLETENESS = Description(
    "completeness", "the translation is far too short or long, or a bracket is left open", "Accuracy/Omission"
)
DENSE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
SHORT, LONG, LEAST = 0.28, 4.5, 40
"""Length ratios, and the length of the longer text from which they apply. A CJK character counts as 2.5 letters."""
PAIRS = {"(": ")", "[": "]", "{": "}"}


def check_completeness(texts: Texts) -> Iterator[Finding]:
    """Find translations whose length or brackets show that something is missing or added."""
    if not texts.translation.strip():
        if texts.source.strip():
            yield Finding("completeness", 0, 0, "there is no translation", COMPLETENESS.category, "critical")
        return
    ours, theirs = _length(texts.translation), _length(texts.source)
    if theirs >= LEAST and ours < SHORT * theirs:
        end = len(texts.translation)
        yield Finding(
            "completeness",
            end,
            end,
            f"the translation has {ours / theirs:.0%} of the length of the source",
            COMPLETENESS.category,
            "major",
        )
    elif ours >= LEAST and theirs > 4 and ours > LONG * theirs:
        yield Finding(
            "completeness", 0, len(texts.translation), f"the translation is {ours / theirs:.1f} times as long as the source",
            "Accuracy/Addition", "major",
        )  # fmt: skip
    text = texts.translation.translate(WIDE)
    for left, right in PAIRS.items():
        if left in text and text.count(left) == text.count(right) + 1 and _balanced(texts.source):
            place = text.rindex(left)
            yield Finding(
                "completeness", place, place + 1, f"the bracket {left} is not closed", "Fluency/Punctuation", "minor"
            )


WIDE = str.maketrans("（）［］｛｝", "()[]{}")


def _length(text: str) -> float:
    return len(text) if text.isascii() else len(text) + 1.5 * len(DENSE.findall(text))


def _balanced(text: str) -> bool:
    text = text.translate(WIDE)
    return all(text.count(left) == text.count(right) for left, right in PAIRS.items())
