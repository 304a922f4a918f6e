"""What is published: an sdist that holds what is needed, and a wheel that is the same bytes from every folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from assay.kernels import _native

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("src", "tests", "docs", "scripts", "requirements")
EPOCH = "1700000000"


def copied(folder: Path) -> Path:
    """The source as git would give it."""
    kept = shutil.ignore_patterns("*.so", "__pycache__", ".*", "build", "runs", "*.egg-info")
    return shutil.copytree(ROOT, folder, ignore=kept)


def built(kind: str, source: Path, out: Path) -> Path:
    """An sdist or a wheel, by the tools of this environment, as a build with a fixed time makes it."""
    out.mkdir()
    script = f"import sys, scikit_build_core.build as b; print(b.build_{kind}(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", script, str(out)],
        cwd=source,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
        check=True,
        capture_output=True,
    )
    (made,) = out.iterdir()
    return made


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.slow
def test_the_sdist_is_the_same_from_every_folder_and_holds_what_is_needed(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core", reason="scikit-build-core is not installed (pip install --group build)")
    first, second = copied(tmp_path / "one"), copied(tmp_path / "two" / "deeper")
    sdist = built("sdist", first, tmp_path / "a")
    assert digest(sdist) == digest(built("sdist", second, tmp_path / "b"))
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    files = {str(path.relative_to(first)) for part in NEEDED for path in (first / part).rglob("*") if path.is_file()}
    assert files | {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "Makefile"} <= held
    assert not any(name.endswith((".so", ".pyc")) for name in held)
    assert not any(name.startswith("packages") for name in held), "weights belong to mt-assay-mini"


@pytest.mark.slow
@pytest.mark.soak
def test_the_wheel_is_the_same_from_every_folder_and_from_the_sdist(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core", reason="scikit-build-core is not installed (pip install --group build)")
    sdist = built("sdist", copied(tmp_path / "one"), tmp_path / "a")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    first = built("wheel", tmp_path / "one", tmp_path / "b")
    second = built("wheel", unpacked, tmp_path / "c")
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as other:
        assert one.namelist() == other.namelist()
        assert [name for name in one.namelist() if one.read(name) != other.read(name)] == []
    assert digest(first) == digest(second)


def test_the_library_names_no_folder_of_its_build() -> None:
    content = Path(_native.__file__).read_bytes()
    assert b"site-packages" not in content and os.fsencode(ROOT) not in content
