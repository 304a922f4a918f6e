"""Layers of encoder-decoders over packed rows: T5, BART and its relatives, and the decoder of language models.

The residual stream and the norms stay in float32 whatever the precision of the matrix products.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.models.runtime.batching import BatchRunner, token_budget
from assay.models.runtime.fused import Norm, add_norm
from assay.models.seq2seq.attention import AttentionLayout
from assay.models.seq2seq.config import Shape

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda hidden: functional.gelu(hidden, approximate="tanh"),
    "silu": functional.silu,
}


class SequenceLayer(nn.Module):
    """Transformer block: self-attention, cross-attention in a decoder, and feed-forward layers."""

    def __init__(self, shape: Shape, inner: int, *, cross: bool) -> None:
        super().__init__()
        hidden, width, bias = shape.hidden, shape.heads * shape.head_size, not shape.rms
        self.heads, self.scale, self.gated = shape.heads, shape.attention_scale, shape.gated
        self.activation = ACTIVATIONS[shape.activation]
        self.attention_norm = _norm(shape)
        self.qkv = nn.Linear(hidden, 3 * width, bias=bias)
        self.out = nn.Linear(width, hidden, bias=bias)
        self.cross = cross
        if cross:
            self.cross_norm = _norm(shape)
            self.query = nn.Linear(hidden, width, bias=bias)
            self.key_value = nn.Linear(hidden, 2 * width, bias=bias)
            self.cross_out = nn.Linear(width, hidden, bias=bias)
        self.inner_norm = _norm(shape)
        self.up = nn.Linear(hidden, (2 if shape.gated else 1) * inner, bias=bias)
        self.down = nn.Linear(inner, hidden, bias=bias)

    def attend(self, hidden: Tensor, layout: AttentionLayout) -> Tensor:
        """Return the self-attention output to add to the residual stream."""
        query, key, value = self.qkv(hidden).view(len(hidden), 3, self.heads, -1).unbind(1)
        added: Tensor = self.out(layout.attend(query, key, value, self.scale))
        return added

    def attend_alone(self, hidden: Tensor) -> Tensor:
        """Return the self-attention output for a sequence of one token, which is the token's value."""
        width = self.qkv.weight.shape[0] // 3
        bias = None if self.qkv.bias is None else self.qkv.bias[2 * width :]
        added: Tensor = self.out(functional.linear(hidden, self.qkv.weight[2 * width :], bias))
        return added

    def look_up(self, hidden: Tensor, source: Tensor, layout: AttentionLayout) -> Tensor:
        """Return the output of attention to the source's rows."""
        query = self.query(hidden).view(len(hidden), self.heads, -1)
        key, value = self.key_value(source).view(len(source), 2, self.heads, -1).unbind(1)
        added: Tensor = self.cross_out(layout.attend(query, key, value, self.scale))
        return added

    def feed_forward(self, hidden: Tensor) -> Tensor:
        """Return the feed-forward output to add to the residual stream."""
        inside = self.up(hidden)
        if self.gated:
            gate, inside = inside.chunk(2, dim=-1)
            inside = self.activation(gate) * inside
        else:
            inside = self.activation(inside)
        added: Tensor = self.down(inside)
        return added


