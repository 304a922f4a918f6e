from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from assay.cli.main import main


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.tsv"
    path.write_text("src\tmt\nEins.\tThe 12 dogs barked loudly.\nZwei.\tTwo cats slept.\n", encoding="utf-8")
    return path


def test_make_then_run(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "set.jsonl"
    asked = ["make", "-p", "word-swap", "-p", "number-replaced", "--data", str(corpus), "--out", str(out)]
    assert main([*asked, "--langpair", "de-en", "--seed", "7"]) == 0
    shown = capsys.readouterr()
    assert "word-swap" in shown.out
    assert "wrote" in shown.err
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4
    assert json.loads((tmp_path / "set.jsonl.card.json").read_text(encoding="utf-8"))["seed"] == 7
    assert main(["run", str(out), "-m", "chrf", "--format", "json"]) == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-p", "antonim", "--langpair", "de-en"], "Did you mean antonym"),
        (
            ["-p", "negation", "--langpair", "en-fi"],
            "negation: it needs a parser, and there is no installable parser with open weights for fi",
        ),
        (["-p", "word-swap"], "no valid language pair"),
        ([], "no perturbation is selected"),
    ],
)
def test_what_cannot_be_made(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert main(["make", *more, "--data", str(corpus), "--out", str(tmp_path / "set.jsonl")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "set.jsonl").exists()


def test_no_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "-p", "word-swap", "--out", str(tmp_path / "set.jsonl")]) == 2
    assert "--data FILE" in capsys.readouterr().err
    assert main(["make", "--out", str(tmp_path / "set.jsonl")]) == 2


def test_annotating(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "set.jsonl"
    assert main(["make", "-p", "word-swap", "--data", str(corpus), "--langpair", "de-en", "--out", str(out)]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nr\n"))
    assert main(["make", "--annotate", "--out", str(out)]) == 0
    assert "1 accepted, 0 edited, 1 rejected, 0 left" in capsys.readouterr().err
    assert len((tmp_path / "set.reviewed.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_the_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "perturbations", "--format", "json"]) == 0
    text = capsys.readouterr().out
    assert "repeat-twice" in text
    assert "DEMETR 35" in text
    rows = {row["name"]: row for row in json.loads(text)["tables"]["perturbations"]}
    assert [rows["untranslated-word"][language] for language in ("en", "de")] == ["✓", "◐"]  # read into English alone
    assert {rows["pronoun-pleonastic-it-deletion"][language] for language in ("de", "fr")} == {"◐"}
    assert rows["similar-language-high"]["en"] == "◐"  # waits for a column
    assert (rows["negation"]["de"], rows["word-swap"]["de"]) == ("·", "✓")


def test_one_perturbation_says_what_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "perturbations", "coreference-based-on-commonsense", "--format", "json"]) == 0
    said = {row["field"]: row["value"] for row in json.loads(capsys.readouterr().out)["tables"]["perturbations"]}
    assert said["de"] == "off by default, in doubt: give the column distractor, or --min-confidence 0"
    assert said["en"] == "works in de, fr, ru, not in en"


def test_a_masked_model_that_is_none_is_an_error(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["make", "--data", str(corpus), "--langpair", "de-en", "--out", str(tmp_path / "set.jsonl")]
    assert main([*asked, "-p", f"mask-filled:model={tmp_path}"]) == 2
    assert "no config.json" in capsys.readouterr().err
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    assert main([*asked, "-p", f"mask-filled:model={tmp_path}"]) == 2
    assert "pip install 'mt-assay[neural]' transformers" in capsys.readouterr().err
    assert not (tmp_path / "set.jsonl").exists()


def test_words_and_confidence(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "make",
        "-p",
        "word-swap",
        "--data",
        str(corpus),
        "--langpair",
        "de-en",
        "--out",
        str(tmp_path / "s.jsonl"),
    ]
    assert main([*asked, "--words", "5-9", "--min-confidence", "0.8", "--pool", str(corpus)]) == 0
    card = json.loads((tmp_path / "s.jsonl.card.json").read_text(encoding="utf-8"))
    assert (card["items"], card["least confidence"], card["pool"]["of"]) == (1, 0.8, "corpus.tsv")
    assert main([*asked, "--words", "many"]) == 2
    assert main([*asked, "--min-confidence", "2"]) == 2
