"""Prediction on several devices: one worker process per device, each with its own model; rows are distributed by length."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.models.heads.inference import Predictor, Texts
from assay.models.heads.prediction import Prediction, join, take
from assay.models.runtime.precision import choose_dtype


@dataclass(frozen=True, slots=True)
class PredictorSpec:
    """Everything that a worker needs to create a `Predictor`."""

    path: str
    tokenizer: str | None
    precision: Any
    options: dict[str, Any]

    def make(self, device: str) -> Predictor:
        """Load the checkpoint onto `device`."""
        import torch

        from assay.models.heads.checkpoint import load
        from assay.models.runtime.fp8 import stored_as

        target = torch.device(device)
        dtype = choose_dtype(self.precision, target)
        loaded = load(self.path, tokenizer=self.tokenizer, dtype=stored_as(dtype), device=target)
        return Predictor(loaded, device=target, dtype=dtype, **self.options)


class Workers:
    """Predictors in worker processes behind a single `predict` method."""

    def __init__(self, recipe: PredictorSpec, devices: Sequence[str]) -> None:
        context = multiprocessing.get_context("spawn")
        queue = context.Queue()
        for device in devices:
            queue.put(device)
        self.count = len(devices)
        self.pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_start, initargs=(recipe, queue))

    def predict(self, hypotheses: Sequence[str], sources: Texts | None, references: Texts | None) -> Prediction:
        """Return the scores of all rows, in order. Rows of similar length go to different workers."""
        order = sorted(range(len(hypotheses)), key=lambda i: len(hypotheses[i]))
        shares = [share for k in range(self.count) if (share := order[k :: self.count])]
        columns = (hypotheses, sources, references)
        jobs = [
            self.pool.submit(_predict, *(None if column is None else [column[i] for i in share] for column in columns))
            for share in shares
        ]
        whole = join([job.result() for job in jobs])
        back = np.argsort(np.concatenate([np.array(share, dtype=np.int64) for share in shares] or [np.empty(0, int)]))
        return take(whole, back)

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)


_predictor: Predictor | None = None


def _start(recipe: PredictorSpec, queue: Any) -> None:
    global _predictor  # noqa: PLW0603 - one model a worker process
    _predictor = recipe.make(queue.get())


def _predict(hypotheses: Any, sources: Any, references: Any) -> Prediction:
    assert _predictor is not None
    return _predictor.predict(hypotheses, sources, references)
