"""Rules of a hostile item file: none holds a run up, none ends in a traceback, and each is named in one line."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core import patterns
from assay.core.errors import InputError
from assay.suites.dfki_files import DfkiItem, Outputs, load_items
from assay.suites.dfki_judge import JudgedOutputs, judge
from tests.data import need

LETTERS = "a" * 40 + "!"


@pytest.fixture(autouse=True)
def short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.2)


@pytest.fixture
def elapsed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits as on Windows, which cannot limit the processor time of a process."""
    monkeypatch.setattr(patterns, "CLOCK", "elapsed")


@pytest.fixture
def children_seconds() -> Iterator[None]:
    """At most five seconds of processor time in other processes, whatever else the machine does."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5


def ruled(*rules: str, text: str = LETTERS) -> JudgedOutputs:
    items = [DfkiItem(str(n), "de-en", "c", "p", "s", positive_regex=rule) for n, rule in enumerate(rules)]
    return judge(
        items, Outputs([item.id for item in items], ["2021"] * len(items), ["S"] * len(items), [text] * len(items))
    )


@pytest.mark.usefixtures("children_seconds")
@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("(a+)+$", LETTERS),
        ("(a|a)*$", LETTERS),
        ("(a|b|ab)*$", "ab" * 30 + "!"),
        ("(.*)*x", LETTERS),
        ("(a?){40}a{40}$", LETTERS),
        (r"(a*)*\1b", LETTERS),
        ("(a|a)" * 40 + "b", LETTERS),  # no loop at all: two to the power of 40 ways
        ("(?=(a+)+$)b", LETTERS),
        ("a*a*a*a*a*a*a*a*b", "a" * 300),  # no loop in a loop
        ("a*b", "a" * 400_000),  # quadratic, inside one call that no signal handler can interrupt
    ],
)
def test_a_rule_that_takes_too_long_is_left_to_people(rule: str, text: str) -> None:
    judged = ruled("a", rule, "a$", text=text)
    assert [ruling.ground for ruling in judged.rulings] == [
        "rules",
        "bad rule",
        "rules" if text[-1] == "a" else "neither",
    ]
    (problem,) = judged.problems
    shown = rule if len(rule) <= 200 else rule[:200] + "…"
    assert problem == (
        f"item 1 (de-en): positive_regex {shown!r} takes too long to search "
        "(a rule has 0.2 seconds, all rules together 20)."
    )


@pytest.mark.usefixtures("elapsed_time", "children_seconds")
def test_a_rule_that_takes_too_long_is_ended_without_a_limit_of_processor_time() -> None:
    judged = ruled("a", "(a+)+$", "a*b", "a$", text="a" * 40 + "!")
    assert [ruling.ground for ruling in judged.rulings] == ["rules", "bad rule", "neither", "neither"]
    (problem,) = judged.problems
    assert "positive_regex '(a+)+$' takes too long to search" in problem


@pytest.mark.usefixtures("elapsed_time")
def test_both_limits_give_the_same_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["", "abba", "a" * 30, "Grün, naïve 北京"]
    rules = dict.fromkeys(("b+", "^$", "(?i)GRÜN", "[^a]$", r"\w+$", "(", "x{2}"), texts)
    elapsed = patterns.search(rules)
    monkeypatch.setattr(patterns, "CLOCK", "processor")
    assert elapsed == patterns.search(rules)


@pytest.mark.parametrize(
    "rule", ["a{99999999999}", "(" * 5000 + "a" + ")" * 5000, "(a", "[z-a]", "(?P<a>x)(?P<a>y)", r"\8", "*", "(?<=a+)b"]
)
def test_a_rule_that_is_no_regular_expression_is_named(rule: str) -> None:
    judged = ruled("a", rule)
    assert [ruling.ground for ruling in judged.rulings] == ["rules", "bad rule"]
    (problem,) = judged.problems
    assert problem.startswith("item 1 (de-en): positive_regex ") and "is not a regular expression (" in problem
    assert len(problem) < 400 and "\n" not in problem


@pytest.mark.usefixtures("children_seconds")
def test_a_file_of_such_rules_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"^10 rules of these DFKI items cannot be used; the last, '\(a\+\)\+[$]{10}', takes"
    ):
        ruled(*(f"(a+)+{'$' * n}" for n in range(1, 1001)))


def test_all_rules_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rule stays below its own limit; ten processes of 0.3 s and no more is what they get."""
    monkeypatch.setattr(patterns, "SECONDS", 60.0)
    monkeypatch.setattr(patterns, "WHOLE", 0.3)
    with pytest.raises(InputError, match="10 rules of these DFKI items cannot be used"):
        ruled(*(f"a*a*a*b{n}" for n in range(2000)), text="a" * 400)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"positive_regex": 5}, "positive_regex must be text"),
        ({"negative_regex": ["a"]}, "negative_regex must be text"),
        ({"positive_tokens": "abc"}, "positive_tokens must be a list"),
        ({"positive_tokens": [["a"]]}, r"positive_tokens\[1\] must be text"),
        ({"id": 7}, "id must be text"),
    ],
)
def test_fields_of_another_type_are_named(tmp_path: Path, fields: dict[str, object], said: str) -> None:
    item = {"id": "1", "langpair": "de-en", "category": "c", "phenomenon": "p", "source_sentence": "s", **fields}
    (tmp_path / "items.json").write_text(json.dumps({"items": [item]}))
    with pytest.raises(InputError, match=rf"items\.json: items\[1\]\.{said}"):
        load_items(tmp_path / "items.json")


@pytest.mark.parametrize("text", ['{"items": 5}', '{"items": {"a": 1}}', "[" * 100_000, '{"items": [[]]}'])
def test_files_of_another_shape_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "items.json").write_text(text)
    with pytest.raises(InputError, match=r"items\.json"):
        load_items(tmp_path / "items.json")


@pytest.mark.real
@pytest.mark.parametrize("langpair", ["de-en", "en-de"])
def test_the_suite_itself_is_searched_as_python_searches(langpair: str) -> None:
    """Every rule on every output of its items, beside `re` in this process."""
    import re

    from assay.suites.dfki import read_folder

    items, outputs = read_folder(need("data", "dfki"), langpair)  # type: ignore[arg-type]
    by_id = {item.id: item for item in items}
    judged = judge(items, outputs)
    for id, text, ruling in dict.fromkeys(zip(outputs.ids, outputs.texts, judged.rulings, strict=True)):
        item = by_id[id]
        for rule, sentences, span in (
            (item.positive_regex, item.positive_tokens, ruling.right),
            (item.negative_regex, item.negative_tokens, ruling.wrong),
        ):
            match = re.search(rule, text) if rule else None
            assert span == (match.span() if match else (0, len(text)) if text in sentences else None)
