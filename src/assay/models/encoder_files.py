"""Where the parts of an encoder lie in a folder as the hub has it. Without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import MissingPart
from assay.io.documents import read_document
from assay.models.config import EncoderConfig
from assay.models.hashing import fingerprint_files
from assay.models.tokenizer import FILES

NAMES = ("model.safetensors", "pytorch_model.bin")
"""What the hub calls the weights of a folder, the first one found being taken; large ones lie in numbered parts of that name."""


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """The files of one encoder."""

    folder: Path
    config: Path
    weights: tuple[Path, ...]
    tokenizer: Path

    def fingerprint(self, *others: Path) -> str:
        """A hash of all of them, and of what else counts."""
        return fingerprint_files(self.config, *self.weights, self.tokenizer, *others)


def locate_encoder(folder: str | Path) -> EncoderFiles:
    """The files of an encoder's folder; whatever is missing is named."""
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise MissingPart(f"there is no encoder folder {place}.")
    config = place / "config.json"
    if not config.is_file():
        raise MissingPart(f"{place} has no config.json: it is not the folder of an encoder.")
    tokenizer = next((place / name for name in FILES if (place / name).is_file()), None)
    if tokenizer is None:
        raise MissingPart(f"{place} has no tokenizer: one of {', '.join(FILES)} is missing.")
    return EncoderFiles(place, config, weight_files(place), tokenizer)


def weight_files(folder: Path) -> tuple[Path, ...]:
    """The files that hold the weights of a folder as the hub has it."""
    for name in NAMES:
        if (folder / name).is_file():
            return (folder / name,)
        stem, _, suffix = name.partition(".")
        if parts := sorted(folder.glob(f"{stem}-[0-9]*-of-[0-9]*.{suffix}")):
            wanted = parts[0].stem.rpartition("-")[2]
            if not wanted.isdecimal() or len(parts) != int(wanted):
                raise MissingPart(
                    f"{folder} has {len(parts)} of {wanted} parts of its weights ({parts[0].name} …). Fetch it again."
                )
            return tuple(parts)
    raise MissingPart(f"{folder} has no weights: {' or '.join(NAMES)} is missing.")


def read_shape(path: Path) -> EncoderConfig:
    """The shape that a config.json describes."""
    return EncoderConfig.from_json(read_document(path, said="cannot be read"), str(path))
