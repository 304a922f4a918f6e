import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from assay.stats.detection import auroc, detection_draws, precision_at_recall, resamples

pairs = st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=60)


@given(pairs)
def test_auroc_equals_sklearn(rows):
    scores, labels = np.array([float(s) for s, _ in rows]), np.array([label for _, label in rows])
    if labels.all() or not labels.any():
        assert math.isnan(auroc(scores, labels))
    else:
        assert auroc(scores, labels) == pytest.approx(roc_auc_score(labels, scores))


def test_by_hand():
    scores = np.array([4.0, 3.0, 3.0, 1.0, 0.0])
    labels = np.array([True, False, True, False, False])
    # pairs: 4 beats 3, 1, 0; 3 ties with 3 and beats 1, 0: (3 + 2.5) / 6
    assert auroc(scores, labels) == pytest.approx(5.5 / 6)
    # positives 3 and 4: the 0.1 quantile is 3.1, above which lies one positive and nothing else
    assert precision_at_recall(scores, labels) == 1.0
    # the 0 quantile is 3: two positives, one negative
    assert precision_at_recall(scores, labels, 1.0) == pytest.approx(2 / 3)
    assert math.isnan(precision_at_recall(scores, np.zeros(5, bool)))


@given(pairs, st.integers(0, 5))
def test_draws_equal_the_plain_functions_on_each_resample(rows, seed):
    scores, labels = np.array([float(s) for s, _ in rows]), np.array([label for _, label in rows])
    if labels.all() or not labels.any():
        return
    drawn = resamples(labels.sum(), (~labels).sum(), np.random.default_rng(seed), 5)
    areas, precisions = detection_draws(scores, labels, drawn)
    for i in range(5):
        positives = scores[labels][drawn.positives[i]]
        negatives = np.repeat(scores[~labels], drawn.negatives[i])
        again = np.concatenate([positives, negatives])
        truth = np.arange(len(again)) < len(positives)
        assert areas[i] == pytest.approx(auroc(again, truth))
        assert precisions[i] == pytest.approx(precision_at_recall(again, truth))
