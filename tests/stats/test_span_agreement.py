"""Span agreement against the published implementation's scores and a few hand calculations."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.stats.span_agreement import SpanVariant, span_agreement
from tests.data import SHARED

EXPECTED = SHARED / "expected" / "span_mpp.jsonl.gz"
PLAIN = "MPP/one_to_one-optimal/micro/penalty=0"


def collections() -> list[dict[str, Any]]:
    with gzip.open(EXPECTED, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    whole = next(row for row in rows if row["id"] == "wmt23-en-de-all")
    places = {tuple(cell): k for k, cell in enumerate(whole["cells"])}
    for row in rows:
        if "predictions" not in row:
            chosen = [places[tuple(cell)] for cell in row["cells"]]
            row |= {side: [whole[side][k] for k in chosen] for side in ("predictions", "references")}
    return rows


@pytest.mark.real
@pytest.mark.skipif(not EXPECTED.exists(), reason="the expected scores are not beside the repository")
def test_every_score_of_the_published_implementation() -> None:
    compared, wrong = 0, []
    for row in collections():
        for variant, scores in row["scores"].items():
            compared += 1
            if span_agreement(row["predictions"], row["references"], variant) != pytest.approx(scores, abs=1e-9, rel=0):
                wrong.append((row["id"], variant))
    assert not wrong
    assert compared == 25_620


def test_by_hand() -> None:
    predicted = [[(0, 4, "target", "major"), (10, 12, "target", "minor")], []]
    gold = [[(2, 6, "target", "minor")], []]
    # MPP: the first prediction has half of its characters right, the second none; half of the reference is covered.
    assert span_agreement(predicted, gold, PLAIN) == pytest.approx((0.25, 0.5, 1 / 3))
    assert span_agreement(predicted, gold, PLAIN.replace("=0", "=1")) == (0, 0, 0)
    # The empty segment counts as right in a macro average.
    assert span_agreement(predicted, gold, PLAIN.replace("micro", "macro")) == pytest.approx(
        (0.625, 0.75, (1 / 3 + 1) / 2)
    )
    assert span_agreement(predicted, gold, "WMT25/many_to_many/micro/penalty=0") == pytest.approx((2 / 6, 2 / 4, 0.4))
    assert span_agreement(predicted, gold, "MP/one_to_one-greedy/micro/penalty=0") == pytest.approx((0.5, 1, 2 / 3))
    assert span_agreement(predicted, gold, "EM/many_to_many/micro/penalty=0") == (0, 0, 0)
    assert span_agreement([], [], PLAIN) == (1, 1, 1)


def test_spans_on_the_source_and_the_target_never_match() -> None:
    assert span_agreement([[(0, 4, "source", "major")]], [[(0, 4, "target", "major")]], PLAIN) == (0, 0, 0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("MPP", "four parts"),
        ("F1/one_to_one-optimal/micro/penalty=0", "'F1' is not one of EM, MP, MPP"),
        ("MPP/one_to_one-optimal/micro/penalty=2", "X from 0 to 1"),
        ("MPP/one_to_one-optimal/micro/weights=w9", "weights=w1|w2"),
        ("EM/one_to_one-optimal/micro/weights=w1", "for MPP only"),
    ],
)
def test_unknown_variants_are_rejected(name: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        SpanVariant.parse(name)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("predicted", "message"),
    [
        ([[(4, 4, "target", "major")]], "segment 1: span 4 to 4"),
        ([[(-1, 4, "target", "major")]], "segment 1: span -1 to 4"),
        ([[(0, 4, "target")]], "segment 1: a span must be"),
        ([[(0, 4, "target", 1)]], "must be strings"),
        ([[(0.5, 4, "target", "major")]], ""),
        ([[(0, 10**30, "target", "major")]], "too big"),
        ([[]] * 2, "must match"),
        ([3], "sequence of spans"),
    ],
)
def test_malformed_spans_are_rejected(predicted: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        span_agreement(predicted, [[(0, 4, "target", "major")]], PLAIN)
    assert message in str(error.value)


def test_a_severity_without_weight_is_rejected() -> None:
    with pytest.raises(InputError, match="'neutral' has no weight"):
        span_agreement([[(0, 4, "target", "neutral")]], [[]], "MPP/one_to_one-optimal/micro/weights=w1")
