"""Grid search for loss weights before a phase is trained.

The paper tuned λ, the weight of the tagger, and α, the weights of the severities, in 20 Optuna trials (Guerreiro et al. 2023,
Appendix B). Here every combination in the configuration is trained for a few steps, from the same weights and on the same
batches. The best one on the held-out records is used. A try depends only on the weights, the seed and its values. Finished
tries are therefore stored, and an interrupted search resumes with the next one.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.io.files.atomic import atomic_write

if TYPE_CHECKING:
    from torch import Tensor

    from assay.models.training.config import ClassWeights, PhaseConfig, TrainConfig
    from assay.models.training.evaluation import Evaluation
    from assay.models.training.records import Record
    from assay.models.training.state import LossWeights

FILE = "search.jsonl"
BY = {"mean": "the mean of Kendall and span F1", "kendall": "Kendall", "pearson": "Pearson", "span_f1": "span F1"}


@dataclass(frozen=True)
class Try:
    """Result of one combination of weights. An undefined figure is None; all are None if the training stopped."""

    phase: int
    start: str
    """Hash of everything that determines the starting point of the try."""
    loss_lambda: float
    class_weights: ClassWeights
    steps: int
    kendall: float | None = None
    pearson: float | None = None
    span_f1: float | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Values that identify the try."""
        return self.phase, self.start, self.loss_lambda, self.class_weights, self.steps

    def with_figures(self, evaluation: Evaluation | None) -> Try:
        """Return the try with its figures on the held-out records."""
        if evaluation is None:
            return self
        figures = (evaluation.kendall, evaluation.pearson, evaluation.span_f1)
        kendall, pearson, span_f1 = (None if math.isnan(value) else value for value in figures)
        return dataclasses.replace(self, kendall=kendall, pearson=pearson, span_f1=span_f1)

    def figure(self, by: str) -> float:
        """Return the figure used to choose; minus infinity if it is undefined."""
        names = ("kendall", "span_f1") if by == "mean" else (by,)
        values = [value for name in names if (value := getattr(self, name)) is not None]
        return sum(values) / len(values) if len(values) == len(names) else -math.inf

    def __str__(self) -> str:
        figures = {"Kendall": self.kendall, "Pearson": self.pearson, "span F1": self.span_f1}
        text = " · ".join(f"{name} {value:.3f}" for name, value in figures.items() if value is not None)
        alpha = ", ".join(f"{weight:g}" for weight in self.class_weights)
        return f"λ {self.loss_lambda:g}, α {alpha}: {text or 'nothing to compare'}"


def grid(phase: PhaseConfig, number: int, start: str, steps: int) -> list[Try]:
    """Return all combinations for the phase in order; values that are not listed are taken from the phase."""
    search = phase.search
    assert search is not None
    lambdas, alphas = search.loss_lambda or (phase.loss_lambda,), search.class_weights or (phase.class_weights,)
    return [
        Try(number + 1, start, lam, alpha, min(length(phase, steps), steps)) for lam, alpha in product(lambdas, alphas)
    ]


def length(phase: PhaseConfig, steps: int) -> int:
    """Return the number of steps in a try: as configured, or a tenth of the phase's `steps`."""
    assert phase.search is not None
    return phase.search.steps or max(1, round(steps / 10))


def run(
    phase: PhaseConfig,
    tries: Sequence[Try],
    folder: Path,
    attempt: Callable[[PhaseConfig, int], Evaluation | None],
    note: Callable[[str], None],
) -> Try:
    """Run the tries that are not in the folder yet, store each one, and return the best."""
    assert phase.search is not None
    stored = read_tries(folder)
    others = [one for one in stored if one.phase != tries[0].phase]
    done = {one.key: one for one in stored}
    tried: list[Try] = []
    for number, one in enumerate(tries, 1):
        if one.key not in done:
            variant = dataclasses.replace(phase, loss_lambda=one.loss_lambda, class_weights=one.class_weights)
            done[one.key] = one.with_figures(attempt(variant, one.steps))
        tried.append(done[one.key])
        write_tries(folder, [*others, *tried])
        note(f"{phase.name}, try {number} of {len(tries)}: {tried[-1]}")
    best_try = best(tried, phase.search.by, phase.name)
    note(f"{phase.name}: λ {best_try.loss_lambda:g} is the best of {len(tries)} tries by {BY[phase.search.by]}.")
    return best_try


def best(tried: Sequence[Try], by: str, name: str) -> Try:
    """Return the first try with the highest figure."""
    best_try = max(tried, key=lambda one: one.figure(by))
    if best_try.figure(by) == -math.inf:
        raise InputError(
            f"{name}: no try has {BY[by]} on the held-out records. Hold out records with scores and spans, or "
            "search by another figure (by: kendall)."
        )
    return best_try


def chosen_config(config: TrainConfig, choices: Mapping[str, LossWeights]) -> TrainConfig:
    """Return the configuration with the weights that have been chosen so far."""
    phases = [
        dataclasses.replace(phase, loss_lambda=choice.loss_lambda, class_weights=choice.class_weights)
        if (choice := choices.get(str(number))) is not None
        else phase
        for number, phase in enumerate(config.phases, 1)
    ]
    return dataclasses.replace(config, phases=tuple(phases))


def digest(config: Mapping[str, Any], data: str, held_out: Iterable[Record], weights: Mapping[str, Tensor]) -> str:
    """Return a hash of a try's starting point: configuration, data, held-out records and weights."""
    hasher = hashlib.blake2b(json.dumps([config, data], sort_keys=True).encode(), digest_size=16)
    for record in held_out:
        hasher.update(repr((record.texts(), record.score, record.spans)).encode("utf-8", "surrogatepass"))
    for name, value in sorted(weights.items()):
        hasher.update(name.encode() + value.detach().cpu().contiguous().view(-1).float().numpy().tobytes())
    return hasher.hexdigest()


def read_tries(folder: Path) -> list[Try]:
    """Return the finished tries in a run. An unreadable file counts as empty, since tries can be repeated."""
    try:
        lines = (folder / FILE).read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        return [Try(**{**row, "class_weights": tuple(row["class_weights"])}) for row in rows]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def write_tries(folder: Path, tried: Sequence[Try]) -> None:
    """Write the tries atomically."""
    with atomic_write(folder / FILE, "w") as out:
        for one in tried:
            out.write(json.dumps(dataclasses.asdict(one)) + "\n")
