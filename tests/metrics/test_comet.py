"""The metric classes: cards, signatures, missing checkpoints, and the command line with spans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import MissingPart
from assay.metrics import METRICS, metric
from assay.testing import check_metric
from assay.testing.contract import Contract
from tests.models.official import reference, tiny, unpack

NAMES = [name for name, target in METRICS.entries.items() if target.startswith("assay.metrics.comet:")]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    return unpack("xcomet", tmp_path_factory.mktemp("checkpoints"))


@pytest.mark.parametrize("name", NAMES)
def test_published_models_have_a_card_and_say_how_to_get_them(name: str) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    card = METRICS.resolve(name).card
    assert card.name == name and card.licence and card.citation and card.trained_on and "de" in card.languages
    with pytest.raises(MissingPart, match=f"{name}:path=FOLDER" if name.startswith("ms-") else f"assay fetch {name}"):
        metric(name)


def test_a_part_of_a_suite_is_that_suite() -> None:
    card = METRICS.resolve("metricx-24-xl").card
    assert card.trained_on_parts_of("wmt22") == ["wmt22-da", "wmt22-mqm"] and not card.trained_on_parts_of("wmt2")
    assert METRICS.resolve("xcomet-xl").card.trained_on_parts_of("demetr") == ["demetr"]
    assert METRICS.resolve("cometoid22-wmt21").card.trained_on_parts_of("wmt21") == ["wmt21-submissions"]
    assert not METRICS.resolve("cometoid22-wmt21").card.trained_on_parts_of("wmt22")


def test_xcomet_was_trained_on_demetr() -> None:
    assert "demetr" in METRICS.resolve("xcomet-xxl").card.trained_on


def test_a_folder_is_a_metric(checkpoint: Path) -> None:
    sources, hypotheses, references = map(list, zip(*tiny().OWN, strict=True))
    spec = f"{checkpoint}:decoder=exact,precision=fp32"
    result = assay.score(hypotheses, references, sources=sources, metrics=[spec])
    expected = reference()["xcomet"]["own"]["scores"]
    assert result.segments[spec].tolist() == pytest.approx(expected, abs=1e-5)
    assert set(result.scores[spec].components) == {"src", "ref", "unified", "mqm"}
    assert result.scores[spec].flags["truncated"].sum() == 2
    signature = result.signatures[spec]
    assert signature.startswith("xcomet|nrefs:1|decoder:exact|mix:released|long:truncate|weights:")
    assert "precision:fp32" in signature
    again = assay.score(hypotheses, references, sources=sources, metrics=[spec])  # from the store
    assert again.scores[spec].spans == result.scores[spec].spans


def test_the_best_of_several_references_counts(checkpoint: Path) -> None:
    spec = f"{checkpoint}:precision=fp32"
    first, second = ["one reference", "a cat"], ["another one", None]
    both = assay.score(["a b", "a dog"], [first, second], sources=["x", "y"], metrics=[spec]).segments[spec]
    apart = [
        assay.score(["a b", "a dog"], each, sources=["x", "y"], metrics=[spec]).segments[spec]
        for each in (first, ["another one", "q"])
    ]
    assert both[0] == pytest.approx(max(apart[0][0], apart[1][0]), abs=1e-5)
    assert both[1] == pytest.approx(apart[0][1], abs=1e-5)


@pytest.mark.parametrize("name", ["xcomet", "regression", "referenceless", "unified", "kiwi_bert"])
def test_the_contract(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    monkeypatch.setattr(Contract, "direction", lambda self: None)  # random weights know no better
    check_metric(metric(f"{unpack(name, tmp_path)}:precision=fp32"))


def test_spans_in_the_terminal_in_json_and_in_html(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [tiny().OWN[0], tiny().OWN[4]]
    for name, side in {"src": 0, "mt": 1, "ref": 2}.items():
        (tmp_path / name).write_text("".join(row[side] + "\n" for row in rows), encoding="utf-8")
    files = [f"--{name}={tmp_path / name}" for name in ("src", "mt", "ref")]
    command = ["score", "-m", f"{checkpoint}:decoder=exact,precision=fp32", *files, "--spans"]
    expected = reference()["xcomet"]["own"]["spans"]

    assert main([*command, "--format", "json"]) == 0
    segments = json.loads(capsys.readouterr().out)["segments"]
    for segment, i in zip(segments, (0, 4), strict=True):
        (spans,) = segment["spans"].values()
        assert [[s["start"], s["end"], s["severity"]] for s in spans] == [s[:3] for s in expected[i]]
        assert all(s["text"] == segment["mt"][s["start"] : s["end"]] for s in spans)

    assert main(command) == 0
    shown = capsys.readouterr().out
    start, end = expected[0][0][:2]
    assert f"⟦{rows[0][1][start:end]}⟧ᵐⁱⁿ" in shown and "confidence" in shown

    assert main([*command, "--format", "html", "--out", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f'<mark class="minor" title="minor, confidence {expected[0][0][3]:.2f}">' in page

    (tmp_path / "none").touch()
    none = [f"--{name}={tmp_path / 'none'}" for name in ("src", "mt", "ref")]
    assert main(["score", "-m", str(checkpoint), *none, "--spans", "--format", "json"]) == 2
    said = capsys.readouterr()
    assert "none is empty: there is nothing to score." in said.err and not said.out
    assert main(["score", "-m", "chrf", *files, "--spans"]) == 2
    assert "does not mark error spans" in capsys.readouterr().err


def test_without_a_gpu_it_says_how_slow(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr("assay.metrics.neural.SLOW", 1e9)
    made = metric(f"{checkpoint}:device=cpu")
    sources, hypotheses, references = map(list, zip(*tiny().OWN, strict=True))
    assay.score(hypotheses, references, sources=sources, metrics=[made], store=False)
    assert "segments per second" in made.notices[0]
