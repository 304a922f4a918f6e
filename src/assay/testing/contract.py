"""Clauses of the metric contract, on which the engine, the statistics and the tables rely."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import AssayError, InputError, MissingPart
from assay.core.metric import Card, Metric, Scores, Signature, statistics
from assay.core.spans import ErrorSpan
from assay.testing.comparing import difference
from assay.testing.example import damaged, example_batch

if TYPE_CHECKING:
    from assay.core.metric import Floats


class ContractViolation(AssayError, AssertionError):
    """Violation of a clause in the contract; the message contains the clause and the observation."""

    exit_code = 1

    def __init__(self, metric: object, clause: str, observation: str) -> None:
        super().__init__(f"{type(metric).__name__} violates the contract, clause {clause!r}: {observation}")
        self.clause = clause


class Contract:
    """Contract check of one metric on one batch."""

    def __init__(self, metric: Metric, batch: Batch) -> None:
        self.metric, self.batch = metric, batch

    def check(self) -> None:
        """Raise `ContractViolation` for the first violated clause."""
        self.identity()
        self.whole = self.score("score", self.batch)
        for clause in (
            self.repeated,
            self.batch_size,
            self.order,
            self.threads,
            self.empty_batch,
            self.empty_texts,
            self.needs,
            self.lacking_reference,
            self.direction,
            self.copies,
            self.combine,
        ):
            clause()

    def violation(self, clause: str, observation: str) -> ContractViolation:
        """Return the error for a clause."""
        return ContractViolation(self.metric, clause, observation)

    def score(self, clause: str, batch: Batch, metric: Metric | None = None) -> Scores:
        """Return the scores for a batch, after checking the clauses that apply to all scores."""
        try:
            scores = (metric or self.metric).score(batch)
        except MissingPart:
            raise
        except Exception as error:
            raise self.violation(clause, f"score raised {type(error).__name__}: {error}") from error
        self.columns(scores, batch)
        self.range("range", scores.values)
        self.spans(scores, batch)
        return scores

    def same(self, clause: str, one: Scores, other: Scores, what: str) -> None:
        """Check that two results are the same, within the tolerance on the metric's card."""
        if observation := difference(one, other, self.metric.card.tolerance > 0, what):
            raise self.violation(clause, observation)

    def identity(self) -> None:
        """Check card and signature: both exist, and the signature never changes."""
        if not isinstance(getattr(self.metric, "card", None), Card):
            raise self.violation("card", "the metric has no Card.")
        signature = self.metric.signature
        if not isinstance(signature, Signature) or signature != self.metric.signature:
            raise self.violation("signature", f"signature is {signature!r}; it must be a Signature that never changes.")

    def columns(self, scores: Scores, batch: Batch) -> None:
        """Check values, stats, components and flags: length and type."""
        rows = len(batch)
        columns: list[tuple[str, str, Any, type, int]] = [
            ("values", "values", scores.values, np.float64, 1),
            *((f"component {n!r}", "components", c, np.float64, 1) for n, c in scores.components.items()),
            *((f"flag {n!r}", "flags", c, np.bool_, 1) for n, c in scores.flags.items()),
            *([("stats", "stats", scores.stats, np.float64, 2)] if scores.stats is not None else []),
        ]
        for name, clause, column, kind, dimensions in columns:
            if not isinstance(column, np.ndarray) or column.dtype != kind or column.ndim != dimensions:
                actual = f"{column.ndim}-dimensional {column.dtype}" if isinstance(column, np.ndarray) else type(column)
                raise self.violation(
                    clause, f"{name} must be a {dimensions}-dimensional {kind.__name__} array, not {actual}."
                )
            if len(column) != rows:
                raise self.violation(clause, f"{name} has {len(column)} rows for a batch of {rows} segments.")
        if scores.stats is not None and not np.isfinite(scores.stats).all():
            raise self.violation("stats", "a sufficient statistic is not finite.")

    def range(self, clause: str, values: Floats) -> None:
        """Check the range: a value is a number in card.range, or NaN."""
        low, high = self.metric.card.range
        slack = 1e-9 * max(1.0, abs(low or 0.0), abs(high or 0.0))
        outside = np.isinf(values)
        if low is not None:
            outside |= values < low - slack
        if high is not None:
            outside |= values > high + slack
        if outside.any():
            raise self.violation(
                clause, f"{values[outside][0]!r} is outside the card's range {self.metric.card.range}."
            )

    def spans(self, scores: Scores, batch: Batch) -> None:
        """Check spans: there is one tuple per segment, and each span's text matches its positions."""
        if scores.spans is None:
            return
        if len(scores.spans) != len(batch):
            raise self.violation(
                "spans", f"there are {len(scores.spans)} rows of spans for a batch of {len(batch)} segments."
            )
        for i, row in enumerate(scores.spans):
            for span in row:
                if not isinstance(span, ErrorSpan):
                    raise self.violation("spans", f"segment {i} has a {type(span).__name__} among its spans.")
                side = batch.hypotheses[i] if span.side == "target" else (batch.sources or [""] * len(batch))[i]
                if not 0 <= span.start <= span.end <= len(side) or side[span.start : span.end] != span.text:
                    raise self.violation(
                        "spans", f"segment {i}: {span.side}[{span.start}:{span.end}] is not {span.text!r}."
                    )

    def repeated(self) -> None:
        """Check repetition: scoring the same batch again gives the same numbers."""
        self.same("repeated", self.whole, self.score("repeated", self.batch), "change when scored again")

    def batch_size(self) -> None:
        """Check batch sizes: numbers do not depend on them."""
        for size in (1, 4):
            parts = [
                self.score("batch size", self.batch.slice(at, at + size)) for at in range(0, len(self.batch), size)
            ]
            self.same("batch size", self.whole, Scores.concat(parts), f"change when scored {size} at a time")

    def order(self) -> None:
        """Check the order: numbers do not depend on it, or on repeated segments."""
        rows = np.random.default_rng(1).permutation(len(self.batch)).repeat(2)
        scores = self.score("order", self.batch.select([int(row) for row in rows]))
        self.same("order", self.whole.take(rows), scores, "change with the order of the segments")

    def threads(self) -> None:
        """Check threads: parts of a batch scored concurrently get the same numbers."""
        halves = [self.batch.slice(0, len(self.batch) // 2), self.batch.slice(len(self.batch) // 2, len(self.batch))]
        with ThreadPoolExecutor(4) as pool:
            parts = list(pool.map(lambda half: self.score("threads", half), halves * 4))
        for i in range(0, len(parts), 2):
            self.same("threads", self.whole, Scores.concat(parts[i : i + 2]), "change when scored in threads")

    def empty_batch(self) -> None:
        """Check that an empty batch gets no scores and raises no error."""
        self.score("empty batch", self.batch.slice(0, 0))

    def empty_texts(self) -> None:
        """Check that empty hypotheses, references and sources get a number or NaN."""
        blank = [""] * len(self.batch)
        empty: dict[str, Any] = {"hypotheses": blank}
        if self.batch.references:
            empty["references"] = tuple(blank for _ in self.batch.references)
        if self.batch.sources is not None:
            empty["sources"] = blank
        for changed in (*({name: column} for name, column in empty.items()), empty):
            self.score("empty texts", replace(self.batch, **changed))

    def needs(self) -> None:
        """Check that the metric raises InputError without the references or sources that its card requires."""
        for needed, name in (
            (self.metric.card.needs_reference, "references"),
            (self.metric.card.needs_source, "sources"),
        ):
            if not needed:
                continue
            lacking: dict[str, Any] = {name: None}
            try:
                self.metric.score(replace(self.batch, **lacking))
            except InputError:
                continue
            except Exception as error:
                raise self.violation(
                    "needs", f"without {name} score raised {type(error).__name__}, not InputError."
                ) from error
            raise self.violation(
                "needs", f"the card requires {name}, but score works without them. It must raise InputError."
            )

    def lacking_reference(self) -> None:
        """Check that None among several references has no effect."""
        if self.metric.card.reference_free or not self.batch.references:
            return
        first = self.batch.references[0]
        alone = self.score("lacking reference", replace(self.batch, references=(first,)))
        both = self.score("lacking reference", replace(self.batch, references=(first, [None] * len(self.batch))))
        self.same("lacking reference", alone, both, "change when a second reference is None")

    def direction(self) -> None:
        """Check that damaged references do not score better, on average. Baselines and checks are exempt."""
        if self.metric.card.kind in ("baseline", "checks"):
            return
        batch = self.batch if self.batch.references else example_batch()
        whole = [i for i, text in enumerate((batch.references or ([],))[0]) if text]
        batch = batch.select(whole)
        references = [text or "" for text in (batch.references or ([],))[0]]
        good = self.score("direction", replace(batch, hypotheses=references)).values
        bad = self.score("direction", replace(batch, hypotheses=[damaged(text) for text in references])).values
        both = ~(np.isnan(good) | np.isnan(bad))
        if not both.any():
            raise self.violation("direction", "none of the references gets a score.")
        gain = float(np.mean(bad[both]) - np.mean(good[both])) * (1 if self.metric.card.higher_is_better else -1)
        if gain > 1e-12:
            better = "higher" if self.metric.card.higher_is_better else "lower"
            raise self.violation(
                "direction",
                f"the card says {better} is better, but damaged references score {np.mean(bad[both]):.4g} on average "
                f"and the references themselves {np.mean(good[both]):.4g}.",
            )

    def copies(self) -> None:
        """Check copies: a copy, and a new metric with the same options, have the same signature and give the same numbers."""
        for how, copied in self._copies():
            if copied.signature == self.metric.signature:
                scores = self.score("equal signatures", self.batch, copied)
                self.same("equal signatures", self.whole, scores, f"differ in {how} with an equal signature")
            elif how != "a new instance":
                raise self.violation("equal signatures", f"{how} has the signature {copied.signature}.")

    def _copies(self) -> Iterator[tuple[str, Metric]]:
        ways: list[tuple[str, Callable[[], Metric]]] = [
            ("a copy", lambda: copy.deepcopy(self.metric)),
            ("a pickled copy", lambda: pickle.loads(pickle.dumps(self.metric))),
        ]
        options = _options(self.metric)
        if options is not None:
            ways.append(("a new instance", lambda: type(self.metric)(**options)))
        for how, make in ways:
            try:
                metric = make()
            except (TypeError, AttributeError, ValueError, pickle.PicklingError):
                continue  # a metric need not be copyable
            yield how, metric

    def combine(self) -> None:
        """Check `combine`: sums of statistics along the last axis give a finite corpus value in any order."""
        stats = statistics(self.whole)
        values = np.stack([stats.sum(axis=0), stats[::-1].sum(axis=0), stats[: len(stats) // 2].sum(axis=0)])
        try:
            corpora, single = self.metric.combine(values), np.array([self.metric.combine(row) for row in values])
        except Exception as error:
            raise self.violation("combine", f"combine raised {type(error).__name__}: {error}") from error
        if np.shape(corpora) != (3,) or single.shape != (3,):
            raise self.violation("combine", f"three rows of statistics gave the shape {np.shape(corpora)}, not (3,).")
        if np.isnan(self.whole.values).all():
            return
        if not np.isfinite(corpora[:2]).all():
            raise self.violation("combine", f"the corpus value is {float(corpora[0])}.")
        if not np.allclose(corpora[0], corpora[1], rtol=1e-9, atol=1e-12):
            raise self.violation("combine", f"the order of the segments changes it: {corpora[0]} and {corpora[1]}.")
        if not np.allclose(single, corpora, rtol=1e-12, atol=1e-12, equal_nan=True):
            raise self.violation("combine", f"rows alone give {single.tolist()}, together {corpora.tolist()}.")
        self.range("combine", np.asarray(corpora[:2], np.float64))


def _options(metric: Metric) -> dict[str, Any] | None:
    """Return the arguments of the constructor, if the metric has an attribute for each."""
    names = [
        name
        for name, parameter in inspect.signature(type(metric)).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    return {name: getattr(metric, name) for name in names} if all(hasattr(metric, name) for name in names) else None
