"""No allocation that fails, whichever it is, changes what a later call computes."""

from __future__ import annotations

import ctypes
import os
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import pytest

from scripts.kernels import build, missing
from tests.kernels.calls import ARRAYS, TEXTS, Arguments, as_lists, kernel, load
from tests.kernels.mini_model import random_model
from tests.kernels.texts import Batch, batch

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kernels with faults")]
INPUTS, FEW = int(os.environ.get("ASSAY_FAULT_INPUTS", "40")), 6
"""Batches of a kernel (`make fuzz` takes 200), and of one that allocates a great deal."""
ALLOCATIONS = (*range(100), *(round(100 * 1.01**k) for k in range(400)))
"""Which allocations of a call fail in turn, the first of them number 0: every one of most calls, one in so many of the longest."""


class Faults:
    """The kernels, with allocations that can be made to fail."""

    def __init__(self, path: Path) -> None:
        self.native: ModuleType = load(path)
        self.library = ctypes.CDLL(str(path))
        self.library.assay_disarm.restype = ctypes.c_long

    def fail(self, name: str, arguments: Arguments, n: int, lasting: bool) -> bool:
        """Call a kernel whose n-th allocation fails; whether one failed. A failure is a MemoryError and nothing else."""
        call = kernel(self.native, name)
        self.library.assay_arm(ctypes.c_long(n), int(lasting))
        try:
            call(*arguments)
        except MemoryError:
            assert self.library.assay_disarm() > 0
            return True
        assert self.library.assay_disarm() == 0
        return False

    def fail_throughout(self, name: str, arguments: Arguments) -> bool:
        """Fail at the first allocation, the second and so on until all succeed; whether that came to an end."""
        return not all(self.fail(name, arguments, n, lasting=bool(n % 2)) for n in ALLOCATIONS)

    def result(self, name: str, arguments: Arguments) -> str:
        return repr(as_lists(kernel(self.native, name)(*arguments)))


T = TypeVar("T")


def in_fresh_thread(call: Callable[[], T]) -> T:
    """What a call gives in a thread that has computed nothing before."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(call).result()


@pytest.fixture(scope="module")
def faults() -> Faults:
    if path := os.environ.get("ASSAY_FAULTS_MODULE"):  # as scripts/sanitize.py built it
        return Faults(Path(path))
    if lacking := missing():
        pytest.skip(f"compiling the kernels with faults needs {' and '.join(lacking)}")
    return Faults(build("faults"))


def copied(arguments: Arguments) -> Arguments:
    """The same arguments with strings of their own, so that they can be gone before the next call."""

    def copy(value: Any) -> Any:
        if isinstance(value, str):
            return value.encode("utf-32", "surrogatepass").decode("utf-32", "surrogatepass")
        return [copy(part) for part in value] if isinstance(value, list) else value

    return tuple(copy(value) for value in arguments)


def alike(given: Batch) -> Batch:
    """Other texts of the same lengths, which will lie where the first ones lay."""

    def other(text: str) -> str:
        return "".join(c if c.isspace() else chr(ord(c) ^ 1) for c in reversed(text))

    references = [[None if text is None else other(text) for text in column] for column in given.references]
    return Batch([other(text) for text in given.hypotheses], references)


@pytest.mark.parametrize("name", TEXTS)
def test_texts(faults: Faults, name: str) -> None:
    """In a thread that kept nothing every allocation fails in turn; in one that keeps references, between other texts."""
    rng = random.Random(name)
    inputs = FEW if name.startswith("Mini.") else INPUTS
    for i in range(inputs):
        texts = batch(rng, rng.randrange(1, 5), long=inputs == INPUTS and i % 8 == 0)
        state = rng.getstate()
        first = TEXTS[name](rng, texts)
        rng.setstate(state)
        second = TEXTS[name](rng, alike(texts))
        expected, expected_second = (in_fresh_thread(partial(faults.result, name, given)) for given in (first, second))

        def after_failures(first: Arguments = first, second: Arguments = second) -> list[str]:
            assert faults.fail_throughout(name, copied(first))
            return [faults.result(name, second), faults.result(name, first)]

        assert in_fresh_thread(after_failures) == [expected_second, expected]
        for n in ALLOCATIONS:
            given = copied(first)
            if not faults.fail(name, given, n, lasting=bool(n % 2)):
                break
            del given
            assert faults.result(name, copied(second)) == expected_second, (n, second)
            faults.fail(name, first, n, lasting=False)
            assert faults.result(name, first) == expected, (n, first)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(faults: Faults, name: str) -> None:
    rng = random.Random(name)
    for _ in range(INPUTS):
        arguments = ARRAYS[name](rng)
        expected = in_fresh_thread(partial(faults.result, name, arguments))
        for n in ALLOCATIONS:
            if not faults.fail(name, arguments, n, lasting=bool(n % 2)):
                break
            assert faults.result(name, arguments) == expected
        else:
            pytest.fail(f"more allocations than expected: {arguments}")


def test_a_failed_call_holds_on_to_no_text(faults: Faults) -> None:
    """The reference counts of its strings and lists are what they were."""
    texts = Batch([f"hypothesis {i}" for i in range(5)], [[f"reference {i}" for i in range(5)]])
    for name in ("bleu", "chrf", "ter", "cer", "rouge", "distinct", "describe", "word_ids", "Mini.pieces"):
        arguments = TEXTS[name](random.Random(1), texts)
        held = [texts.hypotheses, texts.references[0], *texts.hypotheses, *texts.references[0]]
        before = [sys.getrefcount(value) for value in held]
        assert faults.fail_throughout(name, arguments)
        assert [sys.getrefcount(value) for value in held] == before


def test_a_model_that_was_not_made_leaves_nothing_behind(faults: Faults) -> None:
    """assay-mini's constructor: every allocation fails in turn, and the next model is as good as any."""
    tensors = random_model(layers=3)
    arguments = ["die katze"], ["the cat"], None, False, 2
    expected = repr(as_lists(faults.native.Mini(tensors).score(*arguments)))
    counts = [sys.getrefcount(array) for array in tensors.values()]
    for n in ALLOCATIONS:
        faults.library.assay_arm(ctypes.c_long(n), n % 2)
        try:
            model = faults.native.Mini(tensors)
        except MemoryError:
            assert faults.library.assay_disarm() > 0
            continue
        assert faults.library.assay_disarm() == 0
        assert repr(as_lists(model.score(*arguments))) == expected
        del model
        assert [sys.getrefcount(array) for array in tensors.values()] == counts
        return
    pytest.fail("more allocations than expected")


def test_the_installed_kernels_have_no_faults() -> None:
    from assay.kernels import _native

    assert not hasattr(ctypes.CDLL(str(_native.__file__)), "assay_arm")
