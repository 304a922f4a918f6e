"""TMX, translation memories: a row for each translation of a unit's source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assay.core.errors import InputError, count, listing
from assay.io.files.text import file_name
from assay.io.table.markup import Event, Events, pair, pass_over, text_until_end
from assay.io.table.open_table import Opened

CODES = ("bpt", "ept", "ph", "it", "ut")
"""Elements that hold the codes of a format."""


def _source(tags: Sequence[str], spoken: str, where: str, line: int) -> int:
    """Return which variant is the source: the one in the language `spoken`, or of its primary language, else the first."""
    if not spoken or spoken == "*all*":
        return 0
    for name in (str.lower, _primary):
        matches = [i for i, tag in enumerate(tags) if name(tag) == name(spoken)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            break
    raise InputError(
        f"{where} line {line}: the source language is {spoken!r}, and the variants are in {listing(tags)}: it cannot be said which "
        "one is the source. Correct srclang."
    )


def _primary(tag: str) -> str:
    return tag.replace("_", "-").split("-")[0].lower()


def rows(root: Event, found: Events, opened: Opened, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The units of a memory. The source is in the language that the unit or the header says, else in the first."""
    where, header, alone = file_name(opened.path), "", 0
    for event in found:
        if event.kind == "start" and event.name == "header":
            header = event.attributes.get("srclang", "")
        elif event.kind == "start" and event.name == "tu":
            spoken = event.attributes.get("srclang", header)
            texts = _variants(found, where)
            if len(texts) < 2:
                alone += 1
                continue
            source = _source([tag for tag, _ in texts], spoken, where, event.line)
            for i, (tag, text) in enumerate(texts):
                if i != source:
                    yield (
                        event.line,
                        {
                            "id": event.attributes.get("tuid", ""),
                            "langpair": pair(texts[source][0], tag),
                            "source": texts[source][1],
                            "mt": text,
                        },
                    )
    if alone:
        notes.append(
            f"{where}: {count(alone, 'unit')} in one language alone {'was' if alone == 1 else 'were'} left out."
        )


def _variants(found: Events, where: str) -> list[tuple[str, str]]:
    """The language and the text of each variant, to the end of the unit."""
    texts: list[tuple[str, str]] = []
    tag = ""
    for event in found:
        if event.kind == "end" and event.name == "tu":
            break
        if event.kind == "start" and event.name == "tuv":
            tag = event.attributes.get("xml:lang", event.attributes.get("lang", ""))
        elif event.kind == "start" and event.name == "seg":
            texts.append((tag, text_until_end(found, CODES, where)))
        elif event.kind == "start":
            pass_over(found)
    return texts
