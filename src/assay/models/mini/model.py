"""assay-mini's architecture in torch: three texts are encoded separately, softly aligned, and compared at five depths.

Two small layers then read all texts together. The model outputs an error mass for every subword. The sum of the masses,
corrected by features of the triple, estimates the MQM sum (mu). Two tags per subword (any error, a major error) and six other
heads come from the same pass. A missing reference or source contributes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.core.errors import InputError
from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.encoder import Encoder, Layer
from assay.models.mini.batch import HYPOTHESIS, REFERENCE, SOURCE, TrainingBatch

DEPTHS = 5
"""Depths at which texts are compared: embeddings, three layers, and the mix of the upper layers."""
FLOOR = 0.02
"""Error mass of a translation without errors."""
HEADS = ("correction", "ranking", "assessment", "esa", "quality", "teacher")
FUSION_HEAD, FUSION_LAYERS = 64, 2
"""Width of an attention head, and number of layers that read all subwords together."""
FUSION_EPSILON = 1e-5
_FAR = -1e4
ALWAYS, WITH_REFERENCE, WITH_SOURCE = 0, 1, 2
SCALARS = (
    [ALWAYS, WITH_REFERENCE, WITH_SOURCE, WITH_REFERENCE, WITH_REFERENCE, WITH_SOURCE, ALWAYS, ALWAYS]
    + [WITH_REFERENCE, WITH_SOURCE]
    + [WITH_REFERENCE] * (4 * DEPTHS)
    + [WITH_SOURCE] * (4 * DEPTHS)
    + [WITH_REFERENCE] * 18
    + [WITH_SOURCE] * 18
    + [WITH_REFERENCE]
)
"""Texts that each feature of a triple requires: lengths and flags, cosines, similarities, lexical features, chrF."""


def seen_layers(layers: int) -> tuple[int, int, int]:
    """Return the layers (counted from 0) whose similarities the head reads: 3, 6 and 10 of twelve."""
    first = layers // 4
    second = max(first + 1, layers // 2)
    return first, second, max(second + 1, layers - 2)


def first_mixed(layers: int) -> int:
    """Return the first layer in the mix (counted from 0): 5 of twelve."""
    return 5 * layers // 12


@dataclass(frozen=True)
class MiniOutput:
    """Model output for the translations in a batch."""

    log_mu: Tensor
    heads: Tensor
    tags: Tensor
    """(n, longest, 2) logits."""
    inside: Tensor
    """(n, longest): which positions are subwords of the translation."""


@dataclass(frozen=True)
class Coded:
    """Encoded texts in a batch, padded: vectors (3, n, longest, units), the same at five depths with unit length, and rarity."""

    vectors: Tensor
    depths: Sequence[Tensor]
    rarity: Tensor
    inside: Tensor


@dataclass(frozen=True)
class _Side:
    """Contribution of the reference or the source: projections of both texts, and similarities between their subwords."""

    mine: Tensor
    theirs: Tensor
    best_mine: list[Tensor]
    best_theirs: list[Tensor]
    present: Tensor


class FusionLayer(nn.Module):
    """Pre-norm transformer layer over the subwords of all three texts."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width, eps=FUSION_EPSILON)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.feed_forward_norm = nn.LayerNorm(width, eps=FUSION_EPSILON)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, subwords: Tensor, mask: Tensor, dropout: float) -> Tensor:
        """Map (n, positions, width) to the same shape."""
        n, places, width = subwords.shape
        qkv = self.qkv(self.attention_norm(subwords)).view(n, places, 3, -1, FUSION_HEAD).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attn_mask=mask)
        mixed = self.out(mixed.transpose(1, 2).reshape(n, places, width))
        subwords = subwords + functional.dropout(mixed, dropout, self.training)
        added = self.down(functional.gelu(self.up(self.feed_forward_norm(subwords))))
        return subwords + functional.dropout(added, dropout, self.training)


