"""The kernel for span agreement against its reference implementation, and its time on crowded segments."""

from __future__ import annotations

import random
import time

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels import _native
from assay.kernels.reference.span_agreement import span_credits

SPAN = st.tuples(
    st.integers(0, 12),
    st.integers(1, 6),
    st.sampled_from(["target", "source"]),
    st.sampled_from(["minor", "major", "critical"]),
).map(lambda span: (span[0], span[0] + span[1], span[2], span[3]))
SPANS = st.lists(SPAN, max_size=5)
WEIGHTS = {"minor": 0.2, "major": 1.0, "critical": 1.0}
SETTINGS = [
    *((measure, penalty, {}) for measure in ("EM", "MP", "MPP", "WMT25") for penalty in (0.0, 0.5, 1.0)),
    ("MPP", 0.0, WEIGHTS),
]
MATCHINGS = ("one_to_one-optimal", "one_to_one-greedy", "many_to_many")


@settings(max_examples=150)
@given(SPANS, SPANS)
def test_kernel_equals_reference(predicted: list[tuple], gold: list[tuple]) -> None:
    for measure, penalty, weights in SETTINGS:
        for matching in MATCHINGS:
            credits = _native.span_credits([predicted], [gold], measure, matching, penalty, weights)
            expected = span_credits([predicted], [gold], measure, matching, penalty, weights)
            np.testing.assert_allclose(credits, expected, rtol=0, atol=1e-9, err_msg=f"{measure} {matching} {penalty}")


def crowded(rng: random.Random, n: int) -> list[tuple[int, int, str, str]]:
    starts = [rng.randrange(400) for _ in range(n)]
    return [(start, start + rng.randrange(5, 200), "target", rng.choice(["minor", "major"])) for start in starts]


def test_crowded_segments_take_no_exponential_time() -> None:
    rng = random.Random(0)
    segments = [[crowded(rng, 60) for _ in range(3)] for _ in range(2)]
    segments[0].append([(0, 10, "target", "minor")] * 60)
    segments[1].append([(0, 9, "target", "minor")] * 60)
    start = time.process_time()
    credits = _native.span_credits(segments[0], segments[1], "MPP", "one_to_one-optimal", 0.5, {})
    assert time.process_time() - start < 20
    greedy = _native.span_credits(segments[0], segments[1], "MPP", "one_to_one-greedy", 0.5, {})
    f, f_greedy = (
        2 * c[:, 0] / c[:, 1] * c[:, 2] / c[:, 3] / (c[:, 0] / c[:, 1] + c[:, 2] / c[:, 3]) for c in (credits, greedy)
    )
    assert (f >= f_greedy - 1e-12).all()
    np.testing.assert_allclose(credits[3], [54.0, 60.0, 60.0, 60.0], atol=1e-9)
