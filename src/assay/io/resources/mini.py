"""Loader of assay-mini's weights from the package mt-assay-mini: verified, memory-mapped, without importing it.

The package contains three safetensors files (``model``, ``embeddings``, ``pieces``), ``manifest.json`` with the SHA-256 of
each, and ``card.json``, the contents of the model card. A folder with the same five files can replace it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, MissingPart
from assay.core.schema import Count, Place, typed
from assay.io.documents import read_document
from assay.io.files.tensors import map_file, read_tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Tensors = Mapping[str, NDArray[Any]]

PACKAGE = "assay_mini"
FILES = ("model.safetensors", "embeddings.safetensors", "pieces.safetensors")
MANIFEST, CARD = "manifest.json", "card.json"
FORMAT = 1
BLOCK = 32
"""Numbers of a subword's vector that share a scale."""
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
"""The first four subwords."""
_PIECES = {
    "codes": ("u1", 2),
    "scales": ("f2", 2),
    "text": ("u1", 1),
    "starts": ("u4", 1),
    "scores": ("f4", 1),
    "idf": ("f4", 1),
    "trained": ("u1", 1),
    "unk_score": ("f4", 1),
    "norm_from": ("u4", 1),
    "norm_starts": ("u4", 1),
    "norm_to": ("u4", 1),
}
"""Type and number of dimensions of the tensors of subwords."""
_REMEDY = "pip install 'mt-assay[mini]'"
_AGAIN = f"Install it again: pip install --force-reinstall mt-assay-mini (or {_REMEDY})."


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Size and SHA-256 of a file in the manifest."""

    sha256: str
    bytes: Count


@dataclass(frozen=True, slots=True)
class WeightsManifest:
    """Manifest of the weights: format number, model name and files."""

    format: int
    name: str
    files: dict[str, FileFacts]


@dataclass(frozen=True, slots=True)
class MiniWeights:
    """All tensors, read-only and memory-mapped, and twelve digits of their hash for a signature."""

    tensors: Tensors
    name: str
    identity: str
    folder: Path


def mini_folder() -> Path | None:
    """Return the folder of mt-assay-mini without importing it; None if it is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def load_mini(folder: Path | None = None) -> MiniWeights:
    """Return the installed weights, or those in a folder, after verifying the SHA-256 of every file."""
    location = folder or mini_folder()
    if location is None:
        raise MissingPart(f"assay-mini's weights are not installed: {_REMEDY}")
    manifest = _manifest(location)
    tensors: dict[str, NDArray[Any]] = {}
    for name in FILES:
        data = _verified_file(location / name, manifest.files[name])
        for key, array in read_tensors(location / name, data).items():
            if key in tensors:
                raise InputError(f"{location / name} repeats the tensor {key!r} of another file. {_AGAIN}")
            tensors[key] = array
    try:
        _check_pieces(tensors)
        _check_matrices(tensors)
    except (KeyError, ValueError) as error:
        what = f"the tensor {error} is missing" if isinstance(error, KeyError) else f"{error}"
        raise InputError(f"{location} has no valid weights of assay-mini: {what}. {_AGAIN}") from error
    return MiniWeights(tensors, manifest.name, identity(manifest), location)


def mini_card(folder: Path | None = None) -> dict[str, Any]:
    """Return the contents of the model card: training data and licences, languages, scores, limitations."""
    location = folder or mini_folder()
    if location is None:
        raise MissingPart(f"assay-mini's weights are not installed: {_REMEDY}")
    card = read_document(location / CARD, remedy=_AGAIN)
    if not isinstance(card, dict):
        raise InputError(f"{location / CARD} is not a JSON object. {_AGAIN}")
    return card


def identity(manifest: WeightsManifest) -> str:
    """Return twelve hexadecimal digits that identify the tensor files."""
    lines = "".join(f"{manifest.files[name].sha256}  {name}\n" for name in FILES)
    return hashlib.sha256(lines.encode()).hexdigest()[:12]


