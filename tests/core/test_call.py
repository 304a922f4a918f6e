"""Calls keep the options of ``**options`` like other arguments."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, TypedDict, Unpack

import pytest

from assay.core.call import Call, recorded
from assay.core.errors import AssayError, InputError
from assay.verbs.rerun_arguments import fitting


class Limits(TypedDict, total=False):
    lowest: float
    names: list[str]


@recorded("measure", {"lowest": 0.5, "names": []})
def measure(data: str, *, seed: int = 1, **options: Unpack[Limits]) -> Any:
    return SimpleNamespace(options=options)


def test_options_are_recorded_with_their_defaults() -> None:
    made = measure("a.tsv", lowest=0.25)
    assert made.options == {"lowest": 0.25}
    assert made.call == Call(
        "measure", {"data": "a.tsv", "seed": 1, "lowest": 0.25, "names": []}, (), made.call.started
    )


def test_an_option_that_the_function_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match="measure\\(\\) got an unexpected keyword argument 'highest'"):
        measure("a.tsv", highest=1.0)  # type: ignore[call-arg]


def test_options_in_a_manifest_are_checked_like_other_arguments() -> None:
    fitting(measure, {"data": "a.tsv", "lowest": 1, "names": ["x"]}, "m.json")
    with pytest.raises(InputError, match=r"m\.json: lowest cannot be 'low'"):
        fitting(measure, {"lowest": "low"}, "m.json")
    with pytest.raises(AssayError, match="highest"):
        fitting(measure, {"highest": 1}, "m.json")
