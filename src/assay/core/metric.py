"""The contract of a metric: a card, a signature and one function, ``score(batch) -> Scores``.

A metric never reads a file, never prints, never caches and never splits work: the engine does. A metric with sufficient
statistics also gives ``combine(stats) -> values``; corpus scores, bootstrap, paired tests and streaming are then written
once, elsewhere.
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
"""What a metric reads beside the translation; ``translation`` is nothing else."""
MetricKind = Literal["string", "embedding", "learned", "likelihood", "judge", "baseline", "file"]
"""What computes a score: string matching, similarity of embeddings, a trained regressor or tagger, how likely a model finds the
text, an asked language model, nothing that a metric should lose to, or somebody else (a file of scores)."""

NEURAL_TOLERANCE = 2e-3
"""How far a neural metric's number may move with the batch it is computed in: matrix products round differently."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a metric is: read by tables (direction, contamination), by the engine (needs, storing) and by people."""

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
    """Whether results are worth keeping in the store; False for metrics cheaper than a look-up."""
    extra: str | None = None
    """The optional extra of mt-assay that must be installed."""
    decimals: int = 1
    kind: MetricKind = "string"
    exact: bool = False
    """True for a network whose numbers are the same bits whatever the order, the batch and the number of workers."""
    weights: WeightsNeeded | None = None
    """Weights that must be fetched or given; None for a metric that needs none, or whose extra brings them."""
    service: str = ""
    """What it calls beside this machine, such as an endpoint that the user names; empty for a metric that stays here."""

    def __post_init__(self) -> None:
        if self.needs not in get_args(Needs):
            raise InputError(
                f"the card of {self.name} needs {self.needs!r}: it must be one of {', '.join(get_args(Needs))}."
            )

    @property
    def neural(self) -> bool:
        """True when a network computes the score: slow, makes its own batches, and (unless exact) equal within a tolerance."""
        return self.kind in ("learned", "embedding", "likelihood", "judge")

    @property
    def by_characters(self) -> bool:
        """True when the score follows from the characters of the texts alone, whatever their language."""
        return self.kind in ("string", "baseline")

    @property
    def tolerance(self) -> float:
        """How far a number may move with order, batch, door or device: not at all, unless a network in floats computes it."""
        return NEURAL_TOLERANCE if self.neural and not self.exact else 0.0

    @property
    def needs_reference(self) -> bool:
        """True when the metric cannot work without a reference."""
        return self.needs in ("reference", "both")

    @property
    def needs_source(self) -> bool:
        """True when the metric cannot work without the source."""
        return self.needs in ("source", "both")

    def check_columns(self, batch: Batch) -> None:
        """Raise if the texts lack a column that the metric needs; single rows may lack a reference."""
        if self.needs_reference and not batch.references:
            raise InputError(f"{self.name} needs a reference, and none was given (--ref FILE, or references=[...]).")
        if self.needs_source and batch.sources is None:
            raise InputError(f"{self.name} needs the source, and none was given (--src FILE, or sources=[...]).")
        if self.needs == "either" and batch.sources is None and not batch.references:
            wanted = "needs a source or a reference, and neither was given (--src FILE, --ref FILE)"
            raise InputError(f"{self.name} {wanted}.")

    def check_needs(self, batch: Batch, before: int = 0) -> None:
        """Raise if a row lacks a text that the metric needs; `before` counts the segments before the batch."""
        self.check_columns(batch)
        if self.needs_reference and (missing := rows_without_reference(batch)) is not None:
            number = before + int(missing.argmax()) + 1
            raise InputError(f"{self.name} needs a reference, and segment {number} has none.")

    @property
    def reference_free(self) -> bool:
        """True when the metric looks at no reference, even if there is one."""
        return self.needs in ("source", "translation")

    def trained_on_parts_of(self, suite: str) -> list[str]:
        """What it was trained on of a suite: the suite itself, or what is called after it (``wmt22-mqm`` of ``wmt22``)."""
        return (
            [name for name in self.trained_on if name == suite or name.startswith((f"{suite}-", f"{suite} "))]
            if suite
            else []
        )

    def covers(self, langpair: str) -> bool:
        """Whether the card claims the target language (and the source, when used) of `langpair`."""
        if self.languages == ("any",) or not langpair:
            return True
        spoken = languages(langpair)
        return spoken[-1] in self.languages and (not self.needs_source or spoken[0] in self.languages)


