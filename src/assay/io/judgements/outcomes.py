"""Reader and writer for outcome tables: translations and whether a downstream task succeeded on them, one row per text.

Columns are recognised by common names: source, translation, reference, outcome, language, split, and optionally id, part,
task, error type and back-translation. Rows with the same task, language and id and different parts (question, context) are
one example.

An outcome is a word for success or breakdown, or a grade from 0 to 1. If one is neither 0 nor 1, the outcomes are graded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.numbers import to_number
from assay.core.outcomes import BOTH, DEV, NO_TYPE, TEST, TaskOutcomes, concat_outcomes
from assay.io.table.formats import open_table
from assay.io.table.open_table import Quoting, score_place
from assay.io.table.quoting import quote_cell
from assay.io.table.role_columns import RoleColumns, lay_out
from assay.io.table.vocabulary import ColumnChoice, Wanted

WANTED = Wanted(
    {
        "translation": ("hypothesis",),
        "source": ("source", "source sentence"),
        "reference": ("reference", "reference translation"),
        "outcome": ("outcome",),
        "language": ("language",),
        "split": ("split",),
        "id": ("id", "example"),
        "part": ("part",),
        "task": ("task",),
        "error_type": ("error type", "error", "mqm"),
        "controlled": ("controlled",),
        "reviewed": ("type reviewed",),
        "back": ("back",),
    },
    required=("translation", "outcome"),
    missing="{file} has no {role} column; it has {quoted}. Specify it with --columns {pairs}, or rename it to {options}.",
    once=("translation",),
)
UNJUDGED = replace(WANTED, required=("translation",))
GOOD = ("success", "good", "ok", "1", "1.0", "true", "yes", "pass", "use")
BAD = ("breakdown", "bad", "failure", "fail", "0", "0.0", "false", "no", "reject")
PARTS = {DEV: DEV, "development": DEV, "valid": DEV, "validation": DEV, "train": DEV, TEST: TEST, BOTH: BOTH}
CHUNK = 8192
WITHOUT_DEV = "question answering"
"""The benchmark's task without a development part: its first examples choose, and all are reported (Appendix B)."""
FIRST = 200
_NAME = re.compile(r"task_([a-z]{2,3})_test_([a-z]{2,3})\.\w+(\.\w+)?")


def read_outcomes(
    source: Any,
    columns: ColumnChoice | None = None,
    scores: Sequence[str] = (),
    *,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
    judged: Sequence[float | None] | None = None,
) -> TaskOutcomes:
    """Read an outcome table.

    Args:
        source: A file in any format (``-`` is standard input) or a frame.
        columns: Role to column, for columns with other names.
        scores: Columns with precomputed scores.
        quoting: The meaning of quotation marks in delimited text.
        notes: A list to which the reader adds notes on ambiguous quotation marks.
        judged: The outcome of each row, if the table has no outcome column; None leaves the row out.

    Without a split column, the splits are empty. An outcome is a word of `GOOD` or `BAD`, or a grade from 0 to 1.
    """
    import numpy as np

    with open_table(source, quoting=quoting) as table:
        name = table.name
        layout = lay_out(table, WANTED if judged is None else UNJUDGED, columns)
        places = {column: score_place(table, column) for column in scores}
        reader = RoleColumns(table, layout, list(places.values()))
        read: dict[str, list[Any]] = {role: [] for role in layout.places}
        references: list[list[str | None]] = []
        worth: list[float] = []
        values: dict[str, list[float]] = {column: [] for column in scores}
        for piece in table.pieces(reader.wanted, CHUNK):
            if judged is None:
                outcomes = reader.column(piece, layout.places["outcome"])
                worth += [outcome_value(value, f"{name} {piece.where(i)}") for i, value in enumerate(outcomes)]
            for column, index in places.items():
                cells = reader.column(piece, index)
                values[column] += [
                    score_value(value, column, f"{name} {piece.where(i)}") for i, value in enumerate(cells)
                ]
            for role, index in layout.places.items():
                read[role] += reader.column(piece, index)
            for i, texts in enumerate(reader.references(piece)):
                references += [[]] if i == len(references) else []
                references[i] += texts
        if notes is not None:
            notes += table.notes
    if judged is not None:
        worth = [float("nan") if value is None else value for value in judged]
    if not worth:
        raise InputError(f"{name} contains no rows, so it has no outcomes. Check the file.")
    return _outcomes(read, references, np.array(worth), {c: np.array(v) for c, v in values.items()}, name)


