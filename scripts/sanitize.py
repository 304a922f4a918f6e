"""Run of the kernels under AddressSanitizer and UndefinedBehaviorSanitizer: failing allocations and random texts.

    python scripts/sanitize.py                                   # a minute of random texts
    python scripts/sanitize.py --inputs 1000000 --seed 7         # the options of tests/kernels/fuzz.py
    python scripts/sanitize.py faults                            # only tests/kernels/test_faults.py

The first memory error ends the run with its report and exit code 77; a difference from the reference implementations with 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.kernels import build, find, missing  # noqa: E402


def library(name: str) -> str:
    """Return the path of a compiler library."""
    return subprocess.check_output([str(find("c++")), f"-print-file-name={name}"], text=True).strip()


def environment() -> dict[str, str]:
    """Return the environment in which a plain Python loads a sanitized module, with Python's own allocations visible to the
    sanitizer.
    """
    python_path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    return {
        **os.environ,
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
        "PYTHONPATH": python_path,
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:exitcode=77:allocator_may_return_null=1",  # Python itself leaks when it exits
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=77",
    }


def main() -> int:
    """Build and run; return the exit code."""
    if lacking := missing():
        sys.exit(f"A build of the kernels needs {' and '.join(lacking)}.")
    module, options = str(build("sanitize")), sys.argv[1:] or ["--seconds", "60"]
    if options == ["faults"]:
        command = ["-m", "pytest", "-q", "tests/kernels/test_faults.py"]
    else:
        command = ["-m", "tests.kernels.fuzz", "--module", module, *options]
    run = [sys.executable, *command]
    variables = {**environment(), "ASSAY_FAULTS_MODULE": module, "ASSAY_FAULT_INPUTS": "200"}
    return subprocess.run(run, cwd=ROOT, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
