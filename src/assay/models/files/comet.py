"""Files in COMET checkpoint folders (Unbabel's and Marian's): hyperparameters, weights, tokenizer and the encoder's shape.

Nothing is downloaded, and torch is not needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Annotated, Any, Literal

from assay.core.errors import InputError, MissingPart, listing
from assay.core.schema import Bounds, Place, typed
from assay.io.documents import parse_document, read_document
from assay.io.files.marian import read_marian
from assay.models.encoders.config import ENCODER_NAMES, KNOWN_ENCODERS, EncoderConfig, ModelConfig, Size
from assay.models.encoders.tokenizer import FILES
from assay.models.files.hashing import fingerprint_files


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one checkpoint."""

    folder: Path
    hparams: Path
    """Hyperparameters; for Marian the same file as `weights`, since Marian writes both into one file."""
    weights: Path
    tokenizer: Path


def is_checkpoint(path: str | Path) -> bool:
    """Return whether a path is a checkpoint folder, or the ``.ckpt`` (Marian: ``.bin``) file inside one."""
    folder = Path(path)
    return (
        (folder / "hparams.yaml").is_file()
        or (folder.suffix == ".ckpt" and folder.is_file())
        or bool(find_marian(folder))
    )


def locate(path: str | Path, tokenizer: str | Path | None = None) -> Files:
    """Return the files of the checkpoint at `path`. If one is missing, the error explains how to get it."""
    place = Path(path).expanduser()
    if (model := find_marian(place)) is not None:
        inside = model.parent
        folder = inside.parent if inside.name == "checkpoints" else inside
        return Files(folder, model, model, find_vocabulary(model, tokenizer))
    weights: Path | None = place if place.is_file() else None
    folder = place
    if weights is not None:
        inside = weights.parent
        folder = inside if inside.name != "checkpoints" and (inside / "hparams.yaml").is_file() else inside.parent
        folder = folder if (folder / "hparams.yaml").is_file() else inside
    if not folder.is_dir():
        raise MissingPart(f"the checkpoint folder {place} does not exist.")
    hparams = folder / "hparams.yaml"
    if not hparams.is_file():
        other = (
            " Give other models to the metric that reads them, such as bertscore:model=FOLDER or bartscore:path=FOLDER."
        )
        hint = other if (folder / "config.json").is_file() else ""
        raise MissingPart(f"{folder} has no hparams.yaml: it is not a COMET checkpoint folder.{hint}")
    weights = weights or _weights(folder)
    return Files(folder, hparams, weights, _tokenizer(folder, hparams, tokenizer))


def _weights(folder: Path) -> Path:
    checkpoints = sorted(
        [path for subfolder in ("checkpoints", "model", ".") for path in folder.glob(f"{subfolder}/*.ckpt")]
    )
    named = [path for path in checkpoints if path.name == "model.ckpt"]
    if len(checkpoints) > 1 and not named:
        names = listing(str(path.relative_to(folder)) for path in checkpoints)
        raise InputError(f"{folder} contains several checkpoints ({names}). Specify one of the .ckpt files.")
    if not checkpoints:
        raise MissingPart(f"{folder} has no weights: checkpoints/model.ckpt is missing.")
    return (named or checkpoints)[0]


def _tokenizer(folder: Path, hparams: Path, given: str | Path | None) -> Path:
    if given is not None:
        location = Path(given).expanduser()
        chosen = next((location / name for name in FILES if (location / name).is_file()), location)
        if not chosen.is_file():
            raise MissingPart(f"no tokenizer exists at {location}.")
        return chosen
    name = str(_yaml(hparams).get("pretrained_model", "the encoder"))[:200]
    for home in _homes(folder, name):
        for file in FILES:
            if (home / file).is_file():
                return home / file
    raise MissingPart(
        f"{folder} has no tokenizer. Put the tokenizer.json of {name} next to hparams.yaml, or specify it with tokenizer=FILE."
    )


def _homes(folder: Path, pretrained: str) -> Iterator[Path]:
    """Yield folders that may contain the encoder's files: the checkpoint's, the one in its hyperparameters, and the hub's cache."""
    pretrained = pretrained[:200].replace("\0", "")
    yield folder
    yield folder / "tokenizer"
    yield folder / "encoder"
    if Path(pretrained).is_absolute() or pretrained.startswith("."):
        yield Path(pretrained)
        yield folder / pretrained
    home = os.environ.get("HF_HOME")
    hub = (Path(home) if home else Path("~/.cache/huggingface").expanduser()) / "hub"
    last = pretrained.rsplit("/", 1)[-1]
    owners = {"xlm-roberta-base": "FacebookAI", "xlm-roberta-large": "FacebookAI"}
    for name in dict.fromkeys([pretrained, f"{owners.get(last, 'facebook')}/{last}"]):
        yield from sorted(hub.glob(f"models--{escape(name.replace('/', '--'))}/snapshots/*"))


def _yaml(path: Path) -> dict[str, Any]:
    content = read_document(path, yaml=True, said="cannot be read")
    if not isinstance(content, dict):
        raise InputError(f"{path} contains no hyperparameters.")
    return {str(name): value for name, value in content.items()}


