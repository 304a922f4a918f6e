"""WMT's XML since 2021: documents with a source, references by translator, and the output of each system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from assay.io.files.text import file_name
from assay.io.table.markup import Event, Events, pair, text_until_end
from assay.io.table.open_table import Opened

Texts = dict[str, tuple[int, str]]
"""Line and text by the number of the segment."""


class WrittenSide(NamedTuple):
    """A document in one language: who wrote it, and its segments."""

    language: str
    who: str
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
            for output in document.outputs or [WrittenSide("", "", {})]:
                yield from _rows(document, output, opened)


def _document(start: Event, found: Events, where: str) -> Document:
    about = {key: start.attributes[key] for key in ("id", "domain") if key in start.attributes}
    sides: dict[str, list[WrittenSide]] = {"src": [], "ref": [], "hyp": []}
    side: WrittenSide | None = None
    for event in found:
        if event.kind == "end" and event.name == "doc":
            break
        if event.kind == "start" and event.name in sides:
            given = event.attributes
            side = WrittenSide(given.get("lang", ""), given.get("system", given.get("translator", "")), {})
            sides[event.name].append(side)
        elif event.kind == "start" and event.name == "seg" and side is not None:
            number = event.attributes.get("id", str(len(side.texts) + 1))
            side.texts[number] = (event.line, text_until_end(found, (), where))
    return Document(about, sides["src"], sides["ref"], sides["hyp"])


def _rows(document: Document, output: WrittenSide, opened: Opened) -> Iterator[tuple[int, dict[str, Any]]]:
    outputs = bool(document.outputs)
    source = document.sources[0] if document.sources else WrittenSide("", "", {})
    spoken = (output.language, "")
    references = [side for side in document.references if side.language in spoken or not output.language]
    language = output.language or (references[0].language if references else "")
    for number, (line, text) in (source.texts or output.texts).items():
        if outputs and number not in output.texts:
            name = document.about.get("id", "")
            opened.bad(opened.path, line, f"system {output.who!r} has no segment {number} of document {name!r}.")
            continue
        row: dict[str, Any] = {"id": number, "document": document.about.get("id", "")}
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
