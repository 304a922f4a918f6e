"""The scores that WMT23 stored of BERTScore, YiSi-1 and MEE4, where the encoders that they were made with are on this machine."""

from __future__ import annotations

import os

import numpy as np
import pytest

from assay.core.errors import MissingPart
from assay.io.wmt.tree import read_eval_set
from assay.metrics import metric
from tests.data import need

CASES = {
    # The baseline's encoders are bert-score's own by language; its scores are F1 without idf or rescaling.
    "BERTscore": ("bertscore:model=bert-base-multilingual-cased,precision=fp32", 1e-3),
    # Its encoder, layer and weights are not stated with the scores: the order of segments must agree, not the numbers.
    "YiSi-1": ("yisi1:model=bert-base-multilingual-cased,precision=fp32", None),
    "MEE4": (f"mee4:vectors={os.environ.get('ASSAY_WORD_VECTORS', '')},precision=fp32", 1e-2),
}


@pytest.mark.real
@pytest.mark.parametrize("name", CASES)
def test_stored_scores(name: str) -> None:
    from assay.core.batch import Batch

    spec, most = CASES[name]
    folder = need("data", "wmt23")
    if name == "MEE4" and not os.environ.get("ASSAY_WORD_VECTORS"):
        pytest.skip("MEE4 needs fastText's German vectors: ASSAY_WORD_VECTORS=cc.de.300.vec")
    try:
        made = metric(spec)
    except MissingPart as missing:
        pytest.skip(str(missing))
    found = read_eval_set(folder, "en-de")
    theirs = np.asarray(found.metrics.at(f"{name}-refA", "seg"))
    row = next(at for at, system in enumerate(found.systems) if system != "refA" and not np.isnan(theirs[at]).any())
    translations = found.outputs[found.systems[row]]
    ours = made.score(Batch(tuple(translations), references=(tuple(found.references["refA"]),))).values
    theirs = theirs[row]
    if most is not None:
        assert np.nanmax(np.abs(ours - theirs)) < most
    assert np.corrcoef(ours, theirs)[0, 1] > 0.9
