"""The training loop: phases one after the other, each step a function of the weights, the seed and the step's number.

Because nothing else goes into a step, a run that was killed and resumed ends, on a CPU, with the same bits as one that was not.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from assay.core.errors import AssayError, InputError, Interrupted, count
from assay.models.runtime.batching import out_of_memory
from assay.models.training import search
from assay.models.training.config import PhaseConfig, TrainConfig
from assay.models.training.data import LoadedRecords, load_held_out, load_phase
from assay.models.training.encoding import EncodedRecord, TextEncoder, has_target, packed
from assay.models.training.optimizer import adamw, clip, load_named_state, losses, named_state, unfreeze, warm_up
from assay.models.training.plan import Plan, mixed
from assay.models.training.setup import TOKENIZER, begin, device_of
from assay.models.training.state import (
    LOG,
    STATE,
    Log,
    LossWeights,
    TrainingProgress,
    difference,
    interruptible,
    load_state,
    plain_config,
    save_state,
)
from assay.models.training.watching import Look, look

if TYPE_CHECKING:
    from assay.models.heads.comet import UnifiedModel
    from assay.models.training.records import Record

MODEL = "model"
"""The folder of the trained model inside the run's folder."""


class TrainingStopped(AssayError):
    """Training cannot go on: the loss is no number, or not even one record fits into memory."""


@dataclass
class Listener:
    """What a run tells while it goes on; nothing by default."""

    note: Callable[[str], None] = lambda sentence: None
    phase: Callable[[PhaseConfig, int, int, int], None] = lambda phase, records, first, steps: None
    step: Callable[[int, float], None] = lambda step, loss: None
    look: Callable[[PhaseConfig, int, Look], None] = lambda phase, step, seen: None


@dataclass
class _Ready:
    """What the steps of a phase work on."""

    plan: Plan
    records: Sequence[Record]
    examples: Sequence[EncodedRecord]
    held_out: Sequence[Record]


