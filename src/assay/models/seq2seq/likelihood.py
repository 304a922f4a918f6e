"""Scores from encoder-decoders: log-probabilities of target texts (BARTScore, Prism), and MetricX's regression logit.

The MetricX decoder takes a single step with one token. Its self-attention is the value of that token, and its cross-attention
has one query per sequence. The query is multiplied by the key matrix once, which avoids multiplying every token by it. The
value matrix is applied after the average. The decoder therefore costs next to nothing, and only one logit of the vocabulary is
computed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from assay.core.errors import InputError
from assay.models.runtime.fused import add_norm
from assay.models.runtime.packing import packed_ids, runs, to_device
from assay.models.seq2seq.attention import AttentionLayout
from assay.models.seq2seq.encoder_decoder import EncoderDecoder, SequenceLayer, sequence_runner
from assay.models.seq2seq.texts import Target

Source = tuple[int, ...]


class Likelihood:
    """Scorer of log-probabilities of target texts under teacher forcing. Not thread-safe.

    Each distinct source is encoded once for all its targets, and each distinct pair is computed once. Only the target token's
    probability is retained from the distribution over the vocabulary, since states are multiplied by the output matrix in
    chunks.
    """

    def __init__(self, model: EncoderDecoder, *, temperature: float = 1.0, ignored: int | None = None) -> None:
        """`ignored` is a token that counts towards a target's length but not towards its sum, like padding in BARTScore."""
        self.model, self.device = model, model.device
        self.temperature, self.ignored = temperature, ignored
        self.runner = sequence_runner(model.shape, self.device, model.head.weight.dtype)

    def means(self, pairs: Sequence[tuple[Source, Target]]) -> NDArray[np.float64]:
        """Return the mean log-probability of each target's tokens given its source, in the order of `pairs`."""
        numbers_of_pairs: dict[tuple[Source, Target], int] = {}
        order_of_pairs = [numbers_of_pairs.setdefault(pair, len(numbers_of_pairs)) for pair in pairs]
        sources: dict[Source, list[int]] = {}
        distinct = list(numbers_of_pairs)
        for number, (source, _) in enumerate(distinct):
            sources.setdefault(source, []).append(number)
        groups = list(sources.items())
        longest = [max(len(distinct[i][1].asked) for i in numbers) for _, numbers in groups]
        order = sorted(range(len(groups)), key=lambda g: (-longest[g], -len(groups[g][0]), g))
        sizes = [len(source) + sum(len(distinct[i][1].asked) for i in numbers) for source, numbers in groups]

        def compute(batch: list[int]) -> tuple[list[int], Tensor]:
            selected_groups = [groups[g] for g in batch]
            numbers = [i for _, members in selected_groups for i in members]
            return numbers, self._batch(selected_groups, [distinct[i][1] for i in numbers])

        scores = np.empty(len(distinct))
        for numbers, tokens in [output for _, output in self.runner.run(sizes, compute, order)]:
            self._finish([distinct[i][1] for i in numbers], numbers, tokens.double().cpu().numpy(), scores)
        self.runner.check_finite(scores)
        return scores[np.asarray(order_of_pairs, np.int64)] if order_of_pairs else scores

    def _batch(self, groups: Sequence[tuple[Source, list[int]]], targets: Sequence[Target]) -> Tensor:
        """Return the log-probability of every token of the targets, end to end."""
        model, dtype = self.model, self.model.decoder.dtype
        states: Tensor | None = None
        sources: AttentionLayout | None = None
        ids, positions, lengths = packed_ids([target.read for target in targets], self.device)
        if model.encoder is not None:
            order = sorted(range(len(groups)), key=lambda g: -len(groups[g][0]))
            read, positions_read, sizes = packed_ids([groups[g][0] for g in order], self.device)
            states = model.encode(read, positions_read, sizes)
            starts = dict(zip(order, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))
            owners = [g for g, (_, numbers) in enumerate(groups) for _ in numbers]
            rows = [starts[g] for g in owners], [len(groups[g][0]) for g in owners]
            sources = AttentionLayout(lengths, device=self.device, dtype=dtype, sources=rows)
        bias = model.decoder.relative if model.decoder.bias is not None else None
        layout = AttentionLayout(lengths, device=self.device, dtype=dtype, causal=True, bias=bias)
        hidden = model.decoder.run(model.decoder.embed(ids, positions), layout, states, sources)
        target_ids, _, _ = packed_ids([target.asked for target in targets], self.device)
        return log_probabilities(hidden, model.head, target_ids, model.shape.output_scale / self.temperature)

    def _finish(
        self,
        targets: Sequence[Target],
        numbers: Sequence[int],
        tokens: NDArray[np.float64],
        scores: NDArray[np.float64],
    ) -> None:
        at = 0
        for number, target in zip(numbers, targets, strict=True):
            values = tokens[at : at + len(target.asked)]
            at += len(target.asked)
            if self.ignored is not None and self.ignored in target.asked:
                values = np.where(np.asarray(target.asked) == self.ignored, 0.0, values)
            scores[number] = values[target.counted_from :].mean()


KEPT, KEPT_ON_GPU = 1 << 25, 1 << 28
"""Number of logits (rows x vocabulary) in memory at a time."""


