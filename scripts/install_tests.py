"""Installation of the tests' requirements: from the lock file with hashes on its platform, otherwise by name.

A file that does not match its hash stops the installation. If the registry lacks a locked version, the script reports this and
installs the packages by name.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements" / "test.txt"
PIP = [sys.executable, "-m", "pip", "install", "--quiet"]


def matches() -> bool:
    """Return whether this is the platform of the lock file: CPython 3.11 on x86-64 Linux."""
    here = platform.python_implementation(), sys.version_info[:2], platform.system(), platform.machine()
    return here == ("CPython", (3, 11), "Linux", "x86_64")


def main() -> int:
    """Install the requirements; return pip's exit code."""
    if matches():
        done = subprocess.run(
            [*PIP, "--require-hashes", "-r", str(LOCK)], stderr=subprocess.PIPE, text=True, check=False
        )
        if done.returncode == 0:
            return 0
        sys.stderr.write(done.stderr)
        if "DO NOT MATCH THE HASHES" in done.stderr:
            return done.returncode
        print(
            "requirements/test.txt could not be installed on this platform; installing the tests' packages by name, without hashes."
        )
    return subprocess.run([*PIP, "--group", f"{ROOT / 'pyproject.toml'}:test"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
