"""Reader for downstream task outcomes, for `assay breakdown` and `assay decide fit`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from assay.core.errors import InputError
from assay.core.outcomes import TaskOutcomes
from assay.engine.outcomes import load_outcomes
from assay.tasks.judging import judge_table
from assay.verbs.shared.options import parted

if TYPE_CHECKING:
    from assay.core.task import Judge
    from assay.io.table.open_table import Quoting


class OutcomeInputs(TypedDict, total=False):
    """Options for reading an outcome table.

    Args:
        columns: The column for each role, if its name is not a standard one.
        quoting: How quotation marks in a TSV are read: ``auto``, ``csv`` or ``none``.
        langs: Use only these languages.
        dev_share: Draw a development set with this share of the examples; by default, the table must have a column `split`.
        success_at: Lowest grade that counts as a success, for outcomes that are graded from 0 to 1.
        judge: Judge for a table without outcomes: ``cmd:COMMAND``, or a callable that takes rows (dictionaries)
            and returns one outcome for each.
        judged: File that caches the answers of `judge`.
    """

    columns: Mapping[str, str] | None
    quoting: Quoting
    langs: Sequence[str]
    dev_share: float | None
    success_at: float | None
    judge: str | Judge | None
    judged: str | os.PathLike[str] | None


def read_outcomes(
    data: str | os.PathLike[str] | TaskOutcomes,
    options: OutcomeInputs,
    notes: list[str],
    *,
    scores: Sequence[str],
    seed: int,
    need_split: bool = True,
) -> TaskOutcomes:
    """Read outcomes, running the judge first if there is one; notes are added to `notes`."""
    parted("read_outcomes", options, OutcomeInputs)
    columns, quoting, judge = options.get("columns"), options.get("quoting", "auto"), options.get("judge")
    judged = None
    if judge is not None:
        if isinstance(data, TaskOutcomes):
            raise InputError("a judge requires a table of translations, but these outcomes are known.")
        judged = judge_table(data, judge, options.get("judged"), columns, quoting=quoting, notes=notes)
    return load_outcomes(
        data, columns=columns, quoting=quoting, notes=notes, scores=scores, langs=options.get("langs", ()),
        dev_share=options.get("dev_share"), seed=seed, need_split=need_split, success_at=options.get("success_at"),
        judged=judged,
    )  # fmt: skip
