"""The grammar by its shared vectors (`vectors.json`), and what vectors cannot say: text tables, limits, hostile expressions."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import patterns
from assay.core.errors import AssayError, InputError
from assay.core.expression import parse

VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))
COLUMNS: dict[str, list[Any]] = VECTORS["columns"]


def rows(text: str, columns: dict[str, list[Any]] = COLUMNS) -> list[int]:
    found = parse(text).over(columns).rows(columns)
    return [i for i, held in enumerate(found.tolist()) if held]


@pytest.mark.parametrize(("text", "tree", "held"), VECTORS["holds"])
def test_an_expression_means_what_the_vectors_say(text: str, tree: list[Any], held: list[int]) -> None:
    assert parse(text).to_json() == tree
    assert rows(text) == held


@pytest.mark.parametrize(("text", "said"), VECTORS["refused"])
def test_what_is_wrong_is_refused_in_one_line_that_shows_the_place(text: str, said: str) -> None:
    with pytest.raises(AssayError) as caught:
        rows(text)
    assert said in str(caught.value)
    assert "In the expression: " in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "tree", "held"), VECTORS["holds"])
def test_a_table_of_text_gives_the_same(text: str, tree: list[Any], held: list[int]) -> None:
    """The columns as a TSV holds them: numbers, flags and lists as text, a missing value as an empty cell."""

    def cell(value: Any) -> str:
        if isinstance(value, list):
            return ",".join(value)
        return "" if value is None else value if isinstance(value, str) else json.dumps(value)

    written = {name: [cell(value) for value in column] for name, column in COLUMNS.items()}
    assert rows(text, written) == held


def test_only_rows_that_are_asked_must_bring_a_number() -> None:
    columns = {"a": [1, 2, 3], "b": ["x", 5.0, float("nan")]}
    assert rows("a == 2 and b > 4", columns) == [1]
    assert rows("a != 2 or b > 4", columns) == [0, 1, 2]
    with pytest.raises(InputError, match="row 2: b has no number"):
        rows("a == 1 or b > 4", {"a": [1, 2, 3], "b": ["x", 5.0, float("nan")]})


@pytest.mark.parametrize("value", ["1_000", "nan", "NaN", "inf", "-inf", True, [1], "9007199254740993", 2**60, "1e400"])
def test_what_only_looks_like_a_number_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="line 7: a "):
        parse("a < 1").over(["a"]).rows({"a": [0, value]}, {0: "line 6", 1: "line 7"}.__getitem__)


def test_columns_without_a_kind_are_compared_as_they_are() -> None:
    assert rows("a == b", {"a": ["1.0", "x"], "b": ["1", "x"]}) == [1]
    assert rows("a == b", {"a": [1.0, 2.0], "b": [1, 3]}) == [0]
    assert rows("a == b and b == 1", {"a": ["1.0", "3"], "b": ["1", "2"]}) == [0]  # b is a number, and so is a
    assert rows("a != b", {"a": [True, False], "b": [True, True]}) == [1]
    assert rows("a == b", {"a": [None, None], "b": [None, ""]}) == [0, 1]


def test_no_rows_hold_nothing() -> None:
    assert rows("a < 3 and b ~ 'x'", {"a": [], "b": []}) == []
    assert parse("a < 3 or flags_ == 'x'").over(["a", "flags_", "c"]).names == ("a", "flags_")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "a" + ")" * 5000,
        "not " * 5000 + "a",
        "-" * 5000 + "a < 1",
        "a" + " + a" * 5000 + " < 1",
        "abs(" * 500 + "a" + ")" * 500 + " < 1",
        "a < 1 or " * 20_000 + "a < 1",
    ],
)
def test_no_expression_is_too_deep_for_a_sentence(text: str) -> None:
    with pytest.raises(InputError) as caught:
        rows(text, {"a": [1.0]})
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)


def test_a_pattern_cannot_hold_a_run_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.2)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with pytest.raises(
        InputError, match=r"the pattern takes too long to search .* In the expression: a ~ ⟦'\(x\+\)\+\$'⟧"
    ):
        rows("a ~ '(x+)+$'", {"a": ["x" * 40 + "!", "y"]})
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 5


@given(st.text("abcn\n <>=!~()[]\"'`\\1.+-*/,&|ot in and or not is missing", max_size=40))
def test_any_text_is_an_expression_or_a_sentence(text: str) -> None:
    try:
        tree = parse(text).to_json()
    except AssayError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert json.loads(json.dumps(tree)) == tree
