"""A look at the first rows: texts that seem to be in the wrong place. It warns; it changes nothing.

Exchanged columns, a reference in another language, a reference given as a system and a source given as a reference make numbers
that look like any others. Scripts tell most of it; where the extra ``languages`` is installed, languages of one script are told
apart, too. Texts that are too short to have a language, such as names and numbers, do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.batch import Batch
from assay.core.langpair import target, written
from assay.engine.identify import is_known, main_language, related

ROWS, SYSTEMS, CHARACTERS = 100, 20, 120
"""Rows of each system, systems, and characters of each text that are looked at."""
ALIKE = 0.95
"""Share of equal texts from which on two columns are taken for one."""
SHORTEST = 40
"""Bytes of UTF-8 below which a text says nothing about its language: names, numbers, interjections."""
FEWEST, CLEAR = 5, 0.8
"""Texts that are needed, and the share of their letters from which on a script is clear."""
_RANGES = (
    (0x0041, 0x005A, "Latin"),
    (0x0061, 0x007A, "Latin"),
    (0x00C0, 0x024F, "Latin"),
    (0x0370, 0x03FF, "Greek"),
    (0x0400, 0x052F, "Cyrillic"),
    (0x0531, 0x058F, "Armenian"),
    (0x05D0, 0x05F4, "Hebrew"),
    (0x0620, 0x06FF, "Arabic"),
    (0x0750, 0x077F, "Arabic"),
    (0x0900, 0x097F, "Devanagari"),
    (0x0980, 0x09FF, "Bengali"),
    (0x0A00, 0x0A7F, "Gurmukhi"),
    (0x0A80, 0x0AFF, "Gujarati"),
    (0x0B00, 0x0B7F, "Oriya"),
    (0x0B80, 0x0BFF, "Tamil"),
    (0x0C00, 0x0C7F, "Telugu"),
    (0x0C80, 0x0CFF, "Kannada"),
    (0x0D00, 0x0D7F, "Malayalam"),
    (0x0D80, 0x0DFF, "Sinhala"),
    (0x0E01, 0x0E5B, "Thai"),
    (0x0E81, 0x0EDF, "Lao"),
    (0x0F00, 0x0FFF, "Tibetan"),
    (0x1000, 0x109F, "Burmese"),
    (0x10A0, 0x10FF, "Georgian"),
    (0x1100, 0x11FF, "Korean"),
    (0x1200, 0x139F, "Ethiopic"),
    (0x1780, 0x17FF, "Khmer"),
    (0x1E00, 0x1EFF, "Latin"),
    (0x1F00, 0x1FFF, "Greek"),
    (0x3041, 0x30FF, "Japanese"),
    (0x31F0, 0x31FF, "Japanese"),
    (0x3400, 0x4DBF, "Chinese"),
    (0x4E00, 0x9FFF, "Chinese"),
    (0xAC00, 0xD7AF, "Korean"),
    (0xF900, 0xFAFF, "Chinese"),
    (0xFB50, 0xFDFF, "Arabic"),
    (0xFE70, 0xFEFF, "Arabic"),
)
"""First and last letter of every block, in order, with its script."""
_STARTS = [start for start, _, _ in _RANGES]
_LANGUAGES = {
    "Latin": "en de fr es pt it nl sv da no fi is et lv lt pl cs sk sl hr hu ro sq tr vi id ms tl sw yo ig zu xh af ca gl eu cy "
    "ga gd mt la so om",
    "Cyrillic": "ru uk bg be mk ky tg tt",
    "Greek": "el",
    "Arabic": "ar fa ur ps ug sd",
    "Hebrew": "he yi",
    "Devanagari": "hi mr ne sa bho mai",
    "Bengali": "bn as",
    "Gujarati": "gu",
    "Oriya": "or",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Sinhala": "si",
    "Thai": "th",
    "Lao": "lo",
    "Tibetan": "bo dz",
    "Burmese": "my",
    "Georgian": "ka",
    "Ethiopic": "am ti",
    "Khmer": "km",
    "Armenian": "hy",
    "Korean": "ko",
    "Chinese": "zh",
    "Japanese": "ja",
}
_SCRIPT_OF = {language: script for script, languages in _LANGUAGES.items() for language in languages.split()}


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


def script_of_language(language: str) -> str:
    """Return the script of a language; empty if it has several (``sr``), names its own (``sr_Latn``), or is not known."""
    names_script = any(len(part) == 4 and part.isalpha() for part in re.split("[-_]", language)[1:])
    code = written(language)
    return "" if names_script and code != "zh" else _SCRIPT_OF.get(code, "")


def long_enough(text: str | None) -> bool:
    """Return whether a text says something about its language."""
    if not text or len(text) * 4 < SHORTEST:
        return False
    return len(text) >= SHORTEST or len(text.encode("utf-8", "replace")) >= SHORTEST


def script_of(text: str) -> str:
    """Return the script that clearly dominates a text; empty if none does.

    Japanese mixes kana with Han characters; a text with too few kana for Japanese and too many for Chinese is in doubt.
    """
    counts: Counter[str] = Counter()
    for character, n in Counter(text).items():
        at = bisect_right(_STARTS, ord(character)) - 1
        if at >= 0 and ord(character) <= _RANGES[at][1]:
            counts[_RANGES[at][2]] += n
    han, kana = counts.pop("Chinese", 0), counts.pop("Japanese", 0)
    if kana >= 0.1 * (han + kana):
        counts["Japanese"] = han + kana
    elif kana <= 0.01 * han:
        counts["Chinese"] = han + kana
    else:
        counts[""] = han + kana
    letters = sum(counts.values())
    script = max(counts, key=counts.__getitem__)
    return script if letters and counts[script] >= CLEAR * letters else ""
