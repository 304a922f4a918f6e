"""Records of the kernels' numbers: the same inputs again give the same bits, and another bit is found."""

from __future__ import annotations

import copy

import pytest

from tests.kernels.calls import ARRAYS, TEXTS
from tests.kernels.numbers import compare, record


@pytest.fixture(scope="module")
def recorded():
    return record(inputs=1, seed=3)


def test_the_same_inputs_give_the_same_bits(recorded) -> None:
    compared, different = compare(recorded, record(inputs=1, seed=3))
    assert set(compared) == {*TEXTS, *ARRAYS}
    assert not different


def test_another_last_bit_is_found(recorded) -> None:
    other = copy.deepcopy(recorded)
    call = next(call for call in other["calls"] if call["kernel"] == "chrf")
    row = next(i for i, value in enumerate(call["result"][1]) if float.fromhex(value) > 1)
    mantissa, exponent = call["result"][1][row].split("p")
    call["result"][1][row] = f"{mantissa[:-1]}{'0' if mantissa[-1] != '0' else '1'}p{exponent}"
    assert compare(recorded, other)[1] == {"chrf": 1}


def test_records_of_other_inputs_are_not_compared(recorded) -> None:
    with pytest.raises(ValueError, match="differ in what was given"):
        compare(recorded, record(inputs=1, seed=4))