def _manifest(location: Path) -> WeightsManifest:
    path = location / MANIFEST
    if not path.is_file():
        raise MissingPart(f"{location} has no {MANIFEST}, so it has no weights of assay-mini. {_AGAIN}")
    manifest = typed(WeightsManifest, read_document(path, remedy=_AGAIN), Place(str(path)))
    if manifest.format != FORMAT:
        raise InputError(f"{path} has format {manifest.format}, but this assay reads format {FORMAT}: {_REMEDY}")
    if missing := [name for name in FILES if name not in manifest.files]:
        raise InputError(f"{path} does not list {missing[0]}. {_AGAIN}")
    return manifest


def _verified_file(path: Path, facts: FileFacts) -> mmap.mmap:
    """Map a file into memory and check its size and SHA-256 against the manifest."""
    if not path.is_file():
        raise MissingPart(f"{path} is missing. {_AGAIN}")
    data = map_file(path)
    if len(data) != facts.bytes:
        raise InputError(f"{path} has {len(data):,} bytes, but its manifest has {facts.bytes:,}. {_AGAIN}")
    if hashlib.sha256(data).hexdigest() != facts.sha256:
        raise InputError(f"{path} is damaged: its SHA-256 differs from the manifest. {_AGAIN}")
    return data


def _check_pieces(tensors: Tensors) -> None:
    """Check that the subword table, the subword vectors and the character map are consistent."""
    import numpy as np

    for name, (kind, dimensions) in _PIECES.items():
        if tensors[name].dtype.str[1:] != kind or tensors[name].ndim != dimensions:
            raise ValueError(f"{name!r} has the wrong type or shape")
    (n, blocks), characters = tensors["scales"].shape, len(tensors["norm_from"])
    shapes = {
        "codes": (n, blocks * BLOCK // 2),
        "starts": (n + 1,),
        "norm_starts": (characters + 1,),
        "unk_score": (1,),
    }
    for name, shape in (shapes | dict.fromkeys(("scores", "idf", "trained"), (n,))).items():
        if tensors[name].shape != shape:
            raise ValueError(f"{name!r} has the wrong type or shape")
    if n < len(SPECIAL) or not blocks:
        raise ValueError("it contains no subwords")
    for name, held in (("starts", "text"), ("norm_starts", "norm_to")):
        starts = tensors[name]
        if starts[0] != 0 or starts[-1] != len(tensors[held]) or (starts[1:] < starts[:-1]).any():
            raise ValueError(f"{name!r} does not split {held!r} correctly")
    tensors["text"].tobytes().decode("utf-8")
    if tensors["text"][: tensors["starts"][len(SPECIAL)]].tobytes() != "".join(SPECIAL).encode():
        raise ValueError(f"its first subwords are not {' '.join(SPECIAL)}")
    inside = tensors["starts"][tensors["starts"] < len(tensors["text"])]
    if ((tensors["text"][inside] & 0xC0) == 0x80).any():
        raise ValueError("a subword begins inside a character")
    points = np.concatenate([tensors["norm_from"], tensors["norm_to"]])
    if (tensors["norm_from"][1:] <= tensors["norm_from"][:-1]).any() or (points > 0x10FFFF).any():
        raise ValueError("the characters of 'norm_from' are not in order")
    if not all(np.isfinite(tensors[name]).all() for name in ("scores", "idf", "unk_score", "scales")):
        raise ValueError("a number is not finite")


def _check_matrices(tensors: Tensors) -> None:
    """Check that every integer matrix has one scale per row, and that every number is finite."""
    import numpy as np

    for name, array in tensors.items():
        if name.endswith(".q"):
            scales = tensors[name.removesuffix("q") + "s"]
            if array.dtype != np.int8 or array.ndim != 2 or scales.shape != array.shape[:1]:
                raise ValueError(f"{name!r} does not have one scale per row")
        elif array.dtype.kind == "f" and name not in ("codes", "scales") and not np.isfinite(array).all():
            raise ValueError(f"{name!r} contains a number that is not finite")
