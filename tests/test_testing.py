from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Card, Metric, Scores, Signature
from assay.core.spans import ErrorSpan
from assay.metrics import METRICS, metric
from assay.metrics.chrf import Chrf
from assay.testing import ContractViolation, check_metric, example_batch


@pytest.mark.parametrize("name", METRICS.entries)
def test_ours_keep_the_contract(name):
    if importlib.util.find_spec(METRICS.entries[name].partition(":")[0]) is None:
        pytest.skip(f"{name} is not written yet")
    try:
        made = metric(name)
        check_metric(made)
    except MissingPart as missing:
        pytest.skip(str(missing))


def test_options_too():
    check_metric(Chrf(char_order=3, lowercase=True))


def test_the_example_for_newcomers_too():
    page = (Path(__file__).resolve().parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = page.partition("```python\n")[2].partition("```")[0]
    made: dict[str, type[Metric]] = {}
    exec(example, made)
    check_metric(made["Length"]())
    check_metric(made["Length"](power=2.0))


class Overlap(Metric):
    """A metric as a third party would write it: share of the best reference's distinct words."""

    card = Card("overlap", "Overlap", "reference", True, (0.0, 1.0), "share of words")

    def __init__(self, *, lowercase: bool = False) -> None:
        self.lowercase = lowercase

    @property
    def signature(self) -> Signature:
        return Signature.of("overlap", 1, lowercase=self.lowercase)

    def words(self, text: str) -> set[str]:
        return set((text.lower() if self.lowercase else text).split())

    def score(self, batch: Batch) -> Scores:
        if not batch.references:
            raise InputError("overlap needs a reference.")
        rows = zip(batch.hypotheses, *batch.references, strict=True)
        return Scores(np.array([self.best(hyp, refs) for hyp, *refs in rows], np.float64))

    def best(self, hypothesis: str, references: list[str | None]) -> float:
        found = self.words(hypothesis)
        wanted = [self.words(reference) for reference in references if reference is not None]
        return max(len(found & words) / max(1, len(found | words)) for words in wanted)


class SourceOnly(Metric):
    """A metric without references: how near the lengths are."""

    card = Card("lengths", "Lengths", "source", True, (0.0, 1.0), "nearness of lengths")

    @property
    def signature(self) -> Signature:
        return Signature.of("lengths", 1)

    def score(self, batch: Batch) -> Scores:
        if batch.sources is None:
            raise InputError("lengths needs a source.")
        pairs = [(len(h) + 1, len(s) + 1) for h, s in zip(batch.hypotheses, batch.sources, strict=True)]
        spans = [(ErrorSpan.of(h, 0, len(h) // 2, "minor"),) for h in batch.hypotheses]
        flags = {"empty": np.array([h == "" for h in batch.hypotheses], bool)}
        return Scores(np.array([min(p) / max(p) for p in pairs], np.float64), spans=spans, flags=flags)


@pytest.mark.parametrize("made", [Overlap(), Overlap(lowercase=True), SourceOnly()])
def test_third_parties_pass(made):
    check_metric(made)


def test_a_batch_of_ones_own():
    class GermanOnly(Overlap):
        def score(self, batch: Batch) -> Scores:
            if any(pair != "en-de" for pair in batch.langpairs or ()):
                raise InputError("only en-de, please.")
            return super().score(batch)

    german = Batch(["ein Haus", "zwei"], references=(["ein Haus", "zwei Mäuse"],), langpairs=["en-de", "en-de"])
    check_metric(GermanOnly(), german)
    assert violated_clause(GermanOnly()) == "score"


def violated_clause(made: Metric) -> str:
    with pytest.raises(ContractViolation) as caught:
        check_metric(made)
    assert isinstance(caught.value, AssertionError)
    assert f"{type(made).__name__} violates the contract, clause {caught.value.clause!r}" in str(caught.value)
    return caught.value.clause


class Tampered(Overlap):
    """Overlap whose scores are changed afterwards."""

    def score(self, batch: Batch) -> Scores:
        return self.tamper(super().score(batch), batch)

    def tamper(self, scores: Scores, batch: Batch) -> Scores:
        raise NotImplementedError


def tampered(change, **members):
    return type("Changed", (Tampered,), {"tamper": lambda self, scores, batch: change(scores, batch), **members})()


@pytest.mark.parametrize(
    ("clause", "change"),
    [
        ("values", lambda s, b: replace(s, values=s.values[1:])),
        ("values", lambda s, b: replace(s, values=s.values.astype(np.float32))),
        ("values", lambda s, b: replace(s, values=s.values.tolist())),
        ("values", lambda s, b: replace(s, values=s.values[:, None])),
        ("components", lambda s, b: replace(s, components={"x": np.zeros(len(b) + 1)})),
        ("stats", lambda s, b: replace(s, stats=np.zeros(len(b)))),
        ("stats", lambda s, b: replace(s, stats=np.full((len(b), 2), np.nan))),
        ("flags", lambda s, b: replace(s, flags={"odd": np.zeros(len(b), np.int8)})),
        ("flags", lambda s, b: replace(s, flags={"odd": np.zeros(len(b) + 1, bool)})),
        ("spans", lambda s, b: replace(s, spans=[()] * (len(b) + 1))),
        ("spans", lambda s, b: replace(s, spans=[("a",)] * len(b))),
        ("spans", lambda s, b: replace(s, spans=[(ErrorSpan("target", 0, 1, "minor", "", "@"),)] * len(b))),
        ("spans", lambda s, b: replace(s, spans=[(ErrorSpan("source", 0, 10**6, "minor", "", "@"),)] * len(b))),
        ("range", lambda s, b: replace(s, values=s.values * 100)),
        ("range", lambda s, b: replace(s, values=s.values - np.inf)),
        ("batch size", lambda s, b: replace(s, values=s.values / max(1, len(b)))),
        ("batch size", lambda s, b: replace(s, flags={"small": np.full(len(b), len(b) < 3)})),
        ("order", lambda s, b: replace(s, values=s.values if len(b) <= 15 else s.values[::-1].copy())),
        ("combine", lambda s, b: replace(s, stats=np.zeros((len(b), 2)))),
    ],
)
def test_tampered_scores(clause, change):
    assert violated_clause(tampered(change)) == clause


def test_order_alone():
    # a value that depends on the neighbour in front shows up in parts as well: batch size is checked first
    assert violated_clause(tampered(lambda s, b: replace(s, values=np.maximum.accumulate(s.values)))) == "batch size"


def test_repeated():
    class Drifting(Overlap):
        calls = 0

        def score(self, batch: Batch) -> Scores:
            Drifting.calls += 1
            return replace(scores := super().score(batch), values=scores.values / Drifting.calls)

    assert violated_clause(Drifting()) == "repeated"


def test_threads():
    import threading

    class MainOnly(Overlap):
        def score(self, batch: Batch) -> Scores:
            scores = super().score(batch)
            return (
                scores
                if threading.current_thread() is threading.main_thread()
                else replace(scores, values=scores.values * 0)
            )

    assert violated_clause(MainOnly()) == "threads"


def test_empty_batch():
    def crash_on_none(scores, batch):
        return batch.hypotheses[0] and scores

    assert violated_clause(tampered(crash_on_none)) == "empty batch"


def test_empty_texts():
    class Dividing(Overlap):
        def best(self, hypothesis: str, references: list[str | None]) -> float:
            return super().best(hypothesis, references) / len(hypothesis) ** 0

        def words(self, text: str) -> set[str]:
            return {text.split()[0]}

    assert violated_clause(Dividing()) == "empty texts"


def test_needs_reference():
    class Lenient(Overlap):
        def score(self, batch: Batch) -> Scores:
            return super().score(batch) if batch.references else Scores(np.zeros(len(batch)))

    class Crashing(Overlap):
        def score(self, batch: Batch) -> Scores:
            return super().score(batch) if batch.references else Scores(np.array(batch.references))

    class Typed(Overlap):
        def score(self, batch: Batch) -> Scores:
            if not batch.references:
                raise KeyError("references")
            return super().score(batch)

    assert violated_clause(Lenient()) == violated_clause(Crashing()) == violated_clause(Typed()) == "needs"


def test_needs_source():
    class Lenient(SourceOnly):
        card = replace(SourceOnly.card, needs="both")

        def score(self, batch: Batch) -> Scores:
            if not batch.references:
                raise InputError("no reference.")
            return super().score(replace(batch, sources=batch.sources or [""] * len(batch)))

    assert violated_clause(Lenient()) == "needs"


def test_lacking_reference():
    class Strict(Overlap):
        def best(self, hypothesis: str, references: list[str | None]) -> float:
            return super().best(hypothesis, [reference or "" for reference in references]) / len(references)

    assert violated_clause(Strict()) == "lacking reference"


def test_direction():
    assert violated_clause(tampered(lambda s, b: s, card=replace(Overlap.card, higher_is_better=False))) == "direction"
    # worst for the reference itself
    assert violated_clause(tampered(lambda s, b: replace(s, values=1 - s.values))) == "direction"
    assert violated_clause(tampered(lambda s, b: replace(s, values=np.full(len(b), np.nan)))) == "direction"
    check_metric(
        tampered(lambda s, b: replace(s, values=1 - s.values), card=replace(Overlap.card, higher_is_better=False))
    )


def test_equal_signatures():
    class Secretive(Overlap):
        """An option that changes numbers and is not in the signature, and that a new instance does not know."""

        def __init__(self) -> None:
            super().__init__()
            self.factor = 1.0

        def __setstate__(self, state: dict[str, object]) -> None:
            self.__dict__.update(state, factor=0.5)

        def score(self, batch: Batch) -> Scores:
            return replace(scores := super().score(batch), values=scores.values * self.factor)

    class Renaming(Overlap):
        @property
        def signature(self) -> Signature:
            return Signature.of("overlap", 1, at=id(self))

    changed = Overlap()
    changed.best = lambda hypothesis, references: 0.5  # a deepcopy keeps it, a new instance cannot
    assert violated_clause(Secretive()) == "equal signatures"
    assert violated_clause(Renaming()) == "equal signatures"
    assert violated_clause(changed) == "equal signatures"


def test_identity():
    class Changing(Overlap):
        version = 0

        @property
        def signature(self) -> Signature:
            Changing.version += 1
            return Signature.of("overlap", Changing.version)

    class Cardless(Overlap):
        card = None

    assert violated_clause(Changing()) == "signature"
    assert violated_clause(Cardless()) == "card"


def test_combine():
    class Flat(Overlap):
        def combine(self, stats):
            return np.asarray(stats[0] / stats[1])

    class Crashing(Overlap):
        def combine(self, stats):
            return stats[..., 7]

    class Ranked(Overlap):
        def combine(self, stats):
            return super().combine(stats) * 10

    class Odd(Overlap):
        def combine(self, stats):
            return super().combine(stats) * (0.5 if stats.ndim == 1 else 1)

    for made in (Flat(), Crashing(), Ranked(), Odd()):
        assert violated_clause(made) == "combine"


def test_a_missing_part_is_not_a_broken_contract():
    class Uninstalled(Overlap):
        def score(self, batch: Batch) -> Scores:
            raise MissingPart("install it first.")

    with pytest.raises(MissingPart, match="install it first"):
        check_metric(Uninstalled())


def test_example_batch_is_what_it_says():
    batch = example_batch()
    assert len(batch) == 15
    assert len(set(batch.langpairs or ())) == 10
    assert batch.nrefs == 2
    assert any("\0" in text for text in batch.hypotheses)
    assert any("\ud800" <= char <= "\udfff" for text in batch.hypotheses for char in text)
