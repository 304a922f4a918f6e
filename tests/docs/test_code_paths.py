"""Files and modules that documentation and decision records name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.examples import ROOT
from tests.docs.prose import inline

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
SOURCE = ROOT / "src" / "assay"
SUFFIXES = (".py", ".pyi", ".cpp", ".hpp", ".ts")
FOLDERS = ("src", "tests", "scripts", "benchmarks", "packages", "recipes", "toolchain", "web/src", "docs")
NAMES = {path.name for folder in FOLDERS for suffix in SUFFIXES for path in (ROOT / folder).rglob(f"*{suffix}")}
OTHERS = {"judge.py", "predict.py", "models.py"}
"""Files of readers (examples) and of other packages."""


def missing(page: str, text: str) -> list[str]:
    """Return each name of a source file, package or module in backticks that does not exist, with its line."""
    faults = []
    for line, code in inline(text):
        name = code.partition(":")[0]
        if re.fullmatch(r"[\w./-]+", name) and not name.isupper():
            placeholder = "NAME" in name or name.startswith(".")
            if name.endswith(SUFFIXES) and not placeholder and not exists(name):
                faults.append(f"{page}:{line}: `{code}` does not exist")
            elif re.fullmatch(r"assay(\.[a-z_]+){2,}", name) and not module(name):
                faults.append(f"{page}:{line}: `{code}` is not a module or a name in one")
    return faults


def exists(name: str) -> bool:
    if "/" not in name:
        return name in NAMES | OTHERS
    return (ROOT / name).exists() or (SOURCE / name).exists()


def module(name: str) -> bool:
    """Return whether a package or module exists; the last part may be a name that it defines."""
    path = SOURCE.joinpath(*name.split(".")[1:])
    if path.is_dir() or path.with_suffix(".py").exists():
        return True
    parent = path.parent / "__init__.py" if path.parent.is_dir() else path.parent.with_suffix(".py")
    return parent.exists() and re.search(rf"\b{path.name}\b", parent.read_text(encoding="utf-8")) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_source_files_of_a_page_exist(page: Path) -> None:
    name = page.relative_to(ROOT).as_posix()
    faults = missing(name, page.read_text(encoding="utf-8"))
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)


def test_missing_files_and_modules_are_reported() -> None:
    text = "`io/contamination.py`\n`assay.io.atomic`, `nothing.py`\n`assay.io.files.atomic`, `core/batch.py:Batch`\n"
    assert [fault.split(" ")[0] for fault in missing("page.md", text)] == ["page.md:1:", "page.md:2:", "page.md:2:"]


def test_the_architecture_describes_every_package() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = [path.parent.name for path in SOURCE.glob("*/__init__.py")]
    assert [name for name in packages if f"| `{name}/` |" not in text] == []
