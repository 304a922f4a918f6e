"""Install what the tests need into this environment: from the lock with its hashes where the platform is the lock's, else by name.

A file that does not match its hash ends the installation. A registry that does not offer a version of the lock is said, and the
packages are taken by name.
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
    """Whether this is the platform that the lock was made for: CPython 3.11 on x86-64 Linux."""
    here = platform.python_implementation(), sys.version_info[:2], platform.system(), platform.machine()
    return here == ("CPython", (3, 11), "Linux", "x86_64")


def main() -> int:
    """Install; the exit code is pip's."""
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
            "requirements/test.txt could not be installed here; the tests' packages are taken by name, without hashes."
        )
    return subprocess.run([*PIP, "--group", f"{ROOT / 'pyproject.toml'}:test"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
