"""Encoding check: mojibake, invisible and bidirectional control characters, and two scripts within one word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.linting.finding import Description, Finding, Texts

ENCODING = Description(
    "encoding", "characters are broken or invisible, or a word mixes scripts", "Fluency/Encoding", needs_source=False
)
MOJIBAKE = re.compile(
    "\ufffd|Ã[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€[\u0080-\u00bf™œ\u009d“”¦˜]|Â[\u00a0-\u00bf]|[ÐÑ][\u0080-\u00bf].?[ÐÑ][\u0080-\u00bf]|ï»¿"
)
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")
LETTERS = re.compile("[A-Za-z\u0400-\u04ff]{3,}")
LATIN, CYRILLIC = re.compile("[A-Za-z]"), re.compile("[\u0400-\u04ff]")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")


def check_encoding(texts: Texts) -> Iterator[Finding]:
    """Find characters that a translator did not type."""
    text = texts.translation
    if text.isascii() and text.isprintable():
        return
    for pattern, reason in (
        (MOJIBAKE, "characters of another encoding"),
        (CONTROL, "a control character"),
        (INVISIBLE, "an invisible character"),
        (LETTERS, "a word with Latin and Cyrillic letters"),
    ):
        for match in pattern.finditer(text):
            if pattern is LETTERS and not (LATIN.search(match[0]) and CYRILLIC.search(match[0])):
                continue
            if match[0] in texts.source or (pattern is INVISIBLE and INVISIBLE.search(texts.source)):
                continue
            shown = match[0] if pattern in (MOJIBAKE, LETTERS) else " ".join(f"U+{ord(c):04X}" for c in match[0])
            yield Finding(
                "encoding", match.start(), match.end(), f"{reason}: {shown[:60]}", ENCODING.category,
                "minor" if pattern is INVISIBLE else "major",
            )  # fmt: skip