def log_probabilities(hidden: Tensor, head: nn.Linear, asked: Tensor, scale: float = 1.0) -> Tensor:
    """Return log softmax(scale x logits of `hidden`) at the tokens `asked`, one float32 per row."""
    words = head.weight.shape[0]
    rows = max(16, (KEPT_ON_GPU if hidden.is_cuda else KEPT) // words)
    parts = [
        _shares(states, head, targets, scale)
        for states, targets in zip(torch.split(hidden, rows), torch.split(asked, rows), strict=True)
    ]
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _shares(hidden: Tensor, head: nn.Linear, asked: Tensor, scale: float) -> Tensor:
    products = functional.linear(hidden, head.weight, head.bias)
    if products.dtype == torch.float32:
        products = products if scale == 1.0 else products * scale
        return products.gather(1, asked[:, None]).squeeze(1) - torch.logsumexp(products, dim=1)
    # In half precision the target's logit is recomputed in float32; rounding errors in the sum over all tokens cancel out.
    own = (hidden.float() * head.weight[asked].float()).sum(1)
    if head.bias is not None:
        own = own + head.bias[asked].float()
    return own * scale - torch.logsumexp(products.float() * scale, dim=1)


class RegressionLogit:
    """Scorer that returns the logit of `word` after the start token. Not thread-safe."""

    def __init__(self, model: EncoderDecoder, word: int, where: str = "the model") -> None:
        if model.encoder is None or not model.shape.rms:
            raise InputError(f"{where} is a {model.shape.family} model, but a regression logit needs a T5.")
        if word >= model.shape.target_vocabulary:
            raise InputError(
                f"{where} has {model.shape.target_vocabulary:,} tokens, and the regression logit is token {word:,}: it is not a "
                "MetricX model."
            )
        self.model, self.device = model, model.device
        self.word = model.head.weight[word].float() * model.shape.output_scale
        self.runner = sequence_runner(model.shape, self.device, model.head.weight.dtype)

    def logits(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return one logit per sequence, in order. Identical sequences are computed once."""
        numbers: dict[tuple[int, ...], int] = {}
        order = [numbers.setdefault(tuple(ids), len(numbers)) for ids in sequences]
        distinct = list(numbers)
        sizes = [len(ids) for ids in distinct]
        scores = np.empty(len(distinct))
        for batch, values in list(self.runner.run(sizes, lambda batch: self._batch([distinct[i] for i in batch]))):
            scores[batch] = values.double().cpu().numpy()
        self.runner.check_finite(scores)
        return scores[np.asarray(order, np.int64)] if order else scores

    def _batch(self, sequences: Sequence[Sequence[int]]) -> Tensor:
        ids, positions, lengths = packed_ids(sequences, self.device)
        blocks = _blocks(self.model.encode(ids, positions, lengths).float(), lengths)
        decoder = self.model.decoder
        start = torch.full((len(lengths),), self.model.shape.start, device=self.device)
        hidden, added, dtype = decoder.embed(start, torch.zeros_like(start)), None, decoder.dtype
        for layer in decoder.layers:
            assert isinstance(layer, SequenceLayer)
            hidden, _, half = add_norm(hidden, added, layer.attention_norm, dtype, wide=False)
            hidden, _, half = add_norm(hidden, layer.attend_alone(half), layer.cross_norm, dtype, wide=False)
            hidden, _, half = add_norm(hidden, _look_up(layer, half, blocks), layer.inner_norm, dtype, wide=False)
            added = layer.feed_forward(half)
        assert decoder.final_norm is not None and added is not None
        last: Tensor = decoder.final_norm(hidden + added)
        return last @ self.word


def _blocks(states: Tensor, lengths: list[int]) -> list[tuple[Tensor, Tensor | None]]:
    """Return the source's states as padded blocks of neighbours with similar lengths, and which positions are padding."""
    blocks: list[tuple[Tensor, Tensor | None]] = []
    at = first = 0
    for count, longest in runs(lengths):
        sizes = torch.tensor(lengths[first : first + count])
        first += count
        size = int(sizes.sum())
        rows, at = states[at : at + size], at + size
        if size == count * longest:
            blocks.append((rows.view(count, longest, -1), None))
            continue
        inside = torch.arange(longest)[None, :] < sizes[:, None]
        block = states.new_zeros(count * longest, states.shape[1])
        block[to_device(inside.flatten().nonzero().squeeze(1), states.device)] = rows
        blocks.append((block.view(count, longest, -1), to_device(~inside[:, None, :], states.device)))
    return blocks


def _look_up(layer: SequenceLayer, hidden: Tensor, blocks: list[tuple[Tensor, Tensor | None]]) -> Tensor:
    """Return the cross-attention output for one query per sequence."""
    heads, width = layer.heads, layer.query.weight.shape[0]
    keys, values = layer.key_value.weight.view(2, heads, width // heads, -1).unbind(0)
    query = layer.query(hidden).view(len(hidden), heads, -1).transpose(0, 1)
    weighted_keys = torch.bmm(query, keys).transpose(0, 1).float() * layer.scale
    parts, at = [], 0
    for block, padding in blocks:
        products = torch.bmm(weighted_keys[at : at + len(block)], block.transpose(1, 2))
        at += len(block)
        if padding is not None:
            products = products.masked_fill(padding, -torch.inf)
        parts.append(torch.bmm(products.softmax(-1), block))
    context = (parts[0] if len(parts) == 1 else torch.cat(parts)).to(hidden.dtype).transpose(0, 1)
    mixed = torch.bmm(context, values.transpose(1, 2)).transpose(0, 1).reshape(len(hidden), width)
    added: Tensor = layer.cross_out(mixed)
    return added
