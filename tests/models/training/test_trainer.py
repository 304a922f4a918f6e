# ruff: noqa: E402 (torch may be absent)
"""The training loop itself: losses by hand, freezing, accumulation, memory, broken numbers, learning."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("safetensors", reason="safetensors is not installed (pip install 'mt-assay[neural]')")

from assay.core.batch import Batch
from assay.core.errors import AssayError, InputError
from assay.metrics import metric
from assay.models.heads.comet import UnifiedOutput
from assay.models.runtime.packing import pack
from assay.models.training.config import TrainConfig, load_config, parse_config
from assay.models.training.data import batches, order_of
from assay.models.training.evaluation import kendall_b, pearson, predict
from assay.models.training.loop import TrainingStopped
from assay.models.training.optimizer import losses, parameter_groups, unfreeze
from assay.models.training.state import Listener
from assay.models.training.toy import toy_records, write_example
from assay.models.training.trainer import PhaseRecipe, Trainer


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """Small matrices gain nothing from threads, and lose much on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def small(folder: Path, phase: dict[str, Any] | None = None, **changes: Any) -> TrainConfig:
    """A run of a few steps on toy data."""
    if not (folder / "toy.jsonl").exists():
        write_example(folder, 100)
    plain = {
        "curriculum": 2,
        "data": [{"path": "toy.jsonl", "format": "spans"}],
        "batch_size": 16,
        "max_steps": 4,
        "learning_rate": 1e-3,
        "encoder_learning_rate": 1e-3,
        "nr_frozen_epochs": 0.0,
        **(phase or {}),
    }
    model = {"tiny_hidden": 16, "tiny_layers": 2, "tiny_vocabulary": 100, "encoder_dropout": 0.0, "dropout": 0.0}
    data = {"output": "run", "phases": [plain], "model": model, **changes}
    return parse_config(data, "test", folder)


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "run" / "state.safetensors")


def log(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "run" / "log.jsonl").read_text().splitlines()]


def test_the_loss_is_that_of_equations_1_to_3() -> None:
    packed = pack([[0, 5, 6, 2], [0, 7, 2]], pad=1)
    logits = torch.tensor(
        [[0.0, 0, 0, 0], [2, 1, 0, 0], [0, 0, 3, 0], [9, 9, 9, 9], [1, 1, 1, 1], [0, 0, 0, 4], [5, 0, 0, 0]]
    )
    labels = torch.tensor([-1, 0, 2, -1, -1, 1, -1])
    alpha = torch.tensor([0.08, 0.486, 0.505, 0.533])
    found = losses(
        UnifiedOutput(torch.tensor([0.5, 0.9]), logits), packed, torch.tensor([1.0, math.nan]), labels, alpha, 0.4
    )

    def log_p(row: int, label: int) -> float:
        values = logits[row].tolist()
        return values[label] - math.log(sum(math.exp(v) for v in values))

    sentence = 0.5**2  # the second sequence has no score
    word = -(0.08 * log_p(1, 0) + 0.505 * log_p(2, 2)) / 2 - 0.486 * log_p(5, 1)
    assert [float(value) for value in found] == pytest.approx([0.6 * sentence + 0.4 * word, sentence, word], rel=1e-5)


def test_learning_rates_fall_from_layer_to_layer(tmp_path: Path) -> None:
    config = small(tmp_path, {"layerwise_decay": 0.5, "keep_embeddings_frozen": True})
    trainer = Trainer(config)
    rates = {name: g["lr"] for g in parameter_groups(trainer.model, config.phases[0]) for name in g["names"]}
    assert rates["encoder.layers.1.qkv.weight"] == 1e-3
    assert rates["encoder.layers.0.qkv.weight"] == 5e-4
    assert rates["mix.weights"] == rates["tagger.weight"] == rates["estimator.ff.0.weight"] == 1e-3
    assert not any(name.startswith(("encoder.words", "encoder.embedding_norm")) for name in rates)
    free = dataclasses.replace(config.phases[0], keep_embeddings_frozen=False, encoder_learning_rate=8e-4)
    rates = {name: g["lr"] for g in parameter_groups(trainer.model, free) for name in g["names"]}
    assert (rates["encoder.layers.1.up.bias"], rates["encoder.words.weight"]) == (8e-4, pytest.approx(2e-4))
    trainer.log.close()


