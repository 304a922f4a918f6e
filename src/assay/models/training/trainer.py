"""Trainer of xCOMET models: the phases of the curriculum, the search for loss weights, and the export of the trained model."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from assay.core.errors import InputError, Interrupted, count
from assay.models.runtime.batching import out_of_memory
from assay.models.training import search
from assay.models.training.config import PhaseConfig, TrainConfig
from assay.models.training.data import LoadedRecords, Plan, load_held_out, load_phase
from assay.models.training.encoding import EncodedRecord, TextEncoder, has_target, packed
from assay.models.training.evaluation import Evaluation, evaluate
from assay.models.training.loop import Loop, Tensors, TrainingStopped, mixed
from assay.models.training.optimizer import adamw, clip, load_named_state, losses, named_state, unfreeze, warm_up
from assay.models.training.setup import TOKENIZER, begin
from assay.models.training.state import STATE, Listener, LossWeights, TrainingProgress, plain_config

if TYPE_CHECKING:
    from assay.models.heads.comet import UnifiedModel
    from assay.models.training.records import Record

MODEL = "model"
"""Folder of the trained model inside the run's folder."""


@dataclass
class PhaseRecipe:
    """The steps of one phase of the curriculum."""

    trainer: Trainer
    phase: PhaseConfig
    number: int
    plan: Plan
    records: Sequence[Record]
    examples: Sequence[EncodedRecord]
    held_out: Sequence[Record]
    optimizer: torch.optim.Optimizer

    @property
    def name(self) -> str:
        return self.phase.name

    @property
    def steps(self) -> int:
        return self.plan.steps

    @property
    def largest(self) -> int:
        """The initial micro-batch size: as configured, or the size of the largest batch."""
        return self.phase.micro_batch or max(map(len, self.plan.epoch(0)))

    def batches(self, first: int) -> Iterator[list[int]]:
        return (self.plan.batch(step) for step in range(first, self.steps))

    def state(self) -> tuple[Tensors, Tensors]:
        return self.trainer.model.state_dict(), named_state(self.optimizer)

    def report(self, done: int, values: dict[str, Any]) -> None:
        """Log the step. Evaluate on the held-out records if an evaluation is due."""
        trainer, every = self.trainer, self.trainer.config.held_out.every
        trainer.log.write(phase=self.number + 1, **values)
        trainer.listener.step(done, values["loss"])
        if self.held_out and ((every and done % every == 0) or done == self.steps):
            evaluation = self.evaluate()
            figures = {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in asdict(evaluation).items()}
            trainer.log.write(phase=self.number + 1, step=done, held_out=figures)
            trainer.listener.evaluated(self.phase, done, evaluation)

    def evaluate(self) -> Evaluation:
        """Evaluate the model on the held-out records."""
        trainer = self.trainer
        with trainer.autocast():
            return evaluate(trainer.model, trainer.encoder, self.held_out, min(32, trainer.progress.micro_batch))

    def step(self, number: int, rows: Sequence[int]) -> dict[str, Any]:
        """Take a step and return its log entry. If memory runs out, halve the micro-batch permanently."""
        model, progress, phase = self.trainer.model, self.trainer.progress, self.phase
        batch = [self.examples[row] for row in rows]
        model.train()
        unfreeze(model, phase, number, self.plan.frozen_steps)
        rate = warm_up(self.optimizer, phase, number)
        while True:
            self.optimizer.zero_grad(set_to_none=True)
            sums = self._accumulate(number, batch)
            if sums is not None:
                break
            if progress.micro_batch == 1:
                raise TrainingStopped(
                    f"{phase.name}, step {number + 1}: one record does not fit into memory. "
                    "Lower max_tokens or use a smaller encoder."
                )
            progress.micro_batch = max(1, min(progress.micro_batch, len(batch)) // 2)
            self.trainer.listener.note(
                f"out of memory: continuing with {count(progress.micro_batch, 'record')} per pass."
            )
        norm = float(clip(model, phase.gradient_clip))
        if not (math.isfinite(sums[0]) and math.isfinite(norm)):
            raise self._not_finite(number, sums[0], self.records[rows[0]])
        self.optimizer.step()
        losses = {"step": number + 1, "loss": sums[0], "sentence_loss": sums[1], "word_loss": sums[2]}
        return {**losses, "gradient_norm": norm, "learning_rate": rate, "records": len(batch)}

    def _accumulate(self, number: int, batch: list[EncodedRecord]) -> tuple[float, float, float] | None:
        """Accumulate a batch's gradients over micro-batches. Return the three losses per record, or None if memory ran out."""
        totals = [0.0, 0.0, 0.0]
        size = self.trainer.progress.micro_batch
        try:
            for part in range(0, len(batch), size):
                torch.manual_seed(mixed(self.plan.seed, self.number, number, part))
                values = self._forward(batch[part : part + size], len(batch))
                if not math.isfinite(values[0]):
                    return math.nan, math.nan, math.nan
                totals = [total + value for total, value in zip(totals, values, strict=True)]
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
        else:
            return totals[0], totals[1], totals[2]
        if self.trainer.device.type == "cuda":
            torch.cuda.empty_cache()
        return None

    def _forward(self, part: Sequence[EncodedRecord], records: int) -> tuple[float, float, float]:
        """Run a micro-batch forward and backward; every input of every record is a sequence in one packed batch."""
        model, encoder, device = self.trainer.model, self.trainer.encoder, self.trainer.device
        inputs = [(encoder.sequence(one, name), one.score) for one in part for name in one.inputs]
        inputs.sort(key=lambda pair: len(pair[0].ids))
        batch = packed([one for one, _ in inputs], model)
        targets = torch.tensor([score for _, score in inputs], dtype=torch.float32, device=device)
        labels = torch.tensor([label for one, _ in inputs for label in one.labels], device=device)
        weights = torch.tensor(self.phase.class_weights, device=device)
        with self.trainer.autocast():
            output = model(batch)
        loss, sentence, word = losses(output, batch, targets, labels, weights, self.phase.loss_lambda)
        loss = loss / records
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
        return loss.item(), sentence.item() / records, word.item() / records

    def _not_finite(self, number: int, loss: float, shown: Record) -> TrainingStopped:
        what = "the loss" if not math.isfinite(loss) else "a gradient"
        return TrainingStopped(
            f"{self.name}, step {number + 1}: {what} is no longer finite. Lower the learning rates or gradient_clip. "
            f"The batch begins with {shown.origin} {shown.hypothesis[:40]!r}; the last checkpoint in {self.trainer.folder} is "
            "complete."
        )


class Trainer(Loop):
    """One run of the curriculum in one folder."""

    def __init__(self, config: TrainConfig, *, resume: bool = False, listener: Listener | None = None) -> None:
        super().__init__(Path(config.output), plain_config(config), config, listener)
        if (self.folder / STATE).is_file() and not resume:
            raise InputError(
                f"{self.folder} already contains a run. Use --resume to continue it, or another output folder."
            )
        saved = self.restore()
        if saved is None and not resume:
            for name in (TOKENIZER, search.FILE):
                (self.folder / name).unlink(missing_ok=True)
        self._loaded: dict[int, LoadedRecords] = {}
        self.config = config
        started = begin(config, self.folder, self._texts)
        self.model: UnifiedModel = started.model.to(self.device)
        self.encoder: TextEncoder = started.encoder
        self._optimizer_state: Tensors = {}
        if saved is not None:
            weights, self._optimizer_state = saved
            self.model.load_state_dict(weights)
        self.config = search.chosen_config(config, self.progress.choices)
        self.open_log()

    def run(self) -> Path:
        """Train every remaining phase and return the folder of the trained model."""
        try:
            with self.listener.interruptible(), self._memory_errors():
                while self.progress.phase < len(self.config.phases):
                    self._phase(self.progress.phase)
            if not self.progress.finished:
                self._export()
                self.progress.finished = True
                self.save(self.model.state_dict(), {})
        finally:
            self.log.close()
        return self.folder / MODEL

    def _phase(self, number: int) -> None:
        phase, loaded = self.config.phases[number], self._load(number)
        encoded = zip(loaded.records, self.encoder.examples(loaded.records), strict=True)
        pairs = [(record, one) for record, one in encoded if has_target(one, phase.word_level)]
        if not pairs:
            raise InputError(f"{phase.name} has no record with a score or with spans to learn from.")
        records, examples = [record for record, _ in pairs], [one for _, one in pairs]
        self._check_data(examples, phase)
        plan = Plan(phase, number, self.config.seed, [one.tokens for one in examples])
        held_out = load_held_out(self.config, number, loaded)
        for sentence in loaded.notes:
            self.listener.note(sentence)
        recipe = PhaseRecipe(self, phase, number, plan, records, examples, held_out, adamw(self.model, phase))
        if phase.search is not None and str(number + 1) not in self.progress.choices:
            phase = self._search(recipe)
            recipe = replace(recipe, phase=phase, optimizer=adamw(self.model, phase))
        self.listener.phase(phase, len(examples), self.progress.step, plan.steps)
        load_named_state(recipe.optimizer, self._optimizer_state)
        self._optimizer_state = {}
        self.progress.micro_batch = self.progress.micro_batch or recipe.largest
        self.train(recipe)
        self.progress = TrainingProgress(phase=number + 1, choices=self.progress.choices)
        self._loaded.pop(number)
        self.save(self.model.state_dict(), {})

    def _search(self, recipe: PhaseRecipe) -> PhaseConfig:
        """Return the phase with the loss weights that perform best in short runs from its first step. Finished tries are stored."""
        phase, number = recipe.phase, recipe.number
        if not recipe.held_out:
            raise InputError(f"{phase.name}: a search needs held-out records, and none are left. Raise held_out.")
        before = {name: value.detach().clone() for name, value in self.model.state_dict().items()}

        def attempt(variant: PhaseConfig, steps: int) -> Evaluation | None:
            return self._try(replace(recipe, phase=variant, optimizer=adamw(self.model, variant)), steps, before)

        start = search.digest(self.plain, self.progress.data, recipe.held_out, before)
        best_try = search.run(
            phase, search.grid(phase, number, start, recipe.steps), self.folder, attempt, self.listener.note
        )
        choice = LossWeights(best_try.loss_lambda, best_try.class_weights)
        self.progress.choices = {**self.progress.choices, str(number + 1): choice}
        self.config = search.chosen_config(self.config, self.progress.choices)
        return self.config.phases[number]

    def _try(self, recipe: PhaseRecipe, steps: int, before: Tensors) -> Evaluation | None:
        """Evaluate a short run on the held-out records, and restore the weights. Return None if its training was stopped."""
        micro_batch = self.progress.micro_batch
        self.progress.micro_batch = recipe.largest
        try:
            for step, rows in zip(range(steps), recipe.batches(0), strict=False):
                recipe.step(step, rows)
                if self.listener.stop:
                    raise Interrupted(
                        f"stopped in the search of {recipe.name}. Use --resume to continue after the last complete try."
                    )
            return recipe.evaluate()
        except TrainingStopped as error:
            self.listener.note(f"a try failed: {error}")
            return None
        finally:
            self.model.load_state_dict(before)
            self.progress.micro_batch = micro_batch

    def _export(self) -> None:
        from assay.models.heads.checkpoint import save

        weights = next((phase.class_weights for phase in reversed(self.config.phases) if phase.word_level), None)
        last = self.config.phases[-1].loss_lambda
        self.model.config = replace(self.model.config, cross_entropy_weights=weights, loss_lambda=last)
        self.model.eval()
        save(self.model, self.folder / MODEL, self.folder / TOKENIZER)

    def _load(self, number: int) -> LoadedRecords:
        if number not in self._loaded:
            self._loaded[number] = load_phase(self.config, number)
        return self._loaded[number]

    def _texts(self) -> Iterator[str]:
        for number in range(len(self.config.phases)):
            for record in self._load(number).records:
                yield from (text for text in record.texts().values() if text)

    def _check_data(self, examples: Sequence[EncodedRecord], phase: PhaseConfig) -> None:
        digest = hashlib.blake2b(digest_size=16)
        for one in examples:
            for part in (one.hypothesis, one.source, one.reference, one.tags or ()):
                digest.update(len(part).to_bytes(4, "little") + bytes(part))
            digest.update(repr((one.tags is None, one.score)).encode())
        if self.progress.data and self.progress.data != digest.hexdigest():
            raise InputError(
                f"the data of {phase.name} changed since the run in {self.folder} began. Restore them, or start a new run."
            )
        self.progress.data = digest.hexdigest()

    @contextmanager
    def _memory_errors(self) -> Iterator[None]:
        """Explain an out-of-memory error that smaller batches cannot avoid: in the optimizer, or on the held-out records."""
        try:
            yield
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            raise TrainingStopped(
                f"the weights and the optimizer's state do not fit into the memory of {self.device}. Use a smaller encoder."
            ) from error
