"""One table of published checkpoints: an entry is all that a new one of a known family takes."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import AssayError
from assay.data import checkpoints as table
from assay.metrics import METRICS
from tests.models.hub_server import serving
from tests.models.official import reference, tiny, unpack

NEW = """
[checkpoints.comet-30]
family = "comet"
label = "COMET-30"
needs = "both"
meaning = "Expected human judgement from 0 to 1."
range = "0..1"
paper = "comet-22"
trained_on = ["wmt17-da"]
repository = "Unbabel/wmt30-comet-da"
gigabytes = 4.5
gated = true
"""


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the table that a test may change; nothing of it stays in the caches."""

    def forget() -> None:
        table._table.cache_clear()
        table.checkpoints.cache_clear()
        METRICS.__dict__.pop("entries", None)

    copy = tmp_path / "data" / "checkpoints.toml"
    copy.parent.mkdir()
    copy.write_text((files("assay") / "data" / "checkpoints.toml").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(table, "files", lambda package: tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    forget()
    yield copy
    forget()


def test_a_published_comet_checkpoint_is_one_entry(entries: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    entries.write_text(entries.read_text(encoding="utf-8") + NEW, encoding="utf-8")
    card = METRICS.resolve("comet-30").card
    assert (card.label, card.range, card.citation[:16]) == ("COMET-30", (0.0, 1.0), "Rei et al. 2022,")
    assert card.languages == METRICS.resolve("comet-22").card.languages
    assert card.trained_on == ("wmt17-da",) and card.licence == "Apache-2.0"

    assert main(["list", "metrics", "--format", "json"]) == 0
    (row,) = [one for one in json.loads(capsys.readouterr().out)["tables"]["metrics"] if one["name"] == "comet-30"]
    assert (row["kind"], row["gigabytes"], row["get"]) == ("learned", 4.5, "assay fetch comet-30")
    assert main(["list", "metrics", "Unbabel/wmt30-comet-da"]) == 0
    assert "Expected human judgement from 0 to 1." in capsys.readouterr().out
    assert main(["cite", "comet-30"]) == 0
    assert "COMET-22: Unbabel-IST 2022 Submission" in capsys.readouterr().out

    assert main(["score", "-m", "comet-30", "--mt", "x", "--ref", "y", "--src", "z"]) == 2
    said = capsys.readouterr().err
    assert "comet-30 is not on this machine. Get it (4.5 GB): accept its licence at" in said
    assert "/Unbabel/wmt30-comet-da, set HF_TOKEN, then assay fetch comet-30; or give a checkpoint folder" in said
    assert main(["fetch", "comet-30"]) == 2
    assert "comet-30 requires accepting its licence" in capsys.readouterr().err
    assert main(["doctor"]) == 0
    assert "comet-30" in capsys.readouterr().out


def test_a_new_checkpoint_is_fetched_found_and_scored(
    entries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    entries.write_text(entries.read_text(encoding="utf-8") + NEW.replace("gated = true", ""), encoding="utf-8")
    with serving(unpack("regression", tmp_path / "made"), ("Unbabel/wmt30-comet-da",), monkeypatch):
        assert main(["fetch", "comet-30"]) == 0
    folder = tmp_path / "cache" / "checkpoints" / "comet-30"
    assert str(folder) in capsys.readouterr().err
    assert main(["doctor", "--format", "json"]) == 0
    (row,) = [one for one in json.loads(capsys.readouterr().out)["tables"]["data"] if one["name"] == "comet-30"]
    assert row == {"name": "comet-30", "kind": "checkpoint", "where": str(folder), "to get it": None}

    tiny().write_encoder(folder, "xlm-roberta")  # the tiny encoder's shape, which was never published
    sources, hypotheses, references = zip(*tiny().OWN, strict=True)
    result = assay.score(hypotheses, sources=sources, references=references, metrics=["comet-30:precision=fp32"])
    (scores,), (signature,) = result.segments.values(), result.signatures.values()
    assert scores.tolist() == pytest.approx(reference()["regression"]["own"]["scores"], abs=1e-5)
    assert signature.startswith("COMET-30|")


def test_a_mistake_in_an_entry_is_named(entries: Path) -> None:
    whole = entries.read_text(encoding="utf-8")
    for wrong, said in (
        (NEW.replace("gigabytes", "gigabyte"), r"unknown key 'gigabyte'\..*checkpoints\.toml: checkpoints\.comet-30"),
        (NEW.replace('"comet"', '"comets"'), "checkpoints.comet-30.family"),
        (NEW.replace('["wmt17-da"]', '"wmt-da"'), "checkpoints.comet-30.trained_on must be a list"),
    ):
        entries.write_text(whole + wrong, encoding="utf-8")
        table._table.cache_clear()
        with pytest.raises(AssayError, match=said):
            table.checkpoints()


def test_every_entry_refers_to_what_there_is() -> None:
    known = table.checkpoints()
    for name, one in known.items():
        assert one.citation.cite or not one.is_metric, name
        assert one.has_address or one.by_hand or one.get or known[one.weights].has_address, name
        assert one.gigabytes or not one.has_address, name
        assert " " in one.languages or one.languages in ("any", "xlm-r", "mt5"), name


def test_the_class_of_a_checkpoint_can_be_pickled_and_others_do_not_exist() -> None:
    made = METRICS.resolve("comet-22")
    assert pickle.loads(pickle.dumps(made)) is made is METRICS.resolve("comet-22")
    assert made.__module__ == "assay.metrics.comet"
    for name in ("bleurt-20", "labse", "nothing"):
        with pytest.raises(AssayError):
            METRICS.resolve(f"assay.metrics.comet:{name}")


@pytest.mark.parametrize("command", [["--help"], ["score", "-m", "chrf", "--mt", "a", "--ref", "a"]])
def test_the_table_is_not_read_before_it_is_needed(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n", encoding="utf-8")
    program = (
        "import sys; from assay.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "assert 'assay.data.checkpoints' not in sys.modules"
    )
    words = [sys.executable, "-c", program, *command]
    ended = subprocess.run(words, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
