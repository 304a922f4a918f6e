from pathlib import Path

import numpy as np
import pytest
import sacrebleu

from assay.engine.measure import measure_systems
from assay.io.wmt.tree import read_eval_set
from assay.metrics import metric
from assay.suites.wmt import facts
from tests import wmt
from tests.data import need


def test_levels_against_sacrebleu(tmp_path: Path):
    wmt.make_pair(tmp_path, "en-de")
    found = read_eval_set(tmp_path, "en-de")
    scores = measure_systems(found, "refA", metric("chrf"))
    texts, reference = found.outputs["B"], found.references["refA"]
    assert scores.seg[1, 2] == pytest.approx(sacrebleu.sentence_chrf(texts[2], [reference[2]]).score)
    assert scores.sys[1] == pytest.approx(sacrebleu.corpus_chrf(texts, [reference]).score)
    assert scores.domain[1, 1] == pytest.approx(sacrebleu.corpus_chrf(texts[6:], [reference[6:]]).score)
    assert np.isnan(scores.sys[4])


def test_lower_is_better_is_turned_round(tmp_path: Path):
    wmt.make_pair(tmp_path, "en-de")
    found = read_eval_set(tmp_path, "en-de")
    scores = measure_systems(found, "refA", metric("ter"))
    assert scores.sys[1] == pytest.approx(-sacrebleu.corpus_ter(found.outputs["B"], [found.references["refA"]]).score)


@pytest.mark.real
@pytest.mark.parametrize(("spec", "official"), [("chrf", "chrF"), ("bleu", "BLEU")])
@pytest.mark.parametrize("pair", ["en-de", "he-en", "zh-en"])
def test_our_scores_are_the_official_ones_of_wmt23(pair: str, spec: str, official: str):
    found = read_eval_set(need("data", "wmt23"), pair)
    reference = facts("wmt23").langpairs[pair].standard_reference
    ours, stored = measure_systems(found, reference, metric(spec)), found.metrics[f"{official}-{reference}"]
    for level in ("seg", "sys", "domain"):
        a, b = ours.at(level), stored.at(level)
        assert np.array_equal(np.isnan(a), np.isnan(b))
        assert np.nanmax(np.abs(a - b)) < 1e-9
