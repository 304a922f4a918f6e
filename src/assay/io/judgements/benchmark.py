"""A breakdown benchmark as a folder of tables, laid out as Moghe et al. (2023) released theirs.

``TASK/task_XX_test_YY.tsv``, or ``TASK/dev/…`` and ``TASK/test/…`` where there are two parts: a model that understands XX read
translations from YY (https://huggingface.co/datasets/uoe-nlp/extrinsic_mt_eval). Each file is a table of outcomes; task,
languages and part are told by where it lies and what it is called.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.core.errors import InputError
from assay.core.outcomes import BOTH, TEST, TaskOutcomes, concat
from assay.io.judgements.outcomes import PARTS, read_outcomes
from assay.io.table.open_table import Quoting
from assay.io.table.vocabulary import ColumnChoice

WITHOUT_DEV = "question answering"
"""The task that has no development part of its own: the first examples choose, and all are reported on (Appendix B)."""
FIRST = 200

_NAME = re.compile(r"task_([a-z]{2,3})_test_([a-z]{2,3})\.\w+(\.\w+)?")


def read_benchmark(
    folder: str | os.PathLike[str],
    columns: ColumnChoice | None = None,
    scores: Sequence[str] = (),
    *,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
) -> TaskOutcomes:
    """The outcomes of every table in a folder of the benchmark (or in one of its tasks' folders).

    A language is the one translated from (``de``); where a task was run in several languages, the pair (``de-en``).
    """
    found = [(path, match) for path in sorted(Path(folder).rglob("*")) if (match := _NAME.fullmatch(path.name))]
    if not found:
        raise InputError(
            f"{folder} is a folder without tables called task_XX_test_YY.tsv: give a table of outcomes, or a folder as Moghe et "
            "al. (2023) released theirs."
        )
    places = [_place(path.resolve()) for path, _ in found]
    spoken: dict[str, set[str]] = {}
    for (task, _), (_, match) in zip(places, found, strict=True):
        spoken.setdefault(task, set()).add(match[1])
    parts: list[TaskOutcomes] = []
    told: list[str] = []
    for (path, match), (task, part) in zip(found, places, strict=True):
        read = read_outcomes(path, columns, scores, quoting=quoting, notes=told)
        language = match[2] if len(spoken[task]) == 1 else f"{match[2]}-{match[1]}"
        n = len(read)
        splits = [part] * n if part else list(read.splits)
        if task == WITHOUT_DEV and not any(splits):
            splits = [BOTH if i < FIRST else TEST for i in range(n)]
        parts.append(replace(read, tasks=[task] * n, languages=[language] * n, splits=splits))
    if notes is not None:
        notes += dict.fromkeys(told)
    return concat(parts)


def _place(path: Path) -> tuple[str, str]:
    """The task of a file and its part (nothing where it is not told), by the folders it lies in."""
    part = PARTS.get(path.parent.name.lower(), "")
    return (path.parent.parent if part else path.parent).name.replace("_", " "), part
