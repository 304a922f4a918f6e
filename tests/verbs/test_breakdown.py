from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import InputError
from assay.decide.evaluation import split_examples
from assay.report.grid import grid
from assay.tasks.running import task_outcomes
from tests.tasks_fake import Mirror, Same, WordTask


def test_pseudo_references_by_back_translation() -> None:
    outcomes = task_outcomes(WordTask(40), Mirror(), ["xx"], pseudo=True).outcomes
    online = outcomes.pseudo_batch()
    assert online is not None and online.references is not None
    # e1: word1 here -> back ereh 1drow, against the source ereh 1drow.
    assert (online.hypotheses[1], online.sources[1], online.references[0][1]) == (  # type: ignore[index]
        "ereh 1drow", "word1 here", "ereh 1drow",
    )  # fmt: skip
    result = assay.breakdown(outcomes, metrics=[Same()], samples=50)
    assert result.tables["pseudo"].rows[0]["metric"] == "same"
    # e0 comes back as "ereh 0drow tliops", which begins with its whole source: pseudo-references see no error.
    assert result.pseudo[0].values[0] == 1.0  # type: ignore[index]
    assert result.measured[0].values[0] < 1.0  # type: ignore[index]


def test_the_whole_protocol_with_a_perfect_metric() -> None:
    result = assay.run_task(WordTask(60), Mirror(), ["xx"], metrics=[Same()], samples=50)
    mine = next(row for row in result.table().rows if row["metric"] == "same")
    assert (mine["f1"], mine["mcc"]) == (1.0, 1.0)
    by_f1 = result.tables["languages_f1"]
    assert by_f1.rows == result.tables["languages"].rows and "Macro-F1 by language" in by_f1.caption
    # Every resample of right answers is right: that is no interval of nought, but none.
    assert [row for row in grid(by_f1).rows if row[0] == "same"] == [["same", "1.000"]]
    assert any("54 of 60 examples succeed" in note for note in result.table().notes)
    assert any("xx: 1 example could not be translated (e7)" in note for note in result.table().notes)


@assay.error
def swap(text: str, rng: Any) -> tuple[str, str] | None:
    words = text.split()
    return (" ".join(reversed(words)), "word order") if len(words) == 2 else None


@assay.error
def shout(text: str, rng: Any) -> tuple[str, str] | None:
    return text + "!", "punctuation"


def test_controlled_errors_need_no_translator() -> None:
    run = task_outcomes(WordTask(40), None, [], errors=[swap, shout])
    outcomes = run.outcomes
    assert set(outcomes.languages) == {"en"} and outcomes.controlled.all() and len(outcomes) == 72
    rates = {kind: np.mean([not good for good, own in zip(outcomes.success, outcomes.error_types, strict=True) if own == kind])
             for kind in ("word order", "punctuation")}  # fmt: skip
    assert rates == {"word order": 1.0, "punctuation": 0.0}
    result = assay.run_task(WordTask(40), None, [], metrics=[Same()], errors=[swap, shout], samples=50)
    cells = {row["error_type"]: row["rate"] for row in result.tables["matrix"].rows}
    assert cells == {"word order": 1.0, "punctuation": 0.0}


def test_an_error_in_the_task_language_counts_once_however_many_languages_there_are() -> None:
    from assay.analyses.breakdown.errors import matrix
    from assay.core.outcomes import concat_outcomes

    here = task_outcomes(WordTask(40), None, [], errors=[swap, shout]).outcomes
    there = replace(here, languages=["xx"] * len(here))
    table = matrix(concat_outcomes([here, there]))
    assert table is not None and [row["n"] for row in table.rows] == [36, 36]


def test_controlled_errors_do_not_enter_table_1_beside_translations() -> None:
    plain = assay.run_task(WordTask(60), Mirror(), ["xx"], metrics=[Same()], samples=50)
    both = assay.run_task(WordTask(60), Mirror(), ["xx"], metrics=[Same()], errors=swap, samples=50)
    assert both.table().rows[1]["n"] == plain.table().rows[1]["n"]
    assert "matrix" in both.tables


