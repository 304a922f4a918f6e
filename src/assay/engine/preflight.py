"""Preflight check of the first rows: warn if texts seem to be in the wrong column or language. Nothing is changed.

Swapped columns, a reference in the wrong language, a reference passed as a system, or a source passed as a reference produce
plausible numbers. Most of these mistakes are visible in the writing system of the texts. With the extra ``languages``,
languages with the same writing system are also distinguished. Texts that are too short, such as names and numbers, are
ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.batch import Batch
from assay.core.langpair import target, written
from assay.engine.language_id import (
    is_identifiable,
    is_long_enough,
    main_language,
    related,
    script_of,
    script_of_language,
)

ROWS, SYSTEMS, CHARACTERS = 100, 20, 120
"""Largest number of rows per system, of systems, and of characters per text that are checked."""
ALIKE = 0.95
"""Share of equal texts from which on two columns count as the same."""
FEWEST = 5
"""Number of long texts that a verdict requires."""


@dataclass(frozen=True, slots=True)
class WrittenIn:
    """Script and language of some texts; empty if ambiguous."""

    script: str = ""
    language: str = ""

    def differs(self, other: WrittenIn) -> bool:
        """Return whether the two are certainly different languages."""
        if self.script and other.script and self.script != other.script:
            return True
        return bool(self.language and other.language) and not related(self.language, other.language)

    def agrees(self, other: WrittenIn) -> bool:
        """Return whether the two are certainly the same language, or at least share a script that few languages use."""
        if self.language and other.language:
            return related(self.language, other.language)
        return bool(self.script) and self.script == other.script and self.script != "Latin"

    def __str__(self) -> str:
        return f"the language {self.language!r}" if self.language else f"{self.script} script"


def find_misplaced_texts(batch: Batch) -> list[str]:
    """Return one sentence per suspected problem in the first rows of a batch."""
    sentences: dict[str, None] = {}
    rows = _first_of_each(batch)
    for system, own in rows.items():
        name = system if len(rows) > 1 else "the translations"
        sentences |= dict.fromkeys(_suspicions(batch, own, name))
    return list(sentences)


def _first_of_each(batch: Batch) -> dict[str, list[int]]:
    """Return the first rows of each of the first systems."""
    systems = batch.systems or [""]
    if len(set(systems)) == 1:
        return {systems[0]: list(range(min(ROWS, len(batch))))}
    rows: dict[str, list[int]] = {}
    for row, system in enumerate(systems):
        own = rows.setdefault(system, []) if len(rows) < SYSTEMS else rows.get(system)
        if own is not None and len(own) < ROWS:
            own.append(row)
    return rows


def _suspicions(batch: Batch, rows: Sequence[int], name: str) -> list[str]:
    hypotheses = [batch.hypotheses[i] for i in rows]
    sources = [batch.sources[i] for i in rows] if batch.sources is not None else []
    references = [[column[i] for i in rows] for column in batch.references or ()]
    sentences = []
    verb = "are" if name == "the translations" else "is"
    for column in references:
        if equal := _equal(hypotheses, column):
            sentences.append(f"{name} {verb} equal to a reference ({equal}): is a reference among the systems?")
        if sources and (equal := _equal(column, sources)):
            sentences.append(f"a reference is equal to the sources ({equal}): were the sources given as references?")
    if sentences:
        return sentences
    pairs = {batch.langpairs[i] for i in rows} if batch.langpairs is not None else set()
    pair = pairs.pop() if len(pairs) == 1 else ""
    expected = _expected(target(pair)) if pair else WrittenIn()
    mt, src = written_in(hypotheses), written_in(sources)
    return _language_suspicions(name, verb, pair, expected, mt, src, [written_in(column) for column in references])


def _language_suspicions(
    name: str, verb: str, pair: str, expected: WrittenIn, mt: WrittenIn, src: WrittenIn, refs: Sequence[WrittenIn]
) -> list[str]:
    other = next((ref for ref in refs if mt.differs(ref)), None)
    if mt.differs(expected) and src.agrees(expected):
        return [f"{name} {verb} in {mt}, and the sources are in {src}: were sources and translations exchanged?"]
    if other is not None and src.agrees(other):
        question = "were the sources given as references?"
        if not (expected.script or expected.language):
            question = "were sources and translations exchanged, or the sources given as references?"
        return [f"{name} {verb} in {mt}, and sources and references are in {other}: {question}"]
    if other is not None:
        return [f"{name} {verb} in {mt}, and the references are in {other}: is one of them in the wrong place?"]
    if mt.differs(expected):
        both = " and the references" if any(mt.agrees(ref) for ref in refs) else ""
        return [f"{name}{both} {'are' if both else verb} in {mt}, but the language pair is {pair}: check the pair."]
    return []


def _equal(one: Sequence[str | None], other: Sequence[str | None]) -> str:
    """Return the share of longer texts that are the same in two columns, in words; empty if it is too small."""
    longer = [(a, b) for a, b in zip(one, other, strict=True) if is_long_enough(a) and b is not None]
    equal = sum(a == b for a, b in longer)
    if equal < FEWEST or equal < ALIKE * len(longer):
        return ""
    return f"{equal:,} of the first {len(longer):,} longer segments"


def written_in(texts: Sequence[str | None]) -> WrittenIn:
    """Return the script and language of some texts, if they are clear."""
    longer = [text[:CHARACTERS] for text in texts if text is not None and is_long_enough(text)]
    if len(longer) < FEWEST:
        return WrittenIn()
    script = script_of("\n".join(longer))
    return WrittenIn(script, main_language(" ".join(longer)) if script else "")


def _expected(language: str) -> WrittenIn:
    code = written(language)
    return WrittenIn(script_of_language(language), code if is_identifiable(code) else "")
