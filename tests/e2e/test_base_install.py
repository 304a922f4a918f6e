"""What a plain install can do: every verb on text tables, with every package of the extras hidden from Python."""

from __future__ import annotations

import csv
import functools
import json
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
HIDE = """
import sys
from importlib.machinery import PathFinder
hidden = set(sys.argv.pop(1).split(","))
class Installed:
    find_spec = staticmethod(
        lambda name, path=None, target=None:
            None if name.partition(".")[0] in hidden else PathFinder.find_spec(name, path, target)
    )
sys.meta_path = [Installed if finder is PathFinder else finder for finder in sys.meta_path]
from assay.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
ROWS = [
    ["src", "mt", "ref", "system"],
    ["Der Hund bellt laut.", 'The dog "barks" loudly.', 'The dog "barks" loudly.', "A"],
    ["Es regnet heute.", "It is raining today.", "It rains today.", "A"],
    ["Der Hund bellt laut.", "A dog barks.", 'The dog "barks" loudly.', "B"],
    ["Es regnet heute.", "It rains today.", "It rains today.", "B"],
]


def base_packages() -> set[str]:
    """What mt-assay itself asks for, and what that asks for in turn."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting, found = [Requirement(line) for line in project["dependencies"]], {"mt-assay", "pip", "setuptools"}
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting += [Requirement(line) for line in metadata.requires(name) or ()]
    return found


@functools.cache
def hidden_modules() -> str:
    """The modules of every other package that is installed here."""
    base = base_packages()
    modules = metadata.packages_distributions()
    others = {m for m, names in modules.items() if not {canonicalize_name(name) for name in names} & base}
    assert {"polars", "pandas"} & set(modules) <= others and "numpy" not in others
    return ",".join(sorted(others))


def assay(*arguments: str | Path, here: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", HIDE, hidden_modules(), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=here, timeout=100, check=False)


@pytest.fixture(params=["tsv", "csv", "jsonl"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"texts.{request.param}"
    if request.param == "jsonl":
        path.write_text("".join(json.dumps(dict(zip(ROWS[0], row, strict=True))) + "\n" for row in ROWS[1:]))
    else:
        with path.open("w", newline="") as stream:
            csv.writer(stream, delimiter="\t" if request.param == "tsv" else ",").writerows(ROWS)
    return path


def test_texts_in_every_text_form_are_scored_and_compared(table: Path, tmp_path: Path) -> None:
    done = assay("score", "-m", "chrf", "--data", table, "--format", "json", here=tmp_path)
    systems = json.loads(done.stdout)["systems"]
    assert systems["A"]["chrf"]["segments"][0] == 100.0 and systems["B"]["chrf"]["segments"][1] == 100.0
    for form in ("tsv", "jsonl", "csv", "md", "html"):
        out = tmp_path / f"out.{form}"
        assert (
            assay("score", "-m", "chrf", "--data", table, "--format", form, "--out", out, here=tmp_path).returncode == 0
        )
        assert out.stat().st_size > 50
    done = assay("compare", "-m", "bleu", "--data", table, "--format", "json", here=tmp_path)
    assert json.loads(done.stdout)["baseline"] == "A"


@pytest.mark.parametrize(
    ("name", "source"), [("inline.xlsx", "src"), ("toolkit.tmx", "source"), ("toolkit.xlf", "source")]
)
def test_workbooks_and_xml_need_no_extra(tmp_path: Path, name: str, source: str) -> None:
    path = ROOT / "tests" / "fixtures" / "tables" / name
    done = assay("score", "-m", "cer", "--data", path, "--columns", f"ref={source}", "--format", "json", here=tmp_path)
    scores = json.loads(done.stdout)["systems"][name]["cer"]["segments"]
    same = 4 if name == "inline.xlsx" else 1  # where the translation is the source
    assert [place for place, score in enumerate(scores) if score == 0] == [same]


def test_a_suite_is_run_and_kept_and_a_set_is_made(tmp_path: Path) -> None:
    done = assay("run", "embedded", "-m", "chrf", "--run-dir", "kept", "--figures", "none", here=tmp_path)
    assert done.returncode == 0, done.stderr
    kept = tmp_path / "kept"
    assert sorted(path.name for path in kept.iterdir()) == [
        "manifest.json",
        "rows.jsonl.gz",
        "scores.csv",
        "tables.json",
        "view.json",
    ]
    with (kept / "scores.csv").open(newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header[:2] == ["id", "phenomenon"] and header[-2:] == ["chrf good", "chrf incorrect"]
    assert all(0 <= float(row[-2]) <= 100 for row in rows)
    done = assay("run", "embedded", "--export", "texts.csv", here=tmp_path)
    assert done.returncode == 0 and len((tmp_path / "texts.csv").read_text().splitlines()) > len(rows) // 2
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text("src\tmt\tref\n" + "Er kam um 5 an.\tHe arrived at 5.\tHe came at 5.\n" * 3)
    done = assay(
        "make",
        "-p",
        "final-punctuation-removed",
        "--data",
        corpus,
        "--langpair",
        "de-en",
        "--out",
        "set.jsonl",
        here=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert (
        json.loads((tmp_path / "set.jsonl").read_text().splitlines()[0])["incorrect-translation"] == "He arrived at 5"
    )


def test_what_needs_the_extra_says_so_before_any_work(tmp_path: Path) -> None:
    remedy = "pip install 'mt-assay[parquet]'\n"
    done = assay("score", "-m", "chrf", "--data", "demo", "--format", "parquet", "--out", "x.parquet", here=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"assay: --format parquet needs the extra 'parquet': {remedy}")
    done = assay("run", "embedded", "--export", "x.parquet", here=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"assay: x.parquet: Parquet needs the extra 'parquet': {remedy}")
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    done = assay("score", "-m", "chrf", "--data", "a.parquet", here=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        f"assay: a.parquet is Parquet, which needs the extra 'parquet': {remedy}",
    )