def outcomes_file(path: Path, rows: int = 60, reference: bool = True, back: bool = False) -> Path:
    rng = np.random.default_rng(0)
    lines = ["source\ttranslation\toutcome\tlanguage\tsplit" + "\treference" * reference + "\tback_translation" * back]
    for i in range(rows):
        good = bool(rng.random() < 0.6)
        text = "one two three" if good else "one two four"
        cells = ["uno dos tres", text, "success" if good else "breakdown", "es", "dev" if i % 2 else "test"]
        cells += ["one two three"] * reference + ["uno dos tres" if good else "uno dos cuatro"] * back
        lines.append("\t".join(cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_without_references_pseudo_references_are_offered_and_taken(tmp_path: Path) -> None:
    bare = outcomes_file(tmp_path / "bare.tsv", reference=False)
    with pytest.raises(InputError, match=r"chrf requires references.*back_translation"):
        assay.breakdown(bare, ["chrf"])
    result = assay.breakdown(outcomes_file(tmp_path / "back.tsv", reference=False, back=True), ["chrf"], samples=50)
    assert any("scored with pseudo-references" in note for note in result.table().notes)
    assert result.table().rows[1]["mcc"] == 1.0


def test_scores_that_came_with_the_data(tmp_path: Path) -> None:
    path = outcomes_file(tmp_path / "o.tsv")
    lines = path.read_text().splitlines()
    scored = [lines[0] + "\tmine"] + [f"{line}\t{0.1 if 'breakdown' in line else 0.9}" for line in lines[1:]]
    path.write_text("\n".join(scored) + "\n")
    assert assay.breakdown(path, [], scores=["mine"], samples=50).table().rows[1]["mcc"] == 1.0
    # The wrong way round, the best that a threshold can do is to let everything through.
    assert assay.breakdown(path, [], scores=["mine:lower"], samples=50).table().rows[1]["mcc"] <= 0.0


def test_run_directory_can_be_read_again(tmp_path: Path) -> None:
    first = assay.run_task(WordTask(60, context=True), Mirror(), ["xx"], metrics=[Same()], samples=50)
    first.write(tmp_path / "run", figures=())
    again = assay.breakdown(tmp_path / "run" / "outcomes.tsv", metrics=[Same()], samples=50)
    assert [dict(row) for row in again.tables["languages"].rows] == [
        dict(row) for row in first.tables["languages"].rows
    ]


@pytest.mark.slow
def test_a_hundred_thousand_outcomes_in_less_than_a_gigabyte(tmp_path: Path) -> None:
    outcomes_file(tmp_path / "big.tsv", rows=100_000, back=True)
    code = (
        "import assay, sys\n"
        "result = assay.breakdown(sys.argv[1])\n"
        "assert len(result) == 100_000\n"
        # ru_maxrss would count what the parent held before exec
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "big.tsv")], capture_output=True, text=True, check=True
    )
    assert int(out.stdout) < 1_000_000, "kilobytes"


