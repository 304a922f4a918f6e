from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from assay.analyses.judged import tables
from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.judged import Judged
from assay.core.suite import Measured
from assay.io.scores.cards import file_card


def test_pearson_and_kendall_by_language_pair():
    rng = np.random.default_rng(0)
    gold, metric = rng.normal(size=20), rng.normal(size=20)
    gold[3] = np.nan
    metric[5] = np.nan
    batch = Batch(["x"] * 20, langpairs=["a-b"] * 12 + ["c-d"] * 8)
    card = file_card(Path("mine.tsv"), ["lower"])
    _, table = tables(Judged(batch, {"da": gold}), [Measured("mine", card, values=metric, contaminated=True)])
    known = [i for i in range(12) if i not in (3, 5)]
    first, second = table.rows
    assert (first["langpair"], first["n"], second["n"]) == ("a-b", 10, 8)
    assert first["pearson"] == pytest.approx(scipy.stats.pearsonr(gold[known], -metric[known])[0])
    assert first["kendall"] == pytest.approx(scipy.stats.kendalltau(gold[known], -metric[known])[0])
    assert "mine: 1 segment unscored and left out" in table.notes
    assert any("trained on this suite" in note for note in table.notes)


def test_faults_are_named():
    batch = Batch(["x", "y"])
    card = file_card(Path("mine.tsv"))
    with pytest.raises(InputError, match="no human scores"):
        tables(Judged(batch), [])
    with pytest.raises(InputError, match="mine has 1 score for a judged set of 2 segments"):
        tables(Judged(batch, {"da": np.ones(2)}), [Measured("mine", card, values=np.ones(1))])


def test_scores_read_upside_down_are_named():
    gold = np.arange(30.0)
    for words, values, warned in (
        ([], -gold, True),
        (["lower"], -gold, False),
        ([], gold, False),
        (["lower"], gold, True),
    ):
        card = file_card(Path("mine.tsv"), words)
        _, table = tables(Judged(Batch(["x"] * 30), {"da": gold}), [Measured("mine", card, values=values)])
        notes = [note for note in table.notes if "looks inverted" in note]
        assert bool(notes) == warned
        if warned:
            assert ("FILE:higher" if words else "FILE:lower") in notes[0] and "-1.00 or lower" in notes[0]
