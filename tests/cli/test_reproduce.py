"""``assay reproduce`` as it is typed."""

import json

import pytest

from assay.cli.main import main
from tests.pairs import write_pairs

HEAD = "table,row,column,published,tolerance,derivable,reason\n"
GOOD = "phenomena,metric=chrf; phenomenon=omission,accuracy,75.0,,yes,\n"
LOST = "phenomena,metric=chrf; phenomenon=addition,tau,0.3,,no,made with another corpus\n"
BAD = "phenomena,metric=chrf; phenomenon=addition,accuracy,99.0,,yes,\n"


@pytest.fixture
def command(tmp_path):
    suite = write_pairs(tmp_path / "pairs.tsv")

    def run(rows: str, *more: str) -> int:
        (tmp_path / "mine.csv").write_text(HEAD + rows)
        return main(["reproduce", str(suite), "--receipts", str(tmp_path / "mine.csv"), *more])

    return run


def test_all_cells_match(command, capsys):
    assert command(GOOD + LOST) == 0
    out = capsys.readouterr().out
    assert "75.000" in out
    assert "phenomena: 1 of 1 · 1 printed cell does not follow from public data (why: --explain)" in out


def test_a_differing_cell_leaves_with_1_and_is_named(command, capsys):
    assert command(GOOD + BAD) == 1
    shown = capsys.readouterr()
    assert "+1.000" in shown.out
    assert shown.err == (
        "assay: 1 derivable cell differs from the published value: phenomena / metric=chrf; phenomenon=addition / accuracy.\n"
    )


def test_json_holds_every_receipt(command, capsys):
    assert command(GOOD + LOST + BAD, "--format", "json") == 1
    whole = json.loads(capsys.readouterr().out)
    assert [row["verdict"] for row in whole["receipts"]] == ["match", "not derivable", "differs"]
    assert whole["receipts"][0] == {
        "table": "phenomena",
        "row": "metric=chrf; phenomenon=omission",
        "column": "accuracy",
        "published": "75.0",
        "obtained": 75.0,
        "difference": 0.0,
        "tolerance": 0.05,
        "verdict": "match",
        "from": "data",
        "reason": "",
    }
    assert whole["summary"]["match"] == 1
    assert whole["summary"]["failed"] is True


def test_the_terminal_says_what_a_cell_was_computed_from(command, capsys):
    assert command(GOOD + "phenomena,metric=chrf; phenomenon=omission,n,4,,yes,\n" + LOST, "--all") == 0
    out = capsys.readouterr().out
    assert "1 of 1 from data · 1 of 1 counts of items" in out
    rows = [line.split() for line in out.splitlines() if line.strip().startswith("metric=chrf")]
    assert [row[-1] for row in rows] == ["data", "count", "–"]


def test_explain_gives_the_reasons(command, capsys):
    assert command(GOOD + LOST, "--explain") == 0
    out = capsys.readouterr().out
    assert "made with another corpus" in out
    assert "why: --explain" not in out


@pytest.mark.parametrize("format", ["md", "html", "latex", "csv", "tsv", "jsonl"])
def test_other_formats(command, tmp_path, format):
    out = tmp_path / "out"
    assert command(GOOD + LOST, "--format", format, "--out", str(out)) == 0
    assert "75.0" in out.read_text()
    assert "0.3" in out.read_text()


def test_wrong_names_and_files_leave_with_2(command, capsys, tmp_path):
    assert main(["reproduce", "demeter"]) == 2
    assert "Did you mean demetr" in capsys.readouterr().err
    assert main(["reproduce", str(tmp_path / "none.csv")]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert command("phenomena,metric=chrf,accuracy,75.0\n") == 2
    assert "line 2: 4 columns" in capsys.readouterr().err