def test_the_encoder_stays_frozen_at_first(tmp_path: Path) -> None:
    config = small(tmp_path, {"nr_frozen_epochs": 0.3, "max_steps": 2})
    trainer = Trainer(config)
    before = {name: value.clone() for name, value in trainer.model.state_dict().items()}
    unfreeze(trainer.model, config.phases[0], step=1, frozen_steps=2)
    assert {name.split(".")[0] for name, p in trainer.model.named_parameters() if p.requires_grad} == {
        "mix",
        "estimator",
        "tagger",
    }
    trainer.run()  # 0.3 of 7 steps: both are frozen
    after = trainer.model.state_dict()
    moved = {name.split(".")[0] for name in before if not torch.equal(before[name], after[name])}
    assert "encoder" not in moved
    assert {"estimator", "tagger"} <= moved
    further = small(tmp_path, {"nr_frozen_epochs": 0.3, "max_steps": 3}, output="run2")
    trainer = Trainer(further)
    trainer.run()
    changed = [name for name, value in trainer.model.state_dict().items() if not torch.equal(before[name], value)]
    assert any(name.startswith("encoder.layers.0") for name in changed)
    assert not any(name.startswith("encoder.words") for name in changed)


def test_accumulated_gradients_are_those_of_the_whole_batch(tmp_path: Path) -> None:
    made = []
    for micro in (0, 5):
        folder = tmp_path / str(micro)
        Trainer(small(folder, {"micro_batch": micro})).run()
        made.append(weights(folder))
    for name, value in made[0].items():
        assert torch.allclose(value, made[1][name], atol=2e-4), name


def test_half_precision_learns_about_the_same(tmp_path: Path) -> None:
    made = []
    for precision in ("fp32", "bf16"):
        Trainer(small(tmp_path / precision, precision=precision)).run()
        made.append([entry["loss"] for entry in log(tmp_path / precision)])
        assert {value.dtype for value in weights(tmp_path / precision).values()} == {torch.float32}
    assert made[0] != made[1]
    assert made[0] == pytest.approx(made[1], rel=0.02)


def test_out_of_memory_halves_the_batch_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Trainer(small(tmp_path / "four", {"micro_batch": 4})).run()
    forward = PhaseRecipe._forward
    sizes = []

    def tight(self: PhaseRecipe, part: Any, records: int) -> Any:
        sizes.append(len(part))
        if len(part) > 4:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, part, records)

    monkeypatch.setattr(PhaseRecipe, "_forward", tight)
    notes: list[str] = []
    Trainer(small(tmp_path / "tight"), listener=Listener(note=notes.append)).run()
    assert sizes[:4] == [16, 8, 4, 4]
    assert notes == [
        "out of memory: continuing with 8 records per pass.",
        "out of memory: continuing with 4 records per pass.",
    ]
    four, tight_ = weights(tmp_path / "four"), weights(tmp_path / "tight")
    assert all(torch.equal(four[name], tight_[name]) for name in four)

    def impossible(*_: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(PhaseRecipe, "_forward", impossible)
    with pytest.raises(TrainingStopped, match="one record does not fit into memory"):
        Trainer(small(tmp_path / "none")).run()


def test_no_room_for_the_optimizer_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch.optim.AdamW, "step", full)
    with pytest.raises(TrainingStopped, match="optimizer's state do not fit into the memory of cpu"):
        Trainer(small(tmp_path)).run()


def test_heads_stay_in_float32_when_the_encoder_trains_in_bfloat16(tmp_path: Path) -> None:
    trainer = Trainer(small(tmp_path))
    with torch.autocast("cpu", torch.bfloat16):
        output = trainer.model(pack([[0, 5, 6, 2]], pad=1))
    assert (output.scores.dtype, output.logits.dtype) == (torch.float32, torch.float32)
    trainer.log.close()


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path) -> None:
    config = small(
        tmp_path, {"learning_rate": 1e30, "encoder_learning_rate": 1e30, "gradient_clip": 0.0}, checkpoint_every=1
    )
    with pytest.raises(TrainingStopped, match=r"phase 1, step \d: .* no longer finite. Lower the learning rates"):
        Trainer(config).run()
    assert all(
        bool(torch.isfinite(value).all())
        for name, value in weights(tmp_path).items()
        if name.startswith("model/encoder.words")
    )


def test_the_order_of_an_epoch_depends_on_seed_phase_and_epoch_alone() -> None:
    assert order_of(0, 50, 1, 0).tolist() == order_of(0, 50, 1, 0).tolist()
    assert len({tuple(order_of(e, 50, s, p)) for e in (0, 1) for s in (1, 2) for p in (0, 1)}) == 8
    tokens = np.random.default_rng(1).integers(5, 90, 300).tolist()
    made = batches(3, tokens, 1, 0, 32, 400)
    assert sorted(row for batch in made for row in batch) == list(range(300))
    assert max(sum(tokens[row] for row in batch) for batch in made) <= 400
    assert batches(3, tokens, 1, 0, 32, 400) == made != batches(4, tokens, 1, 0, 32, 400)
    assert [len(batch) for batch in batches(0, tokens, 1, 0, 128, 0)] == [128, 128, 44]


