"""The DFKI test suite from its outputs to challenge items: judge, let people decide, build (Avramidis et al. 2023)."""

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
"""Where `review` keeps what people decide when it is not told otherwise."""
COLUMNS = ("id", "source", "reference", "good", "incorrect", "phenomenon", "category", "langpair")


@dataclass(frozen=True)
class JudgedDirection:
    """The items of one direction with a ruling on every output."""

    items: Sequence[DfkiItem]
    judged: JudgedOutputs

    def questions(self) -> list[Question]:
        """What is left for people to decide: each distinct unresolved translation once."""
        return list(questions(self.items, self.judged))


@dataclass(repr=False)
class DfkiJudged(Result):
    """Passed, failed and open outputs of each direction and system."""

    directions: list[JudgedDirection]

    verb: ClassVar[str] = "dfki"
    headline: ClassVar[str] = "judged"

    def questions(self) -> list[Question]:
        """What is left for people to decide: each distinct unresolved translation once."""
        return [question for direction in self.directions for question in direction.questions()]

    def verdicts(self) -> Table:
        """One row an output: its item, year, system and text, the verdict and what it rests on."""
        return verdicts([(direction.items, direction.judged) for direction in self.directions])

    def pass_rates(self) -> Table:
        """Passed, failed and open outputs of every phenomenon, and the share that passes."""
        return pass_rates(self.verdicts())

    def totals(self) -> Table:
        """The lines of whole directions, with the number of systems that they sum up."""
        table, rows, notes = self.table(), [], []
        for row in table.rows:
            if row["system"] == "all":
                systems = sum(other["langpair"] == row["langpair"] for other in table.rows) - 1
                rows.append({**row, "systems": systems})
                notes.append(
                    f"{row['langpair']} open: both kinds of rule fired {row['both']:,}, neither {row['neither']:,}"
                )
        left_out = ("year", "system", "both", "neither")
        columns = [column for column in table.columns if column.key not in left_out]
        columns.insert(1, TableColumn("systems", kind="count"))
        return replace(table, columns=columns, rows=rows, notes=(*notes, *table.notes))


@dataclass(repr=False)
class DfkiReviewed(Result):
    """What came of one review: outputs decided and skipped now, and how many wait for another time."""

    decided: int
    skipped: int
    left: int
    path: Path
    """The file of decisions."""

    verb: ClassVar[str] = "dfki"


@dataclass(repr=False)
class DfkiBuilt(Result):
    """Challenge items built out of the judged outputs."""

    items: list[Item]

    verb: ClassVar[str] = "dfki"

    def __len__(self) -> int:
        return len(self.items)

    def columns(self) -> Columns:
        """One row an item."""
        return {key: [getattr(item, key) for item in self.items] for key in COLUMNS}

    def to_jsonl(self) -> str:
        """Items one a line, as ``assay run FILE.jsonl`` reads them."""
        rows = ({key: getattr(item, key) for key in COLUMNS} for item in self.items)
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def judge(
    langpair: str | None = None, *, data_dir: PathLike | None = None, decisions: PathLike | None = None
) -> DfkiJudged:
    """Apply the items' rules, and the decisions people made, to all outputs.

    `langpair` is the direction (``de-en`` or ``en-de``, default: both; ``en-ru`` with items of your own). `data_dir` holds local
    copies of the suites (default: ``$ASSAY_DATA``). `decisions` is a file that `review` has written.
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
    """Ask a person about the outputs that the rules leave open, each distinct text once.

    Keys are read from `stream` (a terminal, or lines of a file), cards go to `write`; or the review is held on a `page`. A decision
    is kept in the file `decisions` the moment a key is pressed, under the name of the `annotator` (default: the user). `skipped`
    asks again what was skipped before. The rest is as in `judge`.
    """
    path = Path(decisions)
    log = DecisionLog(path, annotator)
    hold = open_review(
        log, "DFKI: outputs that rules leave open", stream=stream, write=write, page=page, skipped=skipped
    )
    # What was decided before is asked of the log: a page shows it, a terminal passes over it.
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
    """`n` challenge items out of the judged outputs of one direction: a right reference, another right text and a wrong one.

    Without `n` they are 10,000, or all that the outputs give if these are fewer.
    The same `seed` gives the same items. The rest is as in `judge`.
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
    direction = next((known for known in get_args(LangPair) if known == langpair), None)
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
