"""Interface of a metric: a card, a signature and one function, ``score(batch) -> Scores``.

A metric never reads files, prints, caches or splits work; the engine does that. A metric with sufficient statistics also
defines ``combine(stats) -> values``, which the engine uses for corpus scores, bootstrap, paired tests and streaming.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from assay.core.batch import Batch, rows_without_reference
from assay.core.errors import InputError
from assay.core.langpair import languages
from assay.core.spans import ErrorSpan
from assay.core.weights import WeightsNeeded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

Needs = Literal["reference", "source", "both", "either", "translation"]
"""What a metric reads in addition to the translation; ``translation`` means nothing else."""
MetricKind = Literal["string", "checks", "embedding", "learned", "likelihood", "judge", "baseline", "file"]
"""How a score is computed: string matching, deterministic checks, similarity of embeddings, a trained regressor or tagger, the
probability of the text under a model, a language model as judge, a trivial baseline, or scores from a file."""

NEURAL_TOLERANCE = 2e-3
"""How much a neural metric's score may vary with its batch, because matrix products round differently."""


@dataclass(frozen=True, slots=True)
class Card:
    """Description of a metric, read by tables (direction, contamination), the engine (needs, storing) and users.

    Attributes:
        name: The name on the command line.
        label: The name in tables.
        needs: The texts that it reads in addition to the translation.
        higher_is_better: Whether higher scores are better.
        range: The lowest and highest score; None if unbounded.
        meaning: One sentence that explains what a score means.
        languages: Codes of the supported languages; ``any`` for all.
        trained_on: Names of the sets on which it was trained.
        decimals: Number of decimals in tables.
    """

    name: str
    label: str
    needs: Needs
    higher_is_better: bool
    range: tuple[float | None, float | None]
    meaning: str
    languages: tuple[str, ...] = ("any",)
    licence: str = "Apache-2.0"
    citation: str = ""
    trained_on: tuple[str, ...] = ()
    stored: bool = True
    """Whether scores are saved in the store; False for metrics that are cheaper than a look-up."""
    extra: str | None = None
    """The extra of mt-assay that must be installed."""
    decimals: int = 1
    kind: MetricKind = "string"
    exact: bool = False
    """Whether a neural metric gives the same bits for every order, batch size and number of workers."""
    weights: WeightsNeeded | None = None
    """Weights that must be fetched or provided; None if it needs none or the extra includes them."""
    service: str = ""
    """The remote service that it calls, such as an endpoint that the user names; empty if it runs locally."""

    def __post_init__(self) -> None:
        if self.needs not in get_args(Needs):
            raise InputError(
                f"the card of {self.name} needs {self.needs!r}: it must be one of {', '.join(get_args(Needs))}."
            )

    @property
    def neural(self) -> bool:
        """Whether a model computes the score. Such a metric is slow, batches its own work and, unless exact, is reproducible
        within a tolerance."""
        return self.kind in ("learned", "embedding", "likelihood", "judge")

    @property
    def by_characters(self) -> bool:
        """Whether the score depends only on the characters of the texts, not on their language."""
        return self.kind in ("string", "baseline")

    @property
    def tolerance(self) -> float:
        """Largest variation with order, batch, entry point or device; nonzero only if a floating-point model computes the score."""
        return NEURAL_TOLERANCE if self.neural and not self.exact else 0.0

    @property
    def needs_reference(self) -> bool:
        """Whether the metric requires a reference."""
        return self.needs in ("reference", "both")

    @property
    def needs_source(self) -> bool:
        """Whether the metric requires the source."""
        return self.needs in ("source", "both")

    def check_columns(self, batch: Batch) -> None:
        """Raise if the texts lack a column that the metric needs; single rows may lack a reference."""
        if self.needs_reference and not batch.references:
            raise InputError(f"{self.name} requires a reference. Add --ref FILE (in Python: references=[...]).")
        if self.needs_source and batch.sources is None:
            raise InputError(f"{self.name} requires the source. Add --src FILE (in Python: sources=[...]).")
        if self.needs == "either" and batch.sources is None and not batch.references:
            raise InputError(f"{self.name} requires a source or a reference. Add --src FILE or --ref FILE.")

    def check_needs(self, batch: Batch, before: int = 0) -> None:
        """Raise if a row lacks a text that the metric needs; `before` counts the segments before the batch."""
        self.check_columns(batch)
        if self.needs_reference and (missing := rows_without_reference(batch)) is not None:
            number = before + int(missing.argmax()) + 1
            raise InputError(f"{self.name} needs a reference, and segment {number} has none.")

    @property
    def reference_free(self) -> bool:
        """Whether the metric ignores references."""
        return self.needs in ("source", "translation")

    def trained_on_parts_of(self, suite: str) -> list[str]:
        """Return the training sets that belong to a suite: the suite itself or parts of it (``wmt22-mqm`` in ``wmt22``)."""
        return (
            [name for name in self.trained_on if name == suite or name.startswith((f"{suite}-", f"{suite} "))]
            if suite
            else []
        )

    def covers(self, langpair: str) -> bool:
        """Return whether the card lists the target language of `langpair` and, if the metric reads sources, the source language."""
        if self.languages == ("any",) or not langpair:
            return True
        spoken = languages(langpair)
        return spoken[-1] in self.languages and (not self.needs_source or spoken[0] in self.languages)


