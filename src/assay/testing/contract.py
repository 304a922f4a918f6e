"""The clauses of a metric's contract. Each is a promise that the engine, the statistics or the tables rely on."""

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


class ContractBroken(AssayError, AssertionError):
    """A metric does not keep a clause of the contract; the message names the clause and what was seen."""

    exit_code = 1

    def __init__(self, metric: object, clause: str, seen: str) -> None:
        super().__init__(f"{type(metric).__name__} breaks the contract, clause {clause!r}: {seen}")
        self.clause = clause


class Contract:
    """One metric, one batch, and what the metric says about the whole of it."""

    def __init__(self, metric: Metric, batch: Batch) -> None:
        self.metric, self.batch = metric, batch

    def check(self) -> None:
        """Raise `ContractBroken` at the first clause that does not hold."""
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

    def broken(self, clause: str, seen: str) -> ContractBroken:
        """The error that names the clause."""
        return ContractBroken(self.metric, clause, seen)

    def score(self, clause: str, batch: Batch, metric: Metric | None = None) -> Scores:
        """Scores of the batch, with the clauses that hold for any of them already checked."""
        try:
            scores = (metric or self.metric).score(batch)
        except MissingPart:
            raise
        except Exception as error:
            raise self.broken(clause, f"score raised {type(error).__name__}: {error}") from error
        self.columns(scores, batch)
        self.range("range", scores.values)
        self.spans(scores, batch)
        return scores

    def same(self, clause: str, one: Scores, other: Scores, what: str) -> None:
        """Every column of the two is equal, to the last bit unless its card allows a tolerance; a flag left out is not raised."""
        if seen := difference(one, other, self.metric.card.tolerance > 0, what):
            raise self.broken(clause, seen)

    def identity(self) -> None:
        """card: there is one; signature: there is one, always the same."""
        if not isinstance(getattr(self.metric, "card", None), Card):
            raise self.broken("card", "the metric has no Card.")
        signature = self.metric.signature
        if not isinstance(signature, Signature) or signature != self.metric.signature:
            raise self.broken("signature", f"signature is {signature!r}, and must be one unchanging Signature.")

    def columns(self, scores: Scores, batch: Batch) -> None:
        """values, stats, components, flags: the right length and type."""
        rows = len(batch)
        columns: list[tuple[str, str, Any, type, int]] = [
            ("values", "values", scores.values, np.float64, 1),
            *((f"component {n!r}", "components", c, np.float64, 1) for n, c in scores.components.items()),
            *((f"flag {n!r}", "flags", c, np.bool_, 1) for n, c in scores.flags.items()),
            *([("stats", "stats", scores.stats, np.float64, 2)] if scores.stats is not None else []),
        ]
        for name, clause, column, kind, dimensions in columns:
            if not isinstance(column, np.ndarray) or column.dtype != kind or column.ndim != dimensions:
                seen = f"{column.ndim}-dimensional {column.dtype}" if isinstance(column, np.ndarray) else type(column)
                raise self.broken(
                    clause, f"{name} must be a {dimensions}-dimensional {kind.__name__} array, not {seen}."
                )
            if len(column) != rows:
                raise self.broken(clause, f"{name} has {len(column)} rows for a batch of {rows}.")
        if scores.stats is not None and not np.isfinite(scores.stats).all():
            raise self.broken("stats", "a sufficient statistic is not finite.")

    def range(self, clause: str, values: Floats) -> None:
        """range: a value is a number within card.range, or NaN."""
        low, high = self.metric.card.range
        slack = 1e-9 * max(1.0, abs(low or 0.0), abs(high or 0.0))
        outside = np.isinf(values)
        if low is not None:
            outside |= values < low - slack
        if high is not None:
            outside |= values > high + slack
        if outside.any():
            raise self.broken(clause, f"{values[outside][0]!r} lies outside the card's range {self.metric.card.range}.")

    def spans(self, scores: Scores, batch: Batch) -> None:
        """spans: one tuple a segment, each span cutting exactly its text out of its side."""
        if scores.spans is None:
            return
        if len(scores.spans) != len(batch):
            raise self.broken("spans", f"there are {len(scores.spans)} rows of spans for a batch of {len(batch)}.")
        for i, row in enumerate(scores.spans):
            for span in row:
                if not isinstance(span, ErrorSpan):
                    raise self.broken("spans", f"segment {i} has a {type(span).__name__} among its spans.")
                side = batch.hypotheses[i] if span.side == "target" else (batch.sources or [""] * len(batch))[i]
                if not 0 <= span.start <= span.end <= len(side) or side[span.start : span.end] != span.text:
                    raise self.broken(
                        "spans", f"segment {i}: {span.side}[{span.start}:{span.end}] is not {span.text!r}."
                    )

    def repeated(self) -> None:
        """repeated: the same batch gets the same numbers again."""
        self.same("repeated", self.whole, self.score("repeated", self.batch), "change when scored again")

    def batch_size(self) -> None:
        """batch size: scoring in parts changes nothing."""
        for size in (1, 4):
            parts = [
                self.score("batch size", self.batch.slice(at, at + size)) for at in range(0, len(self.batch), size)
            ]
            self.same("batch size", self.whole, Scores.concat(parts), f"change when scored {size} at a time")

    def order(self) -> None:
        """order: neither the order nor a repeated segment changes a number."""
        rows = np.random.default_rng(1).permutation(len(self.batch)).repeat(2)
        scores = self.score("order", self.batch.select([int(row) for row in rows]))
        self.same("order", self.whole.take(rows), scores, "change with the order of the segments")

    def threads(self) -> None:
        """threads: the engine scores parts of a batch at the same time."""
        halves = [self.batch.slice(0, len(self.batch) // 2), self.batch.slice(len(self.batch) // 2, len(self.batch))]
        with ThreadPoolExecutor(4) as pool:
            parts = list(pool.map(lambda half: self.score("threads", half), halves * 4))
        for i in range(0, len(parts), 2):
            self.same("threads", self.whole, Scores.concat(parts[i : i + 2]), "change when scored in threads")

    def empty_batch(self) -> None:
        """empty batch: no segments, no scores, no crash."""
        self.score("empty batch", self.batch.slice(0, 0))

    def empty_texts(self) -> None:
        """empty texts: an empty hypothesis, reference or source gets a number or NaN."""
        blank = [""] * len(self.batch)
        empty: dict[str, Any] = {"hypotheses": blank}
        if self.batch.references:
            empty["references"] = tuple(blank for _ in self.batch.references)
        if self.batch.sources is not None:
            empty["sources"] = blank
        for changed in (*({name: column} for name, column in empty.items()), empty):
            self.score("empty texts", replace(self.batch, **changed))

    def needs(self) -> None:
        """needs: without what the card says it needs, the metric raises InputError."""
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
                raise self.broken(
                    "needs", f"without {name} score raised {type(error).__name__}, not InputError."
                ) from error
            raise self.broken(
                "needs", f"the card says it needs {name}, but score works without and must raise InputError."
            )

    def lacking_reference(self) -> None:
        """lacking reference: None among several references counts for nothing."""
        if self.metric.card.reference_free or not self.batch.references:
            return
        first = self.batch.references[0]
        alone = self.score("lacking reference", replace(self.batch, references=(first,)))
        beside = self.score("lacking reference", replace(self.batch, references=(first, [None] * len(self.batch))))
        self.same("lacking reference", alone, beside, "change when a second reference is None")

    def direction(self) -> None:
        """direction: damaged references do not score better, on average, than the references themselves; baselines may."""
        if self.metric.card.kind == "baseline":
            return
        batch = self.batch if self.batch.references else example_batch()
        whole = [i for i, text in enumerate((batch.references or ([],))[0]) if text]
        batch = batch.select(whole)
        references = [text or "" for text in (batch.references or ([],))[0]]
        good = self.score("direction", replace(batch, hypotheses=references)).values
        bad = self.score("direction", replace(batch, hypotheses=[damaged(text) for text in references])).values
        both = ~(np.isnan(good) | np.isnan(bad))
        if not both.any():
            raise self.broken("direction", "not one of the references gets a score.")
        gain = float(np.mean(bad[both]) - np.mean(good[both])) * (1 if self.metric.card.higher_is_better else -1)
        if gain > 1e-12:
            better = "higher" if self.metric.card.higher_is_better else "lower"
            raise self.broken(
                "direction",
                f"the card says {better} is better, but damaged references score {np.mean(bad[both]):.4g} on average "
                f"and the references themselves {np.mean(good[both]):.4g}.",
            )

    def copies(self) -> None:
        """equal signatures: a copy, and a metric built anew with the same options, give equal numbers."""
        for how, made in self._copies():
            if made.signature == self.metric.signature:
                scores = self.score("equal signatures", self.batch, made)
                self.same("equal signatures", self.whole, scores, f"differ in {how} with an equal signature")
            elif how != "a new instance":
                raise self.broken("equal signatures", f"{how} has the signature {made.signature}.")

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
                made = make()
            except (TypeError, AttributeError, ValueError, pickle.PicklingError):
                continue  # a metric need not be copyable
            yield how, made

    def combine(self) -> None:
        """combine: summed statistics give a finite corpus value, whatever the order, over the last axis."""
        stats = statistics(self.whole)
        values = np.stack([stats.sum(axis=0), stats[::-1].sum(axis=0), stats[: len(stats) // 2].sum(axis=0)])
        try:
            corpora, single = self.metric.combine(values), np.array([self.metric.combine(row) for row in values])
        except Exception as error:
            raise self.broken("combine", f"combine raised {type(error).__name__}: {error}") from error
        if np.shape(corpora) != (3,) or single.shape != (3,):
            raise self.broken("combine", f"three rows of statistics gave the shape {np.shape(corpora)}, not (3,).")
        if np.isnan(self.whole.values).all():
            return
        if not np.isfinite(corpora[:2]).all():
            raise self.broken("combine", f"the corpus value is {float(corpora[0])}.")
        if not np.allclose(corpora[0], corpora[1], rtol=1e-9, atol=1e-12):
            raise self.broken("combine", f"the order of the segments changes it: {corpora[0]} and {corpora[1]}.")
        if not np.allclose(single, corpora, rtol=1e-12, atol=1e-12, equal_nan=True):
            raise self.broken("combine", f"rows alone give {single.tolist()}, together {corpora.tolist()}.")
        self.range("combine", np.asarray(corpora[:2], np.float64))


def _options(metric: Metric) -> dict[str, Any] | None:
    """The constructor's arguments, where the metric keeps each under its own name."""
    names = [
        name
        for name, parameter in inspect.signature(type(metric)).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    return {name: getattr(metric, name) for name in names} if all(hasattr(metric, name) for name in names) else None