@dataclass(frozen=True, slots=True)
class Signature:
    """A number's identity: equal signatures (and texts) give equal numbers, for ever.

    A change that moves a number raises `version`. Parameters keep the order they are given in.
    """

    name: str
    version: int
    parameters: tuple[tuple[str, str], ...] = ()
    weights: str | None = None
    precision: str | None = None

    @classmethod
    def of(cls, name: str, version: int, **parameters: object) -> Signature:
        """``Signature.of("chrF", 1, case="mixed", nc=6)``; booleans become yes and no."""
        return cls(name, version, tuple((key, _plain(value)) for key, value in parameters.items()))

    def with_parameters(self, **parameters: object) -> Signature:
        """The same signature with further parameters in front, such as the number of references."""
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
"""The parameters of signatures that sacrebleu has a shorter word for, and that word."""


def short_signature(signature: str) -> str:
    """A printed signature in the short form that sacrebleu's users know: ``BLEU|#:1|c:mixed|e:no|tok:13a|s:exp|v:1``."""
    parts = (part.partition(":") for part in signature.split("|"))
    return "|".join(f"{SHORT_KEYS.get(key, key)}{colon}{value}" for key, colon, value in parts)


def _plain(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class Scores:
    """What a metric says about a batch, as columns of the batch's length.

    `values` is the segment score (NaN: could not be scored). `stats` has one row of sufficient statistics a segment.
    `components` are further named columns. `flags` say what a reader should know (``empty``, ``unsupported_script``,
    ``bounded``, ``truncated``); a flag that is never raised may be left out.
    """

    values: Floats
    stats: Floats | None = None
    components: Mapping[str, Floats] = field(default_factory=dict)
    spans: Sequence[tuple[ErrorSpan, ...]] | None = None
    flags: Mapping[str, Bools] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    def raised(self) -> dict[str, int]:
        """How many segments have each flag; one that is never raised is left out."""
        return {flag: rows for flag, column in self.flags.items() if (rows := int(column.sum()))}

    def take(self, rows: Any) -> Scores:
        """The given rows, in the given order (an integer array)."""
        return Scores(
            values=self.values[rows],
            stats=None if self.stats is None else self.stats[rows],
            components={name: column[rows] for name, column in self.components.items()},
            spans=None if self.spans is None else [self.spans[int(i)] for i in rows],
            flags={name: column[rows] for name, column in self.flags.items()},
        )

    @staticmethod
    def concat(parts: Sequence[Scores]) -> Scores:
        """One Scores out of consecutive parts; a flag missing in a part counts as not raised there."""
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
    """Base of every metric. Options are keyword arguments of the constructor, with annotated types."""

    card: Card
    notices: Sequence[str] = ()
    """What people should hear after scoring, such as how slow it was for want of a GPU; the command line prints it."""

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """The identity of this metric with these options."""

    def signed(self, nrefs: int) -> str:
        """The signature as it is printed beside a number, with the number of references."""
        own = self.signature
        return str(own.with_parameters(nrefs=nrefs) if nrefs else own)

    by_language: bool = False
    """Whether `for_language` gives another metric for another target language. Texts in several languages then get a corpus
    score for each of them and none for all."""

    def for_language(self, language: str) -> Metric:
        """This metric as it is computed for translations into `language` (``de``; empty where it is not known)."""
        return self

    @abstractmethod
    def score(self, batch: Batch) -> Scores:
        """Scores of every segment of the batch, in its order."""

    def release(self) -> None:  # noqa: B027 - most metrics hold nothing
        """Give back what was loaded to score, such as a network; the next `score` loads it again."""

    @property
    def marks_spans(self) -> bool | None:
        """Whether scores come with error spans; None if only a score shows it."""
        return None

    @property
    def reads(self) -> Metric | None:
        """Another metric whose scores this one only reads otherwise (`reading`): computed and stored once for both."""
        return None

    def reading(self, scores: Scores) -> Scores:
        """This metric's scores out of those of `reads`."""
        return scores

    def combine(self, stats: Floats) -> Floats:
        """Corpus values from summed sufficient statistics, over the last axis.

        Metrics without statistics of their own are averaged: their statistics are (sum of values, number of segments).
        """
        import numpy as np

        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(stats[..., 0] / stats[..., 1])

    def components(self, stats: Floats) -> Mapping[str, float]:
        """What a corpus score is made of, by name, from the summed statistics of one corpus; nothing unless a metric says it."""
        return {}


def statistics(scores: Scores) -> Floats:
    """The summable statistics of `scores`: the metric's own, or (value, 1) for a metric that is averaged.

    A segment without a score (NaN) counts neither in the sum nor in the number.
    """
    import numpy as np

    if scores.stats is not None:
        return scores.stats
    scored = ~np.isnan(scores.values)
    return np.stack([np.where(scored, scores.values, 0.0), scored.astype(np.float64)], axis=1)
