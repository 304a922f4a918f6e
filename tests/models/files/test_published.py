"""Checkpoints published as zip archives: fetched, unpacked whole or not at all, found again."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from assay.core.errors import InputError, MissingPart
from assay.data.checkpoints import checkpoints
from assay.models.files import published
from assay.models.files.published import fetch_archive, find_archive, unpack


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as out:
        for name, content in files.items():
            out.writestr(name, content)
    return path


def test_fetched_unpacked_and_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    with pytest.raises(MissingPart, match=r"assay fetch bleurt-20-d3"):
        find_archive("bleurt-20-d3")
    asked = []

    def download(title: str, address: str, target: Path, **more: object) -> None:
        asked.append(address)
        target.parent.mkdir(parents=True, exist_ok=True)
        zipped(target, {"BLEURT-20-D3/bleurt_config.json": b"{}", "BLEURT-20-D3/variables/v": b"1", "other": b"2"})

    monkeypatch.setattr(published, "download", download)
    place = fetch_archive("bleurt-20-d3")
    assert find_archive("bleurt-20-d3") == place and (place / "variables/v").read_bytes() == b"1"
    assert fetch_archive("bleurt-20-d3") == place and asked == [checkpoints()["bleurt-20-d3"].archive]
    assert sorted(one.name for one in place.iterdir()) == ["bleurt_config.json", "variables"]
    assert [one.name for one in place.parent.iterdir()] == ["bleurt-20-d3"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a/x": b""}, r"contains no bleurt_config\.json"),
        ({"bleurt_config.json": b"", "../out": b"x"}, r"which is outside its folder"),
        ({"bleurt_config.json": b"", "/abs": b"x"}, r"which is outside its folder"),
    ],
)
def test_what_is_not_unpacked(files: dict[str, bytes], said: str, tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", files)
    with pytest.raises(InputError, match=said):
        unpack(archive, tmp_path / "place", "bleurt_config.json")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.zip"]


def test_bombs_and_cut_archives(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("bleurt_config.json", bytes(1 << 20))
    with pytest.raises(InputError, match=r"far more than its size"):
        unpack(archive, tmp_path / "place", "bleurt_config.json")
    archive.write_bytes(archive.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"is incomplete or not a zip archive"):
        unpack(archive, tmp_path / "place", "bleurt_config.json")
