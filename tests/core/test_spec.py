from __future__ import annotations

from typing import Literal

import pytest

from assay.core.batch import Batch
from assay.core.errors import InputError, UnknownName
from assay.core.metric import Card, Metric, Scores, Signature
from assay.core.registry import Registry
from assay.core.spec import build, create, parse


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
        ({"kind": "c"}, "unknown kind of thing 'c'"),
    ],
)
def test_build_names_the_mistake(options: dict[str, str], words: str) -> None:
    with pytest.raises((InputError, UnknownName), match=words):
        build(thing, "thing", options)


class Nameless(Metric):
    card = Card("nameless", "Nameless", "reference", True, (0, 1), "no signature")

    def score(self, batch: Batch) -> Scores:
        raise NotImplementedError


class Cardless(Nameless):
    card = "a card"  # type: ignore[assignment]

    @property
    def signature(self) -> Signature:
        return Signature.of("cardless", 1)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Nameless", r"the class .*Nameless lacks signature, which every assay.core.metric.Metric must define\.$"),
        ("Cardless", r"the class .*Cardless has no card: write card = Card\(\.\.\.\) in it \(assay.core.metric\)\.$"),
    ],
)
def test_a_class_that_is_not_whole_is_told_what_to_write(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        create(Registry("metric", {}), f"{__name__}:{name}", Metric)
