"""An empty reference cell is a missing reference: in every form, through every door, with the numbers of the rows that have one."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
import sacrebleu

import assay
from assay.cli.main import main
from assay.core.errors import AssayWarning, InputError, UnknownName
from assay.report.xlsx import Sheet, write_workbook

METRICS = ["chrf", "bleu", "ter"]
HEADER = ["system", "id", "doc", "mt", "ref", "ref2"]
draw = random.Random(3)
WORDS = [
    "the",
    "a",
    "dog",
    "cat",
    "runs",
    "sees",
    "house",
    "red",
    "blue",
    "fast",
    "slow",
    "man",
    "woman",
    "tree",
    "car",
    "big",
    "small",
]


def noisy(text: str, p: float) -> str:
    return " ".join(word if draw.random() > p else draw.choice(WORDS) for word in text.split())


TRUE = [" ".join(draw.choices(WORDS, k=8)) for _ in range(60)]
SECOND = [noisy(text, 0.2) for text in TRUE]
# every fifth row has no reference, every third of the others only one of the two
REFS = [(None, None) if i % 5 == 0 else (TRUE[i], None if i % 3 else SECOND[i]) for i in range(60)]
ROWS: list[tuple[str | None, ...]] = [
    (system, str(i), f"d{i // 20}", noisy(TRUE[i], p), *REFS[i])
    for system, p in (("A", 0.3), ("B", 0.5))
    for i in range(60)
]
WHOLE = [row for row in ROWS if row[4] is not None]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))


def delimited(path: Path, rows: list[tuple[str | None, ...]], delimiter: str = "\t", blank: str = "") -> Path:
    lines = [HEADER, *[[blank if cell is None else cell for cell in row] for row in rows]]
    path.write_text("".join(delimiter.join(line) + "\n" for line in lines))
    return path


def objects(path: Path, rows: list[tuple[str | None, ...]], keep_nulls: bool = True) -> Path:
    made = [dict(zip(HEADER, row, strict=True)) for row in rows]
    if not keep_nulls:
        made = [{name: cell for name, cell in row.items() if cell is not None} for row in made]
    path.write_text("".join(json.dumps(row) + "\n" for row in made))
    return path


def workbook(path: Path, rows: list[tuple[str | None, ...]]) -> Path:
    with path.open("wb") as stream:
        write_workbook(
            stream, [Sheet("texts", HEADER, [["" if cell is None else cell for cell in row] for row in rows])]
        )
    return path


def frame(rows: list[tuple[str | None, ...]]) -> polars.DataFrame:
    return polars.DataFrame(rows, schema=dict.fromkeys(HEADER, polars.String), orient="row")


def parquet(path: Path, rows: list[tuple[str | None, ...]]) -> Path:
    frame(rows).write_parquet(path)
    return path


def nulls(row: tuple[str | None, ...], instead: Any) -> dict[str, Any]:
    return {name: instead if cell is None else cell for name, cell in zip(HEADER, row, strict=True)}


FORMS: dict[str, Callable[[Path], Any]] = {
    "TSV": lambda folder: delimited(folder / "x.tsv", ROWS),
    "TSV, blanks": lambda folder: delimited(folder / "x.tsv", ROWS, blank="  "),
    "CSV": lambda folder: delimited(folder / "x.csv", ROWS, ","),
    "JSON lines, null": lambda folder: objects(folder / "x.jsonl", ROWS),
    "JSON lines, no key": lambda folder: objects(folder / "x.jsonl", ROWS, keep_nulls=False),
    "XLSX": lambda folder: workbook(folder / "x.xlsx", ROWS),
    "Parquet": lambda folder: parquet(folder / "x.parquet", ROWS),
    "polars": lambda folder: frame(ROWS),
    "pandas": lambda folder: pandas.DataFrame(ROWS, columns=HEADER),
    "rows, None": lambda folder: [nulls(row, None) for row in ROWS],
    "rows, NaN": lambda folder: [nulls(row, float("nan")) for row in ROWS],
    "rows, empty": lambda folder: (nulls(row, "") for row in ROWS),
    "lists": lambda folder: [
        {"system": row[0], "id": row[1], "doc": row[2], "mt": row[3], "references": [row[4] or "", row[5]]}
        for row in ROWS
    ],
}


def expected(system: str) -> dict[str, float]:
    """What sacrebleu says of the rows that have a reference."""
    mine = [row for row in WHOLE if row[0] == system]
    hypotheses, references = [str(row[3]) for row in mine], [[row[4] for row in mine], [row[5] for row in mine]]
    return {
        "chrf": sacrebleu.corpus_chrf(hypotheses, references).score,
        "bleu": sacrebleu.corpus_bleu(hypotheses, references).score,
        "ter": sacrebleu.corpus_ter(hypotheses, references).score,
    }


@pytest.mark.parametrize("form", FORMS)
def test_rows_without_a_reference_are_left_out_and_reported(tmp_path: Path, form: str) -> None:
    with pytest.warns(AssayWarning, match="24 of 120 segments have no reference; chrF, BLEU, TER skipped them"):
        result = assay.score(data=FORMS[form](tmp_path), metrics=METRICS)
    for system in "AB":
        assert result.systems[system] == pytest.approx(expected(system), abs=1e-9)
        assert result.system_flags[system]["missing_reference"] == 12
        assert result.known()[system]["chrf"]["n"] == 48
    assert "empty_reference" not in result.flags and "far_longer" not in result.flags
    assert "60 segments; 48 for chrF, BLEU, TER" in result.table().notes[0]


@pytest.mark.parametrize("form", ["TSV", "JSON lines, no key", "XLSX", "polars"])
def test_compare_is_that_of_the_rows_with_a_reference(tmp_path: Path, form: str) -> None:
    with pytest.warns(AssayWarning, match="no reference"):
        mine = assay.compare(
            data=FORMS[form](tmp_path), metrics=METRICS, by="doc", changed=3, worst=3, samples=200, trials=200
        )
    whole = assay.compare(data=frame(WHOLE), metrics=METRICS, by="doc", changed=3, worst=3, samples=200, trials=200)
    assert mine.standings == whole.standings and mine.groups == whole.groups
    told = mine.to_dict()
    assert told["systems"]["B"]["bleu"]["n"] == 48
    for name in ("worst", "changed"):
        assert (
            [row["mt"] for row in told[name]] == [row["mt"] for row in whole.to_dict()[name]]
            if "mt" in told[name][0]
            else True
        )


def test_intervals_groups_and_components_are_those_of_the_rows_with_a_reference() -> None:
    with pytest.warns(AssayWarning):
        mine = assay.score(data=frame(ROWS), metrics=METRICS, ci=True, samples=200, by="doc")
    whole = assay.score(data=frame(WHOLE), metrics=METRICS, ci=True, samples=200, by="doc")
    assert mine.standings == whole.standings and mine.components == whole.components
    scores = [{name: row[name] for name in ("doc", "system", *METRICS)} for row in mine.groups()]
    assert scores == [{name: row[name] for name in ("doc", "system", *METRICS)} for row in whole.groups()]


def test_a_group_without_any_reference_has_no_score() -> None:
    rows = [(*row[:2], "none" if row[4] is None else "some", *row[3:]) for row in ROWS]
    with pytest.warns(AssayWarning):
        groups = assay.score(data=frame(rows), metrics=["bleu"], by="doc").groups()
    assert {row["doc"] for row in groups if row.get("bleu") is not None} == {"some"}


def test_the_command_line_says_so_on_stderr_even_when_quiet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = delimited(tmp_path / "x.tsv", ROWS)
    assert main(["score", str(path), "-m", "bleu", "--format", "json", "-q"]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert "24 of 120 segments have no reference; BLEU skipped them" in " ".join(said.err.split())
    assert told["systems"]["A"]["bleu"]["n"] == 48 and told["flags"]["A"] == {"missing_reference": 12}
    assert [x is None for x in told["systems"]["A"]["bleu"]["segments"]] == [i % 5 == 0 for i in range(60)]
    assert told["rows"]["A"]["flags"]["1"] == ["missing_reference"]
    assert main(["score", str(path), "-m", "bleu", "--no-flags", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"] == told["systems"]


@pytest.mark.parametrize("form", ["TSV", "XLSX", "polars"])
def test_the_other_choices(tmp_path: Path, form: str) -> None:
    with pytest.warns(
        AssayWarning, match="24 of 120 segments have an empty reference; chrF, BLEU, TER scored against it"
    ):
        scored = assay.score(data=FORMS[form](tmp_path), metrics=METRICS, empty_reference="score")
    assert scored.flags["empty_reference"] == 24 and "far_longer" not in scored.flags
    mine = [row for row in ROWS if row[0] == "A"]
    hypotheses = [str(row[3]) for row in mine]
    references = [[row[4] or "" for row in mine], [row[5] for row in mine]]
    assert scored.systems["A"]["ter"] == pytest.approx(sacrebleu.corpus_ter(hypotheses, references).score, abs=1e-9)
    with pytest.raises(InputError, match=r"(line|row) \d+ has no reference"):
        assay.score(data=FORMS[form](tmp_path), metrics=METRICS, empty_reference="error")
    with pytest.raises(UnknownName, match="choice for empty references"):
        assay.score(data=FORMS[form](tmp_path), metrics=METRICS, empty_reference="drop")  # type: ignore[arg-type]


def test_text_files_and_lists_keep_what_sacrebleu_does_with_a_warning(tmp_path: Path) -> None:
    hypotheses, references = [str(row[3]) for row in ROWS[:60]], [row[4] or "" for row in ROWS[:60]]
    (tmp_path / "mt").write_text("".join(text + "\n" for text in hypotheses))
    (tmp_path / "ref").write_text("".join(text + "\n" for text in references))
    peer = sacrebleu.corpus_ter(hypotheses, [references]).score
    for given in (
        {"mt": tmp_path / "mt", "ref": tmp_path / "ref"},
        {"hypotheses": hypotheses, "references": references},
    ):
        with pytest.warns(AssayWarning, match="12 of 60 segments have an empty reference"):
            assert assay.score(metrics=["ter"], **given).system["ter"] == pytest.approx(peer, abs=1e-9)
        with pytest.warns(AssayWarning, match="12 of 60 segments have an empty reference"):
            assay.score(metrics=["ter"], flags="none", **given)
        with pytest.warns(AssayWarning, match="12 of 60 segments have no reference"):
            skipped = assay.score(metrics=["ter"], empty_reference="skip", **given)
        kept = [i for i, text in enumerate(references) if text]
        assert skipped.system["ter"] == pytest.approx(
            sacrebleu.corpus_ter([hypotheses[i] for i in kept], [[references[i] for i in kept]]).score, abs=1e-9
        )
        with pytest.raises(InputError, match=r"(line|segment) 1 has no reference"):
            assay.score(metrics=["ter"], empty_reference="error", **given)


def test_a_metric_without_a_need_for_references_scores_every_row_without_a_word() -> None:
    rows = [{"src": "one", "mt": "one two", "ref": ref} for ref in ("one two", None, "")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = assay.score(data=rows, metrics=["copy-source"]).scores["copy-source"].values
    assert not any(value != value for value in found)


def test_a_null_translation_is_an_empty_cell(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("mt\tref\n\tsome words\nwords\twords\n")
    rows = [{"mt": None, "ref": "some words"}, {"mt": "words", "ref": "words"}]
    for data in (tmp_path / "x.tsv", rows, polars.DataFrame(rows), pandas.DataFrame(rows)):
        result = assay.score(data=data, metrics=["bleu", "chrf"])
        assert result.flags["empty_hypothesis"] == 1
        assert result.system == assay.score(["", "words"], ["some words", "words"], metrics=["bleu", "chrf"]).system


def test_a_table_without_any_reference_is_refused(tmp_path: Path) -> None:
    rows = [(*row[:4], None, None) if row[0] == "B" else row for row in ROWS]
    with pytest.raises(InputError, match="chrf needs references, but no segment of B has one"):
        assay.score(data=frame(rows), metrics=["chrf"])


def test_a_corpus_and_a_rule_leave_the_same_rows_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shards = tmp_path / "corpus"
    shards.mkdir()
    delimited(shards / "a.tsv", ROWS[:60])
    delimited(shards / "b.tsv", ROWS[60:])
    out = str(tmp_path / "out") + "/"
    assert (
        main(["score", f"{shards}/", "-m", "chrf,ter", "--out", out, "--workers", "1", "--format", "json", "-q"]) == 0
    )
    said = capsys.readouterr()
    assert "24 of 120 segments have no reference; chrF, TER skipped them" in " ".join(said.err.split())
    told = json.loads(said.out)
    assert told["flags"] == {"missing_reference": 24} and told["histograms"]["chrf"]["unscored"] == 24
    for system in "AB":
        wanted = {name: value for name, value in expected(system).items() if name != "bleu"}
        assert told["scores"][system] == pytest.approx(wanted, abs=1e-9)
    assert (
        main(["score", f"{shards}/", "-m", "chrf", "--out", out + "2/", "--workers", "1", "--empty-reference", "error"])
        == 2
    )
    assert "has no reference" in capsys.readouterr().err
    outcomes = tmp_path / "outcomes.tsv"
    outcomes.write_text(
        "id\tmt\tref\toutcome\n" + "".join(f"{i}\t{'ab' * (i % 7)} c\tabab c\t{int(i % 7 > 2)}\n" for i in range(140))
    )
    rule = str(tmp_path / "rule.json")
    assert main(["decide", "fit", "--data", str(outcomes), "-m", "chrf", "--out", rule]) == 0
    capsys.readouterr()
    assert main(["decide", "apply", rule, str(shards / "a.tsv"), "--format", "jsonl"]) == 0
    said = capsys.readouterr()
    labels = [json.loads(line) for line in said.out.splitlines()]
    assert [row["reason"] == "not scored by chrf" and row["label"] == "review" for row in labels] == [
        i % 5 == 0 for i in range(60)
    ]
    assert "12 of 60 segments have no reference" in " ".join(said.err.split())
