"""A run is done again from its manifest alone, and a number that moved is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from assay.engine.manifest import Manifest


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    Path("h").write_text("the cat sat\na dog barks\nnothing\n")
    Path("h2").write_text("the cat sat down\na dog\nnothing\n")
    Path("r").write_text("the cat sat down\nthe dog barks\nnothing\n")
    return tmp_path


def changed(path: str, **values: Any) -> None:
    whole = json.loads(Path(path).read_text())
    Path(path).write_text(json.dumps(whole | values))


def test_the_manifest_says_all_that_was_asked_and_used() -> None:
    words = ["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--ci", "--seed", "7", "--run-dir", "a run", "--quiet"]
    assert main(words) == 0
    made = Manifest.read("a run/manifest.json")
    assert made.command == "assay score -m chrf --mt h --ref r --ci --seed 7 --run-dir 'a run' --quiet"
    assert made.folder == str(Path.cwd())
    assert made.call is not None and made.call.verb == "score" and made.call.unkept == ()
    assert made.call.arguments["mt"] == ["h"] and made.call.arguments["metrics"] == ["chrf"]
    assert made.call.arguments["samples"] == 1000  # not given, and kept all the same
    assert made.seed == 7 and made.counts == {"h": 3}
    assert [file.path for file in made.inputs] == ["h", "r"]
    assert made.versions["mt-assay"] == assay.__version__ and {"python", "machine", "numpy"} <= set(made.versions)
    assert made.finished is not None and made.started <= made.finished
    assert list(made.results) == ["systems"]


def test_a_seed_that_was_not_used_is_not_claimed() -> None:
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--out", "o.json"]) == 0
    assert Manifest.read("o.json.manifest.json").seed is None


@pytest.mark.parametrize(
    "words",
    [
        ["score", "-m", "chrf", "-m", "bleu:tokenize=char", "--mt", "h", "--ref", "r", "--ci"],
        ["compare", "-m", "chrf", "--mt", "h", "--mt", "h2", "--ref", "r", "--trials", "50", "--samples", "50"],
        ["run", "-m", "chrf", "--langpair", "de-en", "--subsample", "2", "--samples", "20", "--figures", "none"],
        ["score", "--data", "demo", "-m", "ter"],
    ],
)
def test_a_run_done_again_is_equal(words: list[str], capsys: pytest.CaptureFixture[str], place: Path) -> None:
    assert main([*words, "--run-dir", "kept", "--quiet"]) == 0
    before = sorted(place.rglob("*"))
    capsys.readouterr()
    assert main(["rerun", "kept", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["equal"] and not found["changed_inputs"] and not found["versions"]
    assert sum(row["cells"] for row in found["tables"]["rerun"]) > 0
    assert sorted(path for path in place.rglob("*") if "cache" not in path.parts) == [
        path for path in before if "cache" not in path.parts
    ]


def test_a_set_in_many_files_is_done_again(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    Path("pairs").mkdir()
    for shard in "ab":
        rows = [{"good": f"x y {i}", "incorrect": "x", "reference": f"x y z {i}", "phenomenon": "p"} for i in range(5)]
        Path(f"pairs/{shard}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["run", "pairs/", "-m", "chrf", "--out", "scored/", "--workers", "1", "--figures", "none", "--quiet"]
    assert main([*words, "--run-dir", "kept"]) == 0
    made = Manifest.read("kept/manifest.json")
    assert [file.path for file in made.inputs] == ["pairs/a.jsonl", "pairs/b.jsonl"]
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main(["rerun", "kept", "--format", "json", "--workers", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["equal"] and "scores" in {row["table"] for row in found["tables"]["rerun"]}
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()} == before
    assert main(["rerun", "scored"]) == 2
    assert "It has the shards of a corpus" in capsys.readouterr().err
    call = json.loads(Path("kept/manifest.json").read_text())["call"]
    for arguments, said in (
        ({"suite": ["s3://bucket/pairs/"]}, "which requires your credentials. Use --trust"),
        ({"suite": 5}, "suite cannot be 5."),
        ({"metrics": "evil:Metric"}, "Use --trust"),
        ({"on_error": "go on"}, "on_error cannot be 'go on'."),
    ):
        changed("kept/manifest.json", call=call | {"arguments": call["arguments"] | arguments})
        assert main(["rerun", "kept"]) == 2
        assert said in capsys.readouterr().err


def test_a_file_of_out_has_its_manifest_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--out", "o.csv"]) == 0
    assert main(["rerun", "o.csv"]) == 0
    assert "equal: 1 table, by the hash of its rows" in capsys.readouterr().out
    assert main(["rerun", "o.csv.manifest.json"]) == 0


def test_a_number_that_moved_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--run-dir", "kept", "--quiet"]) == 0
    tables = json.loads(Path("kept/tables.json").read_text())
    was = tables["tables"]["systems"][0]["chrf"]
    tables["tables"]["systems"][0]["chrf"] = was + 0.25
    Path("kept/tables.json").write_text(json.dumps(tables))
    scores = polars.read_parquet("kept/scores.parquet")
    scores.with_columns(polars.col("chrf") + polars.Series([0.0, 0.5, 0.0])).write_parquet("kept/scores.parquet")
    assert main(["rerun", "kept"]) == 1
    assert f"systems, row 1, chrf: {was + 0.25!r} then, {was!r} now" in capsys.readouterr().err
    result = assay.rerun("kept")
    assert not result.equal and not result.changed
    systems, rows = result.compared
    assert (systems.differing, systems.largest) == (1, pytest.approx(0.25))
    assert (rows.name, rows.differing, rows.largest) == ("scores", 1, pytest.approx(0.5))


def test_an_input_that_changed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--run-dir", "kept", "--quiet"]) == 0
    Path("h").write_text("the cat sat\na cow\nnothing\n")
    assert main(["rerun", "kept"]) == 1
    told = capsys.readouterr()
    assert "changed since: h" in told.out and "The inputs have changed since the run." in told.err
    Path("h").unlink()
    assert main(["rerun", "kept"]) == 2
    assert (
        "the input h does not exist. Specify the folder that contains the run's files: --folder DIR"
        in capsys.readouterr().err
    )


def test_files_that_moved_are_found_in_another_folder(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = place / "here"
    here.mkdir()
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--run-dir", "kept", "--quiet"]) == 0
    for name in ("h", "r"):
        Path(name).rename(here / name)
    assert main(["rerun", "kept", "--folder", "here"]) == 0
    assert Path.cwd() == place
    changed("kept/manifest.json", folder="/no/such/folder")
    assert main(["rerun", "kept"]) == 2
    assert "was made in /no/such/folder, which does not exist" in capsys.readouterr().err


def test_python_keeps_its_calls_too(tmp_path: Path) -> None:
    with assay.score(mt="h", ref="r", metrics=["chrf"]) as result:
        result.write("kept")
    assert Manifest.read("kept/manifest.json").command == "assay.score(…)"
    assert assay.rerun("kept").equal
    with assay.score(["a cat"], ["a cat"], metrics=["chrf"]) as result:
        result.write("memory")
    with pytest.raises(InputError, match=r"hypotheses, references were passed from memory by a Python program"):
        assay.rerun("memory")


def test_what_cannot_be_done_again_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    words = [sys.executable, "-m", "assay", "score", "-m", "chrf", "--mt", "-", "--ref", "r", "--out", "o.json"]
    subprocess.run(words, check=True, input=Path("h").read_bytes())
    for path, said in [
        ("o.json", "a text came from standard input"),
        ("h", "h has no manifest"),
        (".", "it has no manifest.json"),
        ("none", "none is not a run"),
    ]:
        assert main(["rerun", path]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"metrics": ["evil:Metric"]}, "Use --trust (trust=True) if the file is your own"),
        ({"metrics": ["./folder"]}, "Use --trust (trust=True) if the file is your own"),
        ({"metrics": ["bleu:tokenize=char,evil:thing=1"]}, "evil"),
        ({"metrics": 5}, "metrics cannot be 5."),
        ({"mt": 5}, "mt cannot be 5."),
        ({"mt": [["h"]]}, "mt cannot be a list of 1 value."),
        ({"quoting": "odd"}, "quoting cannot be 'odd'."),
        ({"samples": "many"}, "samples cannot be 'many'."),
        ({"columns": {"mt": 0.5}}, "columns cannot be an object."),
        ({"hypotheses": ["x"]}, "hypotheses cannot be a list of 1 value."),
        ({"sampls": 1}, "unknown argument 'sampls' of score. Did you mean sample"),
        ({"progress": "os.system"}, "progress cannot be 'os.system'."),
    ],
)
def test_a_manifest_of_somebody_else_runs_nothing(
    arguments: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("evil.py").write_text("open('ran', 'w')\n")
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--out", "o.json"]) == 0
    call = json.loads(Path("o.json.manifest.json").read_text())["call"]
    changed("o.json.manifest.json", call=call | {"arguments": call["arguments"] | arguments})
    assert main(["rerun", "o.json"]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert not Path("ran").exists()


def test_a_verb_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--out", "o.json"]) == 0
    changed("o.json.manifest.json", call={"verb": "os:system", "arguments": {}})
    assert main(["rerun", "o.json"]) == 2
    assert "runs of 'os:system' cannot be repeated" in capsys.readouterr().err
    changed("o.json.manifest.json", call=None)
    assert main(["rerun", "o.json"]) == 2
    assert "has no arguments" in capsys.readouterr().err


def test_a_judge_in_a_manifest_is_not_run_unless_it_is_trusted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{'a cat' if i % 3 else 'the dog'}\ta cat\t{'dev' if i % 2 else 'test'}" for i in range(60)]
    Path("t.tsv").write_text("\n".join(["mt\tref\tsplit", *rows]) + "\n")
    judge = "cmd:tee -a ran | sed -E 's/.*dog.*/breakdown/; t; s/.*/success/'"
    words = ["breakdown", "--data", "t.tsv", "-m", "chrf", "--judge", judge, "--samples", "20", "--run-dir", "kept"]
    assert main([*words, "--quiet"]) == 0
    Path("ran").unlink()
    assert main(["rerun", "kept"]) == 2
    assert "which runs a command. Use --trust (trust=True) if the file is your own" in capsys.readouterr().err
    # Whoever trusts it finds the answers where they were kept; where they are not, the judge is asked again.
    assert main(["rerun", "kept", "--trust"]) == 0 and not Path("ran").exists()
    Path("judged.jsonl").unlink()
    assert main(["rerun", "kept", "--trust"]) == 0 and Path("ran").exists()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of the user's own in the working folder, and the user in another folder."""
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "r", "--run-dir", "kept"]) == 0
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    monkeypatch.chdir(other)
    return tmp_path / "kept"


