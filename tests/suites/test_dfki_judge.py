from __future__ import annotations

import re
from collections import Counter

import pytest

from assay.core.errors import InputError
from assay.suites.dfki import read_folder
from assay.suites.dfki_files import DfkiItem, Outputs
from assay.suites.dfki_judge import JudgedOutputs, Ruling, judge, judge_summary, key, questions
from tests.data import need

HUSBAND = DfkiItem("1", "de-en", "Ambiguity", "Lexical ambiguity", "Ihr Mann kam. ", "husband|spouse", r"\bman\b")
WHOLE = DfkiItem(
    "2", "de-en", "Verbs", "Future", "Er kommt.", positive_tokens=("He comes.",), negative_tokens=("He came.",)
)
NO_RULE = DfkiItem("3", "de-en", "Verbs", "Future", "Sie kommt.")
BAD = DfkiItem("4", "de-en", "Verbs", "Past", "Sie kam.", positive_regex="She (came")


def rule(item: DfkiItem, *texts: str, decisions: dict[str, str] | None = None) -> JudgedOutputs:
    n = len(texts)
    return judge([item], Outputs([item.id] * n, ["2021"] * n, [f"S{i}" for i in range(n)], texts), decisions)


def verdicts(judged: JudgedOutputs) -> list[tuple[str, str]]:
    return [(ruling.verdict, ruling.ground) for ruling in judged.rulings]


def test_regexes_are_searched_and_case_counts() -> None:
    judged = rule(
        HUSBAND, "Her husband came.", "Her man came.", "Her man, a spouse, came.", "He came.", "Her Husband came."
    )
    assert verdicts(judged) == [
        ("pass", "rules"),
        ("fail", "rules"),
        ("unresolved", "both"),
        ("unresolved", "neither"),
        ("unresolved", "neither"),
    ]
    assert judged.rulings[0].right == (4, 11)
    assert judged.rulings[2] == Ruling("unresolved", "both", right=(11, 17), wrong=(4, 7))


def test_tokens_are_whole_sentences() -> None:
    judged = rule(WHOLE, "He comes.", "He came.", "Yes, He comes.", "He comes. ")
    assert [verdict for verdict, _ in verdicts(judged)] == ["pass", "fail", "unresolved", "unresolved"]


def test_item_without_rules_is_left_to_people() -> None:
    assert verdicts(rule(NO_RULE, "She comes.", "")) == [("unresolved", "neither")] * 2


def test_bad_regex_names_its_item_and_stops_nothing() -> None:
    judged = rule(BAD, "She came.", "She comes.")
    assert verdicts(judged) == [("unresolved", "bad rule")] * 2
    (problem,) = judged.problems
    assert problem.startswith("item 4 (de-en): positive_regex 'She (came' is not a regular expression")
    assert problem in judge_summary([judged]).notes


def test_people_overrule_the_rules() -> None:
    decisions = {
        key(HUSBAND, "Her  man came."): "pass",  # blanks do not count
        key(HUSBAND, "He came."): "fail",
        key(HUSBAND, "Ha."): "skip",
    }
    judged = rule(HUSBAND, "Her man came.", "He came.", "Ha.", "Her husband came.", decisions=decisions)
    assert verdicts(judged) == [("pass", "person"), ("fail", "person"), ("unresolved", "neither"), ("pass", "rules")]


def test_key_tells_directions_apart() -> None:
    other = DfkiItem("1", "en-de", "", "", "")
    assert key(HUSBAND, "x") != key(other, "x")
    assert re.fullmatch(r"dfki:de-en:1:[0-9a-f]{32}", key(HUSBAND, "x"))


def test_what_cannot_be_judged_is_named() -> None:
    with pytest.raises(InputError, match="refer to item 9"):
        judge([HUSBAND], Outputs(["9"], ["2021"], ["S"], ["x"]))
    with pytest.raises(InputError, match="must have the same language pair"):
        judge([HUSBAND, DfkiItem("5", "en-de", "", "", "")], Outputs([], [], [], []))


def test_questions_are_the_distinct_unresolved() -> None:
    judged = rule(HUSBAND, "Her man, a spouse, came.", "He came.", "Her man came.", " He  came.")
    both, neither = questions([HUSBAND], judged)
    assert both.id == key(HUSBAND, "Her man, a spouse, came.")
    assert both.title == "de-en 1 · Ambiguity · Lexical ambiguity · S0 2021"
    assert both.body == (
        "source  Ihr Mann kam.",
        "output  Her man, a spouse, came.",
        "right   Her man, a ⟦spouse⟧, came.",
        "wrong   Her ⟦man⟧, a spouse, came.",
    )
    assert neither.title.endswith("S1 2021 and 1 more")
    assert neither.body[2:] == ("rules     neither matched", "right if  husband|spouse", r"wrong if  \bman\b")
    assert [choice.key for choice in neither.choices] == ["p", "f"]
    assert next(questions([NO_RULE], rule(NO_RULE, "x"))).body[2:] == ("rules   this item has none",)
    assert "right is  He comes." in next(questions([WHOLE], rule(WHOLE, "x"))).body


def test_summary_by_hand() -> None:
    outputs = Outputs(["1", "1", "1"], ["2021", "2022", "2022"], ["A", "A", "B"], ["husband", "man", "x"])
    rows = judge_summary([judge([HUSBAND], outputs)]).rows
    assert [(row["year"], row["system"], row["n"], row["pass"], row["fail"], row["unresolved"]) for row in rows] == [
        ("", "all", 3, 1, 1, 1),
        ("2021", "A", 1, 1, 0, 0),
        ("2022", "A", 1, 0, 1, 0),
        ("2022", "B", 1, 0, 0, 1),
    ]
    assert rows[0]["pass_share"] == pytest.approx(1 / 3)
    assert (rows[3]["both"], rows[3]["neither"]) == (0, 1)


@pytest.mark.real
@pytest.mark.parametrize(
    ("langpair", "right", "wrong", "neither", "both"),
    [("de-en", 81_779, 19_939, 8_067, 109), ("en-de", 73_973, 3_759, 8_700, 122)],  # counts of the data's README
)
def test_real_counts(langpair: str, right: int, wrong: int, neither: int, both: int) -> None:
    items, outputs = read_folder(need("data", "dfki"), langpair)  # type: ignore[arg-type]
    judged = judge(items, outputs)
    assert judged.problems == ()
    assert Counter(verdicts(judged)) == {
        ("pass", "rules"): right,
        ("fail", "rules"): wrong,
        ("unresolved", "neither"): neither,
        ("unresolved", "both"): both,
    }
    (total, *systems) = judge_summary([judged]).rows
    assert (total["pass"], total["fail"], total["unresolved"]) == (right, wrong, neither + both)
    assert sum(row["n"] for row in systems) == len(outputs)
    assert len(systems) == {"de-en": 40, "en-de": 39}[langpair]
