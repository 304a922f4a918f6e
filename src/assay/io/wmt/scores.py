"""Reader for the score files in an mt-metrics-eval tree: ``system<TAB>score`` lines, and ``domain<TAB>system<TAB>score`` lines.

A system's lines are in segment order; the systems are in any order. ``None`` means "not scored" and is read as NaN. A
literal ``nan`` or ``inf`` is rejected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from assay.core.errors import InputError, count, unknown
from assay.core.numbers import to_number

if TYPE_CHECKING:
    from assay.core.metric import Floats

UNSCORED = "None"


def read_scores(data: bytes, where: str, systems: Sequence[str], expected: int) -> Floats:
    """Return one row per system with its `expected` scores; systems that are not in the file are all NaN."""
    import numpy as np

    names, values = _quick(data) or _careful(data, where)
    if not names:
        raise InputError(f"{where} contains no scores.")
    rows = {system: row for row, system in enumerate(systems)}
    out = np.full((len(systems), expected), np.nan)
    for name, scores in _by_system(names, values).items():
        if name not in rows:
            raise unknown("system", name, systems, f"in {where}")
        if len(scores) != expected:
            per = "one per segment" if expected != 1 else "one per system"
            raise InputError(
                f"{where}: system {name!r} has {count(len(scores), 'score')}, expected {expected:,} ({per})."
            )
        out[rows[name]] = scores
    return out


def read_domain_scores(data: bytes, where: str, systems: Sequence[str], domains: Sequence[str]) -> Floats:
    """Return one row per system and one column per domain."""
    import numpy as np

    rows = {system: row for row, system in enumerate(systems)}
    columns = {domain: column for column, domain in enumerate(domains)}
    out = np.full((len(systems), len(domains)), np.nan)
    for line, fields in _lines(data, where, 3):
        domain, system, text = fields
        if domain not in columns:
            raise unknown("domain", domain, domains, f"in {where} line {line}")
        if system not in rows:
            raise unknown("system", system, systems, f"in {where} line {line}")
        out[rows[system], columns[domain]] = _number(text, where, line, system)
    return out


Runs = list[tuple[str, int]]


def _quick(data: bytes) -> tuple[Runs, Floats] | None:
    """Return the system names with their run lengths, and all values; None if anything in the file is unusual.

    This takes a fifth of the time that `_careful` takes.
    """
    import numpy as np

    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    fields = data.split()
    names, texts = fields[0::2], fields[1::2]
    marks = np.frombuffer(data, np.uint8)
    marks = marks[(marks == ord("\t")) | (marks == ord("\n"))]  # one tab and one newline per line
    if len(fields) != 2 * lines or (marks[0::2] != ord("\t")).any() or (marks[1::2] != ord("\n")).any():
        return None
    unscored = texts.count(UNSCORED.encode())
    if b"".join(texts).translate(None, b"0123456789+-.eE") != b"Non" * unscored:  # this also removes the "e" in None
        return None
    try:
        values = np.fromiter((float(text) if text != b"None" else math.nan for text in texts), np.float64, lines)
        runs = [(name.decode(), sum(1 for _ in run)) for name, run in groupby(names)]
    except ValueError:
        return None
    return (runs, values) if np.isfinite(values).sum() + unscored == lines else None


def _careful(data: bytes, where: str) -> tuple[Runs, Floats]:
    """Return the same as `_quick`, line by line, and report the first error."""
    import numpy as np

    runs: Runs = []
    values = []
    for line, (system, text) in _lines(data, where, 2):
        values.append(_number(text, where, line, system))
        if runs and runs[-1][0] == system:
            runs[-1] = (system, runs[-1][1] + 1)
        else:
            runs.append((system, 1))
    return runs, np.array(values)


def _by_system(runs: Runs, values: Floats) -> dict[str, Floats]:
    import numpy as np

    parts: dict[str, list[Floats]] = {}
    start = 0
    for name, length in runs:
        parts.setdefault(name, []).append(values[start : start + length])
        start += length
    return {name: np.concatenate(chunks) if len(chunks) > 1 else chunks[0] for name, chunks in parts.items()}


def _lines(data: bytes, where: str, width: int) -> list[tuple[int, list[str]]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 at byte {error.start:,}.") from error
    numbered = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != width:
            form = "SYSTEM<TAB>SCORE" if width == 2 else "DOMAIN<TAB>SYSTEM<TAB>SCORE"
            raise InputError(f"{where} line {number}: {count(len(fields), 'field')}, expected {form}.")
        numbered.append((number, fields))
    return numbered


def _number(text: str, where: str, line: int, system: str) -> float:
    if text == UNSCORED:
        return math.nan
    value = to_number(text)
    if value is None:
        raise InputError(f"{where} line {line}: the score of {system!r} is {text[:40]!r}, not a number or None.")
    if not math.isfinite(value):
        raise InputError(f"{where} line {line}: the score of {system!r} is {text}. Write None for a missing score.")
    return value
