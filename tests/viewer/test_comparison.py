"""Two runs of the same job, and the rows of one as a challenge set."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import InputError
from assay.viewer.comparison import compare_runs
from assay.viewer.export import as_item
from assay.viewer.runs import Run, find_runs
from tests.viewer.conftest import keep

N = 12


def runs(
    folder: Path, *given: list[dict[str, Any]], kind: str = "segments", metrics: tuple[str, ...] = ("chrf",)
) -> list[Run]:
    for number, rows in enumerate(given):
        keep(folder / f"run{number}", rows, kind, metrics)
    return sorted(find_runs([folder]), key=lambda run: run.name)


def segments(score: Any, system: str = "a", src: str = "x") -> list[dict[str, Any]]:
    return [
        {"system": system, "segment": i + 1, "src": f"{src}{i}", "ref": "r", "mt": f"t{score(i)}", "chrf": score(i)}
        for i in range(N)
    ]


def test_segments_are_paired_and_tested(tmp_path: Path) -> None:
    a, b = runs(tmp_path, segments(float), segments(lambda i: i + 1.0 if i else 0.0, "b"))
    made = compare_runs(a, b)
    (row,) = made["tables"][0]["rows"]
    assert row["system"] == "a → b" and (row["n"], row["up"], row["down"]) == (N, N - 1, 0)
    assert row["before"] == 5.5 and row["difference"] == pytest.approx(11 / 12)
    # Of the 2^11 ways to turn 11 differences of 1 around, two are as far from 0.
    assert row["p"] == pytest.approx(2 / 2**11, abs=0.001) and row["verdict"] == "better"
    assert row["low"] > 0.7 and row["high"] == pytest.approx(1.0)
    moved = made["moved"]["chrf"]
    assert len(moved["better"]) == N - 1 and moved["worse"] == []
    assert (
        moved["better"][0]["gain"] == 1.0 and moved["better"][0]["a"]["segment"] == moved["better"][0]["b"]["segment"]
    )
    (back,) = compare_runs(b, a)["tables"][0]["rows"]
    assert back["verdict"] == "worse" and (back["up"], back["down"]) == (0, N - 1)


def test_chance_is_not_called_a_difference(tmp_path: Path) -> None:
    a, b = runs(tmp_path, segments(float), segments(lambda i: i + (-1.0) ** i))
    (row,) = compare_runs(a, b)["tables"][0]["rows"]
    assert row["difference"] == 0 and row["verdict"] == "" and row["p"] == pytest.approx(1, abs=0.3)


def items(right: Any, first: str = "s") -> list[dict[str, Any]]:
    return [
        {"id": str(i), "phenomenon": "p" if i < 10 else "q", "src": f"{first}{i}", "good": "g", "incorrect": "b",
         "m good": 2.0 if right(i) else 1.0, "m incorrect": 1.0}
        for i in range(N)
    ]  # fmt: skip


def test_items_that_change_sides_are_counted_by_phenomenon(tmp_path: Path) -> None:
    a, b = runs(tmp_path, items(lambda i: i >= 10), items(lambda i: i != 11), kind="items", metrics=("m",))
    metrics, phenomena = compare_runs(a, b)["tables"]
    (row,) = metrics["rows"]
    # ten gained, one lost: the exact sign test, two-sided, is 2 (1 + 11) / 2^11
    assert (row["up"], row["down"], row["n"]) == (10, 1, N) and row["p"] == pytest.approx(24 / 2048)
    assert row["verdict"] == "better" and row["after"] == pytest.approx(11 / 12)
    first, second = phenomena["rows"]
    assert (first["phenomenon"], first["up"], first["down"], first["verdict"]) == ("p", 10, 0, "better")
    assert first["p"] == pytest.approx(2 * 2 / 2**10)  # Holm: twice the smaller of two
    assert (second["down"], second["verdict"]) == (1, "")


def test_other_jobs_are_refused_in_a_sentence(tmp_path: Path) -> None:
    a, b, c, d = runs(
        tmp_path,
        segments(float),
        segments(float, src="y"),
        segments(float)[:-1],
        segments(float, "z") + segments(float, "y"),
    )
    for other, said in (
        (a, "the same run"),
        (b, "segment 1 differs in src"),
        (c, "different segments"),
        (d, "no systems in common"),
    ):
        with pytest.raises(InputError, match=said):
            compare_runs(a, other)
    (pairs,) = find_runs([keep(tmp_path / "items" / "e", items(bool), "items", ["m"])])
    with pytest.raises(InputError, match="Only runs of the same kind"):
        compare_runs(a, _renamed(pairs))
    (bare,) = find_runs(
        [keep(tmp_path / "bare" / "f", [{**row, "bleu": 1.0} for row in segments(float)], metrics=["bleu"])]
    )
    with pytest.raises(InputError, match="no metrics in common"):
        compare_runs(a, _renamed(bare))


def _renamed(run: Run) -> Run:
    run.key = "another"
    return run


def test_a_challenge_set_of_items_and_of_translations_is_read_by_assay_run(tmp_path: Path) -> None:
    embedded = assay.run("embedded", ["chrf"], samples=20)
    (run,) = find_runs([embedded.write(tmp_path / "kept", figures=())])
    chosen = [as_item(run.rows.row(i), run.kind) for i in range(0, 60, 3)]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in chosen))
    again = assay.run(str(path), ["chrf"], samples=20)
    assert len(again.content) == 20
    assert {item.id for item in again.content} == {run.rows.row(i)["id"] for i in range(0, 60, 3)}
    row = {
        "system": "a", "segment": 3, "langpair": "en-de", "src": "A house", "mt": "Ein Hund", "ref": "Ein Haus", "ref2": "Haus",
        "spans": [{"severity": "minor", "category": "style"}, {"severity": "major", "category": "accuracy"}],
    }  # fmt: skip
    item = as_item(row, "segments")
    assert item == {
        "id": "a/en-de/3", "phenomenon": "accuracy", "severity": "major", "langpair": "en-de", "source": "A house",
        "reference": "Haus", "good": "Ein Haus", "incorrect": "Ein Hund",
    }  # fmt: skip
    path.write_text(json.dumps(item) + "\n")
    (read,) = assay.run(str(path), ["chrf"], samples=20).content
    assert (read.good, read.incorrect, read.reference, read.phenomenon) == ("Ein Haus", "Ein Hund", "Haus", "accuracy")
    for nothing in ({**row, "mt": "Ein Haus"}, {**row, "ref": None}, {**row, "mt": ""}):
        assert as_item(nothing, "segments") is None


def test_the_interval_of_one_value_is_none(tmp_path: Path) -> None:
    a, b = runs(tmp_path, segments(float), segments(lambda i: i + 1.0))
    (row,) = compare_runs(a, b)["tables"][0]["rows"]
    assert math.isnan(row["low"]) and row["verdict"] == "better"
