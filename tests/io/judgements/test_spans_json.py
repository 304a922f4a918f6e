import json

import numpy as np
import pytest

from assay.core.errors import InputError, UnknownName
from assay.io.judgements.spans_json import parse_spans, read_ratings
from assay.io.wmt.tree import read_eval_set
from tests.data import need

SOURCES = ["a source", "another"]
OUTPUTS = {"A": ["ein Text", "noch einer"]}


def error(**fields):
    return {
        "start": 0,
        "end": 3,
        "category": "fluency",
        "severity": "minor",
        "score": 1.0,
        "is_source_error": False,
        **fields,
    }


def ratings(*errors):
    return f"A\t{json.dumps({'errors': list(errors)})}\nA\tNone\n".encode()


def test_spans_scores_and_unseen_segments():
    found = read_ratings(
        ratings(error(), error(start=2, end=8, is_source_error=True, score=5)), "f", SOURCES, OUTPUTS, "r1"
    )
    first, second = found["A"]
    assert second is None
    assert first.score == -6
    assert first.rater == "r1"
    assert [(span.side, span.text) for span in first.spans] == [("target", "ein"), ("source", "source")]


def test_the_rater_may_stand_in_a_third_column():
    found = read_ratings(b'A\t{"errors": []}\trater7\nA\tNone\n', "f", SOURCES, OUTPUTS)
    assert (found["A"][0].rater, found["A"][0].spans, found["A"][0].score) == ("rater7", (), 0.0)


def test_esa_lists_and_omissions():
    spans = parse_spans(
        [
            {"start_i": 4, "end_i": 8, "severity": "Major"},
            {"start_i": "missing", "end_i": "missing", "severity": "minor"},
        ],
        "a source",
        "ein Text",
        "f",
    )
    assert [(span.side, span.text, span.severity) for span in spans] == [
        ("target", "Text", "major"),
        ("source", "", "minor"),
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (ratings(error(end=9)), "f line 1: span 0:9 is outside the target, which has 8 characters"),
        (ratings(error(start=-1)), "span -1:3 is outside"),
        (ratings(error(start=3, end=1)), "span 3:1 is outside"),
        (ratings(error(start="x")), "whole numbers"),
        (ratings(error(start=True)), "the start and end of a span must be whole numbers, not true and 3"),
        (ratings(error(severity="huge")), "severity 'huge' is unknown"),
        (b"A\t{\nA\tNone\n", "f line 1: not a rating"),
        (b"A\t[]\nA\tNone\n", "not a rating"),
        (b"A\tNone\n", "system 'A' has 1 rating, expected 2"),
        (b"A\tNone\n" * 3, "line 3: system 'A' has more than 2 ratings"),
        (b"A\n", "SYSTEM<TAB>JSON"),
    ],
)
def test_faults_are_named(data, message):
    with pytest.raises(InputError, match=message):
        read_ratings(data, "f", SOURCES, OUTPUTS)


def test_unknown_systems_are_named():
    with pytest.raises(UnknownName, match=r"unknown system 'B'.*f line 1"):
        read_ratings(b"B\tNone\n", "f", SOURCES, OUTPUTS)


@pytest.mark.real
@pytest.mark.slow
def test_wmt23_segment_scores_are_the_means_of_the_raters():
    """The stored mqm.seg.score follows from the ratings, but for three cells of refA in zh-en that no rating file has."""
    for pair, alone in (("en-de", 0), ("zh-en", 3)):
        found = read_eval_set(need("data", "wmt23"), pair)
        total, raters = np.zeros((2, len(found.systems), len(found.sources)))
        for rater in found.raters:
            for system, row in found.ratings(rater).items():
                for segment, judgement in enumerate(row):
                    if judgement is not None:
                        total[found.systems.index(system), segment] += judgement.score
                        raters[found.systems.index(system), segment] += 1
        gold = found.human.at("mqm", "seg")
        rated = raters > 0
        assert np.abs(total[rated] / raters[rated] - gold[rated]).max() < 1e-9
        assert int((~np.isnan(gold) & ~rated).sum()) == alone
