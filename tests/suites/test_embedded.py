from collections import Counter

import pytest

from assay.suites import SUITES
from assay.suites.embedded import Embedded
from tests.suites.closeness import share_kept


def test_size_and_spread():
    items = Embedded().load()
    assert len(items) >= 60 and len({item.id for item in items}) == len(items)
    assert set(Counter(item.langpair for item in items)) >= {"de-en", "en-de", "es-en", "zh-en"}
    assert len({item.phenomenon for item in items}) >= 15
    assert {item.severity for item in items} == {"minor", "major", "critical"}
    assert SUITES.resolve("embedded") is Embedded


@pytest.mark.parametrize("item", Embedded().load(), ids=lambda item: item.id)
def test_every_item_is_a_minimal_pair_with_a_second_correct_translation(item):
    assert item.source and item.reference and item.category
    assert len({item.source, item.reference, item.good, item.incorrect}) == 4
    # A minimal edit keeps most of the good translation's words.
    assert share_kept(item.good, item.incorrect) >= 0.5
