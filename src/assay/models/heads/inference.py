"""Inference for COMET models: tokenizes ahead, packs sequences by length, and computes identical sequences once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from assay.models.heads.checkpoint import LoadedCheckpoint
from assay.models.heads.comet import RegressionModel, UnifiedModel, XcometModel
from assay.models.heads.prediction import RELEASED, Decoder, Prediction, combine, components, decode, join, mean, mqm
from assay.models.heads.rows import Row, prepare_rows
from assay.models.runtime.batching import encoder_runner
from assay.models.runtime.packing import Packed, pack, to_device, to_host

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.spans import ErrorSpan

Texts = Sequence[str | None]
SPAN_WEIGHTS = {"src": 0.1667, "ref": 0.3333, "unified": 0.5}
"""Weights of the three passes in the tagger's distribution, as in the released package."""
WINDOW, GPU_WINDOW, GPU_EDGE = 2_048, 512, 128
"""Rows that are tokenized, sorted and computed together, while the next ones are being tokenized. On a GPU, a window is
computed while the spans of the previous one are decoded, so windows are shorter there. The first and the last are the shortest,
since the GPU is idle while they are tokenized or decoded.
"""


class Predictor:
    """A loaded model that scores texts. Not thread-safe."""

    def __init__(
        self,
        loaded: LoadedCheckpoint,
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
        decoder: Decoder = "paper",
        threshold: float | None = None,
        weights: Sequence[float] = RELEASED,
        budget: int | None = None,
    ) -> None:
        self.model, self.tokenizer = loaded.model, loaded.tokenizer
        self.device, self.dtype = torch.device(device), dtype
        self.model.to(self.device)
        self.model.prepare(dtype)
        self.config = self.model.config
        self.decoder: Decoder = decoder
        self.threshold, self.weights = threshold, tuple(weights)
        self.runner = encoder_runner(self.model.encoder_config, self.device, dtype, budget)

    def predict(self, hypotheses: Sequence[str], sources: Texts | None, references: Texts | None) -> Prediction:
        """Return the scores of all rows, in order."""

        def ahead(part: slice) -> list[Row]:
            return prepare_rows(
                self.model,
                self.tokenizer,
                hypotheses[part],
                None if sources is None else sources[part],
                None if references is None else references[part],
            )

        parts: list[Prediction] = []
        with ThreadPoolExecutor(1, thread_name_prefix="assay-tokens") as pool, torch.inference_mode():
            tokenized = (pool.submit(ahead, part) for part in _windows(len(hypotheses), self.device))
            coming = next(tokenized, None)
            computing: Callable[[], Prediction] | None = None
            while coming is not None:
                rows = coming.result()
                coming = next(tokenized, None)
                started = self._start(rows)
                if computing is not None:
                    parts.append(computing())
                computing = started
            if computing is not None:
                parts.append(computing())
        return join(parts)

    def _start(self, rows: list[Row]) -> Callable[[], Prediction]:
        """Start computing a window. Return a function that waits for the results and finishes them."""
        if isinstance(self.model, RegressionModel):
            return self._regression(self.model, rows)
        assert isinstance(self.model, UnifiedModel)
        return self._unified(self.model, rows)

    def _regression(self, model: RegressionModel, rows: list[Row]) -> Callable[[], Prediction]:
        """Score rows with a regression model, which embeds each distinct text once."""
        texts = {id(ids): ids for row in rows for ids in row.sequences.values()}
        numbers = {one: number for number, one in enumerate(texts)}
        numbers_of_rows = [[numbers[id(ids)] for ids in row.sequences.values()] for row in rows]
        vectors = self._run(list(texts.values()), lambda packed: (model.embed(packed),))[0]
        names = list(rows[0].sequences) if rows else []
        columns = torch.tensor(numbers_of_rows, dtype=torch.long).T
        columns_of_texts = {
            name: vectors[to_device(column.contiguous(), vectors.device)]
            for name, column in zip(names, columns, strict=True)
        }
        scores = [
            model.estimate(
                columns_of_texts["src"][at],
                columns_of_texts["mt"][at],
                columns_of_texts["ref"][at] if "ref" in columns_of_texts else None,
            )
            for at in torch.split(torch.arange(len(rows), device=vectors.device), 4096)
        ]
        truncated = np.array([row.cut for row in rows], dtype=bool)
        values = to_host(torch.cat(scores).double())
        return lambda: Prediction(self.runner.check_finite(values()), truncated)

    def _unified(self, model: UnifiedModel, rows: list[Row]) -> Callable[[], Prediction]:
        """Score rows with a unified model. All rows and passes share one pool, in which identical sequences are computed once."""
        numbers: dict[tuple[int, ...], int] = {}
        longest: list[int] = []
        numbers_of_rows: list[dict[str, int]] = []
        for row in rows:
            numbers_of_row = {}
            for name, ids in row.sequences.items():
                number = numbers_of_row[name] = numbers.setdefault(tuple(ids), len(numbers))
                if number == len(longest):
                    longest.append(0)
                tagged = min(len(ids), row.words) if model.tagger is not None else 1
                longest[number] = max(longest[number], tagged)
            numbers_of_rows.append(numbers_of_row)

        def compute(packed: Packed) -> tuple[Tensor, ...]:
            output = model(packed)
            return (output.scores,) if output.logits is None else (output.scores, torch.softmax(output.logits, dim=1))

        outputs = [to_host(each) for each in self._run(list(numbers), compute, leading=longest)]
        return lambda: self._finish(model, rows, numbers_of_rows, outputs, longest)

    def _finish(
        self,
        model: UnifiedModel,
        rows: list[Row],
        numbers_of_rows: list[dict[str, int]],
        outputs: list[Callable[[], NDArray[np.float32]]],
        longest: list[int],
    ) -> Prediction:
        scores = self.runner.check_finite(outputs[0]())
        columns = {
            name: np.array(
                [
                    scores[numbers_of_row[name]] if name in numbers_of_row else np.nan
                    for numbers_of_row in numbers_of_rows
                ],
                dtype=np.float32,
            )
            for name in dict.fromkeys(name for numbers_of_row in numbers_of_rows for name in numbers_of_row)
        }
        truncated = np.array([row.cut for row in rows], dtype=bool)
        if model.tagger is None:
            return Prediction(mean(columns), truncated, components(columns))
        spans = self._spans(rows, numbers_of_rows, self.runner.check_finite(outputs[1]()), longest)
        if not isinstance(model, XcometModel):
            return Prediction(mean(columns), truncated, components(columns), spans)
        errors = np.array([mqm(found_spans) for found_spans in spans])
        values, columns = combine(columns, errors.astype(np.float32), self.weights)
        return Prediction(values, truncated, {**components(columns), "mqm": errors}, spans)

    def _spans(
        self, rows: list[Row], numbers_of_rows: list[dict[str, int]], tags: NDArray[np.float32], longest: list[int]
    ) -> list[tuple[ErrorSpan, ...]]:
        """Compute the weighted average of the passes' distributions for each translation token, and decode the spans."""
        counts = np.array(
            [
                min(row.words, *(longest[number] for number in numbers_of_row.values()))
                for row, numbers_of_row in zip(rows, numbers_of_rows, strict=True)
            ]
        )
        ends = np.cumsum(counts)
        inside = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
        firsts = np.cumsum(longest) - longest
        total = np.zeros((len(inside), tags.shape[1]), dtype=np.float32)
        for name in dict.fromkeys(name for numbers_of_row in numbers_of_rows for name in numbers_of_row):
            starts = np.array(
                [firsts[numbers_of_row[name]] if name in numbers_of_row else 0 for numbers_of_row in numbers_of_rows]
            )
            weights = np.array([_weight(name, numbers_of_row) for numbers_of_row in numbers_of_rows], dtype=np.float32)
            total += tags[np.repeat(starts, counts) + inside] * np.repeat(weights, counts)[:, None]
        options: dict[str, Any] = {"decoder": self.decoder, "threshold": self.threshold}
        spans = []
        for row, own in zip(rows, np.split(total, ends[:-1]), strict=True):
            assert row.offsets is not None
            spans.append(decode(row.hypothesis, own, row.offsets, self.config.labels, **options))
        return spans

    def _run(
        self,
        sequences: Sequence[Sequence[int]],
        compute: Callable[[Packed], tuple[Tensor, ...]],
        leading: Sequence[int] | None = None,
    ) -> list[Tensor]:
        """Run `compute` on all sequences and return its results in order.

        The first result has one row per sequence. The second, if there is one, has a row for each of the first
        ``leading[i]`` tokens of sequence i.
        """
        sizes = [len(ids) for ids in sequences]
        heads = list(self.runner.run(sizes, lambda batch: compute(self._pack(batch, sequences, leading))))
        if not heads:
            return [torch.empty(0), torch.empty(0, len(self.config.labels) or 1)]
        return _in_order([batch for batch, _ in heads], [results for _, results in heads], leading)

    def _pack(self, batch: list[int], sequences: Sequence[Sequence[int]], leading: Sequence[int] | None) -> Packed:
        bert = self.config.encoder_model == "BERT" and self.config.unified
        separator = self.tokenizer.last
        return pack(
            [sequences[i] for i in batch],
            pad=self.tokenizer.pad,
            first_type=[
                sequences[i].index(separator) + 1 if separator in sequences[i] else len(sequences[i]) for i in batch
            ]
            if bert
            else None,
            pad_restarts=self.model.encoder_config.family != "bert",
            leading=None if leading is None else [leading[i] for i in batch],
            device=self.device,
        )


