"""Source, reference and test sets of WMT's campaigns up to 2020, in SGML that need not be well-formed.

Each file holds one side, so it serves as a table of that side, and as a text file of one segment a line (`segment_lists`).
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
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


def is_sgml(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is SGML by its name."""
    return not {".sgm", ".sgml"}.isdisjoint(ending.lower() for ending in Path(path).suffixes[-2:])


def segment_lists(paths: Sequence[str]) -> dict[str, list[str]]:
    """Return the segments of every SGML file among `paths`, all in the order of the first one.

    Segments are matched by document and number. Without unique numbers they stay in the order of their file.
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
                    f"segment {at + 1} is {_label(order[at])} in {first} and {_label(keys[at])} in {path}: both must have "
                    "the same documents and segments."
                )
            if len(sets) < len(set(paths)):
                raise InputError(
                    f"{first} and {path} have their documents in different orders, so the lines of a plain text file cannot be "
                    "matched with them. Give every text as SGML."
                )
            place = dict(zip(keys, texts, strict=True))
            texts = [place[key] for key in order]
        lists[path] = texts
    return lists


def _label(key: tuple[str, str]) -> str:
    return f"{key[0]}/{key[1]}"


def _segments(path: str) -> Iterator[tuple[tuple[str, str], str]]:
    """The segments of a set, each with its document and number."""
    with open_utf8(path) as file:
        opened = Opened(file, path, b"", BadRows(remedy=""), "none")
        found = tags(opened)
        root = next((event for event in found if event.kind == "start"), None)
        if root is None:
            raise InputError(
                f"{path} has no <srcset>, <refset> or <tstset>: it is no SGML of WMT. Rename it if it is text."
            )
        for _, row in rows(root, found, opened, []):
            yield (str(row["document"]), str(row["id"])), next(reversed(row.values()))
