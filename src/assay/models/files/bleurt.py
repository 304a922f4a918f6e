"""Files of BLEURT checkpoints in both published formats; torch is not needed.

Google publishes a TensorFlow SavedModel: ``bleurt_config.json``, ``bert_config.json``, ``variables/`` and a sentencepiece
model or a WordPiece vocabulary. Ports to PyTorch are folders of the Hugging Face hub with ``spm.model`` or ``vocab.txt``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from assay.core.errors import InputError, MissingPart
from assay.core.schema import Bounds, Place, typed
from assay.io.documents import read_document
from assay.models.encoders.config import EncoderConfig, Size
from assay.models.files.encoder import weight_files
from assay.models.files.hashing import fingerprint_files

TENSORFLOW = "bleurt_config.json"
PIECES = ("spm.model", "sent_piece.model", "sentencepiece.model", "vocab.txt")
"""File names of the vocabulary in ports."""
TANH = ("gelu_new", "gelu_pytorch_tanh", "gelu_fast")
"""Hugging Face names for GELU with the tanh approximation."""
_ERF = b"/intermediate/dense/Erf"
"""The operation that marks exact GELU in a model's graph."""


@dataclass(frozen=True, slots=True)
class BleurtFiles:
    """Files of one checkpoint, and the shape of its model."""

    folder: Path
    weights: tuple[Path, ...]
    """For TensorFlow: the index and the value files."""
    vocabulary: Path
    encoder: EncoderConfig
    limit: int
    """Maximum number of tokens in a pair, including special tokens."""
    lowercase: bool
    described: tuple[Path, ...]

    @property
    def tensorflow(self) -> bool:
        """Whether the files are in TensorFlow format."""
        return self.weights[0].suffix == ".index"

    def fingerprint(self) -> str:
        return fingerprint_files(*self.described, *self.weights, self.vocabulary)


@dataclass(frozen=True, slots=True)
class _BleurtConfig:
    """The keys of ``bleurt_config.json`` that assay reads."""

    bert_config_file: str
    max_seq_length: Annotated[int, Bounds(4, 100_000)]
    vocab_file: str | None = None
    do_lower_case: bool | None = None
    sp_model: str | None = None


@dataclass(frozen=True, slots=True)
class _Shape:
    """The keys of ``bert_config.json``, or of a port's ``config.json``, that assay reads."""

    hidden_size: Size
    num_hidden_layers: Annotated[int, Bounds(1, 1000)]
    num_attention_heads: Size
    intermediate_size: Size
    vocab_size: Size
    embedding_size: Size | None = None
    input_embedding_size: Size | None = None
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 2
    hidden_act: str = "gelu"
    layer_norm_eps: Annotated[float, Bounds(0, 1)] = 1e-12
    do_lower_case: bool | None = None
    model_type: str = "bert"


def locate_bleurt(path: str | Path) -> BleurtFiles:
    """Return the files of the checkpoint at `path`. Raise an error if one is missing."""
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise MissingPart(f"the BLEURT checkpoint {folder} does not exist.")
    if (folder / TENSORFLOW).is_file():
        return _tensorflow(folder)
    if (folder / "config.json").is_file():
        return _torch(folder)
    raise MissingPart(f"{folder} has neither {TENSORFLOW} nor config.json: it is not a BLEURT checkpoint.")


def _tensorflow(folder: Path) -> BleurtFiles:
    about = folder / TENSORFLOW
    config = typed(_BleurtConfig, read_document(about, said="cannot be read"), Place(str(about)), strict=False)
    shape_file = _inside(folder, config.bert_config_file, about)
    shape = _shape(shape_file)
    name = f"{config.sp_model}.model" if config.sp_model else config.vocab_file
    if not name:
        raise InputError(f"{about} names no vocabulary: sp_model or vocab_file is missing.")
    index = folder / "variables" / "variables.index"
    parts = sorted((folder / "variables").glob("variables.data-*-of-*"))
    if not index.is_file() or not parts:
        raise MissingPart(f"{folder} has no weights: variables/{index.name} or variables.data-… is missing.")
    graph = folder / "saved_model.pb"
    exact = graph.is_file() and _ERF in graph.read_bytes()
    return BleurtFiles(
        folder,
        (index, *parts),
        _inside(folder, name, about),
        _encoder(shape, "none" if exact else "tanh"),
        min(config.max_seq_length, shape.max_position_embeddings),
        bool(config.do_lower_case),
        (about, shape_file),
    )


def _torch(folder: Path) -> BleurtFiles:
    about = folder / "config.json"
    shape = _shape(about)
    if shape.model_type not in ("bleurt", "bert"):
        raise InputError(f"{about} describes a {shape.model_type[:40]!r} model, not BLEURT.")
    vocabulary = next((folder / name for name in PIECES if (folder / name).is_file()), None)
    if vocabulary is None:
        raise MissingPart(f"{folder} has no vocabulary: one of {', '.join(PIECES)} is missing.")
    gelu: Literal["none", "tanh"] = "tanh" if shape.hidden_act in TANH else "none"
    lowercase = shape.do_lower_case
    beside = folder / "tokenizer_config.json"
    if lowercase is None and beside.is_file():
        settings = read_document(beside, said="cannot be read")
        lowercase = settings.get("do_lower_case") if isinstance(settings, dict) else None
    return BleurtFiles(
        folder,
        weight_files(folder),
        vocabulary,
        _encoder(shape, gelu),
        shape.max_position_embeddings,
        lowercase is not False and vocabulary.suffix == ".txt",
        (about,),
    )


def _shape(path: Path) -> _Shape:
    shape = typed(_Shape, read_document(path, said="cannot be read"), Place(str(path)), strict=False)
    if shape.hidden_act != "gelu" and shape.hidden_act not in TANH:
        raise InputError(f"{path}: hidden_act is {shape.hidden_act[:40]!r}; BLEURT's is gelu.")
    return shape


def _encoder(shape: _Shape, gelu: Literal["none", "tanh"]) -> EncoderConfig:
    embedding = shape.embedding_size or shape.input_embedding_size or 0
    return EncoderConfig(
        "bert",
        shape.hidden_size,
        shape.num_hidden_layers,
        shape.num_attention_heads,
        shape.intermediate_size,
        shape.vocab_size,
        shape.max_position_embeddings,
        shape.type_vocab_size,
        shape.layer_norm_eps,
        pad=0,
        embedding=0 if embedding == shape.hidden_size else embedding,
        gelu=gelu,
    )


def _inside(folder: Path, name: str, where: Path) -> Path:
    """Return a file named in a configuration. It must be in the same folder as the configuration."""
    path = folder / Path(name.replace("\0", "")).name
    try:
        there = path.is_file()
    except OSError:  # not a valid file name
        there = False
    if not there:
        raise MissingPart(f"{where} names {path.name[:200]}, which is not in {folder}.")
    return path