def test_the_protocol_equals_a_plain_loop_over_sacrebleu_and_scikit_learn(tmp_path: Path) -> None:
    """Section 3 written down once more: sentence scores, ten bins, the best macro-F1 on dev, F1 and MCC on test."""
    from sacrebleu.metrics import CHRF
    from sklearn.metrics import f1_score, matthews_corrcoef

    rng = np.random.default_rng(12)
    rows, lines = [], ["source\ttranslation\treference\tback_translation\toutcome\tlanguage\tsplit"]
    for i in range(400):
        words = [f"w{k}" for k in rng.integers(0, 90, 9)]
        wrong, lost = int(rng.integers(0, 7)), int(rng.integers(0, 4))
        mt, back = ["oops"] * wrong + words[wrong:], words[: 9 - lost]
        good = bool(rng.random() > wrong / 7)
        row = (
            " ".join(words),
            " ".join(mt),
            " ".join(words),
            " ".join(back),
            good,
            "es" if i % 3 else "pt",
            i % 2 == 0,
        )
        rows.append(row)
        cells = [*row[:4], "success" if good else "breakdown", row[5], "dev" if row[6] else "test"]
        lines.append("\t".join(cells))
    (tmp_path / "o.tsv").write_text("\n".join(lines) + "\n")
    result = assay.breakdown(tmp_path / "o.tsv", ["chrf"], samples=50)
    chrf, expected = CHRF(), {}
    for kind, hypothesis, reference in (("gold", 1, 2), ("pseudo", 3, 0)):
        for language in ("es", "pt"):
            parts = {}
            for is_dev in (True, False):
                mine = [row for row in rows if row[5] == language and row[6] is is_dev]
                scores = np.array([chrf.sentence_score(row[hypothesis], [row[reference]]).score for row in mine])
                parts[is_dev] = scores, np.array([row[4] for row in mine])
            scores, good = parts[True]
            edges = np.histogram_bin_edges(scores, 10)[:-1]
            edge = max(edges, key=lambda edge: f1_score(good, scores >= edge, average="macro"))
            scores, good = parts[False]
            predicted = scores >= edge
            macro = f1_score(good, predicted, average="macro")
            expected[kind, language] = edge, macro, matthews_corrcoef(good, predicted)
    for row in (row for row in result.tables["languages"].rows if row["metric"] != "random"):
        found = (row["threshold"], row["f1"], row["mcc"])
        assert found == pytest.approx(expected["gold", row["language"]], abs=1e-9)
    pseudo = result.tables["pseudo"].rows[0]
    for place, key in ((1, "f1"), (2, "mcc")):
        assert pseudo[key] == pytest.approx(
            np.mean([expected["pseudo", name][place] for name in ("es", "pt")]), abs=1e-9
        )


def test_controlled_errors_may_be_named() -> None:
    names = ["tests.verbs.test_breakdown:swap", "tests.verbs.test_breakdown:shout"]
    named = assay.run_task(WordTask(40), None, [], metrics=[Same()], errors=names, samples=50)
    cells = {row["error_type"]: row["rate"] for row in named.tables["matrix"].rows}
    assert cells == {"word order": 1.0, "punctuation": 0.0} and named.notes == []


def test_a_translator_without_languages_is_refused() -> None:
    with pytest.raises(InputError, match="task words requires source languages: --langs"):
        assay.run_task(WordTask(40), Mirror(), [], metrics=[Same()])


def test_a_person_names_error_types_in_the_result(tmp_path: Path) -> None:
    path = outcomes_file(tmp_path / "o.tsv")
    lines = path.read_text().splitlines()
    noisy = [lines[0] + "\tmine"] + [f"{line}\t{(i * 7) % 10 / 10}" for i, line in enumerate(lines[1:])]
    path.write_text("\n".join(noisy) + "\n")
    result = assay.breakdown(path, [], scores=["mine"], samples=50)
    asked, said = result.questions(most=2), io.StringIO()
    assert 0 < len(asked) <= 4
    came = result.review(tmp_path / "kept.jsonl", stream=io.StringIO("m\n"), write=said.write, most=2)
    assert (came.answered, came.left) == (1, len({question.id for question in asked}) - 1)
    assert "mistranslation" in {row["error_type"] for row in result.tables["errors"].rows}
    again = assay.breakdown(path, [], scores=["mine"], samples=50, decisions=tmp_path / "kept.jsonl")
    assert [dict(row) for row in again.tables["errors"].rows] == [dict(row) for row in result.tables["errors"].rows]


