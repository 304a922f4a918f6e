"""Mutations that know what they mutate: bytes, lines and cells of tables, values of JSON, words of YAML."""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
from typing import Any

WORDS = [
    b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n\n", b"\t", b"\t\t\t", b'"', b'""', b"'", b",", b"nan",
    b"inf", b"-inf", b"1e999", b"1e308", b"-0", b"1_000", "１２".encode(), b"9" * 400, b"9" * 5000, b"\xe2\x80\xa8", b"\xc2\x85",
    b"\xed\xa0\x80", b"{", b"[" * 120, b"}", b"null", b"None", b"true", b"\\", b"\\ud800", b"<v>", b"</v>", b"\x1b[2J", b"=1+1",
    b"&a [*a]", b"*a", b"!!int ''", b"!!float x", b"1:2:3", b"2020-99-99", b"<<: 1", b"%", b"- - -", b": :", b"a{99999999999}",
    b"\xf0\x9f\x98\x80", b"-1", b"0", b"0.5", b"x" * 300,
]  # fmt: skip
"""What is put between other bytes, or in the place of a cell."""
RARE = [b"[" * 100_000, b"x" * 200_000, b'{"a":' * 2000, b"\t" * 20_000, b"- " * 5000]
"""The same, but large."""
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 5, 2**70, 10**400, -1e308, 1e308, float("nan"), float("inf"), 0.5, 3.5, "", "x", "\x00", "\ud800",
    "a" * 3000, [], {}, [1], {"a": 1}, [[]], ["a", None], {"": None}, "nan", "-", "1e999", "1_000", "１２", "12", "true", [0, 1, 2],
    [[0, 1, 5]], {"start": 0, "end": 1, "severity": "minor"}, [None], "all", "missing",
]  # fmt: skip
KEYS = ["", "x", "format", "id", "score", "spans", "text", "all"]


def mutate(data: bytes, suffix: str, draw: random.Random) -> bytes:
    """A mutated copy of a file; `suffix` says how its content may be taken apart."""
    if suffix == ".xlsx" and draw.random() < 0.8:
        return _archive(data, draw)
    structured = suffix in (".json", ".jsonl", ".ratings") and draw.random() < 0.7
    if structured:
        try:
            return _objects(data, suffix, draw)
        except (ValueError, RecursionError, IndexError):
            pass
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        found = _bytes(found, suffix, draw)
    return bytes(found)


def _bytes(data: bytearray, suffix: str, draw: random.Random) -> bytearray:
    size, kind = len(data), draw.randrange(12)
    at = draw.randrange(size + 1)
    if kind == 0 and size:
        data[min(at, size - 1)] ^= 1 << draw.randrange(8)
    elif kind == 1:
        data[at:at] = draw.choice(RARE) if draw.random() < 0.01 else draw.choice(WORDS)
    elif kind == 2:
        del data[at : at + draw.choice((1, 2, 10, 100, size))]
    elif kind == 3:
        data[at:at] = data[at : at + draw.choice((1, 10, 200))]
    elif kind == 4:
        del data[at:]
    elif kind == 5:
        data[at : at + 4] = draw.randbytes(4)
    elif kind == 6:
        data = bytearray(bytes(data).replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n")), draw.choice((-1, 1, 3))))
    elif kind == 7 and size < 100_000:
        data = bytearray(
            data.decode("utf-8", "replace").encode(draw.choice(("utf-16", "latin-1", "utf-8-sig")), "replace")
        )
    else:
        data = _lines(data, suffix, draw)
    return data


def _lines(data: bytearray, suffix: str, draw: random.Random) -> bytearray:
    """Lines moved, or the cell of a table (the value of a YAML key) replaced by a word or by another cell."""
    lines = bytes(data).split(b"\n")
    if draw.random() < 0.25:
        one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[draw.choice((one, other))]
        return bytearray(b"\n".join(lines))
    separator = {".yaml": b": ", ".csv": b","}.get(suffix, b"\t" if b"\t" in data else b",")
    row = 0 if draw.random() < 0.1 else draw.randrange(len(lines))
    cells = lines[row].split(separator)
    other_cells = draw.choice(lines).split(separator)
    new = draw.choice(other_cells) if draw.random() < 0.3 else draw.choice(WORDS)
    place = draw.randrange(len(cells))
    if draw.random() < 0.2:
        del cells[place]
    else:
        cells[place] = new
    lines[row] = separator.join(cells)
    return bytearray(b"\n".join(lines))


def _archive(data: bytes, draw: random.Random) -> bytes:
    """A zip file of which one part is mutated."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as whole, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        names = whole.namelist()
        chosen = draw.choice(names)
        for name in names:
            content = whole.read(name)
            archive.writestr(name, mutate(content, ".xml", draw) if name == chosen else content)
    return out.getvalue()


def _objects(data: bytes, suffix: str, draw: random.Random) -> bytes:
    if suffix == ".json":
        return _written(_value(json.loads(data), draw), draw)
    lines = data.split(b"\n")
    for _ in range(draw.choice((1, 1, 3))):
        at = draw.randrange(len(lines))
        head, tab, text = lines[at].rpartition(b"\t") if suffix == ".ratings" else (b"", b"", lines[at])
        lines[at] = head + tab + _written(_value(json.loads(text), draw), draw)
    return b"\n".join(lines)


def _written(value: Any, draw: random.Random) -> bytes:
    text = json.dumps(value, ensure_ascii=draw.random() < 0.8)
    if draw.random() < 0.02:
        text = "[" * 200 + text + "]" * 200
    return text.encode("utf-8", "surrogatepass")


def _value(value: Any, draw: random.Random) -> Any:
    for _ in range(draw.choice((1, 1, 2, 4))):
        holder, key = _place(value, draw)
        if holder is None:
            return copy.deepcopy(draw.choice(VALUES))
        kind = draw.randrange(6)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, dict):
            holder[draw.choice([*KEYS, str(key).upper(), str(key) + "s"])] = holder.pop(key)
        elif kind == 2 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        elif kind == 3:
            other, place = _place(value, draw)
            holder[key] = copy.deepcopy(other[place]) if other is not None else draw.choice(VALUES)
        else:
            holder[key] = copy.deepcopy(draw.choice(VALUES))
    return value


def _place(value: Any, draw: random.Random) -> tuple[Any, Any]:
    """A container and a key in it, reached by steps at random; None for the value itself."""
    holder, key = None, None
    while isinstance(value, dict | list) and value and (holder is None or draw.random() < 0.75):
        if holder is None and draw.random() < 0.02:
            break
        holder, key = value, draw.choice(list(value)) if isinstance(value, dict) else draw.randrange(len(value))
        value = holder[key]
    return holder, key
