"""One stage: steps that are a function of the weights, the seed and the step's number, in a folder of its own.

A stage that was killed goes on from its last checkpoint, on a CPU with the same bits as one that was not.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from assay.core.errors import InputError
from assay.io.files.atomic import own_folder
from assay.io.files.tensors import read_tensors, write_tensors
from assay.models.mini.batch import FILE, READINGS, VIEWS, Predictions, TrainingBatch, assemble, join, piece_path
from assay.models.mini.config import MiniConfig, plain_stage
from assay.models.mini.corpus import PIECES, LexicalFeatures, PreparedCorpus
from assay.models.mini.losses import Losses
from assay.models.mini.model import HEADS, MiniModel, MiniOutput, mini_model
from assay.models.mini.pack import WORDS, four_bits
from assay.models.mini.plan import BatchItem, BatchPlan, batches, every_item, measure
from assay.models.mini.start import read_encoder
from assay.models.mini.watch import HeldOutFigures, figures, watched_rows
from assay.models.training.optimizer import load_named_state, named_state
from assay.models.training.plan import mixed
from assay.models.training.setup import device_of
from assay.models.training.state import LOG, STATE, Log, TrainingProgress, difference, load_state, save_state
from assay.models.training.trainer import TrainingStopped

CALIBRATION = 12
"""Batches from which mean and deviation of the triples' numbers are taken."""
TOLD_EVERY = 20
"""Steps between two lines of the log; the first and the last step have one too."""
PIECE = 64
"""Batches of predictions that are written at a time."""
PREDICTED_TOKENS = 65_536
WEIGHTS, PACE = "weights.safetensors", "pace.jsonl"
AHEAD = 4


class OutOfTime(Exception):
    """The time that was given is over; the last checkpoint is whole."""


@dataclass
class StageWatcher:
    """What a stage tells while it goes on, and when it must stop."""

    note: Callable[[str], None] = lambda sentence: None
    step: Callable[[str, int, int, float], None] = lambda stage, step, steps, loss: None
    until: float = math.inf
    """Seconds of `time.monotonic` after which no further step is begun."""
    stop: bool = False

    def check(self) -> None:
        """Leave where the time is over or somebody wants to stop."""
        if self.stop or time.monotonic() >= self.until:
            raise OutOfTime


class _Batches(Dataset[TrainingBatch]):
    """The batches of a list of items or of a plan, by number."""

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


