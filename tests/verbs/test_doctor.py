"""What is installed, as the metadata and the disk say."""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.data import rows

ROOT = Path(__file__).resolve().parents[2]


def test_every_extra_has_a_sentence() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    said = {row["extra"]: row["gives"] for row in rows("extras.csv")}
    assert set(extras) | {""} == set(said) and all(said.values())


def test_the_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    (tmp_path / "cache" / "store").mkdir(parents=True)
    (tmp_path / "cache" / "store" / "a").write_bytes(b"x" * 1500)
    (tmp_path / "data" / "demetr").mkdir(parents=True)
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "data"))
    assert main(["doctor", "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    machine = {row["what"]: row["value"] for row in tables["machine"]}
    assert machine["assay"] == assay.__version__ and machine["kernels"].startswith("compiled")
    always = next(row for row in tables["extras"] if row["extra"] == "(always)")
    assert always["state"] == "installed" and f"numpy {version('numpy')}" in always["packages"]
    assert tables["caches"] == [{"what": "store", "files": 1, "size": "1.5 kB", "bytes": 1500}]
    data = {row["name"]: row for row in tables["data"]}
    assert data["demetr"]["where"] == str(tmp_path / "data" / "demetr")
    assert data["comet-22"] == {
        "name": "comet-22",
        "kind": "checkpoint",
        "where": "not here",
        "to get it": "assay fetch comet-22",
    }
    assert data["embedded"]["where"] == "in the package"


def test_a_missing_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.verbs.doctor._version", lambda name: None if name in ("mecab-ko", "matplotlib") else "1")
    found = {row["extra"]: row for row in assay.doctor().table("extras").rows}
    assert (found["figures"]["state"], found["ko"]["state"], found["ja"]["state"]) == (
        "not installed",
        "in part",
        "installed",
    )
    assert found["figures"]["to install"] == "pip install 'mt-assay[figures]'" and found["ja"]["to install"] is None