def read_hparams(files: Files) -> dict[str, Any]:
    """Return a checkpoint's hyperparameters. Raise an error if they name a class that assay does not know."""
    if files.hparams == files.weights:
        return hparams_of(files.weights)
    hparams = _yaml(files.hparams)
    ModelConfig.from_hparams({"class_identifier": hparams.get("class_identifier", "")})
    return hparams


def read_config(files: Files, config: ModelConfig) -> EncoderConfig:
    """Return the encoder's shape, from a config.json near the checkpoint or from the published encoder of that name."""
    family = ENCODER_NAMES.get(config.encoder_model)
    for home in _homes(files.folder, config.pretrained_model):
        path = home / "config.json"
        if path.is_file():
            return EncoderConfig.from_json(read_document(path, said="cannot be read"), str(path))
    published = KNOWN_ENCODERS.get(config.pretrained_model.rsplit("/", 1)[-1])
    if published is None:
        raise MissingPart(
            f"{files.folder} is based on {config.pretrained_model}, an encoder with an unknown architecture. Put its "
            "config.json next to hparams.yaml."
        )
    return published if family in (None, published.family) else replace(published, family=family)


def fingerprint(files: Files) -> str:
    """Return the hash of the weights, hyperparameters and tokenizer."""
    described = () if files.hparams == files.weights else (files.hparams,)
    return fingerprint_files(files.weights, *described, files.tokenizer)


MODEL, VOCABULARY = "checkpoints/marian.model.bin", "vocab.spm"
"""File names in hub folders."""


_LIKE_XLMR = {
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "nd",
    "transformer-postprocess-top": "",
    "transformer-ffn-activation": "gelu",
    "transformer-ffn-depth": 2,
    "transformer-train-position-embeddings": True,
    "comet-prepend-zero": True,
}
"""Settings under which Marian's encoder is the same as XLM-R's."""


@dataclass(frozen=True, slots=True)
class MarianSettings:
    """The settings of a Marian model that assay reads."""

    enc_depth: Annotated[int, Bounds(1, 1000)]
    transformer_heads: Size
    comet_pooler_ffn: tuple[Size, ...]
    comet_final_sigmoid: bool = False
    comet_mix: bool = False
    comet_mix_norm: bool = False
    comet_mix_transformation: Literal["softmax", "sparsemax"] = "softmax"
    comet_pool: Literal["avg", "cls"] = "avg"
    """Only models converted from Unbabel's have this setting; Marian's own models use avg."""


def find_marian(path: str | Path) -> Path | None:
    """Return the model in a hub folder, or the given ``.bin`` file itself; None if there is no such file."""
    location = Path(path).expanduser()
    file = location if location.suffix == ".bin" else location / MODEL
    return file if file.is_file() else None


def find_vocabulary(model: Path, given: str | Path | None) -> Path:
    """Return the given sentencepiece model, or the one in the model's folder or the folder above."""
    candidates = [model.with_name(VOCABULARY), model.parent.with_name(VOCABULARY)]
    candidates = candidates if given is None else [Path(given).expanduser()]
    file = next((candidate for candidate in candidates if candidate.is_file()), None)
    if file is None:
        where = (
            f"{VOCABULARY} is missing next to {model}" if given is None else f"no tokenizer exists at {candidates[0]}"
        )
        raise MissingPart(f"{where}. Specify Marian's sentencepiece model with tokenizer=FILE.")
    return file


def read_settings(model: Path) -> MarianSettings:
    """Return the settings in a model file. Raise an error if it is a different kind of model."""
    content = parse_document(read_marian(model)[0], str(model), yaml=True, said="has settings that are not YAML")
    if not isinstance(content, dict):
        raise InputError(f"{model} contains no settings.")
    if (kind := str(content.get("type", "nothing"))[:40]) != "comet-qe":
        raise InputError(
            f"{model} is a Marian model of type {kind}, but assay supports only comet-qe. For other types, use the "
            "original checkpoint."
        )
    for name, value in _LIKE_XLMR.items():
        if (actual := content.get(name, "")) != value:
            raise InputError(
                f"{model} has {name}: {str(actual)[:40]!r}, not {value!r}: assay does not support this encoder."
            )
    named = {str(name).replace("-", "_"): value for name, value in content.items()}
    return typed(MarianSettings, named, Place(str(model)), strict=False)


def hparams_of(model: Path) -> dict[str, Any]:
    """Convert the settings to hyperparameters as in an official ``hparams.yaml``."""
    read = read_settings(model)
    return {
        "class_identifier": "referenceless_regression_metric",
        "pretrained_model": "microsoft/infoxlm-large",
        "pool": read.comet_pool,
        "layer": "mix" if read.comet_mix else read.enc_depth,
        "layer_norm": read.comet_mix_norm,
        "layer_transformation": read.comet_mix_transformation,
        "hidden_sizes": list(read.comet_pooler_ffn),
        "final_activation": "Sigmoid" if read.comet_final_sigmoid else None,
    }