@dataclass(frozen=True, slots=True)
class Signature:
    """Identity of a score: the same signature on the same texts gives the same numbers, in every version of assay.

    A change that affects a number increments `version`. Parameters keep their order.

    Example:
        ```python
        str(assay.Signature.of("chrF", 1, case="mixed", nc=6))  # "chrF|case:mixed|nc:6|v:1"
        ```
    """

    name: str
    version: int
    parameters: tuple[tuple[str, str], ...] = ()
    weights: str | None = None
    precision: str | None = None

    @classmethod
    def of(cls, name: str, version: int, **parameters: object) -> Signature:
        """Return a signature with parameters; booleans become yes and no."""
        return cls(name, version, tuple((key, _plain(value)) for key, value in parameters.items()))

    def with_parameters(self, **parameters: object) -> Signature:
        """Return the signature with more parameters at the front, such as the number of references."""
        first = tuple((key, _plain(value)) for key, value in parameters.items())
        return replace(self, parameters=first + self.parameters)

    def __str__(self) -> str:
        parts = [self.name, *(f"{key}:{value}" for key, value in self.parameters)]
        if self.weights:
            parts.append(f"weights:{self.weights}")
        if self.precision:
            parts.append(f"precision:{self.precision}")
        return "|".join([*parts, f"v:{self.version}"])


SHORT_KEYS = {
    "nrefs": "#", "case": "c", "eff": "e", "smooth": "s", "space": "s", "norm": "nr", "punct": "pn", "asian": "as",
}  # fmt: skip
"""Parameters of signatures and sacrebleu's abbreviations of them."""


def short_signature(signature: str) -> str:
    """Return a printed signature in sacrebleu's short form: ``BLEU|#:1|c:mixed|e:no|tok:13a|s:exp|v:1``."""
    parts = (part.partition(":") for part in signature.split("|"))
    return "|".join(f"{SHORT_KEYS.get(key, key)}{colon}{value}" for key, colon, value in parts)


