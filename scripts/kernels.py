"""Special builds of the kernels for tests: one with failing allocations, one with sanitizers as well.

    python scripts/kernels.py faults      # build/faults/_native….so, for tests/kernels/test_faults.py
    python scripts/kernels.py sanitize    # build/sanitize/_native….so, for scripts/sanitize.py

A second build compiles only what changed. The installed build is not touched.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = {"faults": ["-DASSAY_FAULTS=ON"], "sanitize": ["-DASSAY_SANITIZE=ON", "-DASSAY_FAULTS=ON"]}


def missing() -> list[str]:
    """A requirement of the build that this machine lacks."""
    tools = {"c++": "a C++ compiler (apt-get install g++)", "cmake": "cmake (pip install cmake)"}
    lacking = [remedy for tool, remedy in tools.items() if not find(tool)]
    return lacking + ([] if importlib.util.find_spec("nanobind") else ["nanobind (pip install nanobind)"])


def find(tool: str) -> str | None:
    """Find a program next to this Python or on the path."""
    return shutil.which(tool, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def build(kind: str, folder: Path | None = None) -> Path:
    """Compile a special build; return the path of its module."""
    folder = folder or ROOT / "build" / kind
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip()
    configure = [
        *(str(find("cmake")), "-S", str(ROOT), "-B", str(folder), *OPTIONS[kind], "-DCMAKE_BUILD_TYPE=Test"),
        *(f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind}", "-DCMAKE_CXX_FLAGS=-O1"),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test workers must not compile into one folder at once
        for command in (
            configure,
            [str(find("cmake")), "--build", str(folder), "--parallel", str(os.cpu_count() or 1)],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return next(folder.glob("_native*.so"))


if __name__ == "__main__":
    if lacking := missing():
        sys.exit(f"A build of the kernels needs {' and '.join(lacking)}.")
    print(build(sys.argv[1]))
