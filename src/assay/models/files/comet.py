"""Where the parts of a checkpoint lie: hyperparameters, weights, tokenizer and the encoder's shape. Nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingPart, listing
from assay.io.documents import read_document
from assay.models.encoders.config import ENCODER_NAMES, KNOWN_ENCODERS, EncoderConfig, ModelConfig
from assay.models.encoders.tokenizer import FILES
from assay.models.files.hashing import fingerprint_files
from assay.models.files.marian import find_marian, find_vocabulary, hparams_of


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one checkpoint."""

    folder: Path
    hparams: Path
    """The same as `weights` where Marian wrote both into one file."""
    weights: Path
    tokenizer: Path


def is_checkpoint(path: str | Path) -> bool:
    """Whether this is a checkpoint folder, or the ``.ckpt`` (Marian: ``.bin``) file in one."""
    place = Path(path)
    return (
        (place / "hparams.yaml").is_file() or (place.suffix == ".ckpt" and place.is_file()) or bool(find_marian(place))
    )


def locate(path: str | Path, tokenizer: str | Path | None = None) -> Files:
    """All files of the checkpoint at `path`; whatever is missing is named with the way to get it."""
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
        raise MissingPart(f"there is no checkpoint folder {place}.")
    hparams = folder / "hparams.yaml"
    if not hparams.is_file():
        other = " Give one of another kind to the metric that reads it, such as bertscore:model=FOLDER or bartscore:path=FOLDER."
        hint = other if (folder / "config.json").is_file() else ""
        raise MissingPart(f"{folder} has no hparams.yaml: it is not a COMET checkpoint folder.{hint}")
    weights = weights or _weights(folder)
    return Files(folder, hparams, weights, _tokenizer(folder, hparams, tokenizer))


def _weights(folder: Path) -> Path:
    found = sorted([path for place in ("checkpoints", "model", ".") for path in folder.glob(f"{place}/*.ckpt")])
    named = [path for path in found if path.name == "model.ckpt"]
    if len(found) > 1 and not named:
        names = listing(str(path.relative_to(folder)) for path in found)
        raise InputError(f"{folder} has several checkpoints ({names}): give the .ckpt file itself.")
    if not found:
        raise MissingPart(f"{folder} has no weights: checkpoints/model.ckpt is missing.")
    return (named or found)[0]


def _tokenizer(folder: Path, hparams: Path, given: str | Path | None) -> Path:
    if given is not None:
        place = Path(given).expanduser()
        chosen = next((place / name for name in FILES if (place / name).is_file()), place)
        if not chosen.is_file():
            raise MissingPart(f"there is no tokenizer at {place}.")
        return chosen
    name = str(_yaml(hparams).get("pretrained_model", "the encoder"))[:200]
    for home in _homes(folder, name):
        for file in FILES:
            if (home / file).is_file():
                return home / file
    raise MissingPart(
        f"{folder} has no tokenizer. Put the tokenizer.json of {name} beside hparams.yaml, or give it with tokenizer=FILE."
    )


def _homes(folder: Path, pretrained: str) -> Iterator[Path]:
    """Where an encoder's own files may lie: beside the checkpoint, at the path its hyperparameters name, in the hub's cache."""
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
        raise InputError(f"{path} holds no hyperparameters.")
    return {str(name): value for name, value in content.items()}


def read_hparams(files: Files) -> dict[str, Any]:
    """The hyperparameters beside the weights; the class they name must be one that assay knows."""
    if files.hparams == files.weights:
        return hparams_of(files.weights)
    found = _yaml(files.hparams)
    ModelConfig.from_hparams({"class_identifier": found.get("class_identifier", "")})
    return found


def read_config(files: Files, config: ModelConfig) -> EncoderConfig:
    """The encoder's shape, from a config.json near the checkpoint or from what is published about it."""
    family = ENCODER_NAMES.get(config.encoder_model)
    for home in _homes(files.folder, config.pretrained_model):
        path = home / "config.json"
        if path.is_file():
            return EncoderConfig.from_json(read_document(path, said="cannot be read"), str(path))
    known = KNOWN_ENCODERS.get(config.pretrained_model.rsplit("/", 1)[-1])
    if known is None:
        raise MissingPart(
            f"{files.folder} was trained on {config.pretrained_model}, an encoder whose shape assay does not know. Put its "
            "config.json beside hparams.yaml."
        )
    return known if family in (None, known.family) else replace(known, family=family)


def fingerprint(files: Files) -> str:
    """Return the hash of weights, hyperparameters and tokenizer."""
    described = () if files.hparams == files.weights else (files.hparams,)
    return fingerprint_files(files.weights, *described, files.tokenizer)
