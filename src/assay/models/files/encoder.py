"""Files of encoder folders and of MaTESe folders; torch is not needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError, MissingPart, listing
from assay.io.documents import read_document
from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.tokenizer import FILES
from assay.models.files.hashing import fingerprint_files

NAMES = ("model.safetensors", "pytorch_model.bin")
"""Weight file names on the hub, in order of preference. Large models have several numbered files with these names."""


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """Files of one encoder."""

    folder: Path
    config: Path
    weights: tuple[Path, ...]
    tokenizer: Path

    def fingerprint(self, *others: Path) -> str:
        return fingerprint_files(self.config, *self.weights, self.tokenizer, *others)


def locate_encoder(folder: str | Path) -> EncoderFiles:
    """Return the files in an encoder folder. Raise an error if one is missing."""
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise MissingPart(f"the encoder folder {place} does not exist.")
    config = place / "config.json"
    if not config.is_file():
        raise MissingPart(f"{place} has no config.json: it is not an encoder folder.")
    tokenizer = next((place / name for name in FILES if (place / name).is_file()), None)
    if tokenizer is None:
        raise MissingPart(f"{place} has no tokenizer: one of {', '.join(FILES)} is missing.")
    return EncoderFiles(place, config, weight_files(place), tokenizer)


def weight_files(folder: Path) -> tuple[Path, ...]:
    """Return the weight files in a hub folder."""
    for name in NAMES:
        if (folder / name).is_file():
            return (folder / name,)
        stem, _, suffix = name.partition(".")
        if parts := sorted(folder.glob(f"{stem}-[0-9]*-of-[0-9]*.{suffix}")):
            total = parts[0].stem.rpartition("-")[2]
            if not total.isdecimal() or len(parts) != int(total):
                raise MissingPart(
                    f"{folder} has {len(parts)} of {total} parts of its weights ({parts[0].name} …). Download it again."
                )
            return tuple(parts)
    raise MissingPart(f"{folder} has no weights: {' or '.join(NAMES)} is missing.")


def read_shape(path: Path) -> EncoderConfig:
    """Return the shape described by a config.json."""
    return EncoderConfig.from_json(read_document(path, said="cannot be read"), str(path))


@dataclass(frozen=True, slots=True)
class MateseFiles:
    """Files in a MaTESe checkpoint: weights, the encoder's tokenizer, and optional configurations."""

    folder: Path
    weights: Path
    tokenizer: Path
    config: Path | None
    """Configuration of MaTESe (``configs/matese.json`` in its repository)."""
    encoder: Path | None
    """The encoder's config.json, not needed for InfoXLM and XLM-R."""
    quality_estimation: bool

    def fingerprint(self) -> str:
        others = [path for path in (self.config, self.encoder) if path is not None]
        return fingerprint_files(self.weights, self.tokenizer, *others)


def locate_matese(path: str | Path, *, quality_estimation: bool) -> MateseFiles:
    """Return the files in a folder, or in the folder that contains a ``.ckpt`` file. Raise an error if one is missing."""
    location = Path(path).expanduser()
    name = "matese-qe" if quality_estimation else "matese"
    folder = location.parent if location.is_file() else location
    if not folder.is_dir():
        raise MissingPart(f"the MaTESe folder {location} does not exist.")
    weights = location if location.is_file() else folder / f"{name}.ckpt"
    if not weights.is_file():
        checkpoints = sorted(folder.glob("*.ckpt"))
        if len(checkpoints) > 1:
            names = listing(one.name for one in checkpoints)
            raise InputError(f"{folder} contains several checkpoints ({names}). Specify one of the .ckpt files.")
        if not checkpoints:
            raise MissingPart(f"{folder} has no weights: {name}.ckpt is missing.")
        weights = checkpoints[0]
    tokenizer = next((folder / file for file in FILES if (folder / file).is_file()), None)
    if tokenizer is None:
        raise MissingPart(
            f"{folder} has no tokenizer. Put the tokenizer.json of microsoft/infoxlm-large next to {weights.name}."
        )
    config = next((one for one in (folder / f"{weights.stem}.json", folder / f"{name}.json") if one.is_file()), None)
    encoder = folder / "config.json"
    return MateseFiles(folder, weights, tokenizer, config, encoder if encoder.is_file() else None, quality_estimation)
