"""Records of the kernels' numbers: the same inputs again give the same bits, and another bit is found."""

from __future__ import annotations

import copy
import math

import pytest

from tests.kernels.calls import ARRAYS, TEXTS
from tests.kernels.numbers import ROWS, compare, record


@pytest.fixture(scope="module")
def recorded():
    return record(inputs=1, seed=3)


def test_the_same_inputs_give_the_same_bits(recorded) -> None:
    found = compare(recorded, record(inputs=1, seed=3))
    assert set(found) == {*TEXTS, *ARRAYS}
    assert all(kernel.rows >= ROWS and not kernel.different for kernel in found.values())


def test_another_last_bit_is_found(recorded) -> None:
    other = copy.deepcopy(recorded)
    scores = next(call["result"][1] for call in other["calls"] if call["kernel"] == "chrf")
    row = next(i for i, value in enumerate(scores) if float.fromhex(value) > 1)
    scores[row] = math.nextafter(float.fromhex(scores[row]), math.inf).hex()
    differing = {name: kernel[1:] for name, kernel in compare(recorded, other).items() if kernel.different}
    assert differing == {"chrf": (1, 1.0)}


def test_another_whole_number_is_no_matter_of_bits(recorded) -> None:
    other = copy.deepcopy(recorded)
    counts = next(call for call in other["calls"] if call["kernel"] == "distinct")["result"]
    counts[0][0] += 1
    assert compare(recorded, other)["distinct"].farthest == math.inf


def test_records_of_other_inputs_are_not_compared(recorded) -> None:
    with pytest.raises(ValueError, match="differ in what was given"):
        compare(recorded, record(inputs=1, seed=4))
