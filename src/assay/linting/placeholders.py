"""Check of placeholders, tags, links and code: the translation must contain the same ones as the source, and no others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from assay.linting.finding import Description, Finding, Texts

PLACEHOLDERS = Description(
    "placeholders", "a placeholder, tag, link or code differs from the source", "Accuracy/Markup"
)
KINDS = re.compile(
    r"(?P<url>(?:https?://|www\.)[^\s<>\"'“”„»«）)\]\u3000-\u303f\uff00-\uffef]+)"
    r"|(?P<email>(?<![\w.])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<tag></?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>)"
    r"|(?P<entity>&(?:[a-z]{2,8}|#\d{2,6}|#x[0-9a-f]{2,6});)"
    r"|(?P<brace>\$?\{\{[^{}]{1,80}\}\}|\$?\{[^{}\s,]{0,60}(?:\}|(?=,))|\$\([\w.]+\))"
    r"|(?P<printf>(?<![\d\w%])%(?:\(\w+\)|\d+\$)?[-+#0]?\d*(?:\.\d+)?(?:l{1,2}|h)?[sdifuxXeEgGc@](?![A-Za-z]))"
    r"|(?P<code>`[^`\n]+`)"
    r"|(?P<handle>(?<![\w@/.])@[A-Za-z_]\w{2,30})"
    r"|(?P<command>\\[A-Za-z]{2,20}(?=[{\[\\\s]|$))"
)
LABELS = {
    "url": "link", "email": "e-mail address", "tag": "tag", "entity": "entity", "brace": "placeholder", "printf": "placeholder",
    "code": "code", "handle": "name of an account", "command": "command",
}  # fmt: skip
TRAILING = ".,;:!?…"


def check_placeholders(texts: Texts) -> Iterator[Finding]:
    """Find placeholders that are lost, changed or added."""
    theirs, ours = _items(texts.source), _items(texts.translation)
    if not theirs and not ours:
        return
    counts = Counter(text for _, text, _, _ in theirs)
    counts.subtract(Counter(text for _, text, _, _ in ours))
    lost = [item for item in theirs if _take(counts, item[1], 1)]
    added = [item for item in ours if _take(counts, item[1], -1)]
    for kind, text, start, end in lost:
        other = next((item for item in added if _family(item[0]) == _family(kind)), None)
        if other:
            added.remove(other)
            place, reason = other[2:], f"{LABELS[kind]} {text} in the source, {other[1]} in the translation"
        else:
            place, reason = (len(texts.translation),) * 2, f"{LABELS[kind]} {text} of the source is missing"
        yield Finding(
            "placeholders", *place, reason, PLACEHOLDERS.category, "major", start, end, text if other else ""
        )  # fmt: skip
    for kind, text, start, end in added:
        if kind in ("tag", "brace", "printf", "url", "email"):
            yield Finding(
                "placeholders",
                start,
                end,
                f"{LABELS[kind]} {text} is not in the source",
                PLACEHOLDERS.category,
                "major",
            )


def _items(text: str) -> list[tuple[str, str, int, int]]:
    if text.isalpha() or not any(c in text for c in "%{<&@`\\:$.") or not KINDS.search(text):
        return []
    items = []
    for match in KINDS.finditer(text):
        kind, value = match.lastgroup or "", match[0]
        if kind in ("url", "email"):
            value = value.rstrip(TRAILING)
        shown = " ".join(value.split()).replace(" />", "/>") if kind == "tag" else " ".join(value.split())
        items.append((kind, shown, match.start(), match.start() + len(value)))
    return items


def _family(kind: str) -> str:
    return "placeholder" if kind in ("brace", "printf") else kind


def _take(counts: Counter[str], text: str, sign: int) -> bool:
    """Take one occurrence that is missing from the other side."""
    if counts[text] * sign <= 0:
        return False
    counts[text] -= sign
    return True
