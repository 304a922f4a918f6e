"""Readers for XML and SGML tables: TMX and XLIFF here, WMT test sets in `wmt_sets`. The root element selects the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from assay.core.errors import InputError, count, listing
from assay.io.files.text import file_name
from assay.io.table.open_table import MappingTable, Numbered, Opened, OpenTable
from assay.io.table.wmt_sets import SETS, sgml_rows, tags, wmt_xml_rows
from assay.io.table.xml_parser import Event, Events, events, pair, pass_over, text_until_end

Reader = Callable[[Event, Events, Opened, list[str]], Iterator[Numbered]]
"""Function from the root, the events after it, the file and a list for notes to rows that all have the same keys."""

TMX_CODES = ("bpt", "ept", "ph", "it", "ut")
"""Elements that contain codes of a format."""
XLIFF_CODES = ("bpt", "ept", "ph", "it", "x", "bx", "ex", "sc", "ec")
"""Elements that contain or replace codes of a format."""


def _source_variant(tags: Sequence[str], language: str, where: str, line: int) -> int:
    """Return the index of the source variant: the one in `language` or its primary language, else the first."""
    if not language or language == "*all*":
        return 0
    for name in (str.lower, _primary):
        matches = [i for i, tag in enumerate(tags) if name(tag) == name(language)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            break
    raise InputError(
        f"{where} line {line}: the source language is {language!r}, but the variants are in {listing(tags)}, so the "
        "source is unknown. Correct srclang."
    )


def _primary(tag: str) -> str:
    return tag.replace("_", "-").split("-")[0].lower()


def tmx_rows(root: Event, stream: Events, opened: Opened, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield one row per translation of a unit in a TMX file.

    The source language is the one that the unit or the header declares, or else that of the first variant.
    """
    where, header, alone = file_name(opened.path), "", 0
    for event in stream:
        if event.kind == "start" and event.name == "header":
            header = event.attributes.get("srclang", "")
        elif event.kind == "start" and event.name == "tu":
            language = event.attributes.get("srclang", header)
            texts = _variants(stream, where)
            if len(texts) < 2:
                alone += 1
                continue
            source = _source_variant([tag for tag, _ in texts], language, where, event.line)
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
            f"{where}: {count(alone, 'unit')} in only one language {'was' if alone == 1 else 'were'} left out."
        )


def _variants(stream: Events, where: str) -> list[tuple[str, str]]:
    """Read up to the end of the unit; return the language and text of each variant."""
    texts: list[tuple[str, str]] = []
    tag = ""
    for event in stream:
        if event.kind == "end" and event.name == "tu":
            break
        if event.kind == "start" and event.name == "tuv":
            tag = event.attributes.get("xml:lang", event.attributes.get("lang", ""))
        elif event.kind == "start" and event.name == "seg":
            texts.append((tag, text_until_end(stream, TMX_CODES, where)))
        elif event.kind == "start":
            pass_over(stream)
    return texts


def xliff_rows(root: Event, stream: Events, opened: Opened, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the translated units of XLIFF 1.2 or 2, including tool-specific variants of 1.2.

    A unit whose target is missing or empty is untranslated; it is left out, and a note reports it.
    """
    where, version = file_name(opened.path), root.attributes.get("version", "")
    if version[:1] not in ("1", "2"):
        raise InputError(
            f"{where} is XLIFF {version or 'without a version'}; only 1.2 and 2 are supported. Save it in one of these versions."
        )
    holder = "segment" if version[0] == "2" else "trans-unit"
    languages = root.attributes.get("srcLang", ""), root.attributes.get("trgLang", "")
    document = unit = ""
    waiting = 0
    for event in stream:
        if event.kind != "start":
            continue
        attributes = event.attributes
        if event.name == "file":
            document = attributes.get("original", attributes.get("id", ""))
            languages = attributes.get("source-language", languages[0]), attributes.get("target-language", languages[1])
        elif event.name == "unit":
            unit = attributes.get("id", "")
        elif event.name == holder:
            source, target = _unit_texts(stream, where)
            if target or not source:
                number = attributes.get("id", "")
                yield (
                    event.line,
                    {
                        "id": number if version[0] == "1" else "/".join(filter(None, (unit, number))),
                        "document": document,
                        "langpair": pair(*languages),
                        "source": source,
                        "mt": target or "",
                    },
                )
            else:
                waiting += 1
        elif event.name not in ("body", "group"):
            pass_over(stream)
    if waiting:
        what = "has no translation and was" if waiting == 1 else "have no translation and were"
        notes.append(f"{where}: {count(waiting, 'unit')} {what} left out.")


def _unit_texts(stream: Events, where: str) -> tuple[str, str | None]:
    """Read up to the end of the unit or segment; return its source and target, ignoring alternatives and notes."""
    texts: dict[str, str] = {}
    for event in stream:
        if event.kind == "end":
            break
        if event.kind == "start" and event.name in ("source", "target"):
            texts[event.name] = text_until_end(stream, XLIFF_CODES, where)
        elif event.kind == "start":
            pass_over(stream)
    return texts.get("source", ""), texts.get("target")


ROOTS: Mapping[str, Reader] = {
    "tmx": tmx_rows,
    "xliff": xliff_rows,
    "dataset": wmt_xml_rows,
    **dict.fromkeys(("mteval", *SETS), sgml_rows),
}


class MarkupTable(MappingTable):
    """Rows numbered by line; the first row determines the columns."""

    def __init__(self, opened: Opened, rows: Iterator[Numbered], notes: list[str]) -> None:
        self.name, self.file, self._notes = file_name(opened.path), opened.file, notes
        first = list(islice(rows, 1))
        refusal = "this row has {key}, and the first row does not. Use the same parts in all documents, or two files."
        super().__init__(chain(first, rows), [name for _, row in first for name in row], refusal)

    @property
    def notes(self) -> list[str]:
        return self._notes


def read_xml(opened: Opened) -> OpenTable:
    """Open an XML file of a known kind."""
    if not opened.head:
        raise InputError(f"{file_name(opened.path)} is empty.")
    stream = events(opened)
    root = next(event for event in stream if event.kind == "start")
    if root.name not in ROOTS:
        raise InputError(
            f"{file_name(opened.path)} is XML with the root <{root.name.rpartition(' ')[2][:40]}>; only TMX, XLIFF "
            "and WMT's <dataset> are supported. Convert it to TSV or JSON lines."
        )
    notes: list[str] = []
    return MarkupTable(opened, ROOTS[root.name](root, stream, opened, notes), notes)


def read_sgml(opened: Opened) -> OpenTable:
    """Open a source, reference or test set of an old WMT campaign."""
    stream, notes = tags(opened), list[str]()
    root = next((event for event in stream if event.kind == "start"), None)
    if root is None:
        raise InputError(
            f"{file_name(opened.path)} has no <srcset>, <refset> or <tstset>, so it is not a WMT SGML file. If it is "
            "plain text, rename it."
        )
    return MarkupTable(opened, sgml_rows(root, stream, opened, notes), notes)