def test_a_run_is_done_again_from_another_folder(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its inputs are the bytes that the manifest knows, so that whoever wrote it learns nothing new."""
    assert main(["rerun", str(elsewhere)]) == 0


@pytest.mark.parametrize("name", ["mt", "ref", "src", "data"])
def test_files_elsewhere_are_typed_or_trusted(
    elsewhere: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "own" / "secret"
    secret.write_text("first\nsecond\n")
    place = elsewhere / "manifest.json"
    plain = json.loads(place.read_text())
    named = f"x={secret}" if name == "mt" else str(secret)
    (elsewhere / "link").symlink_to(secret)
    for given in (named, os.path.relpath(secret, tmp_path), "kept/link"):
        arguments = plain["call"]["arguments"] | {name: given if name == "src" else [given]}
        place.write_text(json.dumps(plain | {"call": plain["call"] | {"arguments": arguments}}))
        assert main(["rerun", str(elsewhere)]) == 2
        said = capsys.readouterr().err
        assert "which is in neither the manifest's folder" in said and "--folder DIR" in said and said.count("\n") == 1
        with pytest.raises(InputError, match="which is in neither the manifest's folder"):
            assay.rerun(elsewhere)
        main(["rerun", str(elsewhere), "--trust"])
        assert "which is in neither the manifest's folder" not in capsys.readouterr().err


def test_a_pipe_in_a_manifest_is_refused(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(elsewhere / "pipe")
    place = elsewhere / "manifest.json"
    plain = json.loads(place.read_text())
    arguments = plain["call"]["arguments"] | {"mt": [str(elsewhere / "pipe")]}
    place.write_text(json.dumps(plain | {"call": plain["call"] | {"arguments": arguments}}))
    assert main(["rerun", str(elsewhere)]) == 2
    assert "neither a file nor a folder" in capsys.readouterr().err