def _plain(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a batch, as columns of the batch's length.

    Attributes:
        values: Segment scores; NaN if a segment could not be scored.
        stats: Sufficient statistics, one row per segment.
        components: Other columns by name.
        spans: Error spans of each segment.
        flags: Warnings by name (``truncated``, ``unsupported_script``), one boolean per segment. Flags that are never raised
        may be omitted.

    Example:
        ```python
        scores = assay.Scores(np.array([0.7, 0.2]))
        ```
    """

    values: Floats
    stats: Floats | None = None
    components: Mapping[str, Floats] = field(default_factory=dict)
    spans: Sequence[tuple[ErrorSpan, ...]] | None = None
    flags: Mapping[str, Bools] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    def raised(self) -> dict[str, int]:
        """Return the number of segments with each flag; flags that were not raised are left out."""
        return {flag: rows for flag, column in self.flags.items() if (rows := int(column.sum()))}

    def take(self, rows: Any) -> Scores:
        """Return these rows (an integer array), in this order."""
        return Scores(
            values=self.values[rows],
            stats=None if self.stats is None else self.stats[rows],
            components={name: column[rows] for name, column in self.components.items()},
            spans=None if self.spans is None else [self.spans[int(i)] for i in rows],
            flags={name: column[rows] for name, column in self.flags.items()},
        )

    @staticmethod
    def concat(parts: Sequence[Scores]) -> Scores:
        """Concatenate scores; a flag that is missing in a part counts as not raised there."""
        import numpy as np

        if len(parts) == 1:
            return parts[0]
        if not parts:
            return Scores(np.empty(0))
        flags: dict[str, Bools] = {}
        for name in dict.fromkeys(name for part in parts for name in part.flags):
            flags[name] = np.concatenate([part.flags.get(name, np.zeros(len(part), bool)) for part in parts])
        first = parts[0]
        spans = [row for part in parts for row in part.spans or ()] if first.spans is not None else None
        return Scores(
            values=np.concatenate([part.values for part in parts]),
            stats=None if first.stats is None else np.concatenate([p.stats for p in parts if p.stats is not None]),
            components={name: np.concatenate([part.components[name] for part in parts]) for name in first.components},
            spans=spans,
            flags=flags,
        )


class Metric(ABC):
    """Base class for all metrics. Options are keyword arguments of the constructor, with annotated types.

    Example:
        ```python
        class Length(assay.Metric):
            card = assay.Card("length", "length", "translation", True, (0, None), "Number of characters.")
            signature = assay.Signature.of("length", 1)

            def score(self, batch):
                return assay.Scores(np.array([float(len(text)) for text in batch.hypotheses]))
        ```
    """

    card: Card
    notices: Sequence[str] = ()
    """Messages to report after scoring, such as slow scoring without a GPU; the command line prints them."""

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """The signature of this metric with these options."""

    def signed(self, nrefs: int) -> str:
        """Return the signature as it is printed with a score, with the number of references."""
        own = self.signature
        return str(own.with_parameters(nrefs=nrefs) if nrefs else own)

    by_language: bool = False
    """Whether `for_language` returns different metrics for different target languages. If so, texts in several languages get one
    corpus score per language and no total."""

    def for_language(self, language: str) -> Metric:
        """Return the variant of this metric for translations into `language` (``de``; empty if unknown)."""
        return self

    @abstractmethod
    def score(self, batch: Batch) -> Scores:
        """Return the scores of every segment of the batch, in its order."""

    def release(self) -> None:  # noqa: B027 - most metrics hold nothing
        """Release resources that were loaded for scoring, such as a model; the next `score` loads them again."""

    @property
    def marks_spans(self) -> bool | None:
        """Whether scores include error spans; None if that is unknown before scoring."""
        return None

    @property
    def reads(self) -> Metric | None:
        """The metric from whose scores this one is derived (`reading`); it is computed and stored once for both."""
        return None

    def reading(self, scores: Scores) -> Scores:
        """Return this metric's scores, derived from those of `reads`."""
        return scores

    def combine(self, stats: Floats) -> Floats:
        """Return corpus scores from summed sufficient statistics, along the last axis.

        Metrics without sufficient statistics are averaged: their statistics are the sum of values and the number of segments.
        """
        import numpy as np

        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(stats[..., 0] / stats[..., 1])

    def components(self, stats: Floats) -> Mapping[str, float]:
        """Return the components of a corpus score by name, from the summed statistics of one corpus; the default is no
        components."""
        return {}


def statistics(scores: Scores) -> Floats:
    """Return statistics that can be summed: the metric's sufficient statistics, or (value, 1) for a metric that is averaged.

    A segment without a score (NaN) counts neither in the sum nor in the number of segments.
    """
    import numpy as np

    if scores.stats is not None:
        return scores.stats
    scored = ~np.isnan(scores.values)
    return np.stack([np.where(scored, scores.values, 0.0), scored.astype(np.float64)], axis=1)
