"""Short check before a commit: lint, types, import rules, and the tests of what changed.

The tests of a changed module are those of the same name in the same folder of tests/, otherwise those of the whole folder,
without those marked slow. `make test` runs everything.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = 45
"""Seconds for the tests; files that do not fit are named."""


def changed() -> list[Path]:
    """Return the files that differ from the last commit, including untracked ones."""
    tracked = ["git", "diff", "--name-only", "HEAD"]
    others = ["git", "ls-files", "--others", "--exclude-standard"]
    names = [
        line
        for command in (tracked, others)
        for line in subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    ]
    return [Path(name) for name in dict.fromkeys(names) if (ROOT / name).exists()]


def tests_of(path: Path) -> list[Path]:
    """Return the test files of a changed file."""
    if path.parts[0] == "tests":
        return [path] if path.name.startswith("test_") else sorted(path.parent.rglob("test_*.py"))
    if path.parts[:2] != ("src", "assay") or path.suffix not in (".py", ".cpp", ".hpp"):
        return []
    folder = Path("tests", *path.parts[2:-1])
    exact = ROOT / folder / f"test_{path.stem}.py"
    if exact.exists():
        return [exact.relative_to(ROOT)]
    while folder != Path("tests") and not (ROOT / folder).is_dir():
        folder = folder.parent
    return [] if folder == Path("tests") else sorted((ROOT / folder).glob("test_*.py"))


def main() -> int:
    """Run the checks; the exit code says whether all passed."""
    files = changed()
    tests = list(dict.fromkeys(str(test) for path in files for test in tests_of(path)))
    python = [str(path) for path in files if path.suffix == ".py"]
    steps: list[list[str]] = []
    if python:
        steps += [["-m", "ruff", "check", *python], ["-m", "ruff", "format", "--check", *python]]
    steps.append(["-m", "mypy"])
    if any(path.parts[:1] == ("src",) for path in files):
        steps.append(["-c", "from importlinter.cli import lint_imports_command as run; run()"])
    for step in steps:
        if subprocess.run([sys.executable, *step], cwd=ROOT, check=False).returncode:
            return 1
    print(f"{len(files)} changed files ask for {len(tests)} test files")
    started, failed, late = time.monotonic(), 0, []
    for test in tests:
        if time.monotonic() - started > BUDGET:
            late.append(test)
            continue
        code = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--no-header", "-m", "not slow", test], cwd=ROOT, check=False
        ).returncode
        failed += code not in (0, 5)
    if late:
        print(f"{len(late)} test files did not fit into {BUDGET} s: {' '.join(late)}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
