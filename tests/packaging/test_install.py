"""Installing what tests need: a file that is not the locked one ends it, a package that is not offered is taken by name."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """scripts/install_tests.py, with a registry of one wheel and a folder to install into."""
    spec = importlib.util.spec_from_file_location("install_tests", ROOT / "scripts" / "install_tests.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    wheel(tmp_path / "wheels")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "LOCK", tmp_path / "lock.txt")
    monkeypatch.setattr(module, "PIP", [sys.executable, "-m", "pip", "install", "--target", str(tmp_path / "here")])
    monkeypatch.setattr(module, "matches", lambda: True)
    (tmp_path / "pyproject.toml").write_text('[dependency-groups]\ntest = ["tiny"]\n')
    return module


def wheel(folder: Path) -> None:
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")


def lock(folder: Path, version: str, digest: str) -> None:
    (folder / "lock.txt").write_text(f"tiny=={version} \\\n    --hash=sha256:{digest}\n")


def test_the_locked_file_is_installed(installer: ModuleType, tmp_path: Path) -> None:
    content = (tmp_path / "wheels" / "tiny-1.0-py3-none-any.whl").read_bytes()
    lock(tmp_path, "1.0", hashlib.sha256(content).hexdigest())
    assert installer.main() == 0
    assert (tmp_path / "here" / "tiny.py").exists()


def test_another_file_is_refused(installer: ModuleType, tmp_path: Path) -> None:
    lock(tmp_path, "1.0", "0" * 64)
    assert installer.main() != 0
    assert not (tmp_path / "here" / "tiny.py").exists()


def test_a_version_that_is_not_offered_is_said(
    installer: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock(tmp_path, "2.0", "0" * 64)
    assert installer.main() == 0
    assert (tmp_path / "here" / "tiny.py").exists()
    assert "by name, without hashes" in capsys.readouterr().out


def test_what_debian_does_not_give_is_one_line_and_no_failure() -> None:
    done = subprocess.run(
        [ROOT / ".ci" / "debian"],
        env={**os.environ, "ASSAY_APT": "no"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) <= 1
