"""Official COMET checkpoints: a folder with ``hparams.yaml`` and a Lightning ``.ckpt``, or with a Marian model.

No code is unpickled: torch reads tensors and plain values, and the one Lightning class in old checkpoints (a dictionary)
is read as a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from assay.core.errors import InputError, count
from assay.core.numbers import to_whole
from assay.models.encoders.config import EncoderConfig, ModelConfig
from assay.models.encoders.pretrained import official_names, to_official
from assay.models.encoders.tokenizer import Tokenizer
from assay.models.files.comet import Files, fingerprint, locate, read_config, read_hparams
from assay.models.files.weights import check_finite, read_torch
from assay.models.heads.comet import CometModel, build_model
from assay.models.heads.marian import read_model


@dataclass(frozen=True, slots=True)
class LoadedCheckpoint:
    """A model with its tokenizer, and the hash of both for signatures."""

    model: CometModel
    tokenizer: Tokenizer
    hash: str


def load(
    path: str | Path,
    *,
    tokenizer: str | Path | None = None,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> LoadedCheckpoint:
    """Load the model in a checkpoint folder (or ``.ckpt`` file, or Marian's ``.bin``), with its encoder in `dtype` on `device`."""
    files = locate(path, tokenizer)
    hparams = read_hparams(files)
    words: Tokenizer
    if files.hparams == files.weights:
        config = ModelConfig.from_hparams(hparams, str(files.weights))
        encoder, state, words = read_model(files.weights, files.tokenizer)
    else:
        content = read_weights(files.weights)
        config = model_config(hparams, content.get("hyper_parameters"))
        state = content["state_dict"]
        encoder, words = encoder_config(files, config, state), Tokenizer.load(files.tokenizer)
    model = _filled(config, encoder, state, files.weights, dtype, torch.device(device))
    _check_tokenizer(words, encoder, files)
    return LoadedCheckpoint(model, words, fingerprint(files))


def read_weights(path: Path) -> dict[str, Any]:
    """Return the checkpoint's content: only tensors and plain values."""
    content = read_torch(path)
    state = content.get("state_dict") if isinstance(content, dict) else None
    if not isinstance(state, Mapping) or not all(isinstance(name, str) for name in state):
        raise InputError(f"{path} has no state_dict: it is not a Lightning checkpoint of a COMET model.")
    if strange := next((name for name, value in state.items() if not isinstance(value, Tensor)), None):
        raise InputError(f"{path}: {strange[:80]} is not a tensor. The checkpoint is damaged.")
    if not isinstance(content.get("hyper_parameters") or {}, Mapping):
        raise InputError(f"{path}: hyper_parameters must be a mapping of names to values.")
    return dict(content)


def model_config(hparams: Mapping[str, Any], inside: Mapping[str, Any] | None) -> ModelConfig:
    """Return the configuration, following the official rule.

    The class comes from ``hparams.yaml``, the other hyperparameters from the checkpoint if it contains them. A
    ``sparsemax_patch`` in either means softmax.
    """
    values = dict(inside or hparams)
    values["class_identifier"] = hparams.get("class_identifier", values.get("class_identifier"))
    if hparams.get("layer_transformation") == "sparsemax_patch":
        values["layer_transformation"] = "softmax"
    return ModelConfig.from_hparams(values)


def encoder_config(files: Files, config: ModelConfig, state: Mapping[str, Tensor]) -> EncoderConfig:
    """Return the encoder's shape, from the weights if possible, otherwise from a config.json or the published encoder."""
    published = read_config(files, config)
    if published.family == "other":
        _check_size(published, state, files)
        return published
    prefix = "encoder.model."
    words = state.get(f"{prefix}embeddings.word_embeddings.weight")
    positions = state.get(f"{prefix}embeddings.position_embeddings.weight")
    types = state.get(f"{prefix}embeddings.token_type_embeddings.weight")
    inner = state.get(f"{prefix}encoder.layer.0.intermediate.dense.weight")
    if words is None or positions is None or types is None or inner is None:
        some = ", ".join(list(state)[:2]) or "nothing"
        raise InputError(
            f"{files.weights} contains no encoder like COMET's (it begins with {some}): it is another kind of checkpoint."
        )
    head = f"{prefix}encoder.layer."
    if any(tensor.dim() != 2 for tensor in (words, positions, types, inner)):
        raise InputError(f"{files.weights}: the encoder's embeddings are not matrices. The checkpoint is damaged.")
    numbers = {to_whole(name.removeprefix(head).split(".")[0]) for name in state if name.startswith(head)}
    layers = len(numbers)
    if numbers != set(range(layers)):
        raise InputError(f"{files.weights}: the encoder's layers are not numbered from 0. The checkpoint is damaged.")
    return replace(
        published,
        hidden=words.shape[1],
        layers=layers,
        feed_forward=inner.shape[0],
        vocabulary=words.shape[0],
        positions=positions.shape[0],
        types=types.shape[0],
    )


def _check_size(encoder: EncoderConfig, state: Mapping[str, Tensor], files: Files) -> None:
    """Raise an error if an encoder would be far larger than its weights; a mistake in config.json could request terabytes."""
    units = encoder.hidden
    expected = encoder.layers * units * (4 * units + 2 * encoder.feed_forward)
    present = sum(tensor.numel() for tensor in state.values())
    if expected > 4 * present + 1_000_000:
        raise InputError(
            f"{files.folder} has a config.json for about {expected:,} weights, but {present:,} weights: they "
            "belong to different checkpoints."
        )


def _filled(
    config: ModelConfig,
    encoder: EncoderConfig,
    state: Mapping[str, Tensor],
    path: Path,
    dtype: torch.dtype,
    device: torch.device,
) -> CometModel:
    """Return a model with the checkpoint's weights, loaded tensor by tensor, so a large model is never in memory twice."""
    if encoder.family == "other":
        model = build_model(config, encoder)
    else:
        with torch.device("meta"):
            model = build_model(config, encoder)
    needed = {name: official_names(name, encoder) for name in model.state_dict()}
    _check_names(needed, state, config, path)
    filled: dict[str, Tensor] = {}
    for name, shape in {name: tensor.shape for name, tensor in model.state_dict().items()}.items():
        parts = [state[official] for official in needed[name]]
        whole = len(parts) == 1 or all(part.dim() and part.shape[1:] == parts[0].shape[1:] for part in parts)
        tensor = torch.cat(parts) if whole and len(parts) > 1 else parts[0]
        if not whole or tensor.shape != shape:
            raise InputError(
                f"{path}: {needed[name][0]} has the shape {tuple(parts[0].shape)}, which a {config.class_identifier} on "
                f"{config.pretrained_model} does not have. Its hparams.yaml or config.json belongs to another checkpoint."
            )
        check_finite(tensor, needed[name][0], path)
        narrow = name.startswith("encoder.") and "norm" not in name and tensor.is_floating_point()
        filled[name] = tensor.to(device, dtype if narrow else torch.float32, copy=True).contiguous()
    model.load_state_dict(filled, assign=True)
    model.to(device)
    return model


def _check_names(needed: Mapping[str, list[str]], state: Iterable[str], config: ModelConfig, path: Path) -> None:
    expected = {official for names in needed.values() for official in names}
    present = set(state)
    if missing := sorted(expected - present):
        raise InputError(
            f"{path} lacks {count(len(missing), 'weight')} that a {config.class_identifier} needs, the first being {missing[0]}. "
            "The file is incomplete, or its hparams.yaml belongs to another checkpoint."
        )
    strange = sorted(
        name
        for name in present - expected
        if name.startswith(("encoder.model.encoder.layer.", "estimator.")) and not name.endswith("position_ids")
    )
    if strange:
        raise InputError(
            f"{path} has {count(len(strange), 'weight')} that a {config.class_identifier} does not have, the first being "
            f"{strange[0]}. Its hparams.yaml belongs to another checkpoint."
        )


def _check_tokenizer(tokenizer: Tokenizer, encoder: EncoderConfig, files: Files) -> None:
    size, rows = len(tokenizer), encoder.vocabulary
    if size > rows or size < 0.9 * rows:
        raise InputError(
            f"{files.tokenizer} has {size:,} tokens, the checkpoint's encoder {rows:,}: it is the tokenizer of another encoder. "
            "Specify the right one with tokenizer=FILE."
        )
    if encoder.family != "bert" and tokenizer.pad != encoder.pad:
        raise InputError(
            f"{files.tokenizer} pads with token {tokenizer.pad}, the encoder with {encoder.pad}: it is the tokenizer of "
            "another encoder. Specify the right one with tokenizer=FILE."
        )


def save(model: CometModel, folder: str | Path, tokenizer: str | Path) -> Path:
    """Write a model in the official format, so it loads like any other checkpoint, and return the folder.

    `tokenizer` is a file that is copied into the folder. The encoder's shape goes into ``config.json``. The hyperparameters
    point to the folder itself as the encoder (``pretrained_model: .``), so unbabel-comet can run in this folder with no other
    files.
    """
    import json
    import shutil

    import yaml

    from assay.io.files.atomic import atomic_write, make_output_folder

    target_folder = Path(folder)
    make_output_folder(target_folder / "checkpoints")
    hparams = {**model.config.to_hparams(), "pretrained_model": "."}
    content = {
        "state_dict": to_official({k: v.cpu() for k, v in model.state_dict().items()}, model.encoder_config),
        "hyper_parameters": hparams,
        "pytorch-lightning_version": "2.2.0",  # required by unbabel-comet's loader
        "epoch": 0,
        "global_step": 0,
    }
    with atomic_write(target_folder / "checkpoints" / "model.ckpt", "wb") as out:
        torch.save(content, out)
    with atomic_write(target_folder / "config.json", "w") as out:
        json.dump(model.encoder_config.to_json(), out, indent=1)
    source = Path(tokenizer)
    target = target_folder / (source.name if source.suffix != ".json" else "tokenizer.json")
    if source.resolve() != target.resolve():
        with source.open("rb") as words, atomic_write(target) as out:
            shutil.copyfileobj(words, out)
    with atomic_write(target_folder / "hparams.yaml", "w") as out:
        yaml.safe_dump(hparams, out, sort_keys=False)
    return target_folder
