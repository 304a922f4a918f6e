"""Start of a training run: the model, its tokenizer, and the files that record its encoder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from assay.core.errors import InputError
from assay.io.files.atomic import atomic_write
from assay.models.encoders.config import EncoderConfig, ModelConfig
from assay.models.encoders.tokenizer import Tokenizer
from assay.models.files.comet import is_checkpoint
from assay.models.heads.comet import UnifiedModel, build_model
from assay.models.training.encoders import Pretrained, e5_small, encoder_of_folder, tiny_encoder
from assay.models.training.encoding import TextEncoder

if TYPE_CHECKING:
    from assay.models.training.config import TrainConfig

TOKENIZER = "tokenizer.json"


@dataclass
class Start:
    """A model to train, with its tokenizer."""

    model: UnifiedModel
    encoder: TextEncoder


def begin(config: TrainConfig, folder: Path, texts: Callable[[], Iterable[str]]) -> Start:
    """Return the configured model. Random weights depend on the seed alone.

    `texts` returns the training texts, from which the tiny encoder learns its vocabulary. The tokenizer and the encoder's shape
    are written to `folder` for resumed runs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    whole: dict[str, Tensor] = {}
    before: list[str] = []
    if is_checkpoint(config.model.encoder):
        pretrained, whole, before = _trained(Path(config.model.encoder))
    else:
        pretrained = _pretrained(config, folder, texts)
    _remember(folder, pretrained)
    torch.manual_seed(config.seed)
    model = build_model(model_config(config, pretrained, before), pretrained.config)
    assert isinstance(model, UnifiedModel)
    _initialise(model)
    if pretrained.weights is not None:
        model.encoder.load_state_dict(pretrained.weights)  # type: ignore[attr-defined]
    if whole:
        # Weights that are missing from the other model, or have a different shape there, keep their initial values.
        fitting = {name: value for name, value in whole.items() if _fits(model, name, value)}
        model.load_state_dict(fitting, strict=False)
    limit = min(config.model.max_tokens, pretrained.config.max_tokens)
    return Start(model, TextEncoder(Tokenizer(pretrained.tokenizer, TOKENIZER), limit, config.model.reads))


def model_config(config: TrainConfig, pretrained: Pretrained, before: Sequence[str] = ()) -> ModelConfig:
    """Return the hyperparameters under their official names. Without a word-level phase, the model has no tagger.

    `before` lists the training data of the model from which the run continues.
    """
    section, encoder = config.model, pretrained.config
    word_level = any(phase.word_level for phase in config.phases)
    weights = next((phase.class_weights for phase in reversed(config.phases) if phase.word_level), None)
    layer = section.word_layer if section.word_layer >= 0 else encoder.layers
    if layer > encoder.layers:
        raise InputError(f"word_layer is {layer}, the encoder has {encoder.layers} layers.")
    return ModelConfig(
        "xcomet_metric" if word_level and section.reads == "all" else "unified_metric",
        input_segments={"all": ("mt", "src", "ref"), "candidate": ("mt",), "source": ("src",)}[section.reads],
        encoder_model=pretrained.family_name,
        pretrained_model="encoder",
        layer_transformation=section.layer_transformation,
        layer_norm=section.layer_norm,
        hidden_sizes=section.hidden_sizes or (encoder.hidden, encoder.hidden // 2),
        activations=section.activations,
        dropout=section.dropout,
        word_level_training=word_level,
        word_layer=layer,
        error_labels=("minor", "major", "critical"),
        cross_entropy_weights=weights,
        loss_lambda=config.phases[-1].loss_lambda,
        extra={
            "assay_name": config.name,
            "assay_seed": config.seed,
            "assay_encoder": Path(section.encoder).name,
            "assay_trained_on": sorted({*before, *trained_on(config)}),
            "assay_licence": config.licence,
        },
    )


def trained_on(config: TrainConfig) -> list[str]:
    """Return the collections or files used in all phases, for the trained metric's card."""
    data = [one for phase in config.phases for one in phase.data]
    return sorted({name for one in data for name in one.origins or (Path(one.path).name,)})


def _pretrained(config: TrainConfig, folder: Path, texts: Callable[[], Iterable[str]]) -> Pretrained:
    section = config.model
    if section.encoder == "e5-small":
        return e5_small(section.encoder_dropout)
    if section.encoder == "tiny":
        if (folder / TOKENIZER).is_file() and (folder / "config.json").is_file():
            shape = EncoderConfig.from_json(json.loads((folder / "config.json").read_text(encoding="utf-8")))
            return Pretrained(shape, Tokenizer.load(folder / TOKENIZER).backend)
        return tiny_encoder(
            texts(),
            hidden=section.tiny_hidden,
            layers=section.tiny_layers,
            vocabulary=section.tiny_vocabulary,
            dropout=section.encoder_dropout,
        )
    if not Path(section.encoder).is_dir():
        raise InputError(f"the encoder {section.encoder!r} does not exist. Use tiny, e5-small or a folder.")
    return encoder_of_folder(Path(section.encoder), section.encoder_dropout)


def _trained(folder: Path) -> tuple[Pretrained, dict[str, Tensor], list[str]]:
    """Return a trained model to continue from, with its weights and its training data, or its name if these are unknown."""
    from assay.models.heads.checkpoint import load

    loaded = load(folder)
    model = loaded.model
    if not model.config.unified:
        raise InputError(
            f"{folder} is a {model.config.class_identifier}; training can continue only from unified models."
        )
    shape = replace(model.encoder_config, dropout=model.encoder_config.dropout)
    pretrained = Pretrained(shape, loaded.tokenizer.backend, None, model.config.encoder_model)
    return (
        pretrained,
        dict(model.state_dict()),
        list(model.config.extra.get("assay_trained_on") or [folder.resolve().name]),
    )


def _fits(model: nn.Module, name: str, value: Tensor) -> bool:
    own = model.state_dict().get(name)
    return own is not None and own.shape == value.shape


def _initialise(model: nn.Module) -> None:
    """Initialise weights as BERT does: normal with deviation 0.02, biases 0."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Embedding) or (
            isinstance(module, nn.Linear) and name.startswith(("encoder", "tagger"))
        ):
            nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)


def _remember(folder: Path, pretrained: Pretrained) -> None:
    if not (folder / TOKENIZER).is_file():
        with atomic_write(folder / TOKENIZER, "w") as out:
            out.write(pretrained.tokenizer.to_str())
    with atomic_write(folder / "config.json", "w") as out:
        json.dump(pretrained.config.to_json(), out, indent=1)
