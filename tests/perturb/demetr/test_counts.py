"""The rules on DEMETR's own 1,000 translations: as often as its authors, and content with their own results."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter

import pytest

from assay.core.batch import Segment
from assay.perturb.making.maker import CHUNK, Maker
from assay.perturb.making.selection import choose_perturbations, find_obstacle
from tests.data import need

LANGUAGES = {"chinese_simple": "zh", "czech": "cs", "german": "de", "japanese": "ja", "polish": "pl", "spanish": "es"}
"""Those whose code is not the first two letters of the name."""


def rows(name: str) -> list[dict[str, str]]:
    with gzip.open(need("data", "demetr", f"{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def corpus() -> list[Segment]:
    found = []
    for row in rows("minor_id1_repeat2"):
        language = LANGUAGES.get(row["lang_tag"], row["lang_tag"][:2])
        found.append(Segment(row["mt_sent"], row["src_sent"], (row["eng_sent"],), f"{language}-en", id=str(row["id"])))
    return found


@pytest.mark.real
@pytest.mark.slow
def test_each_applies_as_often_as_demetrs_and_passes_its_check() -> None:
    chosen = choose_perturbations(["demetr"])
    for one in chosen:
        if reason := find_obstacle(one.perturbation.card, "en"):
            pytest.skip(reason)
    with need("expected", "demetr_perturbations.csv").open(encoding="utf-8") as lines:
        facts = list(csv.DictReader(lines))
    segments = corpus()
    names = [one.spec for one in chosen]
    maker = Maker(names, 7, segments)
    numbered = list(enumerate(segments, 1))
    made: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for start in range(0, len(numbered), CHUNK):
        for outcome in maker.chunk(numbered[start : start + CHUNK], {"en": names}):
            made[outcome.spec] += bool(outcome.line)
            failed[outcome.reason] += outcome.failed
    assert +failed == Counter()
    short = {}
    for name, fact in zip(names, facts, strict=True):
        checked = [row for row in rows(fact["file"]) if row["pert_check"]]
        # Items that DEMETR left as they were (four of number 31, six of 35 …) are no perturbations.
        changed = sum(row["mt_sent"] != row["pert_sent"] for row in checked)
        needed = 0.7 * len(checked) if fact["made"] == "manual" else changed
        if made[name] < needed:
            short[name] = (made[name], needed)
    assert short == {}