@dataclass
class StageRun:
    """Stage `number` of a run."""

    config: MiniConfig
    number: int
    corpus: PreparedCorpus
    watcher: StageWatcher = field(default_factory=StageWatcher)

    def __post_init__(self) -> None:
        self.stage = self.config.stages[self.number]
        self.seed = self.config.seed_of(self.number)
        self.output = Path(self.config.output)
        self.folder = self.output / self.stage.name
        self.device = device_of(self.config.device)
        precision = self.config.precision
        self.bf16 = precision == "bf16" or (precision == "auto" and self.device.type == "cuda")
        self.plain = plain_stage(self.config, self.number)

    def train(self) -> None:
        """Learn until the last step is done, and keep the weights."""
        if (self.folder / WEIGHTS).is_file():
            return
        own_folder(self.folder)
        progress, saved, optimizer_state = self._resume()
        model = self.fresh()
        if saved:
            model.load_state_dict(saved)
        model.to(self.device)
        plan = BatchPlan(self.corpus, self.config, self.stage, self.seed)
        made = _Batches(
            self.corpus, self.config.prepared_folder, plan.batch, [self.output / one for one in self.stage.teachers]
        )
        if not saved:
            with self._autocast():
                model.standardise([made[i].to(self.device) for i in range(min(CALIBRATION, self.stage.steps))])
        optimizer = _adamw(model, self.config, self.number)
        if progress.step > self._rounding:
            model.encoder.words.weight.requires_grad_(False)
        load_named_state(optimizer, optimizer_state)
        log = Log(self.folder / LOG, progress.log_bytes)
        try:
            self._steps(model, optimizer, made, progress, log)
        finally:
            log.close()
        state = {name: value.detach().cpu().numpy() for name, value in model.state_dict().items()}
        write_tensors(self.folder / WEIGHTS, state)
        (self.folder / STATE).unlink(missing_ok=True)

    @property
    def _rounding(self) -> int:
        """The step before which embeddings are rounded."""
        return math.ceil(self.stage.round_embeddings_at * self.stage.steps)

    def fresh(self) -> MiniModel:
        """A model that depends on the seed and the prepared encoder alone."""
        folder = self.config.prepared_folder
        torch.manual_seed(mixed(self.seed, 0x1A17))
        config, weights = read_encoder(folder, self.stage.dropout)
        rarity = torch.from_numpy(np.array(read_tensors(folder / PIECES)["idf"]))
        return mini_model(config, weights, rarity, len(self.corpus.collections), self.config.width)

    def trained(self) -> MiniModel:
        """The model that `train` left."""
        model = self.fresh()
        model.load_state_dict(
            {name: torch.from_numpy(np.array(value)) for name, value in read_tensors(self.folder / WEIGHTS).items()}
        )
        return model.to(self.device).eval()

    def _resume(self) -> tuple[TrainingProgress, dict[str, Tensor], dict[str, Tensor]]:
        if not (self.folder / STATE).is_file():
            return TrainingProgress(), {}, {}
        progress, old, model, optimizer = load_state(self.folder)
        if (changed := difference(old, self.plain)) is not None:
            raise InputError(f"the configuration of {self.folder} was another one at {changed}. Resume with that.")
        return progress, model, optimizer

    def _steps(
        self, model: MiniModel, optimizer: torch.optim.Optimizer, made: _Batches, progress: TrainingProgress, log: Log
    ) -> None:
        losses = Losses(self.corpus, self.config, self.stage, self.device)
        steps, told = self.stage.steps, time.monotonic()
        tokens = 0
        for step, batch in enumerate(self._loaded(made, range(progress.step, steps)), progress.step):
            try:
                self.watcher.check()
            except OutOfTime:
                self._save(progress, model, optimizer, log)
                raise
            if step == self._rounding:
                self._round(model)
            parts = self._step(model, optimizer, losses, batch, step)
            tokens += len(batch.packed.ids)
            progress.step = step + 1
            if (step + 1) % TOLD_EVERY == 0 or step + 1 in (1, steps):
                values = {name: float(value.detach()) for name, value in parts.items()}
                total = sum(values.values())
                if not math.isfinite(total):
                    where = f"{self.stage.name}, step {step + 1}"
                    raise TrainingStopped(f"{where}: the loss is no longer a finite number. Lower the learning rates.")
                log.write(step=step + 1, loss=total, **values)
                now = time.monotonic()
                rate, told, tokens = tokens / max(now - told, 1e-9), now, 0
                self._pace(step + 1, rate)
                self.watcher.step(f"{self.stage.name} · {rate:,.0f} tokens/s", step + 1, steps, total)
            if (step + 1) % self.config.checkpoint_every == 0 and step + 1 < steps:
                self._save(progress, model, optimizer, log)

    def _step(
        self, model: MiniModel, optimizer: torch.optim.Optimizer, losses: Losses, batch: TrainingBatch, step: int
    ) -> dict[str, Tensor]:
        stage = self.stage
        model.train()
        done = step / stage.steps
        rate = (
            min(1.0, (done + 1 / stage.steps) / stage.warm_up)
            if done < stage.warm_up
            else (1 - done) / (1 - stage.warm_up)
        )
        for group in optimizer.param_groups:
            group["lr"] = group["base_lr"] * rate
        torch.manual_seed(mixed(self.seed, step))
        with self._autocast():
            output = model(batch)
        parts = losses(output, batch, model.offsets)
        optimizer.zero_grad(set_to_none=True)
        torch.stack(list(parts.values())).sum().backward()  # type: ignore[no-untyped-call]
        learning = [parameter for parameter in model.parameters() if parameter.grad is not None]
        nn.utils.clip_grad_norm_(learning, stage.gradient_clip or math.inf)
        optimizer.step()
        return parts

    def _round(self, model: MiniModel) -> None:
        """Embeddings to 4 bits, where they stay, so that packing them costs nothing."""
        words = model.encoder.words.weight
        with torch.no_grad():
            words.copy_(four_bits(words)[2])
        words.requires_grad_(False)
        words.grad = None

    def _pace(self, step: int, rate: float) -> None:
        """How fast it goes, in a file of its own: the log is the same whatever the machine."""
        path = self.folder / PACE
        if path.is_symlink():
            path.unlink()
        with path.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"step": step, "tokens_a_second": round(rate), "at": round(time.time())}) + "\n")

    def _save(self, progress: TrainingProgress, model: MiniModel, optimizer: torch.optim.Optimizer, log: Log) -> None:
        progress.log_bytes = log.size()
        save_state(self.folder, progress, self.plain, model.state_dict(), named_state(optimizer))

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16)

    def _loaded(self, made: _Batches, numbers: range) -> Iterator[TrainingBatch]:
        """Batches on the device, made ready by other processes where the configuration has some."""
        workers = self.config.workers
        if workers:
            # A batch has two dozen tensors: as open files, those made ready ahead would be too many.
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
        """What this stage's model says of every training row, for those it teaches."""
        if (self.folder / FILE).is_file():
            return
        model = self.trained()
        planned = self._planned(np.arange(self.corpus.rows))
        pieces = -(-len(planned) // PIECE)
        for number in range(pieces):
            if piece_path(self.folder, number).is_file():
                continue
            self.watcher.check()
            part = planned[number * PIECE : (number + 1) * PIECE]
            rows, values, tags = self._predicted(model, part, VIEWS)
            write_tensors(piece_path(self.folder, number), {"rows": rows, "values": values, "tags": tags})
            self.watcher.step(f"{self.stage.name} · predicting", number + 1, pieces, math.nan)
        join(self.folder, pieces, self.corpus.lengths(self.corpus.row_text))

    def watch(self, model: MiniModel) -> dict[str, Any]:
        """Figures on the held-out documents, by three readings of the model."""
        rows = watched_rows(self.corpus)
        if not len(rows):
            return {}
        found, values, _ = self._predicted(model, self._planned(rows), 1)
        order = np.argsort(found)
        rows, values = found[order], values[order, 0]
        readings = {
            "mqm": -values[:, 0],
            **{
                head: values[:, 1 + HEADS.index(head)]
                for head in ("ranking", "assessment", "esa", "quality", "teacher")
            },
        }
        told: dict[str, HeldOutFigures] = {
            name: figures(self.corpus, rows, values[:, 0], by) for name, by in readings.items()
        }
        return {name: asdict(one) for name, one in told.items()}

    def _planned(self, rows: np.ndarray[Any, np.dtype[np.int64]]) -> list[list[BatchItem]]:
        items = every_item(self.corpus, rows)
        return batches(items, [measure(self.corpus, item) for item in items], PREDICTED_TOKENS)

    @torch.no_grad()
    def _predicted(self, model: MiniModel, planned: Sequence[Sequence[BatchItem]], views: int) -> tuple[Any, Any, Any]:
        """Rows, readings (rows, views, 7) and the tags of the first view, end to end."""
        made = _Batches(self.corpus, self.config.prepared_folder, planned.__getitem__)
        rows, values, tags = [], [], []
        for batch in self._loaded(made, range(len(planned))):
            with self._autocast():
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
    """With both texts, the reference alone and the source alone; where that leaves nothing, with what there is."""
    reference, source = present
    return [present, torch.stack([reference, source & ~reference]), torch.stack([reference & ~source, source])]


def _adamw(model: MiniModel, config: MiniConfig, number: int) -> torch.optim.AdamW:
    """AdamW with the top layer at `learning_rate`, each layer below a little slower, and the head faster.

    Embeddings learn at the top layer's rate, without decay: each is seen seldom.
    """
    stage, depth = config.stages[number], model.config.layers
    groups: dict[tuple[float, float], list[tuple[str, nn.Parameter]]] = {}
    for name, parameter in model.named_parameters():
        rate, decay = stage.head_learning_rate, stage.weight_decay
        if name == WORDS:
            rate, decay = stage.learning_rate, 0.0
        elif name.startswith("encoder.layers."):
            rate = stage.learning_rate * stage.layerwise_decay ** (depth - 1 - int(name.split(".")[2]))
        elif name.startswith("encoder."):
            rate = stage.learning_rate * stage.layerwise_decay**depth
        groups.setdefault((rate, decay), []).append((name, parameter))
    described = [
        {
            "params": [p for _, p in named],
            "names": [n for n, _ in named],
            "lr": rate,
            "base_lr": rate,
            "weight_decay": decay,
        }
        for (rate, decay), named in groups.items()
    ]
    fused = next(model.parameters()).is_cuda
    return torch.optim.AdamW(described, lr=stage.learning_rate, betas=(0.9, 0.98), fused=fused)
