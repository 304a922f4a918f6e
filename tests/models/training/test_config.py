from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import AssayError
from assay.models.training.config import load_config, parse_config
from assay.models.training.toy import CONFIG

pytest.importorskip("yaml", reason="training needs the extra 'neural'")


def made(tmp_path: Path, phase: dict[str, Any] | None = None, **changes: Any):  # type: ignore[no-untyped-def]
    (tmp_path / "data.tsv").touch()
    plain = {"data": [{"path": "data.tsv", "format": "da"}], **(phase or {})}
    return parse_config({"output": "run", "phases": [plain], **changes}, "train.yaml", tmp_path)


def test_phases_have_the_hyperparameters_of_appendix_b(tmp_path: Path) -> None:
    """Listings 1 and 2 of the paper."""
    phases = [made(tmp_path, {"curriculum": number}).phases[0] for number in (1, 2, 3)]
    assert [p.loss_lambda for p in phases] == [0.0, 0.983, 0.055]
    assert [p.word_level for p in phases] == [False, True, True]
    assert [p.encoder_learning_rate for p in phases] == [1.83e-06, 1.0e-06, 1.0e-06]
    for phase in phases:
        assert phase.learning_rate == 3.66e-06
        assert (phase.nr_frozen_epochs, phase.keep_embeddings_frozen, phase.layerwise_decay) == (0.3, True, 0.983)
        assert phase.batch_size == 32
        assert phase.class_weights == (0.08, 0.486, 0.505, 0.533)
    model = made(tmp_path).model
    assert (model.dropout, model.layer_transformation, model.layer_norm, model.activations) == (
        0.1,
        "sparsemax",
        False,
        "Tanh",
    )


@pytest.mark.parametrize(
    ("phase", "changes", "said"),
    [
        ({"learning_rat": 1}, {}, r"unknown key 'learning_rat'. Did you mean learning_rate.*in train.yaml, phases 1"),
        ({"batch_size": "many"}, {}, "train.yaml, phases 1, batch_size must be a whole number, not 'many'"),
        ({"learning_rate": "fast"}, {}, "learning_rate must be a number"),
        ({"curriculum": 4}, {}, "unknown value '4' of train.yaml, phases 1, curriculum"),
        ({"loss_lambda": 2.0, "word_level": True}, {}, "train.yaml, phase 1: loss_lambda cannot be 2.0"),
        ({"curriculum": 2, "loss_lambda": 0.0}, {}, "word_level needs a loss_lambda above 0"),
        ({"data": [{"path": "gone.tsv", "format": "da"}]}, {}, r"the training data .*gone.tsv do not exist"),
        ({"data": [{"path": "data.tsv", "format": "dda"}]}, {}, r"unknown value 'dda' of .*. Did you mean da"),
        ({"data": [{"path": "data.tsv"}]}, {}, "train.yaml, phases 1, data 1 is missing 'format'"),
        ({"class_weights": [1, 2]}, {}, "class_weights must have 4 values, not 2"),
        ({"hallucinations": {"random": 3}}, {}, "not between 0 and 1"),
        ({}, {"phases": []}, "train.yaml has no phases"),
        ({}, {"phases": 3}, "phases must be a list"),
        ({}, {"held_out": {"fraction": 1.5}}, "fraction is 1.5"),
        ({}, {"precision": "fp8"}, "unknown value 'fp8' of train.yaml, precision"),
        ({"z_range": [2, 1]}, {}, "the smaller first"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    tmp_path: Path, phase: dict[str, Any], changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(AssayError, match=said):
        made(tmp_path, phase, **changes)


def test_a_file_is_read_with_paths_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "toy.jsonl").touch()
    path = tmp_path / "train.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    found = load_config(path)
    assert found.output == str(tmp_path / "run")
    assert found.phases[0].data[0].path == str(tmp_path / "toy.jsonl")
    path.write_text("a: [", encoding="utf-8")
    with pytest.raises(AssayError, match=r"train.yaml is not YAML"):
        load_config(path)
    with pytest.raises(AssayError, match=r"the configuration .* does not exist"):
        load_config(tmp_path / "none.yaml")
