"""Readers for WMT test sets: SGML up to 2020, which may be malformed, and XML since 2021.

An SGML file contains one side, so it is read as a table with that side, or as a text file with one segment per line
(`segment_lists`). An XML file contains documents with a source, references by translator, and each system's output.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import InputError, listing
from assay.io.files.text import LONGEST_LINE, file_name, open_utf8, read_blocks
from assay.io.table.bad_rows import BadRows
from assay.io.table.open_table import Opened
from assay.io.table.xml_parser import Event, Events, pair, text_until_end

SETS: Mapping[str, str] = {"srcset": "source", "refset": "reference", "tstset": "mt"}
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")


def tags(opened: Opened) -> Events:
    """Yield the set, document and segment tags in an SGML file; skip everything else between them."""
    text, line, inside = "", 1, False
    for block in read_blocks(opened.file, opened.path, opened.head):
        text += block
        at = 0
        for tag in _TAG.finditer(text):
            if inside and tag[0].lower() != "</seg>":
                raise InputError(_unclosed_message(opened, line))
            if inside:
                yield Event(
                    "text", _ENTITY.sub(lambda match: html.unescape(match[0]), text[at : tag.start()]), {}, line
                )
            line += text.count("\n", at, tag.end())
            at, name = tag.end(), tag[2].lower()
            inside = name == "seg" and not tag[1]
            attributes = {key.lower(): html.unescape(a or b or c) for key, a, b, c in _ATTRIBUTE.findall(tag[3])}
            yield Event("end" if tag[1] else "start", name, {} if tag[1] else attributes, line)
        text = text[at:]
        if not inside:
            last = text.rfind("<")  # an incomplete tag
            last = len(text) if last < 0 or ">" in text[last:] else last
            line, text = line + text.count("\n", 0, last), text[last:]
        if len(text) > LONGEST_LINE:
            raise InputError(
                f"{file_name(opened.path)} line {line}: a segment is longer than {LONGEST_LINE >> 20} million characters."
            )
    if inside:
        raise InputError(_unclosed_message(opened, line))


def _unclosed_message(opened: Opened, line: int) -> str:
    return f"{file_name(opened.path)} line {line}: a <seg> is never closed. Correct it there."


def sgml_rows(root: Event, stream: Events, opened: Opened, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield one row per segment in a source, reference or translation set."""
    where, column, document = file_name(opened.path), "", ""
    languages = "", ""
    who = written = ""
    event: Event | None = root
    while event is not None:
        attributes = event.attributes
        if event.kind == "start" and event.name in SETS:
            if column not in ("", SETS[event.name]):
                raise InputError(
                    f"{where} line {event.line}: the file has sets of several kinds. Save each in its own file."
                )
            column = SETS[event.name]
            languages = attributes.get("srclang", ""), attributes.get("trglang", attributes.get("tgtlang", ""))
            written = attributes.get("sysid", attributes.get("refid", ""))
        elif event.kind == "start" and event.name == "doc":
            document, who = attributes.get("docid", ""), attributes.get("sysid", written)
        elif event.kind == "start" and event.name == "seg":
            text = text_until_end(stream, (), where)
            row = {"id": attributes.get("id", ""), "document": document, "langpair": pair(*languages)}
            if column == "mt":
                row["system"] = who
            yield event.line, {**row, column or "mt": re.sub(r"\s*\n\s*", " ", text).strip()}
        event = next(stream, None)


def is_sgml(path: str | os.PathLike[str]) -> bool:
    """Return whether a file name indicates SGML."""
    return not {".sgm", ".sgml"}.isdisjoint(ending.lower() for ending in Path(path).suffixes[-2:])


def segment_lists(paths: Sequence[str]) -> dict[str, list[str]]:
    """Return the segments in every SGML file among `paths`, all in the order of the first file.

    Segments are matched by document and number. If numbers are not unique, segments stay in file order.
    """
    sets = {path: list(_segments(path)) for path in dict.fromkeys(paths) if is_sgml(path)}
    if len(sets) < 2:
        return {path: [text for _, text in segments] for path, segments in sets.items()}
    (first, segments), *others = sets.items()
    order = [key for key, _ in segments]
    lists = {first: [text for _, text in segments]}
    for path, segments in others:
        keys, texts = [key for key, _ in segments], [text for _, text in segments]
        if keys != order and len(keys) == len(order):
            if len(set(order)) < len(order) or set(keys) != set(order):
                at = next(i for i, (one, other) in enumerate(zip(order, keys, strict=True)) if one != other)
                raise InputError(
                    f"segment {at + 1} is {_label(order[at])} in {first} and {_label(keys[at])} in {path}. Both "
                    "files must have the same documents and segments."
                )
            if len(sets) < len(set(paths)):
                raise InputError(
                    f"{first} and {path} have their documents in different orders, so a plain text file cannot be "
                    "matched with them. Use SGML for all texts."
                )
            by_key = dict(zip(keys, texts, strict=True))
            texts = [by_key[key] for key in order]
        lists[path] = texts
    return lists


