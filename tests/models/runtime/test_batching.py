"""The model runner: every item once, in order, whatever fits the memory."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")

from assay.core.errors import InputError  # noqa: E402
from assay.models.runtime.batching import BatchRunner, batches  # noqa: E402

SIZES = [7, 30, 1, 12, 30, 5, 18, 2, 9, 26]
CPU = torch.device("cpu")


def test_batches_fill_alike() -> None:
    """100 tokens in batches of at most 40 are three of about 34, not two of 40 and one of 20."""
    sizes = [sum(2 for _ in batch) for batch in batches([2] * 50, 40)]
    assert sizes == [34, 34, 32]
    assert [len(batch) for batch in batches([50, 3, 3], 40)] == [1, 2]  # what exceeds the budget goes alone


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory."), MemoryError()])
@pytest.mark.parametrize("order", [None, [3, 1, 4, 0, 5, 9, 2, 6, 8, 7]])
def test_out_of_memory_halves_the_budget_for_good(order: list[int] | None, error: Exception) -> None:
    runner, tried = BatchRunner(CPU, torch.float32, 1000), []

    def compute(batch: list[int]) -> int:
        tried.append(sum(SIZES[i] for i in batch))
        if tried[-1] > 40:
            raise error
        return tried[-1]

    found = list(runner.run(SIZES, compute, order))
    expected = sorted(range(len(SIZES)), key=lambda i: -SIZES[i]) if order is None else order
    assert [i for batch, _ in found for i in batch] == expected
    assert tried[0] == 140 and tried[1] <= 70 and runner.budget <= 40
    assert all(total == sum(SIZES[i] for i in batch) for batch, total in found)
    tried.clear()
    assert [i for batch, _ in runner.run(SIZES, compute) for i in batch]
    assert max(tried) <= 40  # the second call does not try the large batch again


def test_one_item_that_does_not_fit_is_an_error_that_names_its_size() -> None:
    def compute(batch: list[int]) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    with pytest.raises(InputError, match=r"^a segment of 30 tokens does not fit into the memory of cpu\.") as caught:
        list(BatchRunner(CPU, torch.float32, 1000).run(SIZES, compute))
    assert isinstance(caught.value.__cause__, torch.OutOfMemoryError)  # by which other models are released


def test_other_errors_are_not_swallowed() -> None:
    def compute(batch: list[int]) -> None:
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes do not match"):
        list(BatchRunner(CPU, torch.float32, 1000).run(SIZES, compute))


@pytest.mark.parametrize(("dtype", "hint"), [(torch.float16, "precision=bf16"), (torch.float32, "may be damaged")])
def test_numbers_that_are_not_finite_are_refused(dtype: torch.dtype, hint: str) -> None:
    runner = BatchRunner(CPU, dtype, 1000)
    assert runner.check_finite(np.array([1.0, 2.0])).tolist() == [1.0, 2.0]
    with pytest.raises(InputError, match=hint):
        runner.check_finite(np.array([1.0, np.nan]))
