from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from pathlib import Path

import polars
import pytest
import sacrebleu
import zstandard

from assay.cli.main import main
from tests.metrics.mini_weights import needs_weights

HYP = ["the cat sat on the mat", "", "a dog", "ein Hund"]
REF = ["the cat is on the mat", "nothing", "a dog barks", "ein Hund bellt"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    Path("h").write_text("\n".join(HYP) + "\n", encoding="utf-8")
    Path("r").write_text("\n".join(REF) + "\n", encoding="utf-8")
    rows = "".join(f"s{i % 2}\t{h}\t{r}\n" for i, (h, r) in enumerate(zip(HYP, REF, strict=True)))
    Path("d.tsv").write_text("system\tmt\tref\n" + rows, encoding="utf-8")
    return tmp_path


def chrf(hypotheses: list[str], references: list[str]) -> float:
    return float(sacrebleu.CHRF().corpus_score(hypotheses, [references]).score)


def test_json_has_the_promised_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", "chrf", "-m", "bleu:tokenize=char", "--mt", "h", "--ref", "r", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]["h"]
    assert found["chrf"]["score"] == pytest.approx(chrf(HYP, REF), abs=1e-9)
    assert len(found["chrf"]["segments"]) == 4
    assert found["chrf"]["signature"].startswith("chrF2|nrefs:1|")
    assert "tok:char" in found["bleu:tokenize=char"]["signature"]


def test_several_systems_and_references(capsys: pytest.CaptureFixture[str]) -> None:
    Path("h2").write_text("\n".join(REF) + "\n")
    arguments = ["score", "-m", "chrf", "--mt", "h", "--mt", "h2", "--ref", "r", "--ref", "h", "--format", "json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    assert list(found) == ["h", "h2"]
    assert found["h"]["chrf"]["score"] == pytest.approx(sacrebleu.CHRF().corpus_score(HYP, [REF, HYP]).score, abs=1e-9)
    assert "nrefs:2" in found["h2"]["chrf"]["signature"]


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_tables_of_every_format(suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    frame = polars.DataFrame({"system": ["a", "b"] * 2, "src": ["x"] * 4, "hypothesis": HYP, "reference": REF})
    path = f"data.{suffix}"
    {
        "tsv": lambda: frame.write_csv(path, separator="\t", quote_style="never"),
        "csv": lambda: frame.write_csv(path),
        "jsonl": lambda: frame.write_ndjson(path),
        "parquet": lambda: frame.write_parquet(path),
    }[suffix]()
    assert main(["score", "-m", "chrf", "--data", path, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    assert found["a"]["chrf"]["score"] == pytest.approx(chrf(HYP[::2], REF[::2]), abs=1e-9)
    assert found["b"]["chrf"]["score"] == pytest.approx(chrf(HYP[1::2], REF[1::2]), abs=1e-9)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.compress])
def test_compressed_files_are_read_as_they_are(pack, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    suffix = {"gzip": "gz", "lzma": "xz"}.get(pack.__module__, "zst")
    Path(f"h.{suffix}").write_bytes(pack(Path("h").read_bytes()))
    assert main(["score", "-m", "chrf", "--mt", f"h.{suffix}", "--ref", "r", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"][f"h.{suffix}"]
    assert found["chrf"]["score"] == pytest.approx(chrf(HYP, REF), abs=1e-9)


def test_standard_input() -> None:
    command = [sys.executable, "-m", "assay", "score", "-m", "chrf", "--mt", "-", "--ref", "r", "--format", "json"]
    done = subprocess.run(command, input="\n".join(HYP) + "\n", capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["systems"]["stdin"]["chrf"]["score"] == pytest.approx(chrf(HYP, REF), abs=1e-9)


def test_segment_formats_agree() -> None:
    for kind in ("json", "jsonl", "tsv", "parquet"):
        assert (
            main(["score", "-m", "chrf", "-m", "ter", "--data", "d.tsv", "--format", kind, "--out", f"out.{kind}"]) == 0
        )
    whole = json.loads(Path("out.json").read_text())["systems"]
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    header, *table = [line.split("\t") for line in Path("out.tsv").read_text().splitlines()]
    assert header == ["system", "mt", "ref", "chrf", "ter", "flags"]
    expected = {system: iter(scores["chrf"]["segments"]) for system, scores in whole.items()}
    frame = polars.read_parquet("out.parquet").rows(named=True)
    for line, fields, row in zip(lines, table, frame, strict=True):
        assert line["scores"]["chrf"] == next(expected[line["system"]]) == float(fields[3]) == row["chrf"]
    manifest = json.loads(Path("out.json.manifest.json").read_text())
    assert manifest["signatures"]["chrf"].startswith("chrF2|")
    assert manifest["counts"] == {"s0": 2, "s1": 2}


def test_windows_line_ends_bom_and_nul_are_handled(capsys: pytest.CaptureFixture[str]) -> None:
    Path("w").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(HYP).encode() + b"\r\n")
    Path("z").write_bytes(b"a\x00b\nc\n")
    assert main(["score", "-m", "chrf", "--mt", "w", "--ref", "r", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"]["w"]["chrf"]["score"] == pytest.approx(
        chrf(HYP, REF), abs=1e-9
    )
    assert main(["score", "-m", "chrf", "-m", "ter", "-m", "meteor", "--mt", "z", "--ref", "z"]) == 0


def test_the_table_counts_what_a_reader_should_know(capsys: pytest.CaptureFixture[str]) -> None:
    Path("long").write_text("\n".join(["x" * 400, *HYP[1:]]) + "\n")
    assert main(["score", "-m", "chrf", "--mt", "long", "--ref", "r", "--src", "r"]) == 0
    out = capsys.readouterr().out
    assert "1 empty hypothesis" in out
    assert "1 hypothesis far too long" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mt", "h", "--ref", "nosuch"], ["nosuch"]),
        (["--mt", "h"], ["chrf requires a reference"]),
        (["--ref", "r"], ["--mt"]),
        (["--mt", "h", "--ref", "short"], ["h has 4", "short has 1 line", "must match"]),
        (["--mt", "latin", "--ref", "r"], ["latin", "not valid UTF-8", "iconv"]),
        (["--mt", "empty", "--ref", "empty"], ["empty"]),
        (["--data", "bad.tsv"], ["bad.tsv", "'text'", "mt"]),
        (["--data", "d.tsv", "--columns", "mt=Mt2"], ["Mt2", "d.tsv"]),
        (["--mt", "h", "--ref", "r", "--mt", "h"], ["twice"]),
        (["--mt", "h", "--ref", "r", "--out", "no/where/x.json", "--format", "json"], ["no/where"]),
        (["--mt", "h", "--ref", "r", "--format", "xml"], ["xml"]),
        (["--mt", "h", "--ref", "r", "--workers", "0"], ["workers"]),
    ],
)
def test_bad_input_is_one_clear_line(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("short").write_text("one\n")
    Path("latin").write_bytes("é\n".encode("latin1") * 4)
    Path("empty").write_text("")
    Path("bad.tsv").write_text("text\tref\na\tb\n")
    assert main(["score", "-m", "chrf", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("assay: ")
    for word in words:
        assert word in said


def test_a_reader_that_leaves_early_is_no_error() -> None:
    Path("big").write_text("a b c\n" * 30_000)
    command = f"{sys.executable} -m assay score -m chrf --mt big --ref big --format tsv | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("system\tsegment")
    assert done.stderr == ""


def test_help_version_and_completion(capsys: pytest.CaptureFixture[str]) -> None:
    from assay.cli.main import VERBS

    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    assert all(f"\n  {verb} " in overview for verb in VERBS)
    assert main(["--version"]) == 0
    assert main(["completion", "bash"]) == 0
    assert "--metric" in capsys.readouterr().out
    for verb in VERBS:
        with pytest.raises(SystemExit) as left:
            main([verb, "--help"])
        assert left.value.code == 0
        assert "examples:" in capsys.readouterr().out


def test_cache_info_and_clear(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "info"]) == 0
    assert "scores kept" in capsys.readouterr().out
    assert main(["cache", "clear"]) == 0


@needs_weights
def test_spans_come_with_the_flags_of_their_rows(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mt").write_text("\nᓄᓇᕗᑦ ᒪᓕᒐᓕᐅᕐᕕᖓ\nzwei Länder\n", encoding="utf-8")
    Path("ref").write_text("ein Land\nein Land\nzwei Länder\n", encoding="utf-8")
    assert main(["score", "--spans", "--mt", "mt", "--ref", "ref"]) == 0
    said = capsys.readouterr().err
    assert "1 empty hypothesis" in said and "1 segment with many unknown characters" in said
