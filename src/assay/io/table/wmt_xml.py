"""WMT's XML since 2021: documents with a source, references by translator, and the output of each system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from assay.core.errors import InputError, listing
from assay.io.files.text import file_name
from assay.io.table.markup import Event, Events, pair, text_until_end
from assay.io.table.open_table import Opened

Texts = dict[str, tuple[int, str]]
"""Line and text by the number of the segment."""


class NumberedSegment(NamedTuple):
    """A segment as it stands: its paragraph, its number, its line and its text."""

    paragraph: int
    number: str
    line: int
    text: str


class WrittenSide(NamedTuple):
    """A document in one language: who wrote it, its segments as they stand, and the same by number."""

    language: str
    who: str
    segments: list[NumberedSegment]
    texts: Texts


class Document(NamedTuple):
    """All sides of a document."""

    about: dict[str, str]
    sources: list[WrittenSide]
    references: list[WrittenSide]
    outputs: list[WrittenSide]


def rows(root: Event, found: Events, opened: Opened, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Document by document, a row for each system and segment; a set without outputs gives its sources and references."""
    where = file_name(opened.path)
    for event in found:
        if event.kind == "start" and event.name == "doc":
            document = _document(event, found, where)
            for output in document.outputs or [WrittenSide("", "", [], {})]:
                yield from _rows(document, output, opened)


def _document(start: Event, found: Events, where: str) -> Document:
    about = {key: start.attributes[key] for key in ("id", "domain") if key in start.attributes}
    sides: dict[str, list[WrittenSide]] = {"src": [], "ref": [], "hyp": []}
    side: WrittenSide | None = None
    paragraph = 0
    for event in found:
        if event.kind == "end" and event.name == "doc":
            break
        if event.kind == "start" and event.name in sides:
            given = event.attributes
            side = WrittenSide(given.get("lang", ""), given.get("system", given.get("translator", "")), [], {})
            sides[event.name].append(side)
            paragraph = 0
        elif event.kind == "start" and event.name == "p":
            paragraph += 1
        elif event.kind == "start" and event.name == "seg" and side is not None:
            number = event.attributes.get("id", str(len(side.segments) + 1))
            text = text_until_end(found, (), where)
            side.segments.append(NumberedSegment(paragraph, number, event.line, text))
    _number([side for kind in sides.values() for side in kind], about.get("id", ""), where)
    return Document(about, sides["src"], sides["ref"], sides["hyp"])


def _number(sides: Sequence[WrittenSide], name: str, where: str) -> None:
    """Give every side its segments by number; numbers that restart in every paragraph get the paragraph's before them."""
    restart = any(len({segment.number for segment in side.segments}) < len(side.segments) for side in sides)
    for side in sides:
        for segment in side.segments:
            number = f"{segment.paragraph}.{segment.number}" if restart else segment.number
            if number in side.texts:
                raise InputError(
                    f"{where} line {segment.line}: document {name!r} has two segments {segment.number} in one paragraph. Number "
                    "its segments without repetition."
                )
            side.texts[number] = (segment.line, segment.text)


def _rows(document: Document, output: WrittenSide, opened: Opened) -> Iterator[tuple[int, dict[str, Any]]]:
    outputs, name = bool(document.outputs), document.about.get("id", "")
    source = document.sources[0] if document.sources else WrittenSide("", "", [], {})
    spoken = (output.language, "")
    references = [side for side in document.references if side.language in spoken or not output.language]
    languages = list(dict.fromkeys(side.language for side in references if side.language))
    if outputs and len(languages) > 1:
        raise InputError(
            f"{file_name(opened.path)}: system {output.who!r} has no language in document {name!r}, and there are references in "
            f"{listing(languages)}. Add lang= to its <hyp>."
        )
    for number, (line, _) in output.texts.items() if source.texts else ():
        if number not in source.texts:
            opened.bad(
                opened.path,
                line,
                f"segment {number} of system {output.who!r} is not in the source of document {name!r}.",
            )
    language = output.language or (references[0].language if references else "")
    for number, (line, text) in (source.texts or output.texts).items():
        if outputs and number not in output.texts:
            opened.bad(opened.path, line, f"system {output.who!r} has no segment {number} of document {name!r}.")
            continue
        row: dict[str, Any] = {"id": number, "document": name}
        if "domain" in document.about:
            row["domain"] = document.about["domain"]
        row["langpair"] = pair(source.language, language)
        if source.texts:
            row["source"] = text
        if outputs:
            row |= {"system": output.who, "mt": output.texts[number][1]}
        if document.references:
            row["references"] = [side.texts.get(number, (0, None))[1] for side in references]
        yield (output.texts[number][0] if outputs else line), row
