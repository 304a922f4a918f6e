"""A bounded search; `python -m tests.kernels.fuzz` goes on for as long as one likes."""

from __future__ import annotations

import json
from types import ModuleType

import pytest

from assay.kernels import _native
from tests.kernels.calls import ARRAYS, TEXTS, kernels
from tests.kernels.fuzz import Limits, Search


@pytest.mark.slow
@pytest.mark.parametrize("originals", [False, True], ids=["twins", "originals"])
def test_no_kernel_differs(originals: bool) -> None:
    found = Search(_native, seed=20, originals=originals).run(Limits(float("inf"), inputs=75_000, compared=0.1))
    assert found["differences"] == {}
    assert set(found["tried"]) == {*TEXTS, *ARRAYS}
    assert min(found["tried"][name] for name in TEXTS) >= 5_000
    assert {*found["compared"]} >= {"bleu", "chrf", "ter", "cer", "wer", "rouge", "meteor", "tokenize_13a"}
    assert originals or {*found["compared"]} >= {"Mini.pieces", "Mini.score", "Mini.match"}


def test_a_wrong_kernel_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = ModuleType("_native")
    wrong.__dict__.update(vars(_native) | {"wer": _native.cer})
    found = Search(wrong, seed=1).run(Limits(float("inf"), inputs=1, rows=50, compared=0.5))
    assert set(found["differences"]) == {"wer"}
    assert json.loads(capsys.readouterr().out.splitlines()[0])["kernel"] == "wer"


def test_every_kernel_is_fuzzed() -> None:
    assert kernels(_native) == {*TEXTS, *ARRAYS}
