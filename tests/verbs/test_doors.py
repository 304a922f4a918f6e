"""Two doors, one number: the command line and Python give the same bits, segment by segment and flag by flag."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from assay.core.batch import CHUNK_ROWS
from assay.core.errors import MissingPart
from assay.metrics import METRICS, metric
from tests.models.official import tiny, unpack

N = 2 * CHUNK_ROWS + 4_000
"""Three chunks."""


def ready(name: str) -> bool:
    """Whether the metric needs no download."""
    try:
        return metric(name).card.kind == "string"
    except MissingPart:
        return False


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    draw = random.Random(5)
    words = [
        "the",
        "cat",
        "sat",
        "on",
        "a",
        "mat",
        "and",
        "saw",
        "two",
        "red",
        "birds",
        "fly",
        "over",
        "old",
        "stone",
        "walls",
    ]
    references = [" ".join(draw.choices(words, k=draw.randrange(3, 9))) for _ in range(N)]
    systems = {
        name: [" ".join(w for w in line.split() if draw.random() < kept) for line in references]
        for name, kept in (("a", 0.9), ("b", 0.6))
    }
    folder = tmp_path_factory.mktemp("texts")
    for name, lines in {**systems, "ref": references}.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return {"references": references, "systems": systems, "folder": folder}


def command(*arguments: str, out: Path) -> Any:
    assert main([*arguments, "--format", "json", "--out", str(out), "--quiet"]) == 0
    return json.loads(out.read_text())


def test_every_metric_gives_the_same_bits_through_both_doors(texts: dict[str, Any], tmp_path: Path) -> None:
    names = [name for name in METRICS.entries if ready(name)]
    assert set(names) >= {"bleu", "chrf", "chrf++", "ter", "cer", "wer", "rouge1", "rouge2", "rougeL", "meteor"}
    folder, hypotheses = texts["folder"], texts["systems"]["b"]
    wanted = [part for name in names for part in ("-m", name)]
    shown = command("score", "--mt", f"{folder}/b", "--ref", f"{folder}/ref", *wanted, out=tmp_path / "out")
    result = assay.score(hypotheses, texts["references"], metrics=names)
    filed = assay.score(mt=folder / "b", ref=folder / "ref", metrics=names)
    for name in names:
        there = shown["systems"]["b"][name]
        assert there["score"] == result.system[name] == filed.system[name], name
        assert there["segments"] == result.segments[name].tolist() == filed.segments[name].tolist(), name
        assert there["signature"] == result.signatures[name] == filed.signatures[name]
    assert result.flags == filed.flags and result.flags["empty_hypothesis"] == hypotheses.count("")


def test_compare_gives_the_same_bits_through_both_doors(texts: dict[str, Any], tmp_path: Path) -> None:
    folder, names = texts["folder"], ["bleu", "rouge2", "meteor"]
    wanted = [part for name in names for part in ("-m", name)]
    files = ["--mt", f"{folder}/a", "--mt", f"{folder}/b", "--ref", f"{folder}/ref"]
    shown = command("compare", *files, *wanted, "--samples", "50", "--trials", "20", out=tmp_path / "out")
    result = assay.compare(texts["systems"], texts["references"], metrics=names, samples=50, trials=20)
    assert shown == json.loads(json.dumps(result.to_dict()))
    for name in names:
        alone = assay.score(texts["systems"]["b"], texts["references"], metrics=[name])
        assert result.standings["b"][name].score == alone.system[name]


def test_a_truncated_segment_is_flagged_through_both_doors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    name = f"{unpack('xcomet', tmp_path)}:decoder=exact,precision=fp32"
    sources, hypotheses, references = (
        [" ".join(text.split()) for text in column] for column in zip(*tiny().OWN, strict=True)
    )
    for file, lines in {"src": sources, "mt": hypotheses, "ref": references}.items():
        (tmp_path / file).write_text("\n".join(lines) + "\n")
    files = [part for file in ("src", "mt", "ref") for part in (f"--{file}", str(tmp_path / file))]

    shown = command("score", *files, "-m", name, out=tmp_path / "out")
    result = assay.score(hypotheses, references, sources=sources, metrics=[name])
    assert shown["systems"]["mt"][name]["segments"] == result.segments[name].tolist()
    assert shown["systems"]["mt"][name]["score"] == result.system[name]
    assert result.flags[f"{name} truncated"] == result.scores[name].flags["truncated"].sum() == 2

    assert main(["score", *files, "-m", name]) == 0
    warnings = [line.strip() for line in capsys.readouterr().out.splitlines() if "⚠" in line]
    assert any("2 segments longer than the model reads" in line for line in warnings)
    assert [line.strip() for line in repr(result).splitlines() if "⚠" in line] == warnings

    other = [*files, "--mt", str(tmp_path / "ref"), "-m", name, "--samples", "5", "--trials", "0"]
    assert main(["compare", *other]) == 0
    warnings = [line.strip() for line in capsys.readouterr().out.splitlines() if "⚠" in line]
    both = assay.compare(
        {"mt": hypotheses, "ref": references}, references, sources=sources, metrics=[name], samples=5, trials=0
    )
    assert [line.strip() for line in repr(both).splitlines() if "⚠" in line] == warnings
    assert both.flags[f"{name} truncated"] > 2


def test_metrics_are_never_taken_for_sources() -> None:
    with pytest.raises(TypeError, match="positional"):
        assay.score(["a"], ["a"], ["bleu"])  # type: ignore[misc]


def test_an_interrupted_call_on_files_goes_on_where_it_stood(texts: dict[str, Any]) -> None:
    folder, reused = texts["folder"], []
    rows = iter([CHUNK_ROWS])

    def stop(done: int, again: bool) -> None:
        if next(rows, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(assay.AssayError, match="the same command again"):
        assay.score(mt=folder / "a", ref=folder / "ref", progress=stop)
    result = assay.score(mt=folder / "a", ref=folder / "ref", progress=lambda done, again: reused.append((done, again)))
    assert reused == [(20_032, True), (20_032, True), (3_936, False)]
    assert (
        result.segments["chrf"].tolist()
        == assay.score(texts["systems"]["a"], texts["references"]).segments["chrf"].tolist()
    )
