"""Tables of outcomes: translations with what happened downstream, one row a text.

Columns by the names people use: source, translation, reference, outcome, language, split, and where there are any id, part,
task, error type and back-translation. Rows that share task, language and id and differ in their part (question, context) are
one example.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.batch import Batch
from assay.core.errors import InputError, listing, unknown
from assay.core.outcomes import DEV, NO_TYPE, TEST, TaskOutcomes
from assay.io.files.text import file_name, open_bytes
from assay.io.table.formats import format_of
from assay.io.table.tables import open_source

NAMES: Mapping[str, tuple[str, ...]] = {
    "translation": ("translation", "mt", "hypothesis", "hyp"),
    "source": ("source", "src"),
    "reference": ("reference", "ref"),
    "outcome": ("outcome", "success", "label"),
    "language": ("language", "lang", "test_language"),
    "split": ("split",),
    "id": ("id", "example"),
    "part": ("part",),
    "task": ("task",),
    "error_type": ("error_type", "error", "mqm"),
    "controlled": ("controlled",),
    "back": ("back_translation", "back", "pseudo"),
}
GOOD = ("success", "good", "ok", "1", "1.0", "true", "yes", "pass", "use")
BAD = ("breakdown", "bad", "failure", "fail", "0", "0.0", "false", "no", "reject")
PARTS = {DEV: DEV, "development": DEV, "valid": DEV, "validation": DEV, "train": DEV, TEST: TEST}
CHUNK = 8192


def read_outcomes(
    path: str | os.PathLike[str], columns: Mapping[str, str] | None = None, scores: Sequence[str] = ()
) -> TaskOutcomes:
    """The outcomes in a TSV, CSV, JSON-lines or Parquet file; ``-`` is standard input.

    `columns` names the column of a role where it has another name; `scores` are columns with ready scores. A table without a
    split column gives outcomes whose splits are empty. An outcome is a word of `GOOD` or of `BAD`.
    """
    import numpy as np

    name = os.fspath(path)
    with open_bytes(name) as file:
        head = file.readline(1 << 20)
        source = open_source(file, name, head, format_of(name, head))
        roles = _roles(source.names, columns or {}, file_name(name))
        for column in scores:
            if column not in source.names:
                raise unknown(f"column of scores in {file_name(name)}", column, source.names)
        wanted = list(dict.fromkeys([*roles.values(), *scores]))
        read: dict[str, list[Any]] = {column: [] for column in wanted}
        good: list[bool] = []
        values: dict[str, list[float]] = {column: [] for column in scores}
        for piece in source.pieces(wanted, CHUNK):
            by_name = dict(zip(wanted, piece.columns, strict=True))
            for i, value in enumerate(by_name[roles["outcome"]]):
                good.append(_is_good(value, f"{file_name(name)} {piece.where(i)}"))
            for column in scores:
                values[column] += [
                    number(value, column, f"{file_name(name)} {piece.where(i)}")
                    for i, value in enumerate(by_name[column])
                ]
            for column in roles.values():
                read[column] += by_name[column]
    if not good:
        raise InputError(f"{file_name(name)} has no rows: there are no outcomes to look at.")
    table = {role: read[column] for role, column in roles.items()}
    return _outcomes(table, np.array(good), {c: np.array(v) for c, v in values.items()}, file_name(name))


def _roles(found: Sequence[str], chosen: Mapping[str, str], name: str) -> dict[str, str]:
    lowered = {column.strip().lower().replace(" ", "_").replace("-", "_"): column for column in found}
    roles: dict[str, str] = {}
    for wanted, column in chosen.items():
        role = next((role for role, names in NAMES.items() if wanted.lower() in names), None)
        if role is None:
            raise unknown("role of a column", wanted, NAMES)
        if column not in found:
            raise unknown(f"column in {name}", column, found)
        roles[role] = column
    for role, names in NAMES.items():
        hit = next((lowered[option] for option in names if option in lowered), None)
        if role not in roles and hit is not None:
            roles[role] = hit
    for role in ("translation", "outcome"):
        if role not in roles:
            raise InputError(
                f"{name} has no {role} column. It has {listing(map(repr, found))}; call the column "
                f"{' or '.join(NAMES[role])}, or name it with --columns {role}=COLUMN."
            )
    return roles


def _is_good(value: object, where: str) -> bool:
    word = str(value).strip().lower()
    if word in GOOD:
        return True
    if word in BAD:
        return False
    raise InputError(f"{where}: outcome {str(value)[:40]!r} is neither success (or good, 1) nor breakdown (or bad, 0).")


def number(value: object, column: str, where: str) -> float:
    """A score in a cell; NaN where the cell is empty."""
    if value is None or value == "":
        return float("nan")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"{where}: {column} is {str(value)[:40]!r}, not a number.") from None


def _text(values: Sequence[Any] | None, n: int) -> list[str]:
    return [""] * n if values is None else ["" if value is None else str(value) for value in values]


def _outcomes(table: Mapping[str, list[Any]], good: Any, scores: Mapping[str, Any], name: str) -> TaskOutcomes:
    import numpy as np

    n = len(good)
    languages, tasks = _text(table.get("language"), n), _text(table.get("task"), n)
    splits = _splits(table.get("split"), n, name)
    ids = _text(table["id"], n) if "id" in table else [str(i) for i in range(1, n + 1)]
    types = _text(table.get("error_type"), n)
    back = table.get("back")
    batch = Batch(
        hypotheses=_text(table["translation"], n),
        sources=_text(table["source"], n) if "source" in table else None,
        references=(table["reference"],) if "reference" in table else None,
        ids=ids,
    )
    if "part" not in table:
        first, example = np.arange(n), np.arange(n)
    else:
        first, example = _examples(list(zip(tasks, languages, ids, types, strict=True)))
        if (good[first][example] != good).any():
            row = int(np.flatnonzero(good[first][example] != good)[0])
            where = f"{ids[row]!r} ({languages[row]})" if languages[row] else repr(ids[row])
            raise InputError(
                f"{name}: the parts of example {where} have different outcomes. Rows of the same id, task and language are "
                "parts of one example: give every example an id of its own."
            )
    at = first.tolist()
    made = [word.lower() in GOOD for word in _text(table.get("controlled"), n)]
    return TaskOutcomes(
        batch=batch,
        success=good[first],
        languages=[languages[i] for i in at],
        splits=[splits[i] for i in at],
        tasks=[tasks[i] for i in at],
        ids=[ids[i] for i in at],
        error_types=[types[i] or NO_TYPE for i in at],
        controlled=np.array([made[i] for i in at]),
        example=example,
        parts=_text(table["part"], n) if "part" in table else None,
        back=None if back is None else [text or None for text in back],
        scores=scores,
    )


def _splits(values: Sequence[Any] | None, n: int, name: str) -> list[str]:
    if values is None:
        return [""] * n
    for value in dict.fromkeys(values):
        if str(value).strip().lower() not in PARTS:
            raise InputError(f"{name}: split {str(value)[:40]!r} is neither dev nor test.")
    known = {value: PARTS[str(value).strip().lower()] for value in dict.fromkeys(values)}
    return [known[value] for value in values]


def _examples(keys: Sequence[Any]) -> tuple[Any, Any]:
    """Each example's first row, and each row's example."""
    import numpy as np

    numbers: dict[Any, int] = {}
    first, example = [], np.empty(len(keys), np.int64)
    for row, key in enumerate(keys):
        if key not in numbers:
            numbers[key] = len(numbers)
            first.append(row)
        example[row] = numbers[key]
    return np.array(first, np.int64), example


def write_outcomes(outcomes: TaskOutcomes, path: str | os.PathLike[str]) -> None:
    """The outcomes as a TSV that `read_outcomes` takes (tabs and line ends in texts become blanks), whole or not at all."""
    from assay.io.files.atomic import atomic_write

    with atomic_write(path, "w") as stream:
        stream.write(as_tsv(outcomes))


def as_tsv(outcomes: TaskOutcomes) -> str:
    """The same as text."""
    header = ["id", "task", "language", "split", "part", "source", "translation", "reference", "outcome", "error_type"]
    header += ["controlled", *(["back_translation"] if outcomes.back is not None else []), *outcomes.scores]
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
    writer.writerow(header)
    batch = outcomes.batch
    for row, i in enumerate(outcomes.example.tolist()):
        segment = batch[row]
        cells = [outcomes.ids[i], outcomes.tasks[i], outcomes.languages[i], outcomes.splits[i]]
        cells += [outcomes.parts[row] if outcomes.parts else "", segment.source or "", segment.hypothesis]
        cells += [segment.references[0] if segment.references else ""]
        cells += ["success" if outcomes.success[i] else "breakdown", outcomes.error_types[i]]
        cells += ["yes" if outcomes.controlled[i] else "no"]
        cells += [outcomes.back[row] or ""] if outcomes.back is not None else []
        cells += [repr(float(values[row])) for values in outcomes.scores.values()]
        writer.writerow([" ".join(cell.split()) if any(c in cell for c in "\t\n\r") else cell for cell in cells])
    return out.getvalue()
