"""The texts on which TER and chrF are compared with sacrebleu, and hashes of the statistics that sacrebleu counts on them.

sacrebleu takes minutes for all of these texts. `scripts/make_sacrebleu_fixture.py` stores a hash for each block of rows. The counts
are whole numbers, so equal hashes mean equal counts.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from assay.core import Batch
from assay.metrics import metric
from tests.corruption import corrupt
from tests.data import demetr_requests, ntrex

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "sacrebleu.json"
LANGUAGES = ("arb", "ces", "deu", "fra", "hin", "jpn", "kor", "rus", "tha", "zho-CN")
BLOCK = 100
ORIGINALS = {"ter": TER(), "chrf": CHRF(), "chrf++": CHRF(word_order=2)}
Row = tuple[str, tuple[str, ...]]
"""A hypothesis and its references."""


def with_second_reference(pairs: Sequence[tuple[str, str]]) -> list[Row]:
    """The undamaged translation of the same sentence (the first that DEMETR names) as a second reference."""
    first: dict[str, str] = {}
    for hypothesis, reference in pairs:
        first.setdefault(reference, hypothesis)
    return [(hypothesis, (reference, first[reference])) for hypothesis, reference in pairs]


@functools.cache
def cases() -> dict[str, list[Row]]:
    """DEMETR with one and with two references; ten languages against the line and against the damaged next line as well."""
    requests = demetr_requests()
    assert len(requests) == 31_918
    rows: dict[str, list[Row]] = {
        "demetr": [(hypothesis, (reference,)) for hypothesis, reference in requests],
        "demetr, two references": with_second_reference(requests)[::3],
    }
    for code in LANGUAGES:
        rng = random.Random(code)
        two = [(corrupt(a, rng), (a, corrupt(b, rng))) for a, b in itertools.pairwise(ntrex(code)[:1001])]
        rows[f"ntrex {code}"] = [(hypothesis, references[:1]) for hypothesis, references in two]
        rows[f"ntrex {code}, two references"] = list(two)
    return rows


def columns(rows: Sequence[Row]) -> tuple[list[str], tuple[tuple[str, ...], ...]]:
    """Hypotheses, and one column for each reference."""
    return [hypothesis for hypothesis, _ in rows], tuple(zip(*(references for _, references in rows), strict=True))


def original_statistics(name: str, rows: Sequence[Row]) -> list[list[float]]:
    """sacrebleu's statistics of every row."""
    statistics: list[list[float]] = ORIGINALS[name]._extract_corpus_statistics(*columns(rows))
    return statistics


def hashes(statistics: Sequence[Sequence[float]]) -> list[str]:
    """A hash for each block of rows."""
    table = np.asarray(statistics, dtype="<f8")
    starts = range(0, len(table), BLOCK)
    return [hashlib.blake2b(table[i : i + BLOCK].tobytes(), digest_size=6).hexdigest() for i in starts]


def assert_equals_sacrebleu(name: str) -> None:
    """Statistics equal the stored ones; scores are what sacrebleu computes from them, by segment and for the corpus."""
    stored = json.loads(FIXTURE.read_text())["hashes"][name]
    differing = []
    for case, rows in cases().items():
        hypotheses, references = columns(rows)
        scores = metric(name).score(Batch(hypotheses, references=references))
        assert scores.stats is not None and not scores.flags
        for block, (ours, theirs) in enumerate(zip(hashes(scores.stats), stored[case], strict=True)):
            if ours != theirs:
                differing += [(case, row) for row in _differing(name, rows, scores.stats, block)]
        _assert_scores(name, scores.values, scores.stats)
    assert not differing, differing[:5]


def _differing(name: str, rows: Sequence[Row], statistics: np.ndarray, block: int) -> list[Row]:
    """The rows of a block in which the statistics are not sacrebleu's."""
    span = slice(block * BLOCK, (block + 1) * BLOCK)
    theirs = original_statistics(name, rows[span])
    return [row for row, a, b in zip(rows[span], statistics[span].tolist(), theirs, strict=True) if a != list(b)]


def _assert_scores(name: str, values: np.ndarray, statistics: np.ndarray) -> None:
    """Segment and corpus scores are those that sacrebleu computes from its statistics."""
    original = ORIGINALS[name]
    integers = [[int(n) if n == int(n) else n for n in row] for row in statistics.tolist()]
    segments = [original._compute_score_from_stats(row).score for row in integers]
    np.testing.assert_allclose(values, segments, rtol=0, atol=1e-9)
    corpus = original._aggregate_and_compute(integers).score
    np.testing.assert_allclose(metric(name).combine(statistics.sum(axis=0)), corpus, rtol=0, atol=1e-9)
