"""A function as a metric: ``@assay.metric(needs="reference")`` above it, and ``-m my_module:function`` scores with it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Literal, overload

from assay.core.batch import Batch
from assay.core.error_attribution import attribute_errors, location
from assay.core.errors import InputError, count
from assay.core.metric import Card, Metric, Needs, Scores, Signature

if TYPE_CHECKING:
    from assay.core.metric import Floats

Column = list[str]
ScoringFunction = Callable[[Column, Column | None, Column | None], Sequence[float]]
"""``(hypotheses, references, sources) -> scores``, one score a hypothesis; a column that is not there is None."""


class FunctionMetric(Metric):
    """What `metric` makes of a function; it can still be called as the function that it was."""

    def __init__(self, function: ScoringFunction, card: Card, version: int) -> None:
        update_wrapper(self, function)
        self.function, self.card, self.version = function, card, version

    def __call__(self, hypotheses: Column, references: Column | None, sources: Column | None) -> Sequence[float]:
        return self.function(hypotheses, references, sources)

    @property
    def signature(self) -> Signature:
        """The function's module and name, and the version that its author gave."""
        return Signature.of(f"{self.function.__module__}.{self.function.__qualname__}", self.version)

    def score(self, batch: Batch) -> Scores:
        """One call for all segments; of several references, one call each, and the best score counts."""
        import numpy as np

        self.card.check_columns(batch)
        hypotheses, sources = list(batch.hypotheses), batch.sources
        references = () if self.card.reference_free else batch.references or ()
        if not references:
            return Scores(self._values(hypotheses, None, None if sources is None else list(sources)))
        best = np.full(len(batch), np.nan)
        better = np.fmax if self.card.higher_is_better else np.fmin
        for column in references:
            rows = [i for i, text in enumerate(column) if text is not None]
            theirs = [text for text in column if text is not None]
            own = None if sources is None else [sources[i] for i in rows]
            best[rows] = better(best[rows], self._values([hypotheses[i] for i in rows], theirs, own))
        return Scores(best)

    def _values(self, hypotheses: Column, references: Column | None, sources: Column | None) -> Floats:
        """What the function says, one number a hypothesis; whatever else it does is its author's error."""
        import numpy as np

        if not hypotheses:
            return np.empty(0)
        with attribute_errors(self.function, f"the metric {self.card.name}"):
            given = list(self.function(hypotheses, references, sources))
        if len(given) != len(hypotheses):
            what = f"{count(len(given), 'score')} for {count(len(hypotheses), 'segment')}"
            raise InputError(
                f"the metric {self.card.name} ({location(self.function)}) gave {what}: it must give one each."
            )
        return np.array([self._number(value) for value in given])

    def _number(self, value: object) -> float:
        try:
            if not isinstance(value, (str, bytes)):
                return float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            pass
        raise InputError(
            f"the metric {self.card.name} ({location(self.function)}) gave {str(value)[:40]!r}, not a number."
        )


@overload
def metric(function: ScoringFunction, /) -> FunctionMetric: ...


@overload
def metric(
    *,
    needs: Needs = ...,
    higher_is_better: bool = ...,
    name: str = ...,
    version: int = ...,
    meaning: str = ...,
    range: tuple[float | None, float | None] = ...,
    decimals: int = ...,
    languages: tuple[str, ...] = ...,
    licence: str = ...,
    citation: str = ...,
    trained_on: tuple[str, ...] = ...,
    kind: Literal["string", "embedding", "learned"] = ...,
    stored: bool = ...,
) -> Callable[[ScoringFunction], FunctionMetric]: ...


def metric(
    function: ScoringFunction | None = None, /, **card: Any
) -> FunctionMetric | Callable[[ScoringFunction], FunctionMetric]:
    """Make a metric of a function ``(hypotheses, references, sources) -> scores``; the arguments fill in its card.

    The function gets columns of equal length, of many segments at once, and gives one number for each of them (NaN: could
    not be scored). References or sources that were not given, or that it does not need, are None. A score must depend on
    its own segment alone. Raise `version` when a change moves a number; with ``stored=True`` results are kept and looked up
    by it.
    """
    return partial(_made, **card) if function is None else _made(function, **card)


def _made(
    function: ScoringFunction,
    *,
    needs: Needs = "reference",
    higher_is_better: bool = True,
    name: str = "",
    version: int = 1,
    meaning: str = "",
    range: tuple[float | None, float | None] = (None, None),
    decimals: int = 3,
    licence: str = "not stated",
    stored: bool = False,
    **more: Any,
) -> FunctionMetric:
    try:
        inspect.signature(function).bind([], [], [])
    except (TypeError, ValueError):
        called = getattr(function, "__qualname__", repr(function))
        raise InputError(
            f"{called} cannot be a metric: its function must take hypotheses, references and sources."
        ) from None
    name = name or function.__name__
    meaning = meaning or (inspect.getdoc(function) or f"What {function.__module__}.{name} says.").partition("\n")[0]
    card = Card(
        name, name, needs, higher_is_better, range, meaning, licence=licence, stored=stored, decimals=decimals, **more
    )
    return FunctionMetric(function, card, version)
