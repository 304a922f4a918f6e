"""XLIFF 1.2 and 2, and what translation tools make of 1.2: a row for each unit or segment that has a translation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.core.errors import InputError, count
from assay.io.files.text import file_name
from assay.io.table.markup import Event, Events, pair, pass_over, text_until_end
from assay.io.table.open_table import Opened

CODES = ("bpt", "ept", "ph", "it", "x", "bx", "ex", "sc", "ec")
"""Elements that hold the codes of a format, or stand for them."""


def rows(root: Event, found: Events, opened: Opened, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The translated units. One whose target is missing or empty is untranslated, and left out with a note."""
    where, version = file_name(opened.path), root.attributes.get("version", "")
    if version[:1] not in ("1", "2"):
        raise InputError(
            f"{where} is XLIFF {version or 'without a version'}: 1.2 and 2 are read. Save it in one of these."
        )
    holder = "segment" if version[0] == "2" else "trans-unit"
    spoken = root.attributes.get("srcLang", ""), root.attributes.get("trgLang", "")
    document = unit = ""
    waiting = 0
    for event in found:
        if event.kind != "start":
            continue
        given = event.attributes
        if event.name == "file":
            document = given.get("original", given.get("id", ""))
            spoken = given.get("source-language", spoken[0]), given.get("target-language", spoken[1])
        elif event.name == "unit":
            unit = given.get("id", "")
        elif event.name == holder:
            source, target = _texts(found, where)
            if target or not source:
                number = given.get("id", "")
                yield (
                    event.line,
                    {
                        "id": number if version[0] == "1" else "/".join(filter(None, (unit, number))),
                        "document": document,
                        "langpair": pair(*spoken),
                        "source": source,
                        "mt": target or "",
                    },
                )
            else:
                waiting += 1
        elif event.name not in ("body", "group"):
            pass_over(found)
    if waiting:
        what = "has no translation and was" if waiting == 1 else "have no translation and were"
        notes.append(f"{where}: {count(waiting, 'unit')} {what} left out.")


def _texts(found: Events, where: str) -> tuple[str, str | None]:
    """Source and target, to the end of the unit or segment; proposals and notes stand in elements of their own."""
    texts: dict[str, str] = {}
    for event in found:
        if event.kind == "end":
            break
        if event.kind == "start" and event.name in ("source", "target"):
            texts[event.name] = text_until_end(found, CODES, where)
        elif event.kind == "start":
            pass_over(found)
    return texts.get("source", ""), texts.get("target")
