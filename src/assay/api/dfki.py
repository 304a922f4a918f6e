"""The DFKI test suite from its outputs to challenge items: judge, let people decide, build (Avramidis et al. 2023)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from assay.core.errors import unknown
from assay.core.item import Item
from assay.core.question import Question
from assay.core.table import Table
from assay.suites.dfki import Dfki, DfkiItem, LangPair, read_folder
from assay.suites.dfki_judge import JudgedOutputs

LANGPAIRS: tuple[LangPair, ...] = get_args(LangPair)
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class DfkiJudged:
    """The items of one direction with a ruling on every output."""

    items: Sequence[DfkiItem]
    judged: JudgedOutputs

    def questions(self) -> list[Question]:
        """What is left for people to decide: each distinct unresolved translation once."""
        from assay.suites.dfki_judge import questions

        return list(questions(self.items, self.judged))

    def build(self, n: int = 10_000, seed: int = 12345) -> list[Item]:
        """Challenge items out of the judged outputs."""
        from assay.suites.dfki_build import build

        return build(self.items, self.judged, n, seed)


def judge_dfki(langpair: str, data_dir: PathLike | None = None, decisions: PathLike | None = None) -> DfkiJudged:
    """Apply the items' rules, and the decisions people made, to all outputs of one direction (de-en or en-de)."""
    from assay.io.judgements.decisions import latest
    from assay.suites.dfki_judge import judge
    from assay.suites.locate import locate

    direction = next((known for known in LANGPAIRS if known == langpair), None)
    if direction is None:
        raise unknown("direction of the DFKI suite", langpair, LANGPAIRS)
    items, outputs = read_folder(locate(Dfki.card, data_dir), direction)
    return DfkiJudged(items, judge(items, outputs, latest(Path(decisions)) if decisions else {}))


def summary(directions: Sequence[DfkiJudged]) -> Table:
    """Passed, failed and unresolved outputs of each direction and system."""
    from assay.suites.dfki_judge import judge_summary

    return judge_summary([direction.judged for direction in directions])


def items_as_jsonl(items: Sequence[Item]) -> str:
    """Items one a line, as ``assay run FILE.jsonl`` reads them."""
    keys = ("id", "source", "reference", "good", "incorrect", "phenomenon", "category", "langpair")
    return "".join(json.dumps({key: getattr(item, key) for key in keys}, ensure_ascii=False) + "\n" for item in items)
