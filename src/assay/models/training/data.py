"""Training data of a phase: admitted and scaled records, held-out documents, hallucinations, and batches."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from assay.core.errors import InputError, count
from assay.io.resources.contamination import Guard
from assay.io.table.bad_rows import BadRows
from assay.models.training.hallucinations import hallucinate
from assay.models.training.records import WMT_RANGE, Record, ZRange, practical_range, scaled
from assay.models.training.sources import FORMATS

if TYPE_CHECKING:
    from assay.models.training.config import DataConfig, PhaseConfig, TrainConfig
    from assay.models.training.hallucinations import Embed


Item = TypeVar("Item")


@dataclass
class LoadedRecords:
    """Records, with notes for the user on rejected and added ones."""

    records: list[Record]
    held_out: list[Record] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def load_phase(
    config: TrainConfig, number: int, guard: Guard | None = None, embed: Embed | None = None
) -> LoadedRecords:
    """Return the records for phase `number` (from 0); the held-out documents are the same in every phase."""
    phase = config.phases[number]
    guard, bad = guard or Guard(), BadRows(config.skip_bad)
    records = read_all(phase.data, guard, bad, config.seed)
    z_range, how = _range(phase, records)
    loaded = LoadedRecords(scaled(records, z_range), notes=_notes(guard, bad))
    if how:
        loaded.notes.append(
            f"{phase.name}: z-scores from {z_range.low:.2f} to {z_range.high:.2f} become 0 to 1 ({how})."
        )
    loaded.records, loaded.held_out = hold_out(loaded.records, config.held_out.fraction, config.seed)
    elsewhere = {text for one in _own(config, bad) for text in (one.source, one.reference) if text}
    if elsewhere:
        before = len(loaded.records)
        loaded.records = [one for one in loaded.records if not ({one.source, one.reference} & elsewhere)]
        if before != len(loaded.records):
            loaded.notes.append(
                f"{phase.name}: {count(before - len(loaded.records), 'record')} skipped, since they share a text with held_out."
            )
    hallucinations = hallucinate(loaded.records, phase.hallucinations, config.seed + number, embed)
    loaded.records += hallucinations
    if hallucinations:
        loaded.notes.append(f"{phase.name}: {count(len(hallucinations), 'synthetic hallucination')} added.")
    if not loaded.records:
        raise InputError(f"{phase.name} has no records left to train on.")
    if phase.word_level and not any(one.spans is not None for one in loaded.records):
        raise InputError(f"{phase.name} trains the tagger, but no record of its data has error spans.")
    return loaded


def load_held_out(config: TrainConfig, number: int, loaded: LoadedRecords) -> list[Record]:
    """Return the records for evaluation in phase `number`: the files of held_out, or the held-out documents of the phase."""
    records = loaded.held_out
    if config.held_out.data:
        records = read_all(config.held_out.data, Guard(), BadRows(config.skip_bad), config.seed)
        records = scaled(records, _range(config.phases[number], records)[0])
    return sample(records, config.held_out.limit, config.seed)


def read_all(data: Sequence[DataConfig], guard: Guard, bad: BadRows, seed: int) -> list[Record]:
    """Return the admitted records of several files, in the order of the files."""
    records: list[Record] = []
    for number, one in enumerate(data):
        requested = [record for record in _read(one, bad) if _wanted(record, one)]
        names = [f"{Path(one.path).name} {record.document.rpartition('|')[2][:40]}" for record in requested]
        allowed = guard.admit([record.texts() for record in requested], names)
        admitted = [record for record, good in zip(requested, allowed, strict=True) if good]
        records += sample(admitted, one.limit, seed + number)
    return records


def sample(items: list[Item], limit: int, seed: int, stream: int = 0x5A) -> list[Item]:
    """Return at most `limit` items (0: all) in order, sampled with the seed and the number of a random stream."""
    if not limit or len(items) <= limit:
        return items
    rows = np.random.default_rng([seed, stream]).choice(len(items), limit, replace=False)
    return [items[row] for row in np.sort(rows).tolist()]


def hold_out(records: Sequence[Record], fraction: float, seed: int) -> tuple[list[Record], list[Record]]:
    """Split records into training and held-out records that have no source or document in common.

    Documents are selected by a hash of their name, so the same ones are held out whatever else is in the files.
    """
    if not fraction:
        return list(records), []
    documents = {one.document for one in records if document_share(seed, one.document) < fraction}
    sources = {one.source for one in records if one.document in documents and one.source}
    held_records = [one for one in records if one.document in documents]
    return [one for one in records if one.document not in documents and one.source not in sources], held_records


def _own(config: TrainConfig, bad: BadRows) -> list[Record]:
    """Return the records from the files in held_out without checks, since only their texts are compared."""
    return [record for one in config.held_out.data for record in _read(one, bad) if _wanted(record, one)]


def _read(one: DataConfig, bad: BadRows) -> Iterator[Record]:
    read: Callable[..., Iterator[Record]] = FORMATS[one.format]
    path = Path(one.path)
    if one.format == "corpus":
        return read(path, bad, one.split or None)
    if one.format == "da":
        return read(path, bad, one.columns or None)
    if one.format == "mlqe":
        return read(path, bad, one.split or "train")
    return read(path, bad, one.langpair)


def _wanted(record: Record, one: DataConfig) -> bool:
    if one.origins and record.origin not in one.origins:
        return False
    if one.langpairs and record.langpair not in one.langpairs:
        return False
    return bool(record.hypothesis.strip()) and bool(record.source or record.reference)


def _range(phase: PhaseConfig, records: Sequence[Record]) -> tuple[ZRange, str]:
    """Return the practical range of z-scores and a description of its origin (none if no record has a z-score)."""
    if phase.z_range is not None:
        return ZRange(*phase.z_range), "as configured"
    if not any(one.scale == "z" and math.isfinite(one.score) for one in records):
        return WMT_RANGE, ""
    z_range = practical_range(records)
    return (z_range, "from unanimous judgements") if z_range else (WMT_RANGE, "as in newstest2020 and MLQE-PE")


def _notes(guard: Guard, bad: BadRows) -> list[str]:
    return [*guard.report.sentences(), *bad.sentences()]


def document_share(seed: int, document: str) -> float:
    """Return a number from 0 to 1 that depends only on the seed and the name of a document."""
    name = f"{seed}|{document}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(name, digest_size=6).digest(), "big") / 2**48


def order_of(epoch: int, n: int, seed: int, phase: int) -> np.ndarray:
    """Return the order of an epoch. It depends only on seed, phase and epoch, so a resumed run needs no iterator state."""
    return np.random.default_rng([seed, phase, epoch, 0x0DE2]).permutation(n)


def batches(
    epoch: int, tokens: Sequence[int], seed: int, phase: int, batch_size: int, batch_tokens: int
) -> list[list[int]]:
    """Return the batches of an epoch as rows: `batch_size` rows each, or about `batch_tokens` tokens of similar lengths."""
    order = order_of(epoch, len(tokens), seed, phase).tolist()
    if not batch_tokens:
        return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    result: list[list[int]] = []
    window = 100 * max(1, batch_tokens * len(tokens) // max(1, sum(tokens)))
    for start in range(0, len(order), window):
        batch: list[int] = []
        size = 0
        for row in sorted(order[start : start + window], key=lambda row: (tokens[row], row)):
            if batch and size + tokens[row] > batch_tokens:
                result.append(batch)
                batch, size = [], 0
            batch.append(row)
            size += tokens[row]
        result.append(batch)
    return [result[index] for index in order_of(epoch, len(result), seed + 1, phase).tolist()]


@dataclass
class Plan:
    """The batches of a phase, and the number of steps for which the encoder stays frozen."""

    phase: PhaseConfig
    number: int
    seed: int
    tokens: Sequence[int]
    _epochs: dict[int, list[list[int]]] = field(default_factory=dict)

    def epoch(self, number: int) -> list[list[int]]:
        """Return the batches of one epoch."""
        if number not in self._epochs:
            self._epochs = {key: value for key, value in self._epochs.items() if key == 0}
            self._epochs[number] = batches(
                number, self.tokens, self.seed, self.number, self.phase.batch_size, self.phase.batch_tokens
            )
        return self._epochs[number]

    @property
    def steps(self) -> int:
        whole, part = divmod(self.phase.epochs, 1)
        total = sum(len(self.epoch(i)) for i in range(int(whole)))
        total += math.ceil(part * len(self.epoch(int(whole)))) if part else 0
        return min(total, self.phase.max_steps) if self.phase.max_steps else total

    @property
    def frozen_steps(self) -> int:
        """Number of steps before the encoder starts to learn."""
        return round(self.phase.nr_frozen_epochs * len(self.epoch(0)))

    def batch(self, step: int) -> list[int]:
        """Return the rows of a step."""
        epoch = 0
        while step >= len(self.epoch(epoch)):
            step -= len(self.epoch(epoch))
            epoch += 1
        return self.epoch(epoch)[step]
