"""Transformer encoders over packed batches: RoBERTa, XLM-R and InfoXLM, XLM-R XL and XXL, BERT, LaBSE and MiniLM, MPNet.

One class serves all families, since they differ little: where a block is normalised, how positions are counted, whether there
are token types, and MPNet's learned distances. `assay.models.encoders.pretrained` reads an encoder from a hub folder. Heads,
pooling and token matching use `Encoder.states`. To add another encoder of this kind, add a name to `config.Family`, the names
of its weights to `pretrained.py`, and its differences here.

The residual stream stays in float32 whatever the precision of the matrix products. After dozens of layers in bfloat16, the
result is still within a few thousandths of float32.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.models.encoders.config import EncoderConfig
from assay.models.runtime.fp8 import FP8, Fp8Layer, Product, stored_as
from assay.models.runtime.fused import Norm, add_norm
from assay.models.runtime.packing import Packed, PackedBlock
from assay.models.runtime.precision import PrepackedLayer, can_prepack

FARTHEST = 128
"""Token distance from which on MPNet no longer distinguishes distances."""
PREPACK_LIMIT = 1024
"""Largest hidden size (XLM-R large) for which weights are also kept prepacked."""


class Layer(nn.Module):
    """Transformer block: attention and feed-forward layers, each with its norm."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        hidden, inner = config.hidden, config.feed_forward
        self.heads, self.dropout, self.gelu = config.heads, config.dropout, config.gelu
        self.attention_dropout = config.dropout
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.attention_norm = nn.LayerNorm(hidden, eps=config.epsilon)
        self.up = nn.Linear(hidden, inner)
        self.down = nn.Linear(inner, hidden)
        self.feed_forward_norm = nn.LayerNorm(hidden, eps=config.epsilon)
        self.fast: PrepackedLayer | None = None
        self.small: Fp8Layer | None = None

    def train(self, mode: bool = True) -> Layer:
        """Set the training mode and drop prepacked and 8-bit copies of the weights, which training changes."""
        self.fast = self.small = None
        super().train(mode)
        return self

    def attention(
        self, hidden: Tensor, packed: Packed, *, final: bool = False, bias: Tensor | None = None
    ) -> Tensor | Product:
        """Return the attention output to add to the residual stream. In the final layer, only tokens that are read have rows."""
        dropout = self.attention_dropout if self.training else 0.0
        value: Tensor | None = None
        if self.small is not None:
            qkv, value = self.small.attended(hidden, packed.places)
        else:
            qkv = self.qkv(hidden) if self.fast is None else self.fast.qkv(hidden)
        mixed = attend(qkv, packed, self.heads, dropout, bias, value)
        if final:
            mixed = packed.select(mixed)
        if self.small is not None:
            return self.small.out(mixed, packed.read_places if final else packed.places)
        return self.drop(self.out(mixed)) if self.fast is None else self.fast.out(mixed)

    def feed_forward(self, hidden: Tensor, packed: Packed, *, final: bool = False) -> Tensor | Product:
        """Return the feed-forward output to add to the residual stream; `final` as in `attention`."""
        if self.small is not None:
            return self.small.feed_forward(hidden, packed.read_places if final else packed.places)
        if self.fast is not None:
            return self.fast.feed_forward(hidden)
        return self.drop(self.down(functional.gelu(self.up(hidden), approximate=self.gelu)))

    def drop(self, added: Tensor) -> Tensor:
        """Apply dropout during training."""
        return functional.dropout(added, self.dropout) if self.training and self.dropout else added


