"""Reading a workbook in a test, by the standard library: what lies in the cells, and of which kind it is."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read(path: Path) -> dict[str, list[list[Any]]]:
    """Sheet to rows; Excel's escapes (``_x001B_``) are read as it reads them."""
    with zipfile.ZipFile(path) as archive:
        names = [sheet.get("name") for sheet in ElementTree.fromstring(archive.read("xl/workbook.xml"))[0]]
        roots = [ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{i + 1}.xml")) for i in range(len(names))]
    return {
        str(name): [[_value(cell) for cell in row] for row in root.iter(f"{_MAIN}row")]
        for name, root in zip(names, roots, strict=True)
    }


def _value(cell: ElementTree.Element) -> Any:
    kind, text = cell.get("t", "n"), "".join(cell.itertext())
    if kind == "inlineStr":
        return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)
    if kind == "b":
        return text == "1"
    return None if not text else float(text)