def outcome_value(value: object, where: str) -> float:
    """Return an outcome as a number: 1 for a success, 0 for a breakdown, or a grade between them."""
    word = str(value).strip().lower()
    if word in GOOD:
        return 1.0
    if word in BAD:
        return 0.0
    grade = to_number(value)
    if grade is None or not 0 <= grade <= 1:
        raise InputError(
            f"{where}: outcome {str(value)[:40]!r} is unknown. Use success (or good, 1), breakdown (or bad, 0), or a "
            "grade between 0 and 1."
        )
    return grade


def score_value(value: object, column: str, where: str) -> float:
    """Return the score in a cell, NaN for an empty one. Infinite scores are accepted: rules refer them to annotators."""
    score = float("nan") if value is None or value == "" else to_number(value)
    if score is None:
        raise InputError(f"{where}: {column} is {str(value)[:40]!r}, not a number.")
    return score


def _text(values: Sequence[Any] | None, n: int) -> list[str]:
    return [""] * n if values is None else ["" if value is None else str(value) for value in values]


def _outcomes(
    table: Mapping[str, list[Any]],
    references: Sequence[list[str | None]],
    worth: Any,
    scores: Mapping[str, Any],
    name: str,
) -> TaskOutcomes:
    import numpy as np

    n = len(worth)
    languages, tasks = _text(table.get("language"), n), _text(table.get("task"), n)
    splits = _splits(table.get("split"), n, name)
    ids = _text(table["id"], n) if "id" in table else [str(i) for i in range(1, n + 1)]
    types = _text(table.get("error_type"), n)
    back = table.get("back")
    batch = Batch(
        hypotheses=_text(table["translation"], n),
        sources=_text(table["source"], n) if "source" in table else None,
        references=tuple(references) or None,
        ids=ids,
    )
    if "part" not in table:
        first, example = np.arange(n), np.arange(n)
    else:
        first, example = _examples(list(zip(tasks, languages, ids, types, strict=True)))
        if (differs := ~np.isclose(worth[first][example], worth, rtol=0, equal_nan=True)).any():
            row = int(np.flatnonzero(differs)[0])
            where = f"{ids[row]!r} ({languages[row]})" if languages[row] else repr(ids[row])
            raise InputError(
                f"{name}: the rows of example {where} have different outcomes. Rows with the same id, task and "
                "language belong to one example. Give every example a unique id."
            )
    at, own_worth = first.tolist(), worth[first]
    judged = ~np.isnan(own_worth)
    controlled = [word.lower() in GOOD for word in _text(table.get("controlled"), n)]
    reviewed = [word.lower() in GOOD for word in _text(table.get("reviewed"), n)]
    outcomes = TaskOutcomes(
        batch=batch,
        success=own_worth >= 0.5,
        languages=[languages[i] for i in at],
        splits=[splits[i] for i in at],
        tasks=[tasks[i] for i in at],
        ids=[ids[i] for i in at],
        error_types=[types[i] or NO_TYPE for i in at],
        controlled=np.array([controlled[i] for i in at]),
        example=example,
        parts=_text(table["part"], n) if "part" in table else None,
        back=None if back is None else [text or None for text in back],
        scores=scores,
        grades=None if np.isin(own_worth[judged], (0.0, 1.0)).all() else own_worth,
        reviewed=np.array([reviewed[i] for i in at]) if any(reviewed) else None,
    )
    return outcomes if judged.all() else outcomes.select(judged)


def _splits(values: Sequence[Any] | None, n: int, name: str) -> list[str]:
    if values is None:
        return [""] * n
    words = [str(value).strip().lower() for value in values]
    for word in dict.fromkeys(words):
        if word not in PARTS:
            raise InputError(f"{name}: split {word[:40]!r} is unknown. Use dev, test or {BOTH}.")
    return [PARTS[word] for word in words]


def _examples(keys: Sequence[Any]) -> tuple[Any, Any]:
    """Return the first row of each example, and the example of each row."""
    import numpy as np

    numbers: dict[Any, int] = {}
    first, example = [], np.empty(len(keys), np.int64)
    for row, key in enumerate(keys):
        if key not in numbers:
            numbers[key] = len(numbers)
            first.append(row)
        example[row] = numbers[key]
    return np.array(first, np.int64), example


