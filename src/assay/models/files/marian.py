"""COMET models of Marian NMT (Cometoid): where their files lie, and what their settings say. Without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from assay.core.errors import InputError, MissingPart
from assay.core.schema import Bounds, Place, typed
from assay.io.documents import parse_document
from assay.io.files.marian import read_marian
from assay.models.encoders.config import Size

MODEL, VOCABULARY = "checkpoints/marian.model.bin", "vocab.spm"
"""As the folders on the hub have them."""


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
"""Settings that make Marian's encoder the same as XLM-R's."""


@dataclass(frozen=True, slots=True)
class MarianSettings:
    """What else is read of a model's settings."""

    enc_depth: Annotated[int, Bounds(1, 1000)]
    transformer_heads: Size
    comet_pooler_ffn: tuple[Size, ...]
    comet_final_sigmoid: bool = False
    comet_mix: bool = False
    comet_mix_norm: bool = False
    comet_mix_transformation: Literal["softmax", "sparsemax"] = "softmax"
    comet_pool: Literal["avg", "cls"] = "avg"
    """Marian keeps it only in models that were made of Unbabel's; in its own it is avg."""


def find_marian(path: str | Path) -> Path | None:
    """The model in a folder as the hub has it, or the ``.bin`` file itself; None where there is none."""
    place = Path(path).expanduser()
    found = place if place.suffix == ".bin" else place / MODEL
    return found if found.is_file() else None


def find_vocabulary(model: Path, given: str | Path | None) -> Path:
    """The sentencepiece model beside a model or above it, or the one that was given."""
    places = [model.with_name(VOCABULARY), model.parent.with_name(VOCABULARY)]
    places = places if given is None else [Path(given).expanduser()]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        where = f"there is no {VOCABULARY} beside {model}" if given is None else f"there is no tokenizer at {places[0]}"
        raise MissingPart(f"{where}. Give Marian's sentencepiece model with tokenizer=FILE.")
    return found


def read_settings(model: Path) -> MarianSettings:
    """The settings in a model's file; those of another kind of network are refused."""
    content = parse_document(read_marian(model)[0], str(model), yaml=True, said="has settings that are not YAML")
    if not isinstance(content, dict):
        raise InputError(f"{model} holds no settings.")
    if (kind := str(content.get("type", "nothing"))[:40]) != "comet-qe":
        raise InputError(
            f"{model} is a {kind} of Marian; assay reads comet-qe. Score other models from their original."
        )
    for name, value in _LIKE_XLMR.items():
        if (found := content.get(name, "")) != value:
            raise InputError(
                f"{model} has {name}: {str(found)[:40]!r}, not {value!r}: an encoder that assay does not have."
            )
    named = {str(name).replace("-", "_"): value for name, value in content.items()}
    return typed(MarianSettings, named, Place(str(model)), strict=False)


def hparams_of(model: Path) -> dict[str, Any]:
    """The settings as an official ``hparams.yaml`` would have them."""
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
