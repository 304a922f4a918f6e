"""Packed batches: sequences end to end in one row of tokens, so no padding is computed."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True, slots=True)
class PackedBlock:
    """Neighbouring sequences, tokens `first` to `last`, as a dense block of `count` by `longest`.

    If their lengths differ, `places` maps each position in the block to a token (an arbitrary one for padding). `mask` marks
    the real keys, and `real` lists the rows of the flattened block that are tokens.
    """

    first: int
    last: int
    count: int
    longest: int
    places: Tensor | None
    real: Tensor | None
    mask: Tensor | None


@dataclass(frozen=True)
class Places:
    """Positions of sequences in a row of tokens."""

    starts: Tensor
    """Start of each sequence and the end of the last one, int32."""
    tokens: int
    longest: int
    """Upper bound on the length of a sequence."""

    @functools.cached_property
    def firsts(self) -> Tensor:
        """Index of each sequence's first token."""
        return self.starts[:-1].long()

    @functools.cached_property
    def owners(self) -> Tensor:
        """Number of each token's sequence, int32."""
        numbers = torch.arange(len(self.starts) - 1, dtype=torch.int32, device=self.starts.device)
        return torch.repeat_interleave(numbers, self.starts.diff(), output_size=self.tokens)


@dataclass(frozen=True, slots=True)
class Read:
    """Tokens that are read from the last layer, and the index at which each sequence's tokens begin among them."""

    rows: Tensor
    starts: Tensor


@dataclass(frozen=True)
class Packed:
    """All tokens of a batch in one row.

    `ids`, `positions` (counted from 0 in each sequence) and `types` have one entry per token. Sequence i consists of the tokens
    ``starts[i]`` to ``starts[i + 1]``. `keep` is None unless a text contains the padding token itself, which official COMET
    excludes from averages. `read` is None if all tokens of the last layer are read; otherwise the other tokens need not be
    computed.
    """

    ids: Tensor
    positions: Tensor
    types: Tensor | None
    starts: Tensor
    """Start of each sequence and the end of the last one, int32."""
    lengths: Tensor
    """Length of each sequence, int64."""
    longest: int
    keep: Tensor | None = None
    read: Read | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def firsts(self) -> Tensor:
        """Index of each sequence's first token."""
        return self.places.firsts

    @functools.cached_property
    def places(self) -> Places:
        """Positions of the sequences among all tokens."""
        return Places(self.starts, len(self.ids), self.longest)

    @functools.cached_property
    def read_places(self) -> Places:
        """Positions of the sequences among the tokens that are read from the last layer."""
        return self.places if self.read is None else Places(self.read.starts, len(self.read.rows), self.longest)

    def firsts_of(self, selected: bool) -> Tensor:
        """Return the index of each sequence's first token among all tokens, or among those that are read."""
        return (self.read_places if selected else self.places).firsts

    def select(self, hidden: Tensor) -> Tensor:
        """Return the rows of a state for the tokens that are read."""
        return hidden if self.read is None else hidden.index_select(0, self.read.rows)

    def of_tokens(self, numbers: Tensor) -> Tensor:
        """Repeat a value per sequence for each of its tokens."""
        return numbers.index_select(0, self.places.owners)

    @functools.cached_property
    def groups(self) -> list[PackedBlock]:
        """Dense blocks of neighbours with similar lengths, for attention without a variable-length kernel."""
        groups, at, lengths = [], 0, self.lengths.tolist()
        for count, longest in runs(lengths):
            block_lengths, lengths = lengths[:count], lengths[count:]
            first, at = at, at + sum(block_lengths)
            if at - first == count * longest:
                groups.append(PackedBlock(first, at, count, longest, None, None, None))
                continue
            sizes = torch.tensor(block_lengths)
            inside = torch.arange(longest)[None, :] < sizes[:, None]
            starts = first + torch.cumsum(sizes, 0) - sizes
            places = torch.where(inside, starts[:, None] + torch.arange(longest), starts[:, None]).flatten()
            real, mask = inside.flatten().nonzero().squeeze(1), inside[:, None, None, :]
            moved = (to_device(part, self.ids.device) for part in (places, real, mask))
            groups.append(PackedBlock(first, at, count, longest, *moved))
        return groups

    def to(self, device: torch.device | str) -> Packed:
        return Packed(
            to_device(self.ids, device),
            to_device(self.positions, device),
            None if self.types is None else to_device(self.types, device),
            to_device(self.starts, device),
            to_device(self.lengths, device),
            self.longest,
            None if self.keep is None else to_device(self.keep, device),
            self.read and Read(to_device(self.read.rows, device), to_device(self.read.starts, device)),
        )


