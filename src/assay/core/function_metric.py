"""Decorator that turns a function into a metric: after ``@assay.metric(needs="reference")``, use ``-m my_module:function``."""

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
"""``(hypotheses, references, sources) -> scores``, one score per hypothesis; a missing column is None."""


class FunctionMetric(Metric):
    """A metric made from a function by `metric`. It can still be called like the function."""

    def __init__(self, function: ScoringFunction, card: Card, version: int) -> None:
        update_wrapper(self, function)
        self.function, self.card, self.version = function, card, version

    def __call__(self, hypotheses: Column, references: Column | None, sources: Column | None) -> Sequence[float]:
        return self.function(hypotheses, references, sources)

    @property
    def signature(self) -> Signature:
        """The function's module and name, and the version set by its author."""
        return Signature.of(f"{self.function.__module__}.{self.function.__qualname__}", self.version)

    def score(self, batch: Batch) -> Scores:
        """Call the function once for all segments; with several references, call it for each and take the best score."""
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
            texts = [text for text in column if text is not None]
            own = None if sources is None else [sources[i] for i in rows]
            best[rows] = better(best[rows], self._values([hypotheses[i] for i in rows], texts, own))
        return Scores(best)

    def _values(self, hypotheses: Column, references: Column | None, sources: Column | None) -> Floats:
        """Return the function's scores, one per hypothesis; report anything else as an error in the function."""
        import numpy as np

        if not hypotheses:
            return np.empty(0)
        with attribute_errors(self.function, f"the metric {self.card.name}"):
            scores = list(self.function(hypotheses, references, sources))
        if len(scores) != len(hypotheses):
            numbers = f"{count(len(scores), 'score')} for {count(len(hypotheses), 'segment')}"
            raise InputError(
                f"the metric {self.card.name} ({location(self.function)}) returned {numbers}; it must return one per segment."
            )
        return np.array([self._number(value) for value in scores])

    def _number(self, value: object) -> float:
        try:
            if not isinstance(value, (str, bytes)):
                return float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            pass
        raise InputError(
            f"the metric {self.card.name} ({location(self.function)}) returned {str(value)[:40]!r}, not a number."
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
    """Turn a function ``(hypotheses, references, sources) -> scores`` into a metric.

    The function receives columns of equal length with many segments and returns one number per segment, NaN if it cannot be scored.
    References or sources that are missing or not needed are None. A score must depend on its own segment alone.

    Args:
        function: The function, if the decorator is used without arguments.
        card: Fields of the metric's `Card`, such as ``needs`` or ``higher_is_better``, and ``version``. Increment the version when
            a change affects a score. With ``stored=True``, scores are saved and looked up under this version.

    Returns:
        A metric, or a decorator.

    Raises:
        InputError: The function does not take three columns.

    Example:
        ```python
        @assay.metric(needs="reference")
        def exact(hypotheses, references, sources):
            return [float(h == r) for h, r in zip(hypotheses, references)]
        ```
    """
    return partial(_build, **card) if function is None else _build(function, **card)


def _build(
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
        title = getattr(function, "__qualname__", repr(function))
        raise InputError(
            f"{title} cannot be a metric: the function must take hypotheses, references and sources."
        ) from None
    name = name or function.__name__
    meaning = meaning or (inspect.getdoc(function) or f"Score of {function.__module__}.{name}.").partition("\n")[0]
    card = Card(
        name, name, needs, higher_is_better, range, meaning, licence=licence, stored=stored, decimals=decimals, **more
    )
    return FunctionMetric(function, card, version)