class MiniModel(nn.Module):
    """assay-mini's encoder and head."""

    scalar_mean: Tensor
    scalar_deviation: Tensor
    rarity: Tensor
    scalar_groups: Tensor

    def __init__(self, config: EncoderConfig, collections: int, width: int = 256) -> None:
        super().__init__()
        units = config.hidden
        if config.layers < 3 or width % FUSION_HEAD:
            raise InputError(
                f"assay-mini needs an encoder with at least 3 layers and a width that is a multiple of {FUSION_HEAD}."
            )
        self.config, self.dropout = config, config.dropout
        self.encoder = Encoder(config)
        for layer in self.encoder.layers:
            assert isinstance(layer, Layer)
            layer.attention_dropout = 0.0
        self.seen, self.mixed_from = seen_layers(config.layers), first_mixed(config.layers)
        self.mix = nn.Parameter(torch.zeros(config.layers - self.mixed_from))
        self.own = nn.Linear(units, width)
        self.aligned = nn.ModuleList(nn.Linear(3 * units, width) for _ in range(2))
        self.columns_own = nn.Linear(2 * DEPTHS + 2 + 8, width)
        self.columns_other = nn.Linear(DEPTHS + 2 + 4, width)
        self.kind = nn.Parameter(torch.randn(3, width) * 0.02)
        self.temperature = nn.Parameter(torch.full((2,), 3.0))
        self.fusion = nn.ModuleList(FusionLayer(width) for _ in range(FUSION_LAYERS))
        self.last_norm = nn.LayerNorm(width, eps=FUSION_EPSILON)
        self.mass, self.tags, self.pool = nn.Linear(width, 3), nn.Linear(width, 2), nn.Linear(width, 1)
        self.whole = nn.Linear(4 * units + 3 * width + len(SCALARS), units)
        self.whole_next = nn.Linear(units, units)
        self.heads, self.straight = nn.Linear(units, len(HEADS)), nn.Linear(len(SCALARS), len(HEADS))
        self.offsets = nn.Parameter(torch.zeros(collections))
        self.register_buffer("scalar_groups", torch.tensor(SCALARS), persistent=False)
        self.register_buffer("scalar_mean", torch.zeros(len(SCALARS)))
        self.register_buffer("scalar_deviation", torch.ones(len(SCALARS)))
        self.register_buffer("rarity", torch.ones(config.vocabulary))
        self.watched: list[tuple[Tensor, Tensor]] | None = None
        """Features of triples, collected while their mean and deviation are being computed."""
        nn.init.normal_(self.mass.weight, std=0.02)
        nn.init.constant_(self.mass.bias, -4.0)
        for linear in (self.heads, self.straight):
            nn.init.zeros_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, batch: TrainingBatch) -> MiniOutput:
        """Return the output for every translation with all texts of the batch."""
        return self.read(self.encode(batch), batch, batch.present)

    def encode(self, batch: TrainingBatch) -> Coded:
        """Encode every text in the batch once."""
        packed = batch.packed
        words = self.encoder.words(packed.ids)
        share = torch.softmax(self.mix, 0)
        mixed = torch.zeros_like(words)
        depths = [words]
        for number, state in enumerate(self.encoder.states(packed), -1):
            if number in self.seen:
                depths.append(state)
            if number >= self.mixed_from:
                mixed = mixed + state * share[number - self.mixed_from]
        depths.append(mixed)
        longest, tokens = batch.longest, len(packed.ids)
        positions = torch.arange(longest, device=packed.ids.device)
        index = (batch.first[..., None] + positions).clamp(max=tokens - 1)
        flat, shape = index.flatten(), (*index.shape, -1)
        dtype = _precision(words)
        units = [functional.normalize(one, dim=-1).to(dtype).index_select(0, flat).view(shape) for one in depths]
        vectors = mixed.to(dtype).index_select(0, flat).view(shape)
        return Coded(vectors, units, self.rarity[packed.ids][index], positions < batch.size[..., None])

    def read(self, coded: Coded, batch: TrainingBatch, present: Tensor) -> MiniOutput:
        """Return the output when only the references and sources selected by `present` (2, n) are used."""
        has = present.to(coded.vectors.dtype)
        sides = [self._side(coded, kind, has[kind - 1]) for kind in (REFERENCE, SOURCE)]
        subwords = self._pieces(coded, batch, sides, has)
        inside = torch.cat([coded.inside[0], *(coded.inside[k] & present[k - 1, :, None] for k in (1, 2))], 1)
        subwords = functional.dropout(functional.gelu(subwords), self.dropout, self.training)
        mask = inside[:, None, None, :]
        for layer in self.fusion:
            subwords = layer(subwords, mask, self.dropout)
        subwords = self.last_norm(subwords)
        longest = batch.longest
        emitted = functional.softplus(self.mass(subwords).float())
        mass = torch.cat([emitted[:, k * longest : (k + 1) * longest, k] for k in range(3)], 1)
        log_mass = torch.log((mass * inside).sum(1) + FLOOR)
        scalars = self._scalars(coded, batch, sides, present)
        heads = self._whole(coded, subwords, inside, scalars, has)
        return MiniOutput(log_mass + heads[:, 0], heads, self.tags(subwords[:, :longest]).float(), coded.inside[0])

    def _side(self, coded: Coded, kind: int, present: Tensor) -> _Side:
        hypothesis, other = coded.vectors[HYPOTHESIS], coded.vectors[kind]
        inside_mine, inside_theirs = coded.inside[HYPOTHESIS], coded.inside[kind]
        similar = [torch.bmm(depth[HYPOTHESIS], depth[kind].transpose(1, 2)) for depth in coded.depths]
        sharp = torch.exp(self.temperature[kind - 1])
        to_mine = _aligned(similar[-1] * sharp, inside_theirs, other)
        to_theirs = _aligned(similar[-1].transpose(1, 2) * sharp, inside_mine, hypothesis)
        linear = self.aligned[kind - 1]
        return _Side(
            linear(_compared(hypothesis, to_mine)) * present[:, None, None],
            linear(_compared(other, to_theirs)),
            [_best(one, inside_theirs) * present[:, None] for one in similar],
            [_best(one.transpose(1, 2), inside_mine) * present[:, None] for one in similar],
            present,
        )

    def _pieces(self, coded: Coded, batch: TrainingBatch, sides: Sequence[_Side], has: Tensor) -> Tensor:
        """Return (n, 3 x longest, width) features of the subwords, before the layers that read them together."""
        cells = [part.to(has.dtype) / 255 for part in batch.cells]
        flags = [one[:, None, None].expand(-1, batch.longest, 1) for one in has]
        lexical = cells[0] * torch.cat([flags[0].expand(-1, -1, 4), flags[1].expand(-1, -1, 4)], -1)
        near = [_near(side.best_mine) for side in sides]
        own = self.columns_own(torch.cat([*near, *flags, lexical], -1))
        parts = [self.own(coded.vectors[0]) + sides[0].mine + sides[1].mine + own + self.kind[0]]
        for kind, side in enumerate(sides, 1):
            columns = torch.cat([_near(side.best_theirs), *flags, cells[kind]], -1)
            parts.append(self.own(coded.vectors[kind]) + side.theirs + self.columns_other(columns) + self.kind[kind])
        return torch.cat(parts, 1)

    def _scalars(self, coded: Coded, batch: TrainingBatch, sides: Sequence[_Side], present: Tensor) -> Tensor:
        """Return the standardised features of each triple; those of missing texts are 0."""
        flags = present.float()
        length = torch.log1p(batch.size.float())
        means = [_mean(coded.vectors[k].float(), coded.inside[k]) for k in range(3)]
        features = [
            length[0],
            length[1],
            length[2],
            length[0] - length[1],
            (length[0] - length[1]).abs(),
            length[0] - length[2],
        ]
        features += [
            *flags,
            *(functional.cosine_similarity(means[0], means[k] * flags[k - 1, :, None], -1) for k in (1, 2)),
        ]
        for kind, side in enumerate(sides, 1):
            for own, other in zip(side.best_mine, side.best_theirs, strict=True):
                for best, text in ((own, 0), (other, kind)):
                    features.append(_weighted(best, coded.inside[text].float(), 1.0))
                features += [
                    _weighted(b, coded.inside[t] * coded.rarity[t], 0.05) for b, t in ((own, 0), (other, kind))
                ]
        precision, recall = batch.numbers[:, :6], batch.numbers[:, 6:12]
        chrf = (5 * precision * recall / (4 * precision + recall + 1e-6)).mean(1, keepdim=True)
        scalars = torch.cat([torch.stack(features, -1), batch.numbers, chrf], -1)
        counts = torch.stack([torch.ones_like(flags[0]), *flags], -1)[:, self.scalar_groups]
        if self.watched is not None:
            self.watched.append((scalars.detach(), counts))
        return ((scalars - self.scalar_mean) / self.scalar_deviation).clamp(-6, 6) * counts

    def _whole(self, coded: Coded, subwords: Tensor, inside: Tensor, scalars: Tensor, has: Tensor) -> Tensor:
        means = [_mean(coded.vectors[k], coded.inside[k]) for k in range(3)]
        compared = []
        for kind in (REFERENCE, SOURCE):
            flag = has[kind - 1, :, None]
            compared += [(means[0] - means[kind]).abs() * flag, means[0] * means[kind] * flag]
        longest = coded.inside.shape[-1]
        weights = torch.softmax(self.pool(subwords).float().squeeze(-1).masked_fill(~inside, _FAR), -1)
        pooled = torch.bmm(weights[:, None].to(subwords.dtype), subwords).squeeze(1)
        read = [
            _mean(subwords[:, k * longest : (k + 1) * longest], inside[:, k * longest : (k + 1) * longest])
            for k in (0, 1)
        ]
        whole = torch.cat([*compared, pooled, *read, scalars], -1)
        whole = functional.dropout(functional.gelu(self.whole(whole)), self.dropout, self.training)
        whole = functional.gelu(self.whole_next(whole))
        heads: Tensor = (self.heads(whole) + self.straight(scalars)).float()
        return heads

    @torch.no_grad()
    def standardise(self, batches: Sequence[TrainingBatch]) -> None:
        """Compute the mean and deviation of the triples' features from a few batches."""
        self.eval()
        self.watched = []
        for batch in batches:
            self(batch)
        values, counts = (torch.cat([pair[i] for pair in self.watched]).double() for i in (0, 1))
        self.watched = None
        n = counts.sum(0).clamp(min=1)
        mean = (values * counts).sum(0) / n
        deviation = (((values - mean) ** 2 * counts).sum(0) / n).sqrt()
        useless = (deviation < 1e-4) | (n < 50)
        self.scalar_mean.copy_(torch.where(useless, 0.0, mean))
        self.scalar_deviation.copy_(torch.where(useless, 1.0, deviation.clamp(min=1e-3)))


