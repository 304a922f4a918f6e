"""Write ``requirements/test.txt``: every package that the tests install on CPython 3.11, x86-64 Linux, with its hashes.

    python scripts/lock.py                      # keep the versions of the file if the bounds still permit them
    python scripts/lock.py --upgrade            # use the newest versions that the bounds permit
    python scripts/lock.py --constraint FILE    # use the versions of a file (pip freeze of a tested environment)

Needs uv. The wheels of torch are left out: the Makefile installs the CPU build if it is available, otherwise the default one.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements" / "test.txt"
OF_TORCH = ["filelock", "fsspec", "jinja2", "networkx", "setuptools", "sympy", "typing-extensions"]
"""Requirements of torch, so that installing it brings no package without a hash."""
HEAD = """# What make test installs on CPython 3.11, x86-64 Linux. Made by scripts/lock.py from pyproject.toml: do not edit.
"""


def group(project: dict[str, Any], name: str) -> list[str]:
    """Return the requirements of a dependency group, including those of nested groups."""
    found: list[str] = []
    for entry in project["dependency-groups"][name]:
        found += [entry] if isinstance(entry, str) else group(project, entry["include-group"])
    return found


def wanted() -> list[str]:
    """Return the requirements of a plain install and of the tests, from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [*project["project"]["dependencies"], *group(project, "test"), *OF_TORCH]


def main(options: list[str]) -> None:
    """Resolve the requirements and write the lock file."""
    LOCK.parent.mkdir(exist_ok=True)
    platform = ["--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28"]
    plain = ["--generate-hashes", "--no-header", "--no-annotate", "--quiet", "--output-file", str(LOCK)]
    command = ["uv", "pip", "compile", "-", *platform, *plain, *options]
    subprocess.run(command, input="\n".join(wanted()), text=True, check=True, stdout=subprocess.DEVNULL)
    LOCK.write_text(HEAD + LOCK.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
