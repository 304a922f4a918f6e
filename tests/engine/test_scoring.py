"""Scoring a batch: parts through the store, runs that were stopped between them, metrics that break their contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core import Batch, Card, InputError, Metric, Scores, Signature
from assay.engine.scoring import may_mark_spans, score
from assay.engine.store import Store


class Packed(Metric):
    """A metric whose numbers tell with how many rows a row was packed, as a neural metric's last digits do."""

    card = Card("packed", "packed", "source", True, (0, None), "rows scored together", kind="learned", stored=True)

    def __init__(self, stop_at: int | None = None) -> None:
        self.stop_at, self.sizes = stop_at, list[int]()

    @property
    def signature(self) -> Signature:
        return Signature.of("packed", 1)

    def score(self, batch: Batch) -> Scores:
        if len(self.sizes) == self.stop_at:
            raise KeyboardInterrupt
        self.sizes.append(len(batch))
        return Scores(np.full(len(batch), float(len(batch))))


def rows(n: int) -> Batch:
    return Batch([f"text {i}" for i in range(n)], sources=[f"source {i}" for i in range(n)])


@pytest.mark.parametrize("stops", [[1], [3], [5], [1, 0, 2, 1]])
def test_a_stopped_run_goes_on_with_the_parts_it_would_have_had(tmp_path: Path, stops: list[int]) -> None:
    """3,000 rows are 64 + 128 + 256 + 512 + 1024 + 1016, wherever they were stopped."""
    sizes = [64, 128, 256, 512, 1024, 1016]
    for parts in stops:
        with pytest.raises(KeyboardInterrupt):
            score(rows(3000), Packed(parts), store=Store(tmp_path))
    last = Packed()
    values = score(rows(3000), last, store=Store(tmp_path)).values
    assert last.sizes == sizes[sum(stops) :]
    assert values.tolist() == [float(size) for size in sizes for _ in range(size)]


def test_what_is_missing_here_and_there_is_scored_together(tmp_path: Path) -> None:
    """Every tenth of 9,000 rows is missing: one call, not one for each part that the rows lie in."""
    every, store = rows(9000), Store(tmp_path)
    score(every.select([i for i in range(9000) if i % 10]), Packed(), store=store)
    rest = Packed()
    score(every, rest, store=store)
    assert rest.sizes == [900]
    again = Packed()
    score(every, again, store=store)
    assert again.sizes == []


class Broken(Metric):
    card = Card("broken", "Broken", "either", True, (0, 1), "breaks its contract")
    gives: Any = None

    @property
    def signature(self) -> Signature:
        return Signature.of("broken", 1)

    def score(self, batch: Batch) -> Scores:
        given: Scores = self.gives
        return given


@pytest.mark.parametrize(
    ("gives", "words"),
    [
        ([0.5, 0.5], r"score of the metric broken \(.*test_scoring\.py line \d+\) returned list, not assay\.Scores"),
        (
            Scores(np.zeros(3)),
            r"score of the metric broken \(.*test_scoring\.py line \d+\) returned 3 scores for 2 segments",
        ),
    ],
)
def test_a_metric_that_breaks_its_contract_is_told_by_name(gives: Any, words: str) -> None:
    metric = Broken()
    metric.gives = gives
    with pytest.raises(InputError, match=words):
        score(Batch(["a", "b"], sources=["c", "d"]), metric)


@pytest.mark.parametrize("verb", ["score", "spans"])
def test_a_metric_without_spans_is_refused_before_the_texts_are_scored(verb: str, tmp_path: Path) -> None:
    import assay

    metric, texts = Packed(), ["one text", "another one"]
    if verb == "score":
        with pytest.raises(InputError, match="packed does not mark error spans"):
            assay.score(texts, sources=texts, metrics=[metric], spans=True, store=False)
    else:
        gold = tmp_path / "gold.jsonl"
        span = '[{"start": 0, "end": 3, "severity": "minor"}]'
        gold.write_text(
            "".join(f'{{"src": "{t}", "mt": "{t}", "langpair": "en-de", "spans": {span}}}\n' for t in texts)
        )
        with pytest.raises(InputError, match="packed marks no error spans"):
            assay.spans(gold, metrics=[metric], store=False)
    assert metric.sizes == [1], "one invented segment"


def test_a_judge_is_not_asked_whether_it_marks_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.metrics import metric

    monkeypatch.setenv("ASSAY_LLM_MODEL", "none")
    assert may_mark_spans(metric("judge-mqm:model=none")) and not may_mark_spans(metric("judge-da:model=none"))


def test_a_metric_that_fails_on_an_invented_segment_is_left_to_the_run() -> None:
    metric = Broken()
    assert may_mark_spans(metric)
