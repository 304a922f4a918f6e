from __future__ import annotations

import dataclasses
import hashlib
import random
from collections import Counter
from pathlib import Path

import pytest

from assay.core.errors import InputError, MissingPart
from assay.core.item import Item
from assay.core.spec import build as build_from_spec
from assay.review.decisions import DecisionLog
from assay.suites import SUITES
from assay.suites.dfki import Dfki, build, read_folder
from assay.suites.dfki_files import DfkiItem, Outputs
from assay.suites.dfki_judge import JudgedOutputs, judge, key
from tests.data import need


def test_missing_files_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(MissingPart, match="mt-testsuite"):
        Dfki().load(None)
    with pytest.raises(MissingPart, match=r"neither items\.de-en\.json nor"):
        Dfki().load(tmp_path)


def test_options_come_from_a_spec() -> None:
    suite = build_from_spec(SUITES.resolve("dfki"), "dfki", {"langpair": "en-de", "n": "50", "seed": "7"})
    assert (suite.langpair, suite.n, suite.seed, suite.decisions) == ("en-de", 50, 7, None)


@pytest.mark.real
def test_real_counts_and_checksums() -> None:
    # The counts of the data's README.
    folder = need("data", "dfki")
    for langpair, items, outputs, systems, categories, phenomena in (
        ("de-en", 2767, 109_894, 40, 14, 106),
        ("en-de", 2324, 86_554, 39, 13, 119),
    ):
        read_items, read_outputs = read_folder(folder, langpair)  # type: ignore[arg-type]
        assert (len(read_items), len(read_outputs)) == (items, outputs)
        assert len(set(zip(read_outputs.years, read_outputs.systems, strict=True))) == systems
        assert len({item.category for item in read_items}) == categories
        assert len({item.phenomenon for item in read_items}) == phenomena
        assert {item.langpair for item in read_items} == {langpair}
    for name, checksum in Dfki.card.checksums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == checksum


# Item 1 has three right texts (r1, r2, r3; "r1" twice, once with other blanks) and two wrong ones: 3 * 2 * 2 = 12
# combinations. Item 2 has two right and one wrong: 2 * 1 * 1 = 2. Item 3 has a single right one: none.
ITEMS = [DfkiItem(id, "de-en", "Category", f"phenomenon {id}", f"Quelle  {id}. ", "right", "wrong") for id in "123"]
TEXTS = {
    "1": ["right 1", "right  1", "right 2", "right 3", "wrong 1", "wrong 2", "?"],
    "2": ["right 1", "right 2", "wrong"],
}
TEXTS["3"] = ["right", "wrong 1", "wrong 2"]


def judged(order: random.Random | None = None) -> JudgedOutputs:
    pairs = [(id, text) for id, texts in TEXTS.items() for text in texts]
    if order:
        order.shuffle(pairs)
    ids, texts = zip(*pairs, strict=True)
    return judge(ITEMS, Outputs(ids, ["2021"] * len(ids), ["S"] * len(ids), texts))


def check(items: list[Item]) -> None:
    """No text twice within an item, no combination twice, no id twice."""
    for item in items:
        texts = {" ".join(text.split()) for text in (item.reference or "", item.good, item.incorrect)}
        assert len(texts) == 3, item
    assert len({item.id for item in items}) == len(items)
    combinations = {(item.phenomenon, item.source, item.reference, item.good, item.incorrect) for item in items}
    assert len(combinations) == len(items)


def test_all_combinations_by_hand() -> None:
    built = build(ITEMS, judged(), n=14)
    check(built)
    assert Counter(item.meta["test_item"] for item in built) == {"1": 12, "2": 2}
    first = built[0]
    assert (first.id, first.source, first.phenomenon, first.category, first.langpair) == (
        "1.1",
        "Quelle 1.",
        "phenomenon 1",
        "Category",
        "de-en",
    )
    assert {(item.reference, item.good, item.incorrect) for item in built if item.meta["test_item"] == "2"} == {
        ("right 1", "right 2", "wrong"),
        ("right 2", "right 1", "wrong"),
    }


@pytest.mark.parametrize(("n", "first", "second"), [(2, 1, 1), (4, 2, 2), (5, 3, 2), (9, 7, 2)])
def test_sentences_give_alike_as_far_as_they_can(n: int, first: int, second: int) -> None:
    assert Counter(item.meta["test_item"] for item in build(ITEMS, judged(), n)) == {"1": first, "2": second}


def test_odd_item_is_drawn_by_lot() -> None:
    winners = {build(ITEMS, judged(), 1, seed)[0].meta["test_item"] for seed in range(20)}
    assert winners == {"1", "2"}


def test_seed_decides_and_order_of_outputs_does_not() -> None:
    assert build(ITEMS, judged(), 7, 3) == build(ITEMS, judged(random.Random(1)), 7, 3)
    assert build(ITEMS, judged(), 7, 3) != build(ITEMS, judged(), 7, 4)


@pytest.mark.parametrize("n", [0, -1, 15])
def test_impossible_number_is_refused(n: int) -> None:
    with pytest.raises(InputError, match="suffice for 1 to 14"):
        build(ITEMS, judged(), n)


def test_no_usable_sentence_is_said() -> None:
    for n in (1, None):
        with pytest.raises(
            InputError, match=r"no sentence of the judged .* has two right translations and a wrong one\.$"
        ):
            build(ITEMS, judge(ITEMS, Outputs([], [], [], [])), n)


def test_text_judged_both_ways_is_left_out() -> None:
    base = judged()
    rulings = [
        dataclasses.replace(ruling, verdict="fail") if text == "right  1" else ruling
        for text, ruling in zip(base.outputs.texts, base.rulings, strict=True)
    ]
    mixed = JudgedOutputs("de-en", base.outputs, rulings)
    # Item 1 is left with r2, r3 and two wrong ones: 2 * 1 * 2 = 4; item 2 still gives 2.
    built = build(ITEMS, mixed, 6)
    assert not any("right 1" in (item.reference, item.good) for item in built if item.meta["test_item"] == "1")


@pytest.mark.real
def test_real_ten_thousand() -> None:
    folder = need("data", "dfki")
    built = Dfki().load(folder)
    assert len(built) == 10_000
    check(built)
    assert {item.langpair for item in built} == {"de-en"}
    # 1,149 sentences have two right texts and a wrong one (counted with plain re and sets), in 105 phenomena.
    shares = Counter(item.meta["test_item"] for item in built)
    assert (len(shares), len({item.phenomenon for item in built})) == (1_149, 105)
    assert len({item.category for item in built}) == 14
    assert Dfki().load(folder) == built
    assert Dfki(seed=1).load(folder) != built


@pytest.mark.real
def test_real_decisions_change_what_is_built(tmp_path: Path) -> None:
    folder = need("data", "dfki")
    path = tmp_path / "decisions.jsonl"
    before = Dfki(n=500).load(folder)
    banned = before[0].incorrect
    item = DfkiItem(before[0].meta["test_item"], "de-en", "", "", "")
    DecisionLog(path).record(key(item, banned), "pass")
    after = Dfki(n=500, decisions=str(path)).load(folder)
    assert not any(built.incorrect == banned for built in after if built.meta["test_item"] == item.id)
