"""Judges for downstream work: a user's command or function that reads rows and returns their outcomes.

Translations serve many purposes: a tool call, an answer from retrieved text, a filled form. For each table row, the judge does
or checks that work. It returns success, breakdown, a grade from 0 to 1, or ``skip``, which leaves the row out. Every answer is
stored immediately, so an interrupted run resumes with the remaining rows.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, InputError, count, listing
from assay.core.task import Judge
from assay.io.judgements import decisions
from assay.io.judgements.outcomes import UNJUDGED, outcome_value
from assay.io.table.formats import open_table
from assay.io.table.open_table import Quoting
from assay.io.table.vocabulary import assign
from assay.tasks.programs import LineProgram

SKIP = "skip"
COMMAND = "cmd:"
BATCH = 32
"""Rows per judge call, kept small so that an interruption loses little."""
PATIENCE = 32
"""After this many consecutive rows without an outcome, the judge is considered broken."""
SECONDS = 600.0
_LINE_ENDS = {ord(char): f"\\u{ord(char):04x}" for char in "\x7f\x85\u2028\u2029"}


def judge_table(
    data: Any,
    judge: str | Judge,
    log_path: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
) -> list[float | None]:
    """Return the outcome of every row in a table (None for rows that are left out); add counts and reasons to `notes`.

    The judge gets each row as a dictionary of the table's own columns. Rows of the same example (question and context) are sent
    as one request, with all of them under ``parts``. `log_path` is the file that stores earlier answers.
    """
    if isinstance(data, (str, os.PathLike)) and (str(data) == "-" or Path(data).is_dir()):
        raise InputError("a judge requires a table in a file (--data rows.tsv), not a folder or standard input.")
    name = judge if isinstance(judge, str) else getattr(judge, "__qualname__", type(judge).__qualname__)
    requests, example, where = _requests(data, columns, quoting)
    keys = [_key(name, request) for request in requests]
    path = None if log_path is None else Path(log_path)
    answers = {} if path is None else decisions.latest(path)
    missing = {key: request for key, request in zip(keys, requests, strict=True) if key not in answers}
    calls = _JudgeCalls(judge, name, path)
    answers |= calls.ask(missing)
    outcomes = [_outcome(answers.get(key)) for key in keys]
    failed = [i for i, key in enumerate(keys) if key not in answers]
    if len(failed) == len(keys):
        raise InputError(f"the judge {name!r} returned no outcome{calls.reason()}.")
    if notes is not None:
        skipped = sum(answers.get(key) == SKIP for key in keys)
        notes += [f"{count(skipped, 'example')} skipped by the judge"] if skipped else []
        if failed:
            shown = listing([where[i] for i in failed], 3)
            notes.append(
                f"the judge failed on {count(len(failed), 'example')} ({shown}){calls.reason()}: left out; run again to retry"
            )
    return [outcomes[i] for i in example]


def open_judge(spec: str) -> LineProgram:
    """Return the program for ``cmd:COMMAND``."""
    command = spec.removeprefix(COMMAND)
    if command == spec or not command.strip():
        raise InputError(f"judge {spec!r} is not valid: write cmd: followed by a command that reads and writes lines.")
    return LineProgram(["/bin/sh", "-c", command], SECONDS, noun="judge")


class _JudgeCalls:
    """One pass over the requests: stores each outcome as it arrives and records the last problem."""

    def __init__(self, judge: str | Judge, name: str, path: Path | None) -> None:
        self.judge, self.name, self.path = judge, name, path
        self.problem = ""
        self.rows_without_outcome = 0
        self.outcomes: dict[str, str] = {}

    def ask(self, requests: Mapping[str, str]) -> dict[str, str]:
        """Return the answers by key; a row on which the judge failed is missing."""
        keys, lines = list(requests), list(requests.values())
        if isinstance(self.judge, str):
            program = open_judge(self.judge)

            def store(first: int, batch: Sequence[str | None]) -> None:
                self.problem = program.complaint or self.problem
                self.store(keys[first : first + len(batch)], batch)

            program.answers(lines, BATCH, store)
        else:
            for first in range(0, len(lines), BATCH):
                self.store(keys[first : first + BATCH], self._call(lines[first : first + BATCH]))
        return self.outcomes

    def store(self, keys: Sequence[str], batch: Sequence[Any]) -> None:
        """Store the answers that are valid outcomes; raise an error after too many rows without one."""
        before = len(self.outcomes)
        for key, answer in zip(keys, batch, strict=True):
            if answer is None:
                continue
            word = str(answer).strip()
            if word.lower() != SKIP:
                try:
                    word = repr(outcome_value(answer if not isinstance(answer, str) else word, "the judge"))
                except InputError:
                    self.problem = f"it returned {word[:60]!r}, which is not an outcome"
                    continue
            self.outcomes[key] = word.lower()
            if self.path is not None:
                time = datetime.now(UTC).isoformat(timespec="seconds")
                decisions.append(self.path, decisions.Decision(key, word.lower(), time, self.name))
        self.rows_without_outcome = self.rows_without_outcome + len(keys) if len(self.outcomes) == before else 0
        if self.rows_without_outcome >= PATIENCE:
            raise InputError(
                f"the judge {self.name!r} returned no outcome for {self.rows_without_outcome:,} rows in a row"
                f"{self.reason()}. Fix the judge and run the same command again; earlier outcomes are reused."
            )

    def reason(self) -> str:
        """Return the last problem in parentheses, for a message."""
        return f" ({self.problem})" if self.problem else ""

    def _call(self, lines: Sequence[str]) -> list[Any]:
        """Call the judge's function; if the call fails, retry row by row."""
        assert callable(self.judge)
        try:
            outcomes = list(self.judge([json.loads(line) for line in lines]))
            if len(outcomes) != len(lines):
                raise InputError(f"it returned {count(len(outcomes), 'outcome')} for {count(len(lines), 'row')}")
            return outcomes
        except Exception as error:
            self.problem = str(error) if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
            return [None] if len(lines) == 1 else [one for line in lines for one in self._call([line])]


