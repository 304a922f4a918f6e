"""Training of one stage in assay-mini's recipe, with its predictions for students and on held-out data."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from assay.io.files.atomic import make_output_folder
from assay.io.files.tensors import read_tensors, write_tensors
from assay.models.mini.batch import FILE, READINGS, VIEWS, Predictions, TrainingBatch, assemble, join, part_path
from assay.models.mini.config import MiniConfig, StageConfig, plain_stage
from assay.models.mini.corpus import PIECES, LexicalFeatures, PreparedCorpus
from assay.models.mini.initial_encoder import read_encoder
from assay.models.mini.losses import Losses
from assay.models.mini.model import MiniModel, MiniOutput, mini_model
from assay.models.mini.pack import WORDS, four_bits
from assay.models.mini.plan import BatchItem, BatchPlan, batches, items_of_rows, measure
from assay.models.training.loop import Loop, Tensors, TrainingStopped, mixed
from assay.models.training.optimizer import clip, encoder_layer, grouped, load_named_state, named_state
from assay.models.training.state import STATE, Listener

CALIBRATION = 12
"""Number of batches from which the mean and deviation of the triples' features are computed."""
LOG_EVERY = 20
"""Number of steps between two log lines; the first and the last step are also logged."""
PART = 64
"""Batches of predictions per file."""
PREDICTED_TOKENS = 65_536
WEIGHTS, PACE = "weights.safetensors", "pace.jsonl"
AHEAD = 4


class _Batches(Dataset[TrainingBatch]):
    """Batches by number, from a list of items or from a plan."""

    def __init__(
        self,
        corpus: PreparedCorpus,
        folder: Path,
        items: Callable[[int], Sequence[BatchItem]],
        teachers: Sequence[Path] = (),
    ) -> None:
        self.corpus, self.folder, self.items, self.teacher_folders = corpus, folder, items, teachers
        self.features: LexicalFeatures | None = None
        self.teachers: list[Predictions] = []

    def __getitem__(self, number: int) -> TrainingBatch:
        if self.features is None:
            self.features = LexicalFeatures(self.folder, self.corpus)
            self.teachers = [Predictions.open(folder) for folder in self.teacher_folders]
        return assemble(self.corpus, self.features, self.items(number), self.teachers)


class StageRecipe:
    """Steps of one stage."""

    def __init__(self, run: Stage, model: MiniModel, data: _Batches, optimizer: torch.optim.Optimizer) -> None:
        self.run, self.model, self.data, self.optimizer = run, model, data, optimizer
        self.name, self.steps = run.stage.name, run.stage.steps
        self.losses = Losses(run.corpus, run.config, run.stage, run.device)
        self.rounding = math.ceil(run.stage.round_embeddings_at * self.steps)
        """Step before which embeddings are rounded to 4 bits."""
        self.tokens, self.reported = 0, time.monotonic()

    def batches(self, first: int) -> Iterator[TrainingBatch]:
        return self.run.loaded(self.data, range(first, self.steps))

    def state(self) -> tuple[Tensors, Tensors]:
        return self.model.state_dict(), named_state(self.optimizer)

    def step(self, number: int, batch: TrainingBatch) -> dict[str, Tensor]:
        """Take a step and return its losses."""
        stage, model = self.run.stage, self.model
        if number == self.rounding:
            with torch.no_grad():
                model.encoder.words.weight.copy_(four_bits(model.encoder.words.weight)[2])
            self.freeze_embeddings()
        model.train()
        done = number / stage.steps
        rate = (
            min(1.0, (done + 1 / stage.steps) / stage.warm_up)
            if done < stage.warm_up
            else (1 - done) / (1 - stage.warm_up)
        )
        for group in self.optimizer.param_groups:
            group["lr"] = group["base_lr"] * rate
        torch.manual_seed(mixed(self.run.seed, number))
        with self.run.autocast():
            output = model(batch)
        parts = self.losses(output, batch, model.offsets)
        self.optimizer.zero_grad(set_to_none=True)
        torch.stack(list(parts.values())).sum().backward()  # type: ignore[no-untyped-call]
        clip(model, stage.gradient_clip)
        self.optimizer.step()
        self.tokens += len(batch.packed.ids)
        return parts

    def freeze_embeddings(self) -> None:
        """Keep the rounded embeddings as they are, so packing them loses nothing."""
        words = self.model.encoder.words.weight
        words.requires_grad_(False)
        words.grad = None

    def report(self, done: int, parts: dict[str, Tensor]) -> None:
        """Log every twentieth step. The losses of other steps stay on the GPU, so it does not have to wait for them."""
        if done % LOG_EVERY and done not in (1, self.steps):
            return
        values = {name: float(value.detach()) for name, value in parts.items()}
        total = sum(values.values())
        if not math.isfinite(total):
            where = f"{self.name}, step {done}"
            raise TrainingStopped(f"{where}: the loss is no longer finite. Lower the learning rates.")
        self.run.log.write(step=done, loss=total, **values)
        now = time.monotonic()
        rate, self.reported, self.tokens = self.tokens / max(now - self.reported, 1e-9), now, 0
        self._write_pace(done, rate)
        self.run.listener.stage_step(f"{self.name} · {rate:,.0f} tokens/s", done, self.steps, total)

    def _write_pace(self, step: int, rate: float) -> None:
        """Write the speed to a separate file, so the log is the same on every machine."""
        path = self.run.folder / PACE
        if path.is_symlink():
            path.unlink()
        with path.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"step": step, "tokens_a_second": round(rate), "at": round(time.time())}) + "\n")


