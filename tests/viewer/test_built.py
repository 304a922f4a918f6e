"""The page in the package is the build of the page's source."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from assay.core.flags import FLAGS

WEB = Path(__file__).parents[2] / "web"
BUILT = ("app.js", "app.css", "licences.txt", "sources.sha256")
pytestmark = pytest.mark.skipif(not WEB.is_dir(), reason="a source distribution has no web/")


def built(name: str) -> bytes:
    return (files("assay.viewer") / "static" / name).read_bytes()


def test_nobody_forgot_to_build() -> None:
    digest = hashlib.sha256()
    sources = [path for path in (WEB / "src").iterdir() if path.suffix in (".ts", ".tsx", ".css")]
    names = [f"src/{path.name}" for path in sources] + [
        "build.mjs",
        "package-lock.json",
        "package.json",
        "tsconfig.json",
    ]
    for name in sorted(names):
        digest.update(f"{name}\n".encode())
        digest.update((WEB / name).read_bytes())
    assert built("sources.sha256").decode().strip() == digest.hexdigest(), (
        "web/ changed: cd web && npm ci && npm run build"
    )


def test_a_build_gives_the_same_bytes(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (WEB / "node_modules").is_dir():
        pytest.skip("no node, or no node_modules: cd web && npm ci")
    subprocess.run([node, "build.mjs", str(tmp_path)], cwd=WEB, check=True)
    for name in BUILT:
        assert (tmp_path / name).read_bytes() == built(name), name


def test_the_page_is_small_and_its_licences_are_there() -> None:
    assert sum(len(built(name)) for name in ("app.js", "app.css")) < 500_000
    assert "preact" in built("licences.txt").decode() and "MIT" in built("licences.txt").decode()


def test_the_lock_names_no_place_to_download_from() -> None:
    assert '"resolved"' not in (WEB / "package-lock.json").read_text()


def test_the_page_knows_every_flag() -> None:
    """An expression in a page without a server means what it means to `assay filter`."""
    source = (WEB / "src" / "expression.ts").read_text(encoding="utf-8")
    known = source.partition("const FLAGS = new Set([")[2].partition("]")[0]
    assert set(re.findall(r'"(\w+)"', known)) == set(FLAGS)
