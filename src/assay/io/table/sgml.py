"""Source, reference and test sets of WMT's campaigns up to 2020, in SGML that need not be well-formed.

Each file holds one side, so it serves as a table of that side, and as a text file of one segment a line (`segment_lines`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.core.errors import InputError
from assay.io.files.text import LONGEST_LINE, file_name, open_utf8, read_blocks
from assay.io.table.bad_rows import BadRows
from assay.io.table.markup import Event, Events, pair, text_until_end
from assay.io.table.open_table import Opened

SETS: Mapping[str, str] = {"srcset": "source", "refset": "reference", "tstset": "mt"}
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")


def tags(opened: Opened) -> Events:
    """The sets, documents and segments of a file, by their tags; whatever else stands between them is passed over."""
    text, line, inside = "", 1, False
    for block in read_blocks(opened.file, opened.path, opened.head):
        text += block
        at = 0
        for tag in _TAG.finditer(text):
            if inside and tag[0].lower() != "</seg>":
                raise InputError(_unclosed(opened, line))
            if inside:
                yield Event(
                    "text", _ENTITY.sub(lambda found: html.unescape(found[0]), text[at : tag.start()]), {}, line
                )
            line += text.count("\n", at, tag.end())
            at, name = tag.end(), tag[2].lower()
            inside = name == "seg" and not tag[1]
            given = {key.lower(): html.unescape(a or b or c) for key, a, b, c in _ATTRIBUTE.findall(tag[3])}
            yield Event("end" if tag[1] else "start", name, {} if tag[1] else given, line)
        text = text[at:]
        if not inside:
            last = text.rfind("<")  # a tag that is not whole yet
            last = len(text) if last < 0 or ">" in text[last:] else last
            line, text = line + text.count("\n", 0, last), text[last:]
        if len(text) > LONGEST_LINE:
            raise InputError(
                f"{file_name(opened.path)} line {line}: a segment is longer than {LONGEST_LINE >> 20} Mi characters."
            )
    if inside:
        raise InputError(_unclosed(opened, line))


def _unclosed(opened: Opened, line: int) -> str:
    return f"{file_name(opened.path)} line {line}: a <seg> is opened and never closed. Mend it there."


def rows(root: Event, found: Events, opened: Opened, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """A row for each segment of a set, which says whether it is a source, a reference or a translation."""
    where, column, document = file_name(opened.path), "", ""
    languages = "", ""
    who = written = ""
    event: Event | None = root
    while event is not None:
        given = event.attributes
        if event.kind == "start" and event.name in SETS:
            if column not in ("", SETS[event.name]):
                raise InputError(
                    f"{where} line {event.line}: it holds sets of several kinds. Give each in a file of its own."
                )
            column = SETS[event.name]
            languages = given.get("srclang", ""), given.get("trglang", given.get("tgtlang", ""))
            written = given.get("sysid", given.get("refid", ""))
        elif event.kind == "start" and event.name == "doc":
            document, who = given.get("docid", ""), given.get("sysid", written)
        elif event.kind == "start" and event.name == "seg":
            text = text_until_end(found, (), where)
            row = {"id": given.get("id", ""), "document": document, "langpair": pair(*languages)}
            if column == "mt":
                row["system"] = who
            yield event.line, {**row, column or "mt": re.sub(r"\s*\n\s*", " ", text).strip()}
        event = next(found, None)


def segment_lines(path: str, chunk: int) -> Iterator[list[str]]:
    """The segments of a set as lines, `chunk` at a time."""
    with open_utf8(path) as file:
        opened = Opened(file, path, b"", BadRows(remedy=""), "none")
        found, lines = tags(opened), list[str]()
        root = next((event for event in found if event.kind == "start"), None)
        if root is None:
            raise InputError(
                f"{path} has no <srcset>, <refset> or <tstset>: it is no SGML of WMT. Rename it if it is text."
            )
        for _, row in rows(root, found, opened, []):
            lines.append(next(reversed(row.values())))
            if len(lines) == chunk:
                yield lines
                lines = []
        if lines:
            yield lines
