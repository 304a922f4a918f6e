"""Losses in a training stage: distances from human scores, rankings of translations, error tags, and teachers' predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from assay.models.mini.batch import TeacherTargets, TrainingBatch
from assay.models.mini.config import MiniConfig, StageConfig
from assay.models.mini.corpus import PreparedCorpus
from assay.models.mini.groups import KINDS
from assay.models.mini.model import HEADS, MiniOutput


@dataclass(frozen=True)
class _Kind:
    """How a type of score is used: weight as an MQM sum, weight in pairs, and the difference at which a pair counts fully."""

    sums: float = 0.0
    pairs: float = 0.0
    gap: float = 1.0
    head: str = ""
    """The side head that learns it."""


RULES: Mapping[str, _Kind] = {
    "mqm": _Kind(1.0, 1.0, 4.0),
    "bio": _Kind(0.5, 0.7, 4.0),
    "syn": _Kind(0.3, 0.7, 3.0),
    "da": _Kind(0.0, 0.3, 1.0, "assessment"),
    "esa": _Kind(0.0, 1.0, 15.0, "esa"),
    "qe": _Kind(0.0, 0.0, 1.0, "quality"),
    "darr": _Kind(0.0, 0.5, 1.0),
    "tch": _Kind(0.0, 0.8, 1.0, "teacher"),
    "un": _Kind(),
}
ANCHORED = "mqm"
"""The type of score that mu estimates; collections with other types have a learned offset."""
ORDERED_HEADS = ("assessment", "esa")
"""Side heads that also learn the ranking within each source."""
ORDERED_SHARE = 0.3
GREATEST_SUM = 60.0
SMALLEST = 0.05
SLOPE = 2.0
"""Slope of the logistic loss of pairs."""
MARKED = 2.0
"""Weight of a marked subword relative to others."""


class Losses:
    """A stage's losses by name; the loss of a step is their sum."""

    def __init__(self, corpus: PreparedCorpus, config: MiniConfig, stage: StageConfig, device: torch.device) -> None:
        self.stage = stage
        mean, deviation = np.zeros(len(corpus.collections)), np.ones(len(corpus.collections))
        of_row = corpus.group_collection[corpus.row_group]
        for number in range(len(corpus.collections)):
            scores = corpus.row_score[of_row == number].astype(np.float64)
            if len(scores):
                mean[number], deviation[number] = scores.mean(), scores.std() + 1e-6
        anchored = np.zeros(len(corpus.collections), bool)
        anchored[np.unique(corpus.group_collection[corpus.group_kind == KINDS.index(ANCHORED)])] = True

        def table(values: object) -> Tensor:
            return torch.tensor(values, dtype=torch.float32, device=device)

        self.mean, self.deviation = table(mean), table(deviation)
        self.free = table(~anchored)
        self.sums, self.pairs, self.gap = (
            table([getattr(RULES[kind], name) for kind in KINDS]) for name in ("sums", "pairs", "gap")
        )

    def __call__(self, output: MiniOutput, batch: TrainingBatch, offsets: Tensor) -> dict[str, Tensor]:
        """Return every loss that counts in this stage."""
        stage, losses = self.stage, {}
        losses["sums"] = self._sums(output, batch, offsets)
        standard = (batch.score - self.mean[batch.collection]) / self.deviation[batch.collection]
        of_kind: dict[str, Tensor] = {}
        for kind, rule in RULES.items():
            if rule.head:
                of_kind[rule.head] = batch.kind == KINDS.index(kind)
                error = (output.heads[:, HEADS.index(rule.head)] - standard) ** 2
                losses[rule.head] = stage.side_heads * (error * of_kind[rule.head]).sum() / len(batch)
        same = (batch.group[:, None] == batch.group) & (batch.kind[:, None] == batch.kind)
        apart = batch.score[:, None] - batch.score
        weight = (apart / self.gap[batch.kind][:, None]).clamp(0, 1) * same * self.pairs[batch.kind][:, None]
        good = -torch.log(torch.exp(output.log_mu.clamp(-6, 6)) + 0.1)
        losses["ranking"] = stage.ranking * _pairs(good, weight, 5.0)
        if stage.ranking_head:
            losses["ranking_head"] = stage.ranking_head * _pairs(output.heads[:, HEADS.index("ranking")], weight, 5.0)
        for head in ORDERED_HEADS:
            share = ORDERED_SHARE * stage.ranking
            head_weight = weight * of_kind[head][:, None]
            losses[f"{head}_ranking"] = share * _pairs(output.heads[:, HEADS.index(head)], head_weight, 5.0)
        if stage.between:
            losses["between"] = stage.between * self._between(output, batch, same, apart, of_kind)
        losses["tags"] = stage.tags * self._tags(output, batch)
        if batch.taught is not None:
            losses |= self._taught(output, batch, batch.taught)
        return losses

    def _sums(self, output: MiniOutput, batch: TrainingBatch, offsets: Tensor) -> Tensor:
        """Return the deviance of the Tweedie distribution (power 1.5), which suits sums that are often 0 and sometimes large."""
        log_mu = (output.log_mu + offsets[batch.collection] * self.free[batch.collection]).clamp(-6, 6)
        target = (-batch.score).clamp(0, GREATEST_SUM)
        root = torch.sqrt(torch.exp(log_mu) + SMALLEST)
        deviance = 2 * (target / root + root) - 4 * torch.sqrt(target.clamp(min=SMALLEST))
        return (deviance * self.sums[batch.kind]).sum() / len(batch)

    def _between(
        self, output: MiniOutput, batch: TrainingBatch, same: Tensor, apart: Tensor, of_kind: Mapping[str, Tensor]
    ) -> Tensor:
        """Return the ranking loss for different sources in one collection, based on the error per subword; for assessments."""
        assessed = of_kind["quality"] | of_kind["assessment"]
        rate = output.log_mu - torch.log(output.inside.sum(1).float() + 3.0)
        pairs = assessed[:, None] & assessed & (batch.collection[:, None] == batch.collection) & ~same
        return _pairs(-rate, (apart - 0.3).clamp(0, 1) * pairs, 50.0)

    def _tags(self, output: MiniOutput, batch: TrainingBatch) -> Tensor:
        target = batch.labels.float() / 100
        weight = torch.full((2,), MARKED, device=target.device)
        each = functional.binary_cross_entropy_with_logits(
            output.tags, target, reduction="none", pos_weight=weight
        ).sum(-1)
        inside = output.inside & batch.labelled[:, None]
        return (each * inside).sum() / (inside.sum() + 1.0)

    def _taught(self, output: MiniOutput, batch: TrainingBatch, taught: TeacherTargets) -> dict[str, Tensor]:
        stage = self.stage
        target = torch.where(batch.present[0], taught.with_reference, taught.without_reference)
        same = batch.group[:, None] == batch.group
        apart = (output.log_mu[:, None] - output.log_mu) - (target[:, None] - target)
        each = functional.binary_cross_entropy_with_logits(output.tags, taught.tags.float() / 255, reduction="none")
        inside = output.inside
        return {
            "taught": stage.distil * ((output.log_mu - target) ** 2).mean(),
            "taught_differences": stage.distil_differences * (apart**2 * same).sum() / (same.sum() + 1.0),
            "taught_heads": stage.distil_heads * ((output.heads[:, 1:] - taught.heads[:, 1:]) ** 2).mean(),
            "taught_tags": stage.distil_tags * (each.sum(-1) * inside).sum() / inside.sum(),
        }


def _pairs(scores: Tensor, weight: Tensor, least: float) -> Tensor:
    """Return the logistic loss of all pairs.

    `weight` is the weight of pairs whose row should rank above the column. If there are few pairs, they count less.
    """
    loss: Tensor = (weight * functional.softplus(-SLOPE * (scores[:, None] - scores))).sum() / (weight.sum() + least)
    return loss
