from __future__ import annotations

import gzip
import json
import re
import unicodedata
from collections import Counter, defaultdict
from importlib.resources import files

import pytest

from assay.data import rows
from assay.suites import SUITES
from assay.suites.embedded import BaseSegment, Embedded, base_segments, items_of
from tests.data import need
from tests.suites.closeness import share_kept

ITEMS = Embedded().load()
BASE = base_segments()
HAND = [*items_of("first.jsonl"), *items_of("hand.jsonl")]

# Incorrect translations that are no edit of the good one: the paper takes another text (ACES, sections 5.3.2 to 5.13).
OTHER_TEXT = re.compile(
    r"copy-source|similar-language|level-[23]|lexical-overlap|xnli|overly-literal-vs-(correct|expl)"
)


def aces() -> dict[str, str]:
    return {row["phenomenon"]: row["category"] for row in rows("aces_phenomena.csv")}


def demetr() -> dict[str, dict[str, str]]:
    return {row["phenomenon"]: row for row in rows("demetr_perturbations.csv")}


def scripts(text: str) -> set[str]:
    """The scripts of a text, by the first word of each letter's Unicode name (CJK, CYRILLIC, HIRAGANA, LATIN …)."""
    return {unicodedata.name(char).split(" ")[0] for char in text if char.isalpha()}


def test_suite_is_registered():
    assert SUITES.resolve("embedded") is Embedded


def test_base_is_large_and_varied():
    assert len(BASE) >= 400
    pairs = Counter(segment.langpair for segment in BASE)
    assert len(pairs) >= 8 and all(count >= 10 for count in pairs.values())
    assert any(pair.endswith("-en") for pair in pairs) and any(pair.startswith("en-") for pair in pairs)
    assert any("en" not in pair.split("-") for pair in pairs)
    found = set().union(*(scripts(segment.source) for segment in BASE))
    assert {"LATIN", "CYRILLIC", "CJK", "HIRAGANA", "ARABIC"} <= found
    assert len({segment.domain for segment in BASE}) >= 7


@pytest.mark.parametrize(
    "tag",
    [
        "numbers",
        "dates",
        "units",
        "names",
        "pronouns",
        "modals",
        "idioms",
        "connectives",
        "quantities",
        "gendered occupations",
        "negation",
        "quotes",
        "questions",
        "lists",
    ],
)
def test_base_has_material_for_every_phenomenon(tag):
    assert sum(tag in segment.tags for segment in BASE) >= 10


def test_base_segments_have_two_different_good_translations():
    assert len({segment.id for segment in BASE}) == len({segment.source for segment in BASE}) == len(BASE)
    for segment in BASE:
        assert len({segment.source, segment.reference, segment.good}) == 3, segment.id
        assert all(text and text == text.strip() for text in (segment.source, segment.reference, segment.good)), (
            segment.id
        )


def test_items_cover_all_of_aces_and_demetr():
    counts = Counter(item.phenomenon for item in ITEMS)
    assert len(ITEMS) >= 2500
    assert {name: counts[name] for name in (*aces(), *demetr()) if counts[name] < 10} == {}
    assert set(counts) <= set(aces()) | set(demetr())


def test_items_spread_over_pairs_and_severities():
    assert len({item.langpair for item in ITEMS}) >= 14
    assert {"minor", "major", "critical"} <= {item.severity for item in ITEMS}


def test_items_carry_the_category_of_the_papers_tables():
    for item in ITEMS:
        expected = aces().get(item.phenomenon) or demetr()[item.phenomenon]["category"]
        assert item.category == expected, item.id


def test_items_are_whole():
    assert len({item.id for item in ITEMS}) == len(ITEMS)
    for item in ITEMS:
        assert item.source and item.reference and item.good, item.id
        assert re.fullmatch(r"[a-z]{2}-[a-z]{2}", item.langpair), item.id
        assert item.good not in (item.incorrect, item.source), item.id
        if item.phenomenon != "reference":  # there the reference itself is the good text
            assert item.reference not in (item.good, item.incorrect), item.id
        for text in (item.source, item.reference, item.good):
            assert text == text.strip() and "  " not in text, item.id


def test_no_item_is_there_twice():
    seen = Counter((item.phenomenon, item.source, item.good, item.incorrect) for item in ITEMS)
    assert [key for key, count in seen.items() if count > 1] == []


def test_an_incorrect_translation_is_a_minimal_edit_of_the_good_one():
    for item in HAND:
        if not OTHER_TEXT.search(item.phenomenon):
            assert share_kept(item.good, item.incorrect) >= 0.5, item.id


def test_items_made_from_a_base_segment_keep_its_source_and_reference():
    base = {segment.id: segment for segment in BASE}
    for item in HAND:
        if "base" in item.meta:
            segment = base[item.meta["base"]]
            assert (item.langpair, item.source, item.reference) == (segment.langpair, segment.source, segment.reference)


def test_copied_sources_are_the_source():
    assert all(item.incorrect == item.source for item in ITEMS if item.phenomenon == "copy-source")


def test_mirrored_phenomena_share_their_sentences():
    """As in ACES, both genders and both senses are asked of the same two translations."""
    sides = defaultdict(set)
    for item in ITEMS:
        if "wrong-gender" in item.phenomenon or "wrong-sense" in item.phenomenon:
            sides[item.reference].add((item.good, item.incorrect))
    assert len(sides) >= 30
    for pairs in sides.values():
        assert {(incorrect, good) for good, incorrect in pairs} == pairs


def test_the_data_card_counts_what_is_there():
    card = (files("assay") / "data" / "embedded" / "README.md").read_text(encoding="utf-8")
    table = [
        tuple(cell.strip() for cell in line.strip("|").split("|")) for line in card.splitlines() if line[:1] == "|"
    ]
    counts = Counter(item.phenomenon for item in HAND)
    assert {row[0]: int(row[1]) for row in table if row[0] in counts} == counts
    base, hand = Counter(segment.langpair for segment in BASE), Counter(item.langpair for item in HAND)
    pairs = {row[0]: (int(row[1]), int(row[2])) for row in table if len(row) == 3 and row[1].isdigit()}
    assert pairs.pop("all") == (len(BASE), len(HAND))
    assert pairs == {pair: (base[pair], hand[pair]) for pair in {*base, *hand}}


@pytest.mark.real
def test_no_text_stands_in_a_public_set():
    """Ours is written from nothing: no sentence of it may stand in DEMETR, ACES or NTREX."""
    ours = {
        _normal(text)
        for row in [*BASE, *ITEMS]
        for text in (row.source, row.reference, row.good, "" if isinstance(row, BaseSegment) else row.incorrect)
        if text
    }
    for text in _public_texts():
        assert not _normal(text) or _normal(text) not in ours, text


def _normal(text: str) -> str:
    """Letters and digits alone, without case."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def _public_texts():
    for path in sorted(need("data", "demetr").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield from (row["src_sent"], row["eng_sent"], row["mt_sent"], row["pert_sent"])
    with gzip.open(need("data", "aces_subset", "aces.tsv.gz"), "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield from line.rstrip("\n").split("\t")[:4]
    for path in sorted(need("data", "ntrex").glob("*.txt.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            yield from (line.rstrip("\n") for line in lines)
