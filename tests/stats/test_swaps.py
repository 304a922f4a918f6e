from __future__ import annotations

import numpy as np
import pytest

from assay.stats.swaps import masked_sums


def test_masked_sums_are_sums_under_masks():
    rng = np.random.default_rng(5)
    masks, rows = rng.random((37, 101)) < 0.5, rng.normal(size=(11, 101))
    assert masked_sums(masks, rows) == pytest.approx(masks.astype(float) @ rows.T, abs=1e-12)