class Encoder(nn.Module):
    """Transformer encoder that yields its layers one by one, so memory holds only one at a time."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.pre_norm = config.family == "xlm-roberta-xl"
        width = config.embedding or config.hidden
        self.words = nn.Embedding(config.vocabulary, width)
        self.places = nn.Embedding(config.positions, width)
        self.types = nn.Embedding(config.types, width) if config.types else None
        self.distances = nn.Embedding(config.buckets, config.heads) if config.buckets else None
        self.embedding_norm = None if self.pre_norm else nn.LayerNorm(width, eps=config.epsilon)
        self.widen = nn.Linear(width, config.hidden) if config.embedding else None
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.final_norm = nn.LayerNorm(config.hidden, eps=config.epsilon) if self.pre_norm else None

    def cast(self, dtype: torch.dtype) -> None:
        """Convert matrices and embeddings to `dtype`; norms stay in float32. With 8-bit floats, the float16 matrices are also
        retained.
        """
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                module.to(stored_as(dtype))
        for layer in self.layers:
            assert isinstance(layer, Layer)
            layer.fast = layer.small = None
            if dtype == FP8:
                layer.small = Fp8Layer(layer.qkv, layer.out, layer.up, layer.down, layer.gelu)

    def prepack(self) -> None:
        """Keep a second copy of the weights in the layout that is fastest for matrix products on a CPU, if the encoder is small."""
        weight = self.words.weight
        if any(isinstance(layer, Layer) and layer.small is not None for layer in self.layers):
            return
        if weight.device.type == "cpu" and self.config.hidden <= PREPACK_LIMIT and can_prepack(weight.dtype):
            for layer in self.layers:
                assert isinstance(layer, Layer)
                layer.fast = PrepackedLayer(layer.qkv, layer.out, layer.up, layer.down, layer.gelu)

    def embed(self, packed: Packed) -> Tensor:
        """Return the residual stream before the first layer."""
        summed: Tensor = self.words(packed.ids).float() + self.places(packed.positions + self.config.offset).float()
        if self.types is not None:
            types = torch.zeros_like(packed.ids) if packed.types is None else packed.types
            summed = summed + self.types(types).float()
        if self.embedding_norm is not None:
            summed = self.embedding_norm(summed)
        if self.training and self.config.dropout:
            summed = functional.dropout(summed, self.config.dropout)
        if self.widen is not None:
            summed = self.widen(summed.to(self.words.weight.dtype)).float()
        return summed

    def states(self, packed: Packed, last: int | None = None) -> Iterator[Tensor]:
        """Yield hidden states (tokens, hidden) in float32: the embeddings, then the output of each layer up to number `last`.

        The last state contains only rows for the tokens that `packed` reads.
        """
        last = self.config.layers if last is None else last
        hidden = self.embed(packed)
        yield hidden if last else packed.select(hidden)
        steps = self._before(packed, hidden, last) if self.pre_norm else self._after(packed, hidden, last)
        yield from steps

    def _after(self, packed: Packed, hidden: Tensor, last: int) -> Iterator[Tensor]:
        """Run post-norm layers, which normalise each sum."""
        dtype = self.words.weight.dtype
        half = hidden.to(dtype)
        bias = None if self.distances is None else _nearness(self.distances.weight, packed.longest)
        for index, layer in enumerate(self.layers[:last], 1):
            assert isinstance(layer, Layer)
            added = layer.attention(half, packed, final=index == last, bias=bias)
            if index == last:
                hidden = packed.select(hidden)
            _, hidden, half = add(hidden, added, layer.attention_norm, dtype)
            added = layer.feed_forward(half, packed, final=index == last)
            _, hidden, half = add(hidden, added, layer.feed_forward_norm, dtype)
            yield hidden

    def _before(self, packed: Packed, hidden: Tensor, last: int) -> Iterator[Tensor]:
        """Run pre-norm layers, which normalise the input of each block; the final layer is normalised as well."""
        dtype = self.words.weight.dtype
        added: Tensor | Product | None = None
        for index, layer in enumerate(self.layers[:last], 1):
            assert isinstance(layer, Layer)
            hidden, _, half = add(hidden, added, layer.attention_norm, dtype, wide=False)
            if added is not None:
                yield hidden
            added = layer.attention(half, packed, final=index == last)
            if index == last:
                hidden = packed.select(hidden)
            hidden, _, half = add(hidden, added, layer.feed_forward_norm, dtype, wide=False)
            added = layer.feed_forward(half, packed, final=index == last)
            if index == last:
                hidden = added.onto(hidden) if isinstance(added, Product) else hidden + added
                yield self.final_norm(hidden) if index == self.config.layers and self.final_norm else hidden


def add(
    hidden: Tensor, added: Tensor | Product | None, norm: Norm, dtype: torch.dtype, *, wide: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Call `add_norm` for an added tensor of any precision."""
    if isinstance(added, Product):
        return added.onto_normed(hidden, norm, dtype, wide=wide)
    return add_norm(hidden, added, norm, dtype, wide=wide)


