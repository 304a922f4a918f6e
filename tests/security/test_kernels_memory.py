"""A text too long for the memory there is gives a MemoryError, and the next text its own number."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, resource, sys
from assay.kernels import _native
calls = {
    "ter": lambda h, r: _native.ter([h], [[r]], True)[0][0].tolist(),
    "wer": lambda h, r: _native.wer([h], [[r]])[0][0].tolist(),
    "cer": lambda h, r: _native.cer([h], [[r]])[0][0].tolist(),
    "chrf": lambda h, r: _native.chrf([h], [[r]], 1, 0, 2.0, False, False)[0][0].tolist(),
    "rouge": lambda h, r: [part[0].item() for part in _native.rouge([h], [[r]], 1)[:3]],
}
call = calls[sys.argv[1]]
call("warm up", "warm up")
text = "a " * 2_000_000
used = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
limits = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (6 << 20), limits[1]))
failed = False
try:
    call("x y", text)
except MemoryError:
    failed = True
resource.setrlimit(resource.RLIMIT_AS, limits)
del text
text = "b " * 2_000_000  # lies where the other lay
print(json.dumps([failed, call("b b b b b b b b", text)]))
"""
# eight of two million words: 1,999,992 are missing; 15 characters of 4,000,000; 8 letters of 2,000,000
EXPECTED = {
    "ter": [1_999_992, 2_000_000],
    "wer": [1_999_992, 2_000_000],
    "cer": [3_999_985, 4_000_000],
    "chrf": [8, 2_000_000, 8],
    "rouge": [2 * 4e-6 / (1 + 4e-6), 1.0, 4e-6],
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits its own address space as Linux does")
@pytest.mark.parametrize("name", EXPECTED)
def test_the_next_text_is_not_taken_for_the_one_that_failed(name: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, name], capture_output=True, text=True, check=True)
    failed, found = json.loads(done.stdout)
    assert failed
    assert found == pytest.approx(EXPECTED[name])