def read_benchmark(
    folder: str | os.PathLike[str],
    columns: ColumnChoice | None = None,
    scores: Sequence[str] = (),
    *,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
) -> TaskOutcomes:
    """Read the breakdown benchmark of Moghe et al. (2023): all outcome tables in a folder, or in the folder of one task.

    Files are ``TASK/task_XX_test_YY.tsv``, or ``TASK/dev/…`` and ``TASK/test/…`` if there are two splits: a model that
    understands XX read translations from YY (https://huggingface.co/datasets/uoe-nlp/extrinsic_mt_eval). Task, languages and
    split are taken from the path. A language is the source language (``de``); if a task was run in several languages, the
    pair (``de-en``).
    """
    files = [(path, match) for path in sorted(Path(folder).rglob("*")) if (match := _NAME.fullmatch(path.name))]
    if not files:
        raise InputError(
            f"{folder} contains no tables named task_XX_test_YY.tsv. Specify a table of outcomes, or a folder "
            "laid out as in Moghe et al. (2023)."
        )
    places = [_place(path.resolve()) for path, _ in files]
    languages: dict[str, set[str]] = {}
    for (task, _), (_, match) in zip(places, files, strict=True):
        languages.setdefault(task, set()).add(match[1])
    parts: list[TaskOutcomes] = []
    remarks: list[str] = []
    for (path, match), (task, part) in zip(files, places, strict=True):
        read = read_outcomes(path, columns, scores, quoting=quoting, notes=remarks)
        language = match[2] if len(languages[task]) == 1 else f"{match[2]}-{match[1]}"
        n = len(read)
        splits = [part] * n if part else list(read.splits)
        if task == WITHOUT_DEV and not any(splits):
            splits = [BOTH if i < FIRST else TEST for i in range(n)]
        parts.append(replace(read, tasks=[task] * n, languages=[language] * n, splits=splits))
    if notes is not None:
        notes += dict.fromkeys(remarks)
    return concat_outcomes(parts)


def _place(path: Path) -> tuple[str, str]:
    """Return a file's task and split, taken from its folders; the split may be empty."""
    part = PARTS.get(path.parent.name.lower(), "")
    return (path.parent.parent if part else path.parent).name.replace("_", " "), part


def write_outcomes(outcomes: TaskOutcomes, path: str | os.PathLike[str]) -> None:
    """Write the outcomes atomically as a TSV for `read_outcomes`; tabs and line breaks in texts become spaces."""
    from assay.io.files.atomic import atomic_write

    with atomic_write(path, "w", typed=True) as stream:
        stream.write(as_tsv(outcomes))


def as_tsv(outcomes: TaskOutcomes) -> str:
    """Return the outcomes as TSV text."""
    header = ["id", "task", "language", "split", "part", "source", "translation", "reference", "outcome", "error_type"]
    header += ["controlled", *(["type_reviewed"] if outcomes.reviewed is not None else [])]
    header += [*(["back_translation"] if outcomes.back is not None else []), *outcomes.scores]
    lines = ["\t".join(header)]
    batch = outcomes.batch
    for row, i in enumerate(outcomes.example.tolist()):
        segment = batch[row]
        cells = [outcomes.ids[i], outcomes.tasks[i], outcomes.languages[i], outcomes.splits[i]]
        cells += [outcomes.parts[row] if outcomes.parts else "", segment.source or "", segment.hypothesis]
        cells += [segment.references[0] if segment.references else ""]
        word = "success" if outcomes.success[i] else "breakdown"
        cells += [word if outcomes.grades is None else repr(float(outcomes.grades[i])), outcomes.error_types[i]]
        cells += ["yes" if outcomes.controlled[i] else "no"]
        cells += [] if outcomes.reviewed is None else ["yes" if outcomes.reviewed[i] else "no"]
        cells += [outcomes.back[row] or ""] if outcomes.back is not None else []
        cells += [repr(float(values[row])) for values in outcomes.scores.values()]
        cells = [" ".join(cell.split()) if any(c in cell for c in "\t\n\r") else cell for cell in cells]
        lines.append("\t".join(map(quote_cell, cells)))
    return "\n".join(lines) + "\n"
