"""Evaluation on held-out records during training: Kendall's tau, Pearson's r and error-span F1.

This module does not use the compiled kernels, since training may run on machines without them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from assay.models.heads.prediction import decode
from assay.models.training.encoding import packed
from assay.models.training.records import Record
from assay.stats.spans import f1, total_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.models.heads.comet import UnifiedModel
    from assay.models.training.encoding import EncodedRecord, TextEncoder

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Agreement with human judgements; NaN if there is nothing to compare."""

    kendall: float
    pearson: float
    span_f1: float
    loss: float
    """Mean squared error of the sentence score."""
    n: int


def evaluate(model: UnifiedModel, encoder: TextEncoder, records: Sequence[Record], batch: int = 32) -> Evaluation:
    """Score and tag held-out records, averaged over the inputs that each record allows."""
    examples = encoder.examples(records)
    scores, shares = predict(model, encoder, examples, batch)
    human = np.array([record.score for record in records])
    scored = ~np.isnan(human)
    predicted, gold, lengths = [], [], []
    for record, distribution in zip(records, shares, strict=True):
        if record.spans is None or distribution is None:
            continue
        found = decode(record.hypothesis, distribution, encoder.offsets(record.hypothesis), model.config.labels)
        predicted.append([(s.start, s.end, s.severity) for s in found])
        gold.append([(s.start, s.end, s.severity) for s in record.spans if s.side == "target"])
        lengths.append(len(record.hypothesis))
    marked = any(span[2] != "neutral" for spans in gold for span in spans)
    return Evaluation(
        kendall_b(human[scored], scores[scored]),
        pearson(human[scored], scores[scored]),
        float(f1(total_counts(gold, predicted, lengths))) if marked else math.nan,
        float(np.mean((human[scored] - scores[scored]) ** 2)) if scored.any() else math.nan,
        len(records),
    )


@torch.no_grad()
def predict(
    model: UnifiedModel, encoder: TextEncoder, examples: Sequence[EncodedRecord], batch: int = 32
) -> tuple[Floats, list[NDArray[np.float32] | None]]:
    """Return one score per example and, for a model with a tagger, the class distribution of every translation subword.

    Both are means over the inputs. Subwords outside the model's window have no row.
    """
    model.eval()
    scores = np.full(len(examples), np.nan)
    shares: list[NDArray[np.float32] | None] = [None] * len(examples)
    order = sorted(range(len(examples)), key=lambda row: examples[row].tokens)
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        sequences_of_rows = [
            (row, encoder.sequence(examples[row], name)) for row in rows for name in examples[row].inputs
        ]
        sequences_of_rows.sort(key=lambda one: len(one[1].ids))
        sequences = packed([one for _, one in sequences_of_rows], model)
        output = model(sequences)
        values = output.scores.double().cpu().numpy()
        distributions = None if output.logits is None else output.logits.float().softmax(-1).cpu().numpy()
        starts = sequences.starts.tolist()
        for row in rows:
            indices = [index for index, (other, _) in enumerate(sequences_of_rows) if other == row]
            scores[row] = values[indices].mean()
            if distributions is not None:
                size = min(len(examples[row].hypothesis), *(starts[p + 1] - starts[p] - 1 for p in indices))
                parts = [distributions[starts[p] + 1 : starts[p] + 1 + size] for p in indices]
                shares[row] = np.mean(parts, axis=0)
    return scores, shares


def pearson(a: Floats, b: Floats) -> float:
    """Return Pearson's r; NaN if it is undefined."""
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def kendall_b(a: Floats, b: Floats) -> float:
    """Return Kendall's tau-b, computed from all pairs; NaN if it is undefined."""
    agree = ties_a = ties_b = 0
    for i in range(len(a) - 1):
        x, y = np.sign(a[i + 1 :] - a[i]), np.sign(b[i + 1 :] - b[i])
        agree += int((x * y).sum())
        ties_a += int((x == 0).sum())
        ties_b += int((y == 0).sum())
    pairs = len(a) * (len(a) - 1) // 2
    room = math.sqrt(pairs - ties_a) * math.sqrt(pairs - ties_b)
    return agree / room if room else math.nan
