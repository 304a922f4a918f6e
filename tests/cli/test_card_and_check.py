"""``assay card`` and ``assay check`` as they are typed."""

import json

import pytest

from assay.cli.main import main
from tests.pairs import write_pairs


@pytest.fixture
def card(tmp_path):
    suite = write_pairs(tmp_path / "pairs.tsv")
    path = tmp_path / "card.json"
    assert main(["card", "chrf", "--suite", str(suite), "--samples", "20", "--format", "json", "--out", str(path)]) == 0
    return path


def test_card_on_a_terminal(capsys):
    assert main(["card", "ter", "--suite", "embedded", "--samples", "20"]) == 0
    out = capsys.readouterr().out
    assert "lower" in out
    assert "TER|nrefs:1" in out
    assert "the embedded suite" in out


def test_check_passes_against_its_own_card(card, capsys):
    assert main(["check", "--against", str(card)]) == 0
    assert "2 phenomena: 0 worse, 0 better, 2 the same" in capsys.readouterr().out


def test_check_fails_and_names_the_phenomenon(card, capsys):
    whole = json.loads(card.read_text())
    (tables,) = whole["results"].values()
    next(row for row in tables["phenomena"] if row["phenomenon"] == "omission")["accuracy"] = 1.0
    card.write_text(json.dumps(whole))
    assert main(["check", "--against", str(card), "--tolerance", "0.01"]) == 1
    shown = capsys.readouterr()
    assert "omission 1.000 → 0.750 (-0.250)" in shown.err
    assert "worse" in shown.out
    assert main(["check", "--against", str(card), "--tolerance", "0.25"]) == 0
    assert main(["check", "--against", str(card), "--tolerance", "omission=0.25"]) == 0
    capsys.readouterr()
    assert main(["check", "--against", str(card), "--format", "json"]) == 1
    whole = json.loads(capsys.readouterr().out)
    assert whole["failed"] is True
    assert whole["tables"]["check"][0]["phenomenon"] == "omission"


def test_check_writes_a_summary_whether_it_passes_or_fails(card, tmp_path, capsys):
    page = tmp_path / "summary.md"
    assert main(["check", "--against", str(card), "--summary", str(page)]) == 0
    assert page.read_text().split("\n\n") == [
        "### ✅ assay check: chrf is as good as its card",
        "2 phenomena: 0 worse, 0 better, 2 the same  \n",
    ]
    whole = json.loads(card.read_text())
    (tables,) = whole["results"].values()
    next(row for row in tables["phenomena"] if row["phenomenon"] == "omission")["accuracy"] = 1.0
    card.write_text(json.dumps(whole))
    assert main(["check", "--against", str(card), "--format", "json", "--summary", str(page)]) == 1
    head, table, _ = page.read_text().split("\n\n", 2)
    assert head.startswith("### ❌ assay check: chrf got worse on 1 phenomenon: ")
    assert head.endswith("omission 1.000 → 0.750 (-0.250)")
    assert table == "**chrf against its card**"
    assert "| omission | 1.000 | 0.750 | -0.250 | worse |" in page.read_text()


def test_a_summary_takes_the_place_of_no_input(card, capsys):
    assert main(["check", "--against", str(card), "--summary", str(card)]) == 2
    assert main(["check", "--against", str(card), "--summary", "x.md", "--out", "x.md"]) == 2
    assert "--summary and --out name the same file" in capsys.readouterr().err


def test_check_with_another_metric_says_so(card, capsys):
    assert main(["check", "--against", str(card), "-m", "bleu", "--tolerance", "1", "--all"]) == 0
    out = capsys.readouterr().out
    assert "bleu against the card of chrf" in out
    assert "the signature changed" in out


def test_mistakes_leave_with_2(card, capsys):
    assert main(["check", "--against", str(card), "--tolerance", "much"]) == 2
    assert main(["check", "--against", str(card), "--tolerance", "-1"]) == 2
    assert main(["check", "--against", "none.json"]) == 2
    assert main(["check"]) == 2
    assert "Create it with: assay card" in capsys.readouterr().err


def test_the_html_page_has_a_section_for_each_suite(tmp_path):
    out = tmp_path / "card.html"
    assert main(["card", "chrf", "--suite", "embedded", "--samples", "20", "--format", "html", "--out", str(out)]) == 0
    text = out.read_text()
    assert text.count("<section>") == 2
    assert "Popović 2015" in text
