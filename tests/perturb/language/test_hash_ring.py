from __future__ import annotations

from collections import Counter

import numpy as np

from assay.perturb.language.hash_ring import HashRing, draw_text

WORDS = [f"word{n}" for n in range(40)]


def test_every_option_is_drawn_about_as_often() -> None:
    ring, rng = HashRing(WORDS, str), np.random.default_rng(0)
    counts = Counter(ring.draw(rng) for _ in range(8000))
    assert set(counts) == set(WORDS) and len(ring) == 40 * 32
    assert min(counts.values()) > 80 and max(counts.values()) < 400  # 200 on average


def test_one_more_option_changes_few_draws() -> None:
    before, after = HashRing(WORDS, str), HashRing([*WORDS, "another"], str)
    draws = [(before.draw(np.random.default_rng(n)), after.draw(np.random.default_rng(n))) for n in range(2000)]
    changed = [new for old, new in draws if old != new]
    assert set(changed) == {"another"} and len(changed) < 120  # a share of 1 in 41


def test_order_and_repetition_of_the_options_do_not_matter() -> None:
    for n in range(50):
        one, other = (draw_text(words, np.random.default_rng(n)) for words in (WORDS, WORDS[::-1] + WORDS[:7]))
        assert one == other