def to_device(tensor: Tensor, device: torch.device | str) -> Tensor:
    """Return a copy on `device`. A copy to a GPU goes through pinned memory, so the program need not wait for earlier work."""
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def to_host(tensor: Tensor) -> Callable[[], NDArray[Any]]:
    """Begin a copy to the CPU and return a function that waits for the copy, but not for later GPU work."""
    if not tensor.is_cuda:
        return tensor.cpu().numpy
    copy = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True).copy_(tensor, non_blocking=True)
    done = torch.cuda.current_stream(tensor.device).record_event()

    def waited() -> NDArray[Any]:
        done.synchronize()
        return copy.numpy()

    return waited


def pack(
    sequences: Sequence[Sequence[int]],
    *,
    pad: int,
    first_type: Sequence[int] | None = None,
    pad_restarts: bool = False,
    leading: Sequence[int] | None = None,
    device: torch.device | str | None = None,
) -> Packed:
    """Pack sequences of token ids, special tokens included.

    `first_type` is for encoders with token types: it is the number of leading tokens in each sequence that have type 0; the
    others have type 1. `pad_restarts` is for RoBERTa, which assigns no position to a padding token inside a text. `leading` is
    the number of leading tokens in each sequence that are read from the last layer, at least one; by default all are.
    """
    lengths = np.fromiter((len(sequence) for sequence in sequences), np.int64, len(sequences))
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    ids = np.fromiter(itertools.chain.from_iterable(sequences), np.int64, int(starts[-1]))
    positions = np.arange(len(ids)) - np.repeat(starts[:-1], lengths)
    keep = None
    if (ids == pad).any():
        keep = torch.from_numpy((ids != pad).astype(np.float32))
        if pad_restarts:
            for start, stop in itertools.pairwise(starts):
                real = ids[start:stop] != pad
                positions[start:stop] = np.where(real, np.cumsum(real) - 1, -1)
    types = None
    if first_type is not None:
        types = torch.from_numpy((positions >= np.repeat(np.asarray(first_type), lengths)).astype(np.int64))
    packed = Packed(
        torch.from_numpy(ids),
        torch.from_numpy(positions),
        types,
        torch.from_numpy(starts.astype(np.int32)),
        torch.from_numpy(lengths),
        int(lengths.max(initial=0)),
        keep,
        None if leading is None else _read(starts[:-1], np.asarray(leading, np.int64)),
    )
    return packed if device is None else packed.to(device)


def _read(starts: NDArray[np.int64], leading: NDArray[np.int64]) -> Read:
    ends = np.cumsum(leading)
    rows = np.arange(leading.sum()) + np.repeat(starts - ends + leading, leading)
    return Read(torch.from_numpy(rows), torch.from_numpy(np.concatenate([[0], ends]).astype(np.int32)))


def runs(lengths: list[int]) -> tuple[tuple[int, int], ...]:
    """Return the count and maximum length of neighbours that can be padded together while wasting less than an eighth."""
    runs: list[tuple[int, int]] = []
    count = real = longest = 0
    for length in lengths:
        widest = max(longest, length)
        if count and (count + 1) * widest > 1.125 * (real + length):
            runs.append((count, longest))
            count, real, widest = 0, 0, length
        count, real, longest = count + 1, real + length, widest
    if count:
        runs.append((count, longest))
    return tuple(runs)


def packed_ids(sequences: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor, list[int]]:
    """Return token ids end to end, the position of each in its sequence, and the lengths."""
    lengths = [len(sequence) for sequence in sequences]
    ids = np.concatenate([np.asarray(sequence, np.int64) for sequence in sequences])
    starts = np.cumsum(lengths) - lengths
    positions = np.arange(len(ids)) - np.repeat(starts, lengths)
    return to_device(torch.from_numpy(ids), device), to_device(torch.from_numpy(positions), device), lengths


def segment_sum(values: Tensor, packed: Packed) -> Tensor:
    """Sum over the tokens of each sequence, (tokens, …) to (sequences, …), in float32."""
    return torch.segment_reduce(values.float(), "sum", lengths=packed.lengths, axis=0, unsafe=True)


def segment_max(values: Tensor, packed: Packed) -> Tensor:
    """Return the maximum over the tokens of each sequence."""
    return torch.segment_reduce(values.float(), "max", lengths=packed.lengths, axis=0, unsafe=True)


def centres_of(exact: Tensor) -> Tensor:
    """Return the half of the table of exact rows (`assay.models.runtime.fp8.exact_rows`) that holds the centres."""
    return exact.chunk(2)[1]