def test_types_named_in_a_review_do_not_enter_the_matrix(tmp_path: Path) -> None:
    """Only wrongly judged translations are reviewed: their share of breakdowns is that of false positives."""
    path = outcomes_file(tmp_path / "o.tsv")
    lines = path.read_text().splitlines()
    head = lines[0] + "\tmine\terror_type\tid"
    rows = [
        f"{line}\t{(i * 7) % 10 / 10}\t{'omission' if i % 5 == 0 else ''}\te{i}" for i, line in enumerate(lines[1:])
    ]
    path.write_text("\n".join([head, *rows]) + "\n")
    given = assay.breakdown(path, [], scores=["mine"], samples=50)
    before = [dict(row) for row in given.tables["matrix"].rows]
    bad = sum(row.split("\t")[2] == "breakdown" for row in rows[::5])
    assert [(row["error_type"], row["breakdowns"], row["n"]) for row in before] == [("omission", bad, 12)]
    came = given.review(tmp_path / "kept.jsonl", stream=io.StringIO("m\n" * 200), write=io.StringIO().write)
    assert came.answered and given.outcomes.reviewed is not None
    again = assay.breakdown(path, [], scores=["mine"], samples=50, decisions=tmp_path / "kept.jsonl")
    given.write(tmp_path / "run", figures=())
    reread = assay.breakdown(tmp_path / "run" / "outcomes.tsv", [], scores=["mine"], samples=50)
    for result in (given, again, reread):
        assert [dict(row) for row in result.tables["matrix"].rows] == before
        assert "mistranslation" in {row["error_type"] for row in result.tables["errors"].rows}
        n = int(result.outcomes.reviewed.sum())
        assert any(note.startswith(f"{n} types named in a review") for note in result.tables["errors"].notes)


def test_nobody_is_asked_about_what_is_typed_already(tmp_path: Path) -> None:
    """The case: a table with error types; a person's answer about such an example had no effect."""
    path = outcomes_file(tmp_path / "o.tsv")
    lines = path.read_text().splitlines()
    head = lines[0] + "\tmine\terror_type\tid"
    rows = [
        f"{line}\t{(i * 7) % 10 / 10}\t{'' if i % 5 == 0 else 'omission'}\te{i}" for i, line in enumerate(lines[1:])
    ]
    # Every translation is a text of its own, so that a decision belongs to one example.
    rows = [row.replace("one two", f"one two{i}", 1) for i, row in enumerate(rows)]
    path.write_text("\n".join([head, *rows]) + "\n")
    result = assay.breakdown(path, [], scores=["mine"], samples=50)
    asked = result.questions()
    untyped = {f"e{i}" for i in range(0, 60, 5)}
    assert asked and {question.title.split(":")[0].split()[-1] for question in asked} <= untyped
    kept = tmp_path / "kept.jsonl"
    came = result.review(kept, stream=io.StringIO("m\n" * len(asked)), write=io.StringIO().write)
    counted = sum(row["n"] for row in result.tables["errors"].rows if row["error_type"] == "mistranslation")
    assert (came.answered, came.left) == (len(asked), 0) and counted == len(asked)  # no answer is dropped
    again = assay.breakdown(path, [], scores=["mine"], samples=50, decisions=kept)
    assert again.review(kept, stream=io.StringIO(""), write=io.StringIO().write).left == 0


def test_examples_of_both_parts_choose_thresholds_and_are_reported(tmp_path: Path) -> None:
    path = outcomes_file(tmp_path / "o.tsv")
    path.write_text(path.read_text().replace("\tdev", "\tdev+test"))
    result = assay.breakdown(path, ["chrf"], samples=50)
    (row,) = result.tables["balance"].rows
    assert row["test_good"] + row["test_bad"] == 60 and row["dev_good"] + row["dev_bad"] == 30
    assert any("30 development examples also in the test part" in note for note in result.table().notes)
    teach, test = split_examples(result.outcomes)  # a rule is not tried on what it was learned from
    assert (teach.sum(), test.sum(), (teach & test).sum()) == (30, 30, 0)
    result.write(tmp_path / "run", figures=())
    again = assay.breakdown(tmp_path / "run" / "outcomes.tsv", ["chrf"], samples=50)
    assert list(again.outcomes.splits) == list(result.outcomes.splits)
