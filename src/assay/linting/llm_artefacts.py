"""Check for text that language models add to a translation: preambles, labels, refusals, notes, thinking tags, code fences."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from assay.data import rows
from assay.linting.finding import Description, Finding, Texts

LLM_ARTEFACTS = Description(
    "llm-artefacts", "a preamble, refusal or note of a language model", "Accuracy/Addition", needs_source=False
)
AT_START = ("preamble", "label")
REASONS = {
    "preamble": "a preamble of a language model",
    "label": "a label of a language model",
    "refusal": "a refusal of a language model",
    "note": "a note of a language model",
    "thinking": "a tag of a reasoning model",
    "fence": "a code fence that is not in the source",
}


@functools.cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, list[re.Pattern[str]]]]:
    kinds: dict[str, list[str]] = {}
    for row in rows("words/llm_artefacts.tsv"):
        kinds.setdefault(row["kind"], []).append(row["pattern"])
    start = "|".join(f"(?P<{kind}>{'|'.join(kinds[kind])})" for kind in AT_START)
    rest = "|".join(f"(?P<{kind}>{'|'.join(kinds[kind])})" for kind in kinds if kind not in AT_START)
    single = {kind: [re.compile(pattern, re.I) for pattern in patterns] for kind, patterns in kinds.items()}
    return re.compile(f'[\\s*_"“„«#>-]*(?:{start})', re.I), re.compile(rest, re.I), single


def check_llm_artefacts(texts: Texts) -> Iterator[Finding]:
    """Find text that answers the request instead of translating the source."""
    start, rest, single = _patterns()
    first = start.match(texts.translation)
    if first and not start.match(texts.source) and not _label_in_source(first[0], texts.source):
        kind = first.lastgroup or "preamble"
        yield _finding(first.start(kind), first.end(), kind)
    for match in rest.finditer(texts.translation):
        kind = match.lastgroup or "note"
        if any(pattern.search(texts.source) for pattern in single[kind]) or (
            kind == "refusal" and _apology_in_source(texts.source)
        ):
            continue
        yield _finding(match.start(), match.end(), kind)


def _label_in_source(label: str, source: str) -> bool:
    return label.rstrip()[-1:] in ":：" and (":" in source[:60] or "：" in source[:60])


def _apology_in_source(source: str) -> bool:
    _, _, single = _patterns()
    return any(pattern.search(source) for pattern in single["refusal"])


def _finding(start: int, end: int, kind: str) -> Finding:
    severity = "critical" if kind == "refusal" else "major"
    return Finding("llm-artefacts", start, end, REASONS[kind], LLM_ARTEFACTS.category, severity)
