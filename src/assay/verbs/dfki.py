"""``assay dfki``: challenge items from DFKI test suite outputs, in three steps: judge, review, build.

The suite is described in Avramidis et al. (2023).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO, get_args

from assay.analyses.dfki_summary import pass_rates
from assay.core.columns import Columns
from assay.core.errors import InputError, unknown
from assay.core.item import Item
from assay.core.table import Table, TableColumn
from assay.io.judgements.decisions import latest
from assay.review.decisions import DecisionLog
from assay.suites.dfki import Dfki, read_folder
from assay.suites.dfki import build as build_items
from assay.suites.dfki_files import PUBLIC, LangPair
from assay.suites.dfki_judge import judge as judge_outputs
from assay.suites.dfki_judge import judge_summary, questions, verdicts
from assay.suites.locate import locate
from assay.verbs.result import Result
from assay.verbs.shared.review_sessions import open_review

if TYPE_CHECKING:
    from assay.core.review import Question
    from assay.suites.dfki_files import DfkiItem
    from assay.suites.dfki_judge import JudgedOutputs
    from assay.verbs.shared.review_sessions import OnPage

PathLike = str | os.PathLike[str]
DECISIONS = "dfki-decisions.jsonl"
"""Default file of `review` for decisions."""
COLUMNS = ("id", "source", "reference", "good", "incorrect", "phenomenon", "category", "langpair")


@dataclass(frozen=True)
class JudgedDirection:
    """Items for one direction with a verdict on every output."""

    items: Sequence[DfkiItem]
    judged: JudgedOutputs

    def questions(self) -> list[Question]:
        """Return the distinct unresolved translations as questions."""
        return list(questions(self.items, self.judged))


@dataclass(repr=False)
class DfkiJudged(Result):
    """Numbers of passed, failed and open outputs per direction and system."""

    directions: list[JudgedDirection]

    verb: ClassVar[str] = "dfki"
    headline: ClassVar[str] = "judged"

    def questions(self) -> list[Question]:
        """Return the distinct unresolved translations as questions."""
        return [question for direction in self.directions for question in direction.questions()]

    def verdicts(self) -> Table:
        """Return one row per output: item, year, system, text, verdict and its reason."""
        return verdicts([(direction.items, direction.judged) for direction in self.directions])

    def pass_rates(self) -> Table:
        """Return the numbers of passed, failed and open outputs per phenomenon, and the pass rate."""
        return pass_rates(self.verdicts())

    def totals(self) -> Table:
        """Return one total row per direction, with the number of systems that it covers."""
        table, rows, notes = self.table(), [], []
        for row in table.rows:
            if row["system"] == "all":
                systems = sum(other["langpair"] == row["langpair"] for other in table.rows) - 1
                rows.append({**row, "systems": systems})
                notes.append(
                    f"{row['langpair']} open: both kinds of rules matched {row['both']:,}, neither kind {row['neither']:,}"
                )
        left_out = ("year", "system", "both", "neither")
        columns = [column for column in table.columns if column.key not in left_out]
        columns.insert(1, TableColumn("systems", kind="count"))
        return replace(table, columns=columns, rows=rows, notes=(*notes, *table.notes))


@dataclass(repr=False)
class DfkiReviewed(Result):
    """Review result: the numbers of outputs decided, skipped and left open."""

    decided: int
    skipped: int
    left: int
    path: Path
    """The file of decisions."""

    verb: ClassVar[str] = "dfki"


@dataclass(repr=False)
class DfkiBuilt(Result):
    """Challenge items built from judged outputs."""

    items: list[Item]

    verb: ClassVar[str] = "dfki"

    def __len__(self) -> int:
        return len(self.items)

    def columns(self) -> Columns:
        """Return one row per item."""
        return {key: [getattr(item, key) for item in self.items] for key in COLUMNS}

    def to_jsonl(self) -> str:
        """Return one item per line, as ``assay run FILE.jsonl`` reads them."""
        rows = ({key: getattr(item, key) for key in COLUMNS} for item in self.items)
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def judge(
    langpair: str | None = None, *, data_dir: PathLike | None = None, decisions: PathLike | None = None
) -> DfkiJudged:
    """Apply the items' rules and the annotators' decisions to all outputs.

    Args:
        langpair: The direction (``de-en`` or ``en-de``, by default both; ``en-ru`` requires your own items).
        data_dir: Folder with local copies of the suites; by default ``$ASSAY_DATA``.
        decisions: A file written by `review`.
    """
    directions = [_judged(one, data_dir, _existing(decisions)) for one in _directions(langpair)]
    table = judge_summary([direction.judged for direction in directions])
    return DfkiJudged({table.name: table}, directions)


def review(
    langpair: str | None = None,
    *,
    stream: TextIO | None = None,
    write: Callable[[str], Any] | None = None,
    page: OnPage | None = None,
    decisions: PathLike = DECISIONS,
    annotator: str | None = None,
    skipped: bool = False,
    data_dir: PathLike | None = None,
) -> DfkiReviewed:
    """Ask an annotator about the outputs that the rules leave open, each distinct text once.

    Args:
        decisions: File to which each decision is saved immediately.
        stream: Source of key presses: a terminal, or the lines of a file.
        write: Called with the text to show.
        page: Page in the browser, instead of `stream` and `write`.
        annotator: Name of the annotator; by default, the user's.
        skipped: Ask again about outputs that were skipped.
        langpair: As in `judge`.
        data_dir: As in `judge`.
    """
    path = Path(decisions)
    log = DecisionLog(path, annotator)
    hold = open_review(
        log, "DFKI: outputs that the rules leave open", stream=stream, write=write, page=page, skipped=skipped
    )
    # Earlier decisions are read from the log: a page shows them, and a terminal skips them.
    came = hold([ask for direction in _directions(langpair) for ask in _judged(direction, data_dir, None).questions()])
    counts = {"decided": came.answered, "skipped": came.skipped, "left": came.left}
    table = Table("reviewed", [TableColumn(key, kind="count") for key in counts], [counts])
    return DfkiReviewed({table.name: table}, came.answered, came.skipped, came.left, path)


def build(
    langpair: str = "de-en",
    *,
    n: int | None = None,
    seed: int = 12345,
    data_dir: PathLike | None = None,
    decisions: PathLike | None = None,
) -> DfkiBuilt:
    """Build `n` challenge items from the judged outputs for one direction: a correct reference, another correct text and a
    wrong one.

    By default, 10,000 items are built, or as many as the outputs allow. The same `seed` gives the same items. The other
    arguments are the same as for `judge`.
    """
    direction = _judged(langpair, data_dir, _existing(decisions))
    items = build_items(direction.items, direction.judged, n, seed)
    row = {
        "langpair": langpair,
        "items": len(items),
        "phenomena": len({item.phenomenon for item in items}),
        "sentences": len({item.meta["test_item"] for item in items}),
    }
    columns = [TableColumn("langpair", "pair"), *(TableColumn(key, kind="count") for key in list(row)[1:])]
    return DfkiBuilt({"built": Table("built", columns, [row], notes=[f"seed {seed}"])}, items)


def _judged(langpair: str, data_dir: PathLike | None, decisions: Path | None) -> JudgedDirection:
    direction = next((each for each in get_args(LangPair) if each == langpair), None)
    if direction is None:
        raise unknown("direction of the DFKI suite", langpair, get_args(LangPair))
    items, outputs = read_folder(locate(Dfki.card, data_dir), direction)
    return JudgedDirection(items, judge_outputs(items, outputs, latest(decisions) if decisions else {}))


def _directions(langpair: str | None) -> Sequence[str]:
    return [langpair] if langpair else PUBLIC


def _existing(decisions: PathLike | None) -> Path | None:
    if decisions is None:
        return None
    if not Path(decisions).is_file():
        raise InputError(f"{decisions} does not exist. Create it with: assay dfki review --decisions {decisions}")
    return Path(decisions)