def _outcome(answer: str | None) -> float | None:
    return None if answer is None or answer == SKIP else outcome_value(answer, "the judge")


def _requests(data: Any, columns: Mapping[str, str] | None, quoting: Quoting) -> tuple[list[str], list[int], list[str]]:
    """Return one JSON line per example, the example of each row, and the location of each example."""
    with open_table(data, quoting=quoting) as table:
        places = assign(table.names, UNJUDGED, columns, table.name).places
        rows = list(table.rows())
        names, noun = table.names, "line" if isinstance(data, (str, os.PathLike)) else "row"
    if not rows:
        raise InputError(f"{table.name} contains no rows to judge.")
    together = [places[role] for role in ("task", "language", "id", "error_type") if role in places]
    numbers: dict[Any, int] = {}
    members: list[list[dict[str, Any]]] = []
    example, where = [], []
    for number, cells in rows:
        example_key = tuple(str(cells[place]) for place in together) if "part" in places else number
        if example_key not in numbers:
            numbers[example_key] = len(members)
            members.append([])
            where.append(f"{noun} {number}")
        example.append(numbers[example_key])
        members[numbers[example_key]].append(dict(zip(names, cells, strict=True)))
    requests = [
        {**member_rows[0], "parts": member_rows} if "part" in places else member_rows[0] for member_rows in members
    ]
    return [_line(request) for request in requests], example, where


def _line(request: Mapping[str, Any]) -> str:
    """Return the request as a single line, whatever characters its texts contain."""
    return json.dumps(request, ensure_ascii=False, default=str).translate(_LINE_ENDS)


def _key(name: str, line: str) -> str:
    return "judged:" + hashlib.blake2b(f"{name}\0{line}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