class Stack(nn.Module):
    """Encoder or decoder: embeddings, positions, layers."""

    def __init__(self, shape: Shape, *, decoder: bool) -> None:
        super().__init__()
        self.shape, self.decoder = shape, decoder
        self.words = nn.Embedding(shape.target_vocabulary if decoder else shape.vocabulary, shape.hidden)
        self.places: nn.Embedding | None = None
        self.bias: nn.Embedding | None = None
        if shape.positions == "learned":
            self.places = nn.Embedding(shape.longest + shape.offset, shape.hidden)
        if shape.positions == "relative":
            self.bias = nn.Embedding(shape.buckets, shape.heads)
        self.embedding_norm = _norm(shape) if shape.embedding_norm else None
        count, inner = (
            (shape.decoder_layers, shape.decoder_inner) if decoder else (shape.encoder_layers, shape.encoder_inner)
        )
        cross = decoder and not shape.causal_only
        self.layers = nn.ModuleList(SequenceLayer(shape, inner, cross=cross) for _ in range(count))
        self.final_norm = _norm(shape) if shape.final_norm else None
        self._waves: Tensor | None = None

    @property
    def dtype(self) -> torch.dtype:
        return self.words.weight.dtype

    def embed(self, ids: Tensor, positions: Tensor) -> Tensor:
        """Return the residual stream before the first layer, in float32."""
        hidden: Tensor = self.words(ids).float() * self.shape.embedding_scale
        if self.places is not None:
            hidden = hidden + self.places(positions + self.shape.offset).float()
        elif self.bias is None:
            hidden = hidden + self._sines(ids.device)[positions + self.shape.offset]
        if self.embedding_norm is None:
            return hidden
        normed: Tensor = self.embedding_norm(hidden)
        return normed

    def run(
        self,
        hidden: Tensor,
        layout: AttentionLayout,
        source: Tensor | None = None,
        sources: AttentionLayout | None = None,
    ) -> Tensor:
        """Run all layers; the result has the precision of the matrix products."""
        dtype, pre = self.dtype, self.shape.pre_norm
        half, added = hidden if dtype == torch.float32 else hidden.to(dtype), None
        for layer in self.layers:
            assert isinstance(layer, SequenceLayer)
            steps: list[tuple[Norm, Callable[[Tensor], Tensor]]] = [
                (layer.attention_norm, lambda half, layer=layer: layer.attend(half, layout)),  # type: ignore[misc]
                (layer.inner_norm, layer.feed_forward),
            ]
            if layer.cross and source is not None and sources is not None:
                look = lambda half, layer=layer: layer.look_up(half, source, sources)  # noqa: E731
                steps.insert(1, (layer.cross_norm, look))
            for norm, step in steps:
                if pre:
                    hidden, _, half = add_norm(hidden, added, norm, dtype, wide=False)
                    added = step(half)
                else:
                    _, hidden, half = add_norm(hidden, step(half), norm, dtype)
        if self.final_norm is not None:
            return add_norm(hidden, added, self.final_norm, dtype, wide=False)[2]
        return half if added is None else (hidden + added).to(dtype)

    def relative(self, length: int) -> Tensor:
        """Return T5's bias on the attention logits for a sequence: (heads, length, length)."""
        assert self.bias is not None
        positions = torch.arange(length, device=self.bias.weight.device)
        buckets = distance_buckets(
            positions[None, :] - positions[:, None], self.shape.buckets, self.shape.distance, both=not self.decoder
        )
        bias: Tensor = self.bias(buckets)
        return bias.permute(2, 0, 1).contiguous()

    def _sines(self, device: torch.device) -> Tensor:
        """Return fairseq's position table: all sines, then all cosines."""
        if self._waves is None or self._waves.device != device:
            half = self.shape.hidden // 2
            step = math.log(10000) / (half - 1)
            waves = torch.exp(torch.arange(half, dtype=torch.float32) * -step)
            angles = torch.arange(self.shape.longest + self.shape.offset)[:, None] * waves[None, :]
            self._waves = torch.cat([angles.sin(), angles.cos()], dim=1).to(device)
        return self._waves


class EncoderDecoder(nn.Module):
    """Encoder, decoder and output matrix. A language model has no encoder."""

    def __init__(self, shape: Shape, *, head_bias: bool = False) -> None:
        super().__init__()
        self.shape = shape
        self.encoder = None if shape.causal_only else Stack(shape, decoder=False)
        self.decoder = Stack(shape, decoder=True)
        self.head = nn.Linear(shape.hidden, shape.target_vocabulary, bias=head_bias)

    @property
    def device(self) -> torch.device:
        return self.head.weight.device

    def encode(self, ids: Tensor, positions: Tensor, lengths: list[int]) -> Tensor:
        """Return the states of packed sources, one row per token."""
        assert self.encoder is not None
        bias = self.encoder.relative if self.encoder.bias is not None else None
        layout = AttentionLayout(lengths, device=ids.device, dtype=self.encoder.dtype, bias=bias)
        return self.encoder.run(self.encoder.embed(ids, positions), layout)


def distance_buckets(distances: Tensor, buckets: int, most: int, *, both: bool) -> Tensor:
    """Return T5's buckets for distances (key minus query): one for each short distance, logarithmic for long ones."""
    base = torch.zeros_like(distances)
    if both:
        buckets //= 2
        base = (distances > 0).long() * buckets
        distances = distances.abs()
    else:
        distances = -distances.clamp(max=0)
    exact = buckets // 2
    far = exact + (
        torch.log(distances.clamp(min=1).float() / exact) / math.log(most / exact) * (buckets - exact)
    ).long().clamp(max=buckets - 1 - exact)
    return base + torch.where(distances < exact, distances, far)


def _norm(shape: Shape) -> Norm:
    if shape.rms:
        return nn.RMSNorm(shape.hidden, eps=shape.epsilon)
    return nn.LayerNorm(shape.hidden, eps=shape.epsilon)


def sequence_runner(shape: Shape, device: torch.device, dtype: torch.dtype) -> BatchRunner:
    """Return a runner for an encoder-decoder of this shape."""
    inner = max(shape.encoder_inner, shape.decoder_inner) * (3 if shape.gated else 2)
    size = torch.finfo(dtype).bits // 8
    token_bytes = size * (inner + 8 * shape.heads * shape.head_size) + 4 * 6 * shape.hidden
    return BatchRunner(device, dtype, token_budget(device, token_bytes))
