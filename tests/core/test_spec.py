from __future__ import annotations

from typing import Literal

import pytest

from assay.core.errors import InputError, UnknownName
from assay.core.spec import build, parse


def test_parse() -> None:
    assert parse("chrf") == ("chrf", {})
    assert parse("bleu:tokenize=zh,lowercase=yes") == ("bleu", {"tokenize": "zh", "lowercase": "yes"})
    assert parse("my.module:Metric") == ("my.module:Metric", {})
    assert parse("my.module:Metric:depth=3") == ("my.module:Metric", {"depth": "3"})
    with pytest.raises(InputError, match="tokenize=VALUE"):
        parse("bleu:lowercase=yes,tokenize")


def thing(
    *, deep: int = 1, share: float = 0.5, on: bool = False, kind: Literal["a", "b"] = "a", name: str | None = None
) -> tuple[object, ...]:
    return deep, share, on, kind, name


def test_build_converts_by_annotation() -> None:
    options = {"deep": "3", "share": "0.25", "on": "yes", "kind": "b", "name": "none"}
    assert build(thing, "thing", options) == (3, 0.25, True, "b", None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dep": "3"}, "Did you mean deep"),
        ({"deep": "x"}, "takes a whole number, not 'x'"),
        ({"on": "maybe"}, "takes yes or no"),
        ({"kind": "c"}, "no kind of thing called 'c'"),
    ],
)
def test_build_names_the_mistake(options: dict[str, str], words: str) -> None:
    with pytest.raises((InputError, UnknownName), match=words):
        build(thing, "thing", options)