def _nearness(table: Tensor, longest: int) -> Tensor:
    """Return MPNet's bias (heads, longest, longest); each head has learned it for each distance between key and query.

    Half of the table is for keys behind the query. In each half, short distances have an entry each. Distances up to 128 share
    the remaining entries on a logarithmic scale, and all larger ones use the last entry, as in T5.
    """
    positions = torch.arange(longest, device=table.device)
    distance = positions[None, :] - positions[:, None]
    half = len(table) // 2
    single = half // 2
    far = distance.abs()
    steps = torch.log(far.clamp(min=1).float() / single) / math.log(FARTHEST / single) * (half - single)
    grouped = (single + steps.to(torch.long)).clamp(max=half - 1)
    bucket = torch.where(far < single, far, grouped) + torch.where(distance > 0, half, 0)
    return table[bucket].permute(2, 0, 1)


def attend(
    qkv: Tensor,
    packed: Packed,
    heads: int,
    dropout: float = 0.0,
    bias: Tensor | None = None,
    value: Tensor | None = None,
) -> Tensor:
    """Compute multi-head attention from (tokens, 3 x hidden) queries, keys and values; the values may also be separate.

    The result is (tokens, hidden). In half precision on a GPU, one variable-length flash kernel processes the whole batch.
    Otherwise, neighbours of similar length are processed in one dense call. Batches are sorted by length, so there are few
    calls and little padding. `bias` (heads, longest, longest) is added to the attention logits.
    """
    tokens, width = qkv.shape
    half = qkv.is_cuda and qkv.dtype in (torch.float16, torch.bfloat16)
    kernel = _varlen() if half and not dropout and bias is None else None
    if kernel is not None:
        count = 3 if value is None else 2
        parts = [*qkv.view(tokens, count, heads, width // (count * heads)).unbind(1)]
        if value is not None:
            parts.append(value.view_as(parts[0]))
        longest = packed.longest
        mixed: Tensor = kernel(*parts, packed.starts, packed.starts, longest, longest)
        return mixed.reshape(tokens, -1)
    qkv = qkv if value is None else torch.cat((qkv, value), dim=1)
    parts = [_dense(qkv, group, heads, dropout, bias) for group in packed.groups]
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _dense(qkv: Tensor, group: PackedBlock, heads: int, dropout: float, bias: Tensor | None) -> Tensor:
    """Compute attention of a few sequences of similar length; padding is masked in the keys and dropped from the queries."""
    rows = qkv[group.first : group.last] if group.places is None else qkv.index_select(0, group.places)
    query, key, value = rows.view(group.count, group.longest, 3, heads, -1).permute(2, 0, 3, 1, 4)
    mask = group.mask
    if bias is not None:
        added = bias[None, :, : group.longest, : group.longest]
        mask = added if mask is None else added.masked_fill(~mask, -torch.inf)
    mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
    flat = mixed.transpose(1, 2).reshape(group.count * group.longest, -1)
    return flat if group.real is None else flat.index_select(0, group.real)


@functools.cache
def _varlen() -> Callable[..., Any] | None:
    """Return torch's variable-length attention (torch 2.10 and later), or None."""
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return None
    return varlen_attn if _learns(varlen_attn) else None


def _learns(kernel: Callable[..., Any]) -> bool:
    """Return whether the kernel's output and gradients match those of dense attention on a small example."""
    try:
        with torch.inference_mode(False), torch.enable_grad():
            generator = torch.Generator("cuda").manual_seed(0)
            random = torch.randn(4, 24, 2, 32, device="cuda", dtype=torch.bfloat16, generator=generator)
            parts, weights = [one.clone().requires_grad_() for one in random[:3]], random[3]
            starts = torch.tensor([0, 9, 24], dtype=torch.int32, device="cuda")
            mixed = kernel(*parts, starts, starts, 15, 15)
            dense = torch.cat(
                [
                    functional.scaled_dot_product_attention(*(part[a:b].transpose(0, 1) for part in parts)).transpose(
                        0, 1
                    )
                    for a, b in ((0, 9), (9, 24))
                ]
            )
            actual = [mixed, *torch.autograd.grad((mixed * weights).sum(), parts)]
            expected = [dense, *torch.autograd.grad((dense * weights).sum(), parts)]
            return all(
                float((a - b).detach().float().norm() / b.detach().float().norm()) < 0.03
                for a, b in zip(actual, expected, strict=True)
            )
    except Exception:  # scoring must work if this GPU or torch cannot run the kernel
        return False
