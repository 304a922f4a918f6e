"""Scoring and comparing translations from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import InputError, count
from assay.core.metric import Metric
from assay.results import Comparison, ScoreResult

if TYPE_CHECKING:
    from assay.engine.store import Store

Texts = Sequence[str]
References = Texts | Sequence[Texts]
Wanted = str | Metric


def score(
    hypotheses: Texts,
    references: References | None = None,
    sources: Texts | None = None,
    metrics: Sequence[Wanted] = ("chrf",),
    *,
    langpair: str | None = None,
    workers: int | None = None,
    store: bool = True,
) -> ScoreResult:
    """Score translations with one or more metrics.

    `references` is a list of strings, or a list of such lists, one for each reference of every segment:
    ``references=[first_references, second_references]``. Metrics are names with options (``"bleu:tokenize=zh"``) or Metric
    objects. ``store=False`` neither looks up nor keeps the results of slow metrics.
    """
    from assay.core.metric import statistics
    from assay.engine.scoring import describe
    from assay.engine.scoring import score as run

    batch = make_batch(hypotheses, references, sources, langpair)
    built = build_metrics(metrics)
    kept = default_store() if store and any(metric.card.stored for metric in built.values()) else None
    scores = {name: run(batch, metric, workers=workers, store=kept) for name, metric in built.items()}
    return ScoreResult(
        system={name: corpus(built[name], statistics(scored).sum(axis=0)) for name, scored in scores.items()},
        scores=scores,
        signatures={name: signature(metric, batch.nrefs) for name, metric in built.items()},
        metrics=built,
        flags=describe(batch),
    )


def compare(
    systems: Mapping[str, Texts],
    references: References | None = None,
    sources: Texts | None = None,
    metrics: Sequence[Wanted] = ("chrf",),
    *,
    langpair: str | None = None,
    samples: int = 1000,
    trials: int = 10_000,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
) -> Comparison:
    """Compare systems on the same segments: scores, bootstrap intervals, and p-values against the first system.

    `samples` is the number of bootstrap resamples, `trials` that of the randomization test (0 leaves it out). The same
    seed gives sacrebleu's p-values.
    """
    from assay.analyses import comparison
    from assay.core.metric import statistics

    if not systems:
        raise InputError("compare needs at least one system.")
    results = {
        name: score(texts, references, sources, metrics, langpair=langpair, workers=workers, store=store)
        for name, texts in systems.items()
    }
    first = next(iter(results.values()))
    standings = comparison.compare(
        {name: {m: statistics(s) for m, s in result.scores.items()} for name, result in results.items()},
        first.metrics,
        samples=samples,
        trials=trials,
        seed=seed,
    )
    flags: dict[str, int] = {}
    for result in results.values():
        for flag, found in result.flags.items():
            flags[flag] = flags.get(flag, 0) + found
    return Comparison(standings, first.metrics, first.signatures, len(first), settings(samples, trials, seed), flags)


def settings(samples: int, trials: int, seed: int | None) -> str:
    """The line under a comparison that says how sure it is and why."""
    tests = f"95% bootstrap, n={samples}"
    return tests + (f", randomization, n={trials}" if trials else "") + f", seed {seed}"


def build_metrics(metrics: Sequence[Wanted]) -> dict[str, Metric]:
    """Metric objects by the name they were asked for."""
    from assay.metrics import metric as build

    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    if not metrics:
        raise InputError("no metric was asked for (-m chrf, or metrics=['chrf']).")
    return {
        wanted if isinstance(wanted, str) else wanted.card.name: build(wanted) if isinstance(wanted, str) else wanted
        for wanted in metrics
    }


def make_batch(
    hypotheses: Texts, references: References | None, sources: Texts | None = None, langpair: str | None = None
) -> Batch:
    """A Batch from what people pass to Python functions, with the mistakes they make named."""
    if isinstance(hypotheses, str):
        raise InputError("hypotheses must be a list of strings, not one string. Write hypotheses=[text].")
    n = len(hypotheses)
    return Batch(
        hypotheses=_strings("hypotheses", hypotheses),
        sources=None if sources is None else _strings("sources", sources),
        references=None if references is None else _reference_columns(references, n),
        langpairs=None if langpair is None else [langpair] * n,
    )


def _reference_columns(references: References, n: int) -> tuple[Sequence[str | None], ...]:
    if isinstance(references, str):
        raise InputError("references must be a list of strings, not one string. Write references=[text].")
    if all(issubclass(kind, (str, NoneType)) for kind in set(map(type, references))):
        return (_strings("references", references),)
    columns = []
    for column in references:
        if isinstance(column, str) or not isinstance(column, Sequence):
            raise InputError("references mixes strings and lists: give one list of strings for each reference.")
        columns.append(_strings("references", column))
    lengths = {len(column) for column in columns}
    if lengths != {n}:
        if len(columns) == n:
            raise InputError(
                f"references are nested the wrong way round: {count(n, 'list')} for as many hypotheses. "
                "Give one list for each reference, as long as the hypotheses: references=[first_references, second_references]."
            )
        found = ", ".join(f"{length:,}" for length in sorted(lengths))
        raise InputError(f"references have {found} segments, hypotheses has {n:,}: they must match.")
    return tuple(columns)


def _strings(name: str, column: Sequence[Any]) -> Sequence[Any]:
    """The column, once it is sure that it holds strings (and None for a missing reference) and nothing else."""
    texts: Sequence[Any] = column if isinstance(column, (list, tuple)) else list(column)
    allowed = (str, NoneType) if name == "references" else (str,)
    if any(not issubclass(kind, allowed) for kind in set(map(type, texts))):
        i = next(i for i, text in enumerate(texts) if not isinstance(text, allowed))
        raise InputError(f"{name}[{i}] is {type(texts[i]).__name__}, not a string.")
    return texts


def corpus(metric: Metric, total: object) -> float:
    """The corpus score from summed statistics."""
    return float(metric.combine(total))  # type: ignore[arg-type]


def signature(metric: Metric, nrefs: int) -> str:
    """The signature as it is printed, with the number of references."""
    known = metric.signature
    return str(known.with_parameters(nrefs=nrefs) if nrefs else known)


def default_store() -> Store:
    """The store in the cache folder."""
    from assay.engine.store import Store
    from assay.io.files.paths import store_dir

    return Store(store_dir())