class Stage(Loop):
    """Training, predictions and held-out outputs of stage `number`."""

    def __init__(
        self, config: MiniConfig, number: int, corpus: PreparedCorpus, listener: Listener | None = None
    ) -> None:
        self.config, self.number, self.corpus, self.stage = config, number, corpus, config.stages[number]
        self.seed, self.output = config.seed_of(number), Path(config.output)
        super().__init__(self.output / self.stage.name, plain_stage(config, number), config, listener)

    def learn(self) -> None:
        """Train the stage and write its weights, unless that is already done."""
        if (self.folder / WEIGHTS).is_file():
            return
        make_output_folder(self.folder)
        saved = self.restore()
        model = self.fresh()
        if saved:
            model.load_state_dict(saved[0])
        model.to(self.device)
        plan = BatchPlan(self.corpus, self.config, self.stage, self.seed)
        data = _Batches(
            self.corpus, self.config.prepared_folder, plan.batch, [self.output / one for one in self.stage.teachers]
        )
        if not saved:
            with self.autocast():
                model.standardise([data[i].to(self.device) for i in range(min(CALIBRATION, self.stage.steps))])
        recipe = StageRecipe(self, model, data, _adamw(model, self.stage))
        if self.progress.step > recipe.rounding:
            recipe.freeze_embeddings()
        load_named_state(recipe.optimizer, saved[1] if saved else {})
        self.open_log()
        try:
            self.train(recipe)
        finally:
            self.log.close()
        state = {name: value.detach().cpu().numpy() for name, value in model.state_dict().items()}
        write_tensors(self.folder / WEIGHTS, state)
        (self.folder / STATE).unlink(missing_ok=True)

    def fresh(self) -> MiniModel:
        """Return a model that depends only on the seed and the prepared encoder."""
        folder = self.config.prepared_folder
        torch.manual_seed(mixed(self.seed, 0x1A17))
        config, weights = read_encoder(folder, self.stage.dropout)
        rarity = torch.from_numpy(np.array(read_tensors(folder / PIECES)["idf"]))
        return mini_model(config, weights, rarity, len(self.corpus.collections), self.config.width)

    def trained(self) -> MiniModel:
        """Return the trained model."""
        model = self.fresh()
        model.load_state_dict(
            {name: torch.from_numpy(np.array(value)) for name, value in read_tensors(self.folder / WEIGHTS).items()}
        )
        return model.to(self.device).eval()

    def loaded(self, made: _Batches, numbers: range) -> Iterator[TrainingBatch]:
        """Yield batches on the device; other processes prepare them if the configuration specifies any."""
        workers = self.config.workers
        if workers:
            # A batch has two dozen tensors; if shared as open files, prefetched batches would exceed the limit on open files.
            torch.multiprocessing.set_sharing_strategy("file_system")  # type: ignore[no-untyped-call]
        loader = DataLoader(
            made,
            batch_size=None,
            sampler=numbers,
            num_workers=workers,
            prefetch_factor=AHEAD if workers else None,
            multiprocessing_context="fork" if workers else None,
            collate_fn=_unchanged,
        )
        for batch in loader:
            yield batch.to(self.device)

    def predict(self) -> None:
        """Write the model's predictions for every training row, from which students learn."""
        if (self.folder / FILE).is_file():
            return
        model = self.trained()
        planned = self.planned(np.arange(self.corpus.rows))
        parts = -(-len(planned) // PART)
        for number in range(parts):
            if part_path(self.folder, number).is_file():
                continue
            self.listener.check(f"in {self.stage.name}")
            part = planned[number * PART : (number + 1) * PART]
            rows, values, tags = self.predicted(model, part, VIEWS)
            write_tensors(part_path(self.folder, number), {"rows": rows, "values": values, "tags": tags})
            self.listener.stage_step(f"{self.stage.name} · predicting", number + 1, parts, math.nan)
        join(self.folder, parts, self.corpus.lengths(self.corpus.row_text))

    def planned(self, rows: np.ndarray[Any, np.dtype[np.int64]]) -> list[list[BatchItem]]:
        items = items_of_rows(self.corpus, rows)
        return batches(items, [measure(self.corpus, item) for item in items], PREDICTED_TOKENS)

    @torch.no_grad()
    def predicted(self, model: MiniModel, planned: Sequence[Sequence[BatchItem]], views: int) -> tuple[Any, Any, Any]:
        """Return rows, outputs (rows, views, 7), and the tags from the first view, end to end."""
        data = _Batches(self.corpus, self.config.prepared_folder, planned.__getitem__)
        rows, values, tags = [], [], []
        for batch in self.loaded(data, range(len(planned))):
            with self.autocast():
                coded = model.encode(batch)
                outputs = [model.read(coded, batch, present) for present in _views(batch.present)[:views]]
            values.append(torch.stack([_readings(one) for one in outputs], 1).cpu().numpy())
            inside = torch.arange(batch.longest, device=self.device) < self._sizes(batch)[:, None]
            tags.append((torch.sigmoid(outputs[0].tags)[inside] * 255).to(torch.uint8).cpu().numpy())
            rows.append(batch.rows.cpu().numpy())
        if not rows:
            return np.zeros(0, np.int64), np.zeros((0, views, READINGS), np.float32), np.zeros((0, 2), np.uint8)
        return np.concatenate(rows), np.concatenate(values), np.concatenate(tags)

    def _sizes(self, batch: TrainingBatch) -> Tensor:
        lengths = self.corpus.lengths(self.corpus.row_text[batch.rows.cpu().numpy()])
        return torch.from_numpy(lengths).to(self.device)


def _unchanged(batch: Any) -> Any:
    return batch


def _readings(output: MiniOutput) -> Tensor:
    return torch.cat([output.log_mu[:, None], output.heads], 1).float()


def _views(present: Tensor) -> list[Tensor]:
    """Return the inputs with both texts, the reference alone and the source alone; if one is missing, the other is used."""
    reference, source = present
    return [present, torch.stack([reference, source & ~reference]), torch.stack([reference & ~source, source])]


def _adamw(model: MiniModel, stage: StageConfig) -> torch.optim.AdamW:
    """Return AdamW with the top layer at `learning_rate`, each layer below a little slower, and the head faster.

    Word embeddings learn at the top layer's rate, without weight decay, since each one is updated rarely.
    """
    depth = model.config.layers

    def settings(name: str) -> tuple[float, float]:
        layer = encoder_layer(name, depth)
        if layer is None:
            return stage.head_learning_rate, stage.weight_decay
        if name == WORDS:
            return stage.learning_rate, 0.0
        return stage.learning_rate * stage.layerwise_decay ** (depth - 1 - layer), stage.weight_decay

    fused = next(model.parameters()).is_cuda
    return torch.optim.AdamW(grouped(model, settings), lr=stage.learning_rate, betas=(0.9, 0.98), fused=fused)
