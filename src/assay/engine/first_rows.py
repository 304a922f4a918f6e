"""A look at the first rows: texts that seem to be in the wrong place. It warns; it changes nothing.

Exchanged columns, a reference in another language, a reference given as a system and a source given as a reference make numbers
that look like any others. Scripts tell most of it; where the extra ``languages`` is installed, languages of one script are told
apart, too. Texts that are too short to have a language, such as names and numbers, do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.batch import Batch
from assay.core.langpair import target, written
from assay.engine.identify import is_known, main_language, related
from assay.engine.scripts import FEWEST, long_enough, script_of, script_of_language

ROWS, SYSTEMS, CHARACTERS = 100, 20, 120
"""Rows of each system, systems, and characters of each text that are looked at."""
ALIKE = 0.95
"""Share of equal texts from which on two columns are taken for one."""


@dataclass(frozen=True, slots=True)
class WrittenIn:
    """The script and the language that some texts are clearly in; empty where they are in doubt."""

    script: str = ""
    language: str = ""

    def differs(self, other: WrittenIn) -> bool:
        """Whether they are surely not in one language."""
        if self.script and other.script and self.script != other.script:
            return True
        return bool(self.language and other.language) and not related(self.language, other.language)

    def agrees(self, other: WrittenIn) -> bool:
        """Whether they are surely in one language, or in one script that tells languages apart."""
        if self.language and other.language:
            return related(self.language, other.language)
        return bool(self.script) and self.script == other.script and self.script != "Latin"

    def __str__(self) -> str:
        return f"the language {self.language!r}" if self.language else f"{self.script} script"


def doubts(batch: Batch) -> list[str]:
    """Return what is doubtful about the first rows of a batch, a sentence each."""
    found: dict[str, None] = {}
    rows = _first_of_each(batch)
    for system, mine in rows.items():
        name = system if len(rows) > 1 else "the translations"
        found |= dict.fromkeys(_doubts(batch, mine, name))
    return list(found)


def _first_of_each(batch: Batch) -> dict[str, list[int]]:
    """The first rows of each of the first systems."""
    systems = batch.systems or [""]
    if len(set(systems)) == 1:
        return {systems[0]: list(range(min(ROWS, len(batch))))}
    rows: dict[str, list[int]] = {}
    for row, system in enumerate(systems):
        mine = rows.setdefault(system, []) if len(rows) < SYSTEMS else rows.get(system)
        if mine is not None and len(mine) < ROWS:
            mine.append(row)
    return rows


def _doubts(batch: Batch, rows: Sequence[int], name: str) -> list[str]:
    hypotheses = [batch.hypotheses[i] for i in rows]
    sources = [batch.sources[i] for i in rows] if batch.sources is not None else []
    references = [[column[i] for i in rows] for column in batch.references or ()]
    said = []
    verb = "are" if name == "the translations" else "is"
    for column in references:
        if equal := _equal(hypotheses, column):
            said.append(f"{name} {verb} equal to a reference ({equal}): was a reference given as a system?")
        if sources and (equal := _equal(column, sources)):
            said.append(f"a reference is equal to the sources ({equal}): were the sources given as references?")
    if said:
        return said
    pairs = {batch.langpairs[i] for i in rows} if batch.langpairs is not None else set()
    pair = pairs.pop() if len(pairs) == 1 else ""
    wanted = _expected(target(pair)) if pair else WrittenIn()
    mt, src = written_in(hypotheses), written_in(sources)
    return _languages(name, verb, pair, wanted, mt, src, [written_in(column) for column in references])


def _languages(
    name: str, verb: str, pair: str, wanted: WrittenIn, mt: WrittenIn, src: WrittenIn, refs: Sequence[WrittenIn]
) -> list[str]:
    other = next((ref for ref in refs if mt.differs(ref)), None)
    if mt.differs(wanted) and src.agrees(wanted):
        return [f"{name} {verb} in {mt}, and the sources are in {src}: were sources and translations exchanged?"]
    if other is not None and src.agrees(other):
        asked = "were the sources given as references?"
        if not (wanted.script or wanted.language):
            asked = "were sources and translations exchanged, or the sources given as references?"
        return [f"{name} {verb} in {mt}, and sources and references are in {other}: {asked}"]
    if other is not None:
        return [f"{name} {verb} in {mt}, and the references are in {other}: is one of them in the wrong place?"]
    if mt.differs(wanted):
        both = " and the references" if any(mt.agrees(ref) for ref in refs) else ""
        return [f"{name}{both} {'are' if both else verb} in {mt}, but the language pair is {pair}: check the pair."]
    return []


def _equal(one: Sequence[str | None], other: Sequence[str | None]) -> str:
    """How many of the longer texts of two columns are equal, in words; empty if too few are."""
    longer = [(a, b) for a, b in zip(one, other, strict=True) if long_enough(a) and b is not None]
    equal = sum(a == b for a, b in longer)
    if equal < FEWEST or equal < ALIKE * len(longer):
        return ""
    return f"{equal:,} of the first {len(longer):,} longer segments"


def written_in(texts: Sequence[str | None]) -> WrittenIn:
    """Return the script and the language of some texts, as far as they are clear."""
    longer = [text[:CHARACTERS] for text in texts if text is not None and long_enough(text)]
    if len(longer) < FEWEST:
        return WrittenIn()
    script = script_of("\n".join(longer))
    return WrittenIn(script, main_language(" ".join(longer)) if script else "")


def _expected(language: str) -> WrittenIn:
    code = written(language)
    return WrittenIn(script_of_language(language), code if is_known(code) else "")
