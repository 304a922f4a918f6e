"""One number out of an encoder-decoder: the logit of one word at the decoder's first step, as MetricX reads mT5.

The decoder takes one step with one token, so attention within it is its value alone. Attention to the source has one query a
sequence: it is multiplied into the keys' matrix instead of the keys' matrix into every token, and the values' matrix is applied
after the average instead of before. The decoder then costs next to nothing, and the vocabulary is never multiplied.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.core.errors import InputError
from assay.models.runtime.fused import add_norm
from assay.models.runtime.packing import packed_ids, runs, to_device
from assay.models.seq2seq.network import Network, SequenceLayer, sequence_runner


class FirstStep:
    """A network that is asked for the logit of `word` after the start token. Not for several threads at a time."""

    def __init__(self, network: Network, word: int, where: str = "the model") -> None:
        if network.encoder is None or not network.shape.rms:
            raise InputError(f"{where} is a {network.shape.family} model, and a regression logit is read from a T5.")
        if word >= network.shape.target_vocabulary:
            raise InputError(
                f"{where} has {network.shape.target_vocabulary:,} words, and the regression logit is word {word:,}: it is no "
                "MetricX model."
            )
        self.network, self.device = network, network.device
        self.word = network.head.weight[word].float() * network.shape.output_scale
        self.runner = sequence_runner(network.shape, self.device, network.head.weight.dtype)

    def logits(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The logit of each sequence, in their order; equal sequences are computed once."""
        known: dict[tuple[int, ...], int] = {}
        places = [known.setdefault(tuple(ids), len(known)) for ids in sequences]
        distinct = list(known)
        sizes = [len(ids) for ids in distinct]
        found = np.empty(len(distinct))
        for batch, values in list(self.runner.run(sizes, lambda batch: self._batch([distinct[i] for i in batch]))):
            found[batch] = values.double().cpu().numpy()
        self.runner.check_finite(found)
        return found[np.asarray(places, np.int64)] if places else found

    def _batch(self, sequences: Sequence[Sequence[int]]) -> Tensor:
        ids, positions, lengths = packed_ids(sequences, self.device)
        blocks = _blocks(self.network.encode(ids, positions, lengths).float(), lengths)
        decoder = self.network.decoder
        start = torch.full((len(lengths),), self.network.shape.start, device=self.device)
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
    """The source's states, a padded block for neighbours of about equal length, with which of its places are padding."""
    found: list[tuple[Tensor, Tensor | None]] = []
    at = first = 0
    for count, longest in runs(lengths):
        here = torch.tensor(lengths[first : first + count])
        first += count
        size = int(here.sum())
        rows, at = states[at : at + size], at + size
        if size == count * longest:
            found.append((rows.view(count, longest, -1), None))
            continue
        inside = torch.arange(longest)[None, :] < here[:, None]
        block = states.new_zeros(count * longest, states.shape[1])
        block[to_device(inside.flatten().nonzero().squeeze(1), states.device)] = rows
        found.append((block.view(count, longest, -1), to_device(~inside[:, None, :], states.device)))
    return found


def _look_up(layer: SequenceLayer, hidden: Tensor, blocks: list[tuple[Tensor, Tensor | None]]) -> Tensor:
    """What attention to the source adds for one query a sequence."""
    heads, width = layer.heads, layer.query.weight.shape[0]
    keys, values = layer.key_value.weight.view(2, heads, width // heads, -1).unbind(0)
    query = layer.query(hidden).view(len(hidden), heads, -1).transpose(0, 1)
    wanted = torch.bmm(query, keys).transpose(0, 1).float() * layer.scale
    parts, at = [], 0
    for block, padding in blocks:
        products = torch.bmm(wanted[at : at + len(block)], block.transpose(1, 2))
        at += len(block)
        if padding is not None:
            products = products.masked_fill(padding, -torch.inf)
        parts.append(torch.bmm(products.softmax(-1), block))
    context = (parts[0] if len(parts) == 1 else torch.cat(parts)).to(hidden.dtype).transpose(0, 1)
    mixed = torch.bmm(context, values.transpose(1, 2)).transpose(0, 1).reshape(len(hidden), width)
    added: Tensor = layer.cross_out(mixed)
    return added
