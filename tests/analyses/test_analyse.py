"""Any analysis on any set that has what it needs: by name, by path, or a function of one's own."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assay.analyses import ANALYSES, analyse
from assay.core import Batch, InputError, Item, Judged, Measured, Table, TableColumn, UnknownName
from assay.data import aces, demetr
from assay.suites.contrastive import Contrastive
from assay.suites.embedded import Embedded
from tests.analyses.helpers import by, card, item, measured

NEEDS = {
    "demetr": "",
    "aces": "",
    "dfki": "",
    "contrastive": "",
    "judged": "segments with human judgements",
    "hallucinations": "segments with human judgements",
    "breakdown": "outcomes of a task",
}


def scored(items: Sequence[Item]) -> Measured:
    """A metric made of numbers: each good translation scores its place, every third incorrect one more."""
    places = range(len(items))
    return measured("m", places, [place + (1 if place % 3 == 0 else -1) for place in places])


def from_file(path: Path, rows: Sequence[dict[str, str]]) -> list[Item]:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    return Contrastive(path).load()


def row(i: int, **more: str) -> dict[str, str]:
    return {"source": f"s{i}", "reference": f"r{i}", "good": f"g{i}", "incorrect": f"b{i}", **more}


@pytest.mark.parametrize("name", ANALYSES.entries)
def test_every_analysis_takes_the_embedded_suite_or_says_what_it_needs(name: str) -> None:
    items = Embedded().load()
    if words := NEEDS.get(name, ""):
        with pytest.raises(InputError, match=f"the analysis {name} needs {words}.*pairs of a good and an incorrect"):
            analyse(name, items, [scored(items)], samples=2)
    else:
        tables = analyse(name, items, [scored(items)], samples=2)
        assert tables and all(isinstance(table, Table) and table.rows and table.reading for table in tables)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "demetr",
            "the column severity, or one of .* item 1 has neither, but the set has the columns good, inc.*, source",
        ),
        (
            "aces",
            r"some of ACES's 68 names \(addition, .*\) in the column phenomenon, but the set has the columns good",
        ),
        (
            "dfki",
            "the column category and phenomenon in every row, but the set has the columns good, incorrect, source, reference",
        ),
    ],
)
def test_a_file_without_the_columns_is_told_which(name: str, words: str, tmp_path: Path) -> None:
    items = from_file(tmp_path / "plain.tsv", [row(1), row(2)])
    with pytest.raises(InputError, match=f"^the analysis {name} needs {words}"):
        analyse(name, items, [scored(items)])
    assert analyse("contrastive", items, [scored(items)], samples=2)


def test_demetr_on_a_file_with_its_names_equals_the_suite(tmp_path: Path) -> None:
    facts = [one for one in demetr.perturbations() for _ in range(4)]
    suite = [
        item(i, one.phenomenon, category=one.category, severity=one.severity, meta={"perturbation": one.number})
        for i, one in enumerate(facts)
    ]
    theirs = from_file(tmp_path / "own.tsv", [row(i, phenomenon=one.phenomenon) for i, one in enumerate(facts)])
    expected, got = (analyse("demetr", items, [scored(items)], samples=20) for items in (suite, theirs))
    assert [table.rows for table in got] == [table.rows for table in expected]
    rows = by(got[2].rows, "perturbation")
    assert (rows[1]["name"], rows[1]["phenomenon"]) == ("1 word repeated twice", "addition (repetition twice)")


def test_aces_on_a_file_with_its_names_equals_the_suite(tmp_path: Path) -> None:
    facts = [one for one in aces.phenomena().values() for _ in range(3)]
    suite = [
        item(i, one.name, category=one.category, langpair="de-en", meta={"sub_level": one.sub_level})
        for i, one in enumerate(facts)
    ]
    rows = [row(i, phenomena=one.name, langpair="de-en") for i, one in enumerate(facts)]
    theirs = from_file(tmp_path / "own.tsv", rows)
    expected, got = (analyse("aces", items, [scored(items)], samples=20) for items in (suite, theirs))
    assert {table.name: table.rows for table in got} == {table.name: table.rows for table in expected}


def test_demetr_takes_other_names_by_their_severity() -> None:
    # critical: "antonym" is DEMETR 7 with 1 of 2 right, "wrong dosage" none of DEMETR's with 2 of 2 right: mean 0.75
    items = [item(0, "antonym"), item(1, "antonym"), *(item(i, "wrong dosage", severity="critical") for i in (2, 3))]
    summary, severity, perturbations, *_ = analyse(
        "demetr", items, [measured("m", [2, 1, 2, 2], [1, 1, 1, 1])], samples=2
    )
    assert summary.rows[0]["critical"] == by(severity.rows, "severity")["critical"]["accuracy"] == 0.75
    assert [(row["perturbation"], row["name"], row["accuracy"]) for row in perturbations.rows] == [
        (7, "7 change to antonym", 0.5),
        (None, "wrong dosage", 1.0),
    ]


def test_demetr_counts_the_reference_alike_wherever_the_item_holds_it() -> None:
    # The reference scores 2, 2, 1 and the translation 1, 2, 2: two of three references do not score below it.
    theirs = [item(i, "reference", incorrect=f"r{i}") for i in range(3)]
    made = [item(i, "reference", good=f"r{i}") for i in range(3)]
    first = analyse("demetr", theirs, [measured("m", [1, 2, 2], [2, 2, 1])], samples=2)[2].rows[0]
    second = analyse("demetr", made, [measured("m", [2, 2, 1], [1, 2, 2])], samples=2)[2].rows[0]
    assert first == second and first["accuracy"] == pytest.approx(2 / 3)


def test_a_judged_set_is_told_what_it_lacks() -> None:
    judged = Judged(Batch(["a", "b"]), scores={"mqm": np.array([1.0, 2.0])})
    metric = Measured("m", card("m"), values=np.array([1.0, 2.0]))
    with pytest.raises(
        InputError, match=r"needs the label repetitions, strong-unsupport, .*, but the set has the score mqm"
    ):
        analyse("hallucinations", judged, [metric])
    with pytest.raises(InputError, match="judged needs human scores, but the set has neither scores nor labels"):
        analyse("judged", Judged(Batch(["a", "b"])), [metric])
    with pytest.raises(
        InputError, match=r"aces needs pairs of a good .*, but this set has segments with human judgements"
    ):
        analyse("aces", judged, [metric])


def test_an_analysis_of_ones_own() -> None:
    def count(items, measured, *, seed, samples, correction):  # type: ignore[no-untyped-def]
        return [Table("count", [TableColumn("n", kind="count")], [{"n": len(items)}])]

    assert analyse(count, [item(0), item(1)], [])[0].rows == [{"n": 2}]
    with pytest.raises(InputError, match="<lambda> must return a list of Table"):
        analyse(lambda *_, **__: "no", [item(0)], [])  # type: ignore[arg-type, return-value]
    with pytest.raises(InputError, match="NEEDS must be a function, not dict"):
        analyse(f"{__name__}:NEEDS", [item(0)], [])
    with pytest.raises(UnknownName, match="Did you mean demetr"):
        analyse("demeter", [item(0)], [])