def test_agreement_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, 200).astype(float), rng.normal(size=200).round(1)
    assert kendall_b(a, b) == pytest.approx(stats.kendalltau(a, b).statistic)
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic)
    assert math.isnan(kendall_b(np.ones(5), b[:5]))
    assert math.isnan(pearson(np.ones(5), b[:5]))


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    Trainer(small(tmp_path)).run()
    with pytest.raises(InputError, match=r"already contains a run\. Use --resume"):
        Trainer(small(tmp_path))
    with pytest.raises(InputError, match=r"with a different value of phases.1.batch_size"):
        Trainer(small(tmp_path, {"batch_size": 8}), resume=True)
    state = tmp_path / "run" / "state.safetensors"
    state.write_bytes(state.read_bytes()[:500])
    with pytest.raises(InputError, match=r"state.safetensors is damaged .* Remove it"):
        Trainer(small(tmp_path), resume=True)


def test_data_that_changed_is_noticed_on_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = small(tmp_path, checkpoint_every=2)
    step = PhaseRecipe.step

    def stops(self: PhaseRecipe, number: int, *rest: Any) -> Any:
        if number == 3:
            raise RuntimeError("pulled the plug")
        return step(self, number, *rest)

    monkeypatch.setattr(PhaseRecipe, "step", stops)
    with pytest.raises(RuntimeError, match="plug"):
        Trainer(config).run()
    monkeypatch.undo()
    lines = (tmp_path / "toy.jsonl").read_text().splitlines()
    (tmp_path / "toy.jsonl").write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(InputError, match="the data of phase 1 changed"):
        Trainer(config, resume=True).run()


def test_a_phase_that_tags_needs_spans(tmp_path: Path) -> None:
    (tmp_path / "da.tsv").write_text("src\tmt\tref\tscore\nquelle 17\ttarget 17\treference 17\t0.5\n")
    config = small(tmp_path, {"data": [{"path": "da.tsv", "format": "da"}]})
    with pytest.raises(AssayError, match="trains the tagger, but no record of its data has error spans"):
        Trainer(config).run()


@pytest.mark.slow
def test_the_toy_set_is_learned_and_the_model_scores_like_any_metric(tmp_path: Path) -> None:
    """Documents that were held out: the inserted word is found in nearly all of them, in every phase after the tagger's."""
    model = Trainer(load_config(write_example(tmp_path))).run()
    entries = log(tmp_path)
    looks = [(entry["phase"], entry["held_out"]) for entry in entries if "held_out" in entry]
    assert [phase for phase, _ in looks] == [1, 2, 2, 3]
    assert looks[-1][1]["span_f1"] > 0.9
    losses_ = [entry["loss"] for entry in entries if "loss" in entry and entry["phase"] == 2]
    assert np.mean(losses_[-10:]) < 0.5 * np.mean(losses_[:10])

    fresh = [record for record in toy_records(300, seed=99) if record.spans][:40]
    batch = Batch([r.hypothesis for r in fresh], [r.source for r in fresh], ([r.reference for r in fresh],))
    found = metric(f"{model}:precision=fp32").score(batch)
    assert found.spans is not None
    made = metric(str(model))
    assert (made.card.name, made.signature.name, made.card.trained_on) == ("toy", "toy", ("toy.jsonl",))
    assert (made.card.licence, "encoder tiny" in made.card.meaning) == (
        "not stated in its training configuration",
        True,
    )
    trained = Trainer(load_config(tmp_path / "train.yaml"), resume=True)
    scores, _ = predict(trained.model, trained.encoder, trained.encoder.examples(fresh))
    assert scores == pytest.approx(
        np.mean([found.components[name] for name in ("src", "ref", "unified")], axis=0), abs=1e-5
    )
    right = sum(
        [(s.start, s.end) for s in spans] == [(s.start, s.end) for s in record.spans or ()]
        for record, spans in zip(fresh, found.spans, strict=True)
    )
    assert right >= 36
    perfect = Batch([r.reference for r in fresh], [r.source for r in fresh], ([r.reference for r in fresh],))
    assert metric(f"{model}:precision=fp32").score(perfect).values.mean() > found.values.mean()

    onward = {
        "curriculum": 3,
        "data": [{"path": "more.jsonl", "format": "spans"}],
        "max_steps": 1,
        "nr_frozen_epochs": 9.0,
    }
    (tmp_path / "more.jsonl").write_bytes((tmp_path / "toy.jsonl").read_bytes())
    section = {"encoder": str(model), "hidden_sizes": [64, 32]}
    config = parse_config({"output": "more", "model": section, "phases": [onward], "licence": "CC0"}, "", tmp_path)
    trainer = Trainer(config)
    old = trained.model.state_dict()
    assert all(torch.equal(value, old[name]) for name, value in trainer.model.state_dict().items())
    extra = trainer.model.config.extra
    assert (extra["assay_trained_on"], extra["assay_licence"]) == (["more.jsonl", "toy.jsonl"], "CC0")
    trainer.log.close()
