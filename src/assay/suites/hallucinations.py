"""The German-English hallucination corpus (Guerreiro, Voita and Martins 2023): 3,415 translations with human labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.batch import Batch
from assay.core.errors import InputError, count, listing
from assay.core.judged import Judged
from assay.core.suite import Suite, SuiteCard
from assay.data import checksums
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import read_fields

COMMIT = "a4e75e8cb5b8eed629ac0056f301d32d8f194db2"
BETTER, FIRST = "guerreiro2022_corpus_w_annotations.csv", "annotated_corpus.csv"
LABELS = ("repetitions", "named-entities", "omission", "strong-unsupport", "full-unsupport")
HALLUCINATIONS = ("repetitions", "strong-unsupport", "full-unsupport")
"""The labels that make up ``any``: oscillatory, strongly detached, fully detached."""


class Hallucinations(Suite):
    """A human-rated batch with binary labels.

    The labels are ``repetitions`` (oscillatory), ``named-entities``, ``omission``, ``strong-unsupport`` (strongly
    detached), ``full-unsupport`` (fully detached), ``any`` (one of the three hallucinations) and, if the file has it,
    ``correct``. Labels overlap. The corrected copy of Dale et al. 2023 is preferred; in the first copy, broken rows are
    repaired or listed in `problems`.
    """

    card = SuiteCard(
        name="hallucinations",
        title="the de-en hallucination corpus",
        kind="judged",
        analysis="hallucinations",
        origin="https://github.com/deep-spin/hallucinations-in-nmt, in the copy of "
        f"https://github.com/facebookresearch/stopes (commit {COMMIT[:7]})",
        licence="MIT (the copy; the first repository names none)",
        citation="Guerreiro, Voita and Martins 2023, Looking for a Needle in a Haystack (EACL); Dale et al. 2023 (ACL)",
        languages="de into en",
        folders=("hallucinations", "hallucinations-in-nmt"),
        how_to_get=f"Download {BETTER} from https://github.com/facebookresearch/stopes",
        checksums=checksums("hallucinations"),
        downloads={
            BETTER: f"https://raw.githubusercontent.com/facebookresearch/stopes/{COMMIT}/demo/alti/"
            f"detecting_hallucinations/annotated_data/{BETTER}"
        },
    )

    def __init__(self, *, skip_bad: bool = False) -> None:
        self.skip_bad = skip_bad
        self.problems: list[str] = []

    def load(self, folder: Path | None) -> Judged:
        """Load the judged batch; segment ids are the row numbers of the corpus."""
        import numpy as np

        if folder is None:
            raise InputError("the hallucination corpus requires a folder. Specify it with --data-dir.")
        path = find(folder)
        bad = BadRows(self.skip_bad)
        header, rows = _read(path, bad)
        column = {name: index for index, name in enumerate(header)}

        def texts(name: str) -> list[str]:
            return [row[column[name]] for row in rows]

        labels = {name: np.array([value == "1" for value in texts(name)], bool) for name in LABELS}
        labels["any"] = np.logical_or.reduce([labels[name] for name in HALLUCINATIONS])
        if "correctness" in column:
            labels["correct"] = np.array([value == "1" for value in texts("correctness")], bool)
        batch = Batch(
            hypotheses=texts("mt"),
            sources=texts("src"),
            references=(texts("ref"),),
            langpairs=["de-en"] * len(rows),
            ids=[row[0] for row in rows],
        )
        self.problems = _lost(batch) + bad.sentences()
        return Judged(batch, labels=labels)


def find(folder: Path) -> Path:
    """Find the corpus file in `folder` or its subfolders ``data`` and ``annotated_data``, the corrected copy first."""
    for name in (BETTER, FIRST):
        for subfolder in (folder, folder / "data", folder / "annotated_data"):
            for ending in ("", ".gz"):
                if (path := subfolder / f"{name}{ending}").is_file():
                    return path
    raise InputError(f"{folder} contains neither {BETTER} nor {FIRST} (nor a .gz of them).")


def _read(path: Path, bad: BadRows) -> tuple[list[str], list[list[str]]]:
    rows = read_fields(path, bad)
    _, header = next(rows, (0, []))
    missing = [name for name in ("src", "mt", "ref", *LABELS) if name not in header]
    if missing:
        raise InputError(
            f"{path} line 1: missing columns: {listing(map(repr, missing))}; the header has {listing(header)}."
        )
    judged = [index for index, name in enumerate(header) if name in (*LABELS, "correctness")]
    valid_rows: list[list[str]] = []
    seen: set[str] = set()
    for line, row in rows:
        row = _rejoined(row, len(header))
        if reason := _fault(row, header, judged, seen):
            bad(path, line, reason)
            continue
        seen.add(row[0])
        valid_rows.append(row)
    return header, valid_rows


def _fault(row: Sequence[Any], header: Sequence[str], judged: Sequence[int], seen: set[str]) -> str:
    if len(row) != len(header):
        return f"{count(len(row), 'column')}, the header has {len(header)}."
    if row[0] in seen:
        return f"duplicate row number {row[0]}."
    wrong = next((index for index in judged if row[index] not in ("0", "1")), None)
    return "" if wrong is None else f"column {header[wrong]!r} is {row[wrong]!r}, not 0 or 1."


def _rejoined(row: list[str], width: int) -> list[str]:
    """Repair a row that has one field too many by rejoining it at an unquoted comma.

    The text after such a comma begins with a space.
    """
    if len(row) != width + 1:
        return row
    torn = [index for index in range(2, 5) if row[index].startswith(" ")]
    if len(torn) != 1:
        return row
    at = torn[0]
    return [*row[: at - 1], f"{row[at - 1]},{row[at]}", *row[at + 1 :]]


def _lost(batch: Batch) -> list[str]:
    """Report cells in the first copy that contain ``0`` instead of a text."""
    columns = (batch.sources or (), batch.hypotheses, *(batch.references or ()))
    ids = [row for row, *cells in zip(batch.ids or (), *columns, strict=True) if "0" in cells]
    return [f"{count(len(ids), 'row')} with 0 instead of a text: {listing(ids)}."] if ids else []
