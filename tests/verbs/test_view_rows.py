from __future__ import annotations

import numpy as np

from assay.core.item import Item
from assay.core.metric import Card
from assay.core.suite import Measured
from assay.verbs.shared.view_rows import view_of_items


def test_demetr_s_baseline_is_turned_as_its_tables_turn_it() -> None:
    items = [
        Item("1", "s", "r", "g", "b", "negation", meta={"perturbation": 8}),
        Item("2", "s", "r", "g", "r", "reference", meta={"perturbation": 35}),
    ]
    card = Card("m", "m", "reference", True, (0, 1), "made up")
    measured = Measured("m", card, good=np.array([1.0, 2.0]), incorrect=np.array([0.5, 9.0]))
    first, second = view_of_items(items, [measured]).rows
    assert (first["good"], first["incorrect"], first["m good"], first["m incorrect"]) == ("g", "b", 1.0, 0.5)
    assert (second["good"], second["incorrect"], second["m good"], second["m incorrect"]) == ("r", "g", 9.0, 2.0)
    assert list(first) == list(second)