def _windows(count: int, device: torch.device) -> Iterator[slice]:
    """Yield groups of rows that are tokenized, sorted and computed together.

    On a GPU a window is at most twice as long as the previous one.
    """
    gpu = device.type == "cuda"
    size, start = GPU_EDGE if gpu else WINDOW, 0
    while start < count:
        remaining = count - start
        short = gpu and GPU_EDGE < remaining <= size
        stop = count - GPU_EDGE if short else min(count, start + size)
        yield slice(start, stop)
        size, start = min(2 * size, GPU_WINDOW) if gpu else size, stop


def _weight(name: str, numbers_of_row: dict[str, int]) -> float:
    """Return a pass's weight in the distribution of a row's tags."""
    return 0.0 if name not in numbers_of_row else SPAN_WEIGHTS[name] if len(numbers_of_row) == 3 else 1.0


def _in_order(
    groups: list[list[int]], results: list[tuple[Tensor, ...]], leading: Sequence[int] | None
) -> list[Tensor]:
    order = np.argsort(np.concatenate([np.array(batch) for batch in groups]))
    first = torch.cat([result[0] for result in results])
    ordered = [first[to_device(torch.from_numpy(order), first.device)]]
    if leading is not None and len(results[0]) > 1:
        second = torch.cat([result[1] for result in results])
        sizes = np.array([leading[i] for batch in groups for i in batch])
        starts = np.cumsum(sizes) - sizes
        lengths = sizes[order]
        rows = np.repeat(starts[order] - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
        ordered.append(second[to_device(torch.from_numpy(rows), second.device)])
    return ordered