class Trainer:
    """One run in one folder."""

    def __init__(self, config: TrainConfig, *, resume: bool = False, listener: Listener | None = None) -> None:
        self.config, self.listener = config, listener or Listener()
        self.folder = Path(config.output)
        self.plain = plain_config(config)
        self.device = device_of(config.device)
        self.progress = TrainingProgress()
        saved: tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]] | None = None
        if (self.folder / STATE).is_file():
            if not resume:
                raise InputError(
                    f"{self.folder} holds a run already: --resume goes on with it, or give another output."
                )
            self.progress, old, *tensors = load_state(self.folder)
            saved = (tensors[0], tensors[1])
            changed = difference(old, self.plain)
            if changed is not None:
                raise InputError(
                    f"the configuration of the run in {self.folder} was another one at {changed}. Resume with that."
                )
        elif not resume:
            for name in (TOKENIZER, search.FILE):
                (self.folder / name).unlink(missing_ok=True)
        self._loaded: dict[int, LoadedRecords] = {}
        started = begin(config, self.folder, self._texts)
        self.model: UnifiedModel = started.model.to(self.device)
        self.encoder: TextEncoder = started.encoder
        self._optimizer_state: dict[str, torch.Tensor] = {}
        if saved is not None:
            self.model.load_state_dict(saved[0])
            self._optimizer_state = saved[1]
        self.config = search.chosen_config(config, self.progress.choices)
        self.log = Log(self.folder / LOG, self.progress.log_bytes)
        self.bf16 = config.precision == "bf16" or (config.precision == "auto" and self.device.type == "cuda")
        self.stop = False

    def run(self) -> Path:
        """Train until the last phase is through; gives the folder of the trained model."""
        try:
            with interruptible(self), self._roomy():
                while self.progress.phase < len(self.config.phases):
                    self._phase(self.progress.phase)
            if not self.progress.finished:
                self._export()
                self.progress.finished = True
                self._save({})
        finally:
            self.log.close()
        return self.folder / MODEL

    def _phase(self, number: int) -> None:
        phase, loaded = self.config.phases[number], self._load(number)
        whole = zip(loaded.records, self.encoder.examples(loaded.records), strict=True)
        pairs = [(record, one) for record, one in whole if has_target(one, phase.word_level)]
        if not pairs:
            raise InputError(f"{phase.name} has no record with a score or with spans to learn from.")
        records, examples = [record for record, _ in pairs], [one for _, one in pairs]
        self._check_data(examples, phase)
        plan = Plan(phase, number, self.config.seed, [one.tokens for one in examples])
        held_out = load_held_out(self.config, number, loaded)
        ready = _Ready(plan, records, examples, held_out)
        for sentence in loaded.notes:
            self.listener.note(sentence)
        if phase.search is not None and str(number + 1) not in self.progress.choices:
            phase = self._search(number, ready)
        self.listener.phase(phase, len(examples), self.progress.step, plan.steps)
        optimizer = adamw(self.model, phase)
        load_named_state(optimizer, self._optimizer_state)
        self._optimizer_state = {}
        self.progress.micro_batch = self.progress.micro_batch or phase.micro_batch or max(map(len, plan.epoch(0)))
        steps, every = plan.steps, self.config.held_out.every
        for step in range(self.progress.step, steps):
            entry = self._step(phase, number, step, optimizer, ready)
            self.log.write(phase=number + 1, **entry)
            self.listener.step(step + 1, entry["loss"])
            self.progress.step = step + 1
            if held_out and ((every and (step + 1) % every == 0) or step + 1 == steps):
                self._look(phase, number, step + 1, held_out)
            done = step + 1 == steps
            if not done and ((step + 1) % self.config.checkpoint_every == 0 or self.stop):
                self._save(named_state(optimizer))
            if self.stop and not done:
                raise Interrupted(
                    f"stopped at step {step + 1:,} of {steps:,} of {phase.name}; --resume goes on from there."
                )
        self.progress = TrainingProgress(phase=number + 1, choices=self.progress.choices)
        self._loaded.pop(number)
        self._save({})

    def _step(
        self, phase: PhaseConfig, number: int, step: int, optimizer: torch.optim.Optimizer, ready: _Ready
    ) -> dict[str, Any]:
        """One step; what the log says of it comes back."""
        rows = ready.plan.batch(step)
        batch = [ready.examples[row] for row in rows]
        self.model.train()
        unfreeze(self.model, phase, step, ready.plan.frozen_steps)
        rate = warm_up(optimizer, phase, step)
        while True:
            optimizer.zero_grad(set_to_none=True)
            sums = self._accumulate(phase, number, step, batch)
            if sums is not None:
                break
            if self.progress.micro_batch == 1:
                raise TrainingStopped(
                    f"{phase.name}, step {step + 1}: one record does not fit into memory. "
                    "Lower max_tokens or take a smaller encoder."
                )
            self.progress.micro_batch = max(1, min(self.progress.micro_batch, len(batch)) // 2)
            self.listener.note(
                f"out of memory: going on with {count(self.progress.micro_batch, 'record')} in one pass."
            )
        norm = clip(list(self.model.parameters()), phase.gradient_clip)
        if not (math.isfinite(sums[0]) and math.isfinite(norm)):
            raise self._not_finite(phase, step, sums[0], ready.records[rows[0]])
        optimizer.step()
        losses = {"step": step + 1, "loss": sums[0], "sentence_loss": sums[1], "word_loss": sums[2]}
        return {**losses, "gradient_norm": norm, "learning_rate": rate, "records": len(batch)}

    def _search(self, number: int, ready: _Ready) -> PhaseConfig:
        """The phase with the loss weights that do best in short runs from where it begins; finished tries are kept."""
        phase = self.config.phases[number]
        if not ready.held_out:
            raise InputError(f"{phase.name}: a search chooses by held-out records, and none are left: raise held_out.")
        before = {name: value.detach().clone() for name, value in self.model.state_dict().items()}

        def attempt(variant: PhaseConfig, steps: int) -> Look | None:
            return self._try(variant, number, steps, ready, before)

        start = search.digest(self.plain, self.progress.data, ready.held_out, before)
        chosen = search.run(
            phase, search.grid(phase, number, start, ready.plan.steps), self.folder, attempt, self.listener.note
        )
        choice = LossWeights(chosen.loss_lambda, chosen.class_weights)
        self.progress.choices = {**self.progress.choices, str(number + 1): choice}
        self.config = search.chosen_config(self.config, self.progress.choices)
        return self.config.phases[number]

    def _try(
        self, phase: PhaseConfig, number: int, steps: int, ready: _Ready, before: dict[str, torch.Tensor]
    ) -> Look | None:
        """What a short run comes to on the held-out records, None where it broke; the weights are as before afterwards."""
        optimizer, micro_batch = adamw(self.model, phase), self.progress.micro_batch
        self.progress.micro_batch = phase.micro_batch or max(map(len, ready.plan.epoch(0)))
        try:
            for step in range(steps):
                self._step(phase, number, step, optimizer, ready)
                if self.stop:
                    raise Interrupted(
                        f"stopped in the search of {phase.name}; --resume goes on from the last whole try."
                    )
            with self._autocast():
                return look(self.model, self.encoder, ready.held_out, min(32, self.progress.micro_batch))
        except TrainingStopped as error:
            self.listener.note(f"a try came to nothing: {error}")
            return None
        finally:
            self.model.load_state_dict(before)
            self.progress.micro_batch = micro_batch

    def _accumulate(
        self, phase: PhaseConfig, number: int, step: int, batch: list[EncodedRecord]
    ) -> tuple[float, float, float] | None:
        """Gradients of the whole batch, a micro-batch at a time; the three losses a record, or None when memory ran out."""
        totals = [0.0, 0.0, 0.0]
        size = self.progress.micro_batch
        try:
            for part in range(0, len(batch), size):
                torch.manual_seed(mixed(self.config.seed, number, step, part))
                values = self._forward(phase, batch[part : part + size], len(batch))
                if not math.isfinite(values[0]):
                    return math.nan, math.nan, math.nan
                totals = [total + value for total, value in zip(totals, values, strict=True)]
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
        else:
            return totals[0], totals[1], totals[2]
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        return None

    def _forward(self, phase: PhaseConfig, part: Sequence[EncodedRecord], records: int) -> tuple[float, float, float]:
        """Forward and backward of one micro-batch; every input of every record is a sequence of one packed batch."""
        made = [(self.encoder.sequence(one, name), one.score) for one in part for name in one.inputs]
        made.sort(key=lambda pair: len(pair[0].ids))
        batch = packed([one for one, _ in made], self.model)
        targets = torch.tensor([score for _, score in made], dtype=torch.float32, device=self.device)
        labels = torch.tensor([label for one, _ in made for label in one.labels], device=self.device)
        weights = torch.tensor(phase.class_weights, device=self.device)
        with self._autocast():
            output = self.model(batch)
        loss, sentence, word = losses(output, batch, targets, labels, weights, phase.loss_lambda)
        loss = loss / records
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
        return loss.item(), sentence.item() / records, word.item() / records

    def _look(self, phase: PhaseConfig, number: int, step: int, held_out: Sequence[Record]) -> None:
        with self._autocast():
            seen = look(self.model, self.encoder, held_out, min(32, self.progress.micro_batch))
        plain = {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in asdict(seen).items()
        }
        self.log.write(phase=number + 1, step=step, held_out=plain)
        self.listener.look(phase, step, seen)

    def _save(self, optimizer: dict[str, torch.Tensor]) -> None:
        self.progress.log_bytes = self.log.size()
        save_state(self.folder, self.progress, self.plain, self.model.state_dict(), optimizer)

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
                f"the data of {phase.name} changed since the run in {self.folder} began. Restore it, or start anew."
            )
        self.progress.data = digest.hexdigest()

    def _not_finite(self, phase: PhaseConfig, step: int, loss: float, shown: Record) -> TrainingStopped:
        what = "the loss" if not math.isfinite(loss) else "a gradient"
        return TrainingStopped(
            f"{phase.name}, step {step + 1}: {what} is no longer a finite number. Lower the learning rates or gradient_clip. "
            f"The batch begins with {shown.origin} {shown.hypothesis[:40]!r}; the last checkpoint in {self.folder} is whole."
        )

    def _autocast(self) -> torch.autocast:
        """The encoder's matrix products in bfloat16 where the run wants it; weights and heads stay in float32."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16)

    @contextmanager
    def _roomy(self) -> Iterator[None]:
        """Say in a sentence when memory runs out where smaller batches cannot help: in the optimizer, in a look."""
        try:
            yield
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            raise TrainingStopped(
                f"the weights and the optimizer's state do not fit into the memory of {self.device}. Take a smaller encoder."
            ) from error