def _precision(like: Tensor) -> torch.dtype:
    """Return the precision of matrix products: autocast's, or else the tensor's."""
    kind = like.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else like.dtype


def _aligned(similar: Tensor, inside: Tensor, values: Tensor) -> Tensor:
    weights = torch.softmax(similar.float().masked_fill(~inside[:, None, :], _FAR), -1)
    return torch.bmm(weights.to(values.dtype), values)


def _compared(mine: Tensor, theirs: Tensor) -> Tensor:
    return torch.cat([theirs, mine * theirs, (mine - theirs).abs()], -1)


def _best(similar: Tensor, inside: Tensor) -> Tensor:
    return similar.masked_fill(~inside[:, None, :], -1.0).amax(-1)


def _near(best: Sequence[Tensor]) -> Tensor:
    """Return similarities as columns. Layer similarities, which are close to 1, are spread out."""
    return torch.stack([best[0], *((one - 0.8) * 4 for one in best[1:])], -1)


def _mean(values: Tensor, inside: Tensor) -> Tensor:
    weights = inside[..., None].to(values.dtype)
    return (values * weights).sum(1) / weights.sum(1).clamp(min=1)


def _weighted(values: Tensor, weights: Tensor, least: float) -> Tensor:
    return (values.float() * weights).sum(1) / weights.sum(1).clamp(min=least)


def mini_model(
    config: EncoderConfig, weights: dict[str, Tensor], rarity: Any, collections: int, width: int
) -> MiniModel:
    """Return a model with a new head and the encoder's weights, or with BERT's initial weights if there are none."""
    model = MiniModel(config, collections, width)
    if weights:
        model.encoder.load_state_dict(weights)
    else:
        for module in model.encoder.modules():
            if isinstance(module, nn.Embedding | nn.Linear):
                nn.init.normal_(module.weight, std=0.02)
    model.rarity.copy_(torch.as_tensor(rarity))
    return model