def _label(key: tuple[str, str]) -> str:
    return f"{key[0]}/{key[1]}"


def _segments(path: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the segments in a set, each with its document and number."""
    with open_utf8(path) as file:
        opened = Opened(file, path, b"", BadRows(remedy=""), "none")
        stream = tags(opened)
        root = next((event for event in stream if event.kind == "start"), None)
        if root is None:
            raise InputError(
                f"{path} has no <srcset>, <refset> or <tstset>, so it is not a WMT SGML file. If it is plain text, rename it."
            )
        for _, row in sgml_rows(root, stream, opened, []):
            yield (str(row["document"]), str(row["id"])), next(reversed(row.values()))


Texts = dict[str, tuple[int, str]]
"""Line and text by segment number."""


class NumberedSegment(NamedTuple):
    """Segment in a file: its paragraph, number, line and text."""

    paragraph: int
    number: str
    line: int
    text: str


class WrittenSide(NamedTuple):
    """Document in one language: its author, and its segments in order and by number."""

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


def wmt_xml_rows(root: Event, stream: Events, opened: Opened, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield one row per system and segment, document by document; without system outputs, yield sources and references."""
    where = file_name(opened.path)
    for event in stream:
        if event.kind == "start" and event.name == "doc":
            document = _document(event, stream, where)
            for output in document.outputs or [WrittenSide("", "", [], {})]:
                yield from _rows(document, output, opened)


def _document(start: Event, stream: Events, where: str) -> Document:
    about = {key: start.attributes[key] for key in ("id", "domain") if key in start.attributes}
    sides: dict[str, list[WrittenSide]] = {"src": [], "ref": [], "hyp": []}
    side: WrittenSide | None = None
    paragraph = 0
    for event in stream:
        if event.kind == "end" and event.name == "doc":
            break
        if event.kind == "start" and event.name in sides:
            attributes = event.attributes
            side = WrittenSide(
                attributes.get("lang", ""), attributes.get("system", attributes.get("translator", "")), [], {}
            )
            sides[event.name].append(side)
            paragraph = 0
        elif event.kind == "start" and event.name == "p":
            paragraph += 1
        elif event.kind == "start" and event.name == "seg" and side is not None:
            number = event.attributes.get("id", str(len(side.segments) + 1))
            text = text_until_end(stream, (), where)
            side.segments.append(NumberedSegment(paragraph, number, event.line, text))
    _number([side for kind in sides.values() for side in kind], about.get("id", ""), where)
    return Document(about, sides["src"], sides["ref"], sides["hyp"])


def _number(sides: Sequence[WrittenSide], name: str, where: str) -> None:
    """Number the segments of every side; if numbers restart in each paragraph, add the paragraph's number."""
    restart = any(len({segment.number for segment in side.segments}) < len(side.segments) for side in sides)
    for side in sides:
        for segment in side.segments:
            number = f"{segment.paragraph}.{segment.number}" if restart else segment.number
            if number in side.texts:
                raise InputError(
                    f"{where} line {segment.line}: document {name!r} has two segments numbered {segment.number} in one "
                    "paragraph. Give each segment a unique number."
                )
            side.texts[number] = (segment.line, segment.text)


def _rows(document: Document, output: WrittenSide, opened: Opened) -> Iterator[tuple[int, dict[str, Any]]]:
    outputs, name = bool(document.outputs), document.about.get("id", "")
    source = document.sources[0] if document.sources else WrittenSide("", "", [], {})
    accepted = (output.language, "")
    references = [side for side in document.references if side.language in accepted or not output.language]
    languages = list(dict.fromkeys(side.language for side in references if side.language))
    if outputs and len(languages) > 1:
        raise InputError(
            f"{file_name(opened.path)}: system {output.who!r} has no language in document {name!r}, which has "
            f"references in {listing(languages)}. Add lang= to its <hyp>."
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
