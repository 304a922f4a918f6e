"""Where the parts of a MaTESe checkpoint lie. Without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError, MissingPart, listing
from assay.models.hashing import fingerprint_files
from assay.models.tokenizer import FILES


@dataclass(frozen=True, slots=True)
class MateseFiles:
    """Weights, the encoder's tokenizer, and what describes them where somebody put it there."""

    folder: Path
    weights: Path
    tokenizer: Path
    config: Path | None
    """MaTESe's own (``configs/matese.json`` of its repository)."""
    encoder: Path | None
    """The encoder's config.json; not needed for InfoXLM and XLM-R."""
    quality_estimation: bool

    def fingerprint(self) -> str:
        """A hash of everything that a score depends on."""
        others = [path for path in (self.config, self.encoder) if path is not None]
        return fingerprint_files(self.weights, self.tokenizer, *others)


def locate_matese(path: str | Path, *, quality_estimation: bool) -> MateseFiles:
    """The files in a folder, or beside the ``.ckpt`` that is given; whatever is missing is named."""
    place = Path(path).expanduser()
    name = "matese-qe" if quality_estimation else "matese"
    folder = place.parent if place.is_file() else place
    if not folder.is_dir():
        raise MissingPart(f"there is no MaTESe folder {place}.")
    weights = place if place.is_file() else folder / f"{name}.ckpt"
    if not weights.is_file():
        found = sorted(folder.glob("*.ckpt"))
        if len(found) > 1:
            names = listing(one.name for one in found)
            raise InputError(f"{folder} has several checkpoints ({names}): give the .ckpt file itself.")
        if not found:
            raise MissingPart(f"{folder} has no weights: {name}.ckpt is missing.")
        weights = found[0]
    tokenizer = next((folder / file for file in FILES if (folder / file).is_file()), None)
    if tokenizer is None:
        raise MissingPart(
            f"{folder} has no tokenizer. Put the tokenizer.json of microsoft/infoxlm-large beside {weights.name}."
        )
    config = next((one for one in (folder / f"{weights.stem}.json", folder / f"{name}.json") if one.is_file()), None)
    encoder = folder / "config.json"
    return MateseFiles(folder, weights, tokenizer, config, encoder if encoder.is_file() else None, quality_estimation)
