from __future__ import annotations

import lzma
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.core.spans import ErrorSpan
from assay.io.table.bad_rows import BadRows
from assay.models.training.hallucinations import Shares, hallucinate, oscillation, trigram_vectors
from assay.models.training.records import Record, ZRange, mqm_unit, practical_range, scaled, tags
from assay.models.training.sources import read_assessments
from tests.data import need


def span(text: str, start: int, end: int, severity: str) -> ErrorSpan:
    return ErrorSpan.of(text, start, end, severity)


def test_tags_take_the_worst_severity_that_touches_a_subword() -> None:
    text = "the red cat"
    offsets = [(0, 3), (3, 7), (7, 9), (9, 11)]  # "the", " red", " c", "at"
    marked = [span(text, 4, 9, "minor"), span(text, 8, 9, "critical"), span(text, 2, 3, "neutral")]
    assert tags(offsets, text, marked) == [0, 1, 3, 0]


def test_a_space_before_a_word_does_not_make_it_wrong() -> None:
    assert tags([(0, 1), (1, 3)], "a b", [span("a b", 0, 2, "major")]) == [2, 0]


def test_empty_spans_mark_one_character_and_source_spans_none() -> None:
    text = "ab"
    assert tags([(0, 1), (1, 2)], text, [span(text, 2, 2, "minor")]) == [0, 1]
    assert tags([(0, 1), (1, 2)], text, [ErrorSpan.of(text, 0, 1, "major", side="source")]) == [0, 0]
    assert tags([(0, 0), (0, 1)], text, [span(text, 0, 1, "major")], ignore=[0]) == [-1, 2]


def test_mqm_becomes_a_score_by_equation_6() -> None:
    assert [mqm_unit(e) for e in (0, 1, 5, 10, 25, 40)] == pytest.approx([1, 0.96, 0.8, 0.6, 0, 0])


def test_z_scores_are_scaled_between_unanimous_0_and_100() -> None:
    z = [(-2.0, 0), (-1.0, 0), (1.0, 100), (2.0, 100), (0.0, None), (9.0, None)]
    records = [Record("s", "h", score=score, scale="z", unanimous=raw) for score, raw in z]
    found = practical_range(records)
    assert found == ZRange(-1.5, 1.5)
    # (0 + 1.5) / 3 = 0.5; beyond the range is cut
    assert [r.score for r in scaled(records, found)] == pytest.approx([0, 1 / 6, 5 / 6, 1, 0.5, 1])
    assert practical_range(records[:2]) is None
    with pytest.raises(InputError, match="smaller first"):
        ZRange(1, 0)


@pytest.mark.real
def test_the_practical_range_of_newstest2020() -> None:
    zeros, hundreds, records = [], [], []
    for pair in ("en-de", "zh-en"):
        path = need("data", "wmt_da", f"wmt20.{pair}.tsv.xz")
        with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            for line in list(lines)[1:]:
                cells = line.rstrip("\n").split("\t")
                if int(cells[9]) > 1 and float(cells[7]) in (0.0, 100.0):
                    (zeros if float(cells[7]) == 0 else hundreds).append(float(cells[8]))
        records += list(read_assessments(Path(path), BadRows()))
    assert (len(records), len(zeros), len(hundreds)) == (17_173, 10, 128)
    found = practical_range(records)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((mean(zeros), mean(hundreds)))


def sentences(n: int) -> list[Record]:
    return [
        Record(
            f"quelle {i} {'hund' if i % 2 else 'katze'}",
            f"hypothesis number {i}",
            f"reference {i}",
            1.0,
            (),
            "de-en",
            "x",
        )
        for i in range(n)
    ]


def test_hallucinations_are_critical_and_worth_nothing() -> None:
    records = sentences(200)
    made = hallucinate(records, Shares(0.1, 0.1, 0.1), seed=3)
    assert len(made) == 60
    for one in made:
        assert one.score == 0.0
        assert one.spans is not None
        assert one.spans[0].severity == "critical"
        assert one.spans[0].text == one.hypothesis[one.spans[0].start : one.spans[0].end]
    detached = [one for one in made if "oscillatory" not in one.origin]
    own = {record.source: record.hypothesis for record in records}
    assert all(own[one.source] != one.hypothesis in own.values() for one in detached)
    assert made == hallucinate(records, Shares(0.1, 0.1, 0.1), seed=3)
    assert made != hallucinate(records, Shares(0.1, 0.1, 0.1), seed=4)


def test_a_similar_hallucination_comes_from_the_nearest_source() -> None:
    animals = [
        "der grosse hund bellt laut",
        "der grosse hund bellt leise",
        "vier autos parken dort",
        "vier autos parken hier",
    ]
    records = [Record(text, f"translation {i}", langpair="de-en") for i, text in enumerate(animals)]
    made = hallucinate(records, Shares(similar=1.0), seed=1)
    nearest = {0: 1, 1: 0, 2: 3, 3: 2}
    assert {animals.index(one.source): int(one.hypothesis[-1]) for one in made} == nearest

    def by_number(texts: Sequence[str]) -> np.ndarray:
        return np.eye(2, dtype=np.float32)[[animals.index(text) % 2 for text in texts]]

    made = hallucinate(records, Shares(similar=1.0), seed=1, embed=by_number)
    assert {animals.index(one.source): int(one.hypothesis[-1]) for one in made} == {0: 2, 1: 3, 2: 0, 3: 1}


def test_oscillations_repeat_two_to_four_words_one_to_ten_times() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        made = oscillation("a b c d e f g", rng)
        assert made is not None
        text, start, end = made
        again = text[start:end].split()
        rest = text[:start].split() + text[end:].split()
        assert rest == list("abcdefg")
        sizes = [
            n
            for n in (2, 3, 4)
            if len(again) % n == 0 and again == again[:n] * (len(again) // n) and len(again) // n <= 10
        ]
        assert sizes
        assert "".join(again[: sizes[0]]) in "abcdefg"
    assert oscillation("alone", rng) is not None  # characters serve where there are no spaces
    assert oscillation("x", rng) is None


def test_trigram_vectors_have_length_one() -> None:
    vectors = trigram_vectors(["der hund", "der hund bellt", "ganz anders"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert not math.isnan(float(trigram_vectors([""])[0, 0]))
