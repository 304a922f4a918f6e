"""Translation models saved by fairseq: ``checkpoint.pt``, ``spm.model``, ``dict.src.txt`` and ``dict.tgt.txt`` in a folder.

The checkpoint is a pickle that refers to classes from fairseq and the standard library. Each of them is replaced with an empty
class that is filled with plain values. No code from the file is run, and fairseq is not needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import torch

from assay.core.errors import InputError, MissingPart
from assay.core.schema import Bounds, Place, typed
from assay.io.files.text import read_text
from assay.models.files.hashing import fingerprint_files
from assay.models.files.weights import StandIn, read_torch
from assay.models.seq2seq.config import Shape, Size, activation
from assay.models.seq2seq.encoder_decoder import EncoderDecoder
from assay.models.seq2seq.folder import build, given
from assay.models.seq2seq.texts import Words, numbered

FILES = ("checkpoint.pt", "spm.model", "dict.src.txt", "dict.tgt.txt")
BOXED = ("argparse.", "fairseq.", "omegaconf.")
"""Packages whose classes a fairseq checkpoint may refer to, besides weights, for settings and timers."""
LONGEST = 2_000
"""Maximum number of tokens in a text that Prism reads; sinusoidal positions have no limit."""


class _Box:
    """Stand-in for a fairseq object, with its values but not its code."""


@dataclass(frozen=True, slots=True)
class _Settings:
    """The settings in a checkpoint that assay reads."""

    encoder_embed_dim: Size
    encoder_ffn_embed_dim: Size
    encoder_layers: Annotated[int, Bounds(1, 1000)]
    encoder_attention_heads: Size
    decoder_embed_dim: Size
    decoder_ffn_embed_dim: Size
    decoder_layers: Annotated[int, Bounds(1, 1000)]
    decoder_attention_heads: Size
    encoder_normalize_before: bool = False
    decoder_normalize_before: bool = False
    encoder_learned_pos: bool = False
    decoder_learned_pos: bool = False
    no_token_positional_embeddings: bool = False
    no_scale_embedding: bool = False
    layernorm_embedding: bool = False
    no_decoder_final_norm: bool = False
    activation_fn: str = "relu"
    max_source_positions: Size = 1024
    max_target_positions: Size = 1024


@dataclass(frozen=True, slots=True)
class FairseqFolder:
    """Folder with a model's four files."""

    folder: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """All files, weights first."""
        return tuple(self.folder / name for name in FILES)

    @property
    def weights(self) -> tuple[Path, ...]:
        """The weight file."""
        return self.files[:1]

    def words(self) -> Words:
        """Return the tokenizer of ``spm.model`` with the ids of the source dictionary, which Prism uses for both sides."""
        source, target = (read_dictionary(self.folder / name) for name in FILES[2:])
        if source != target:
            raise InputError(
                f"{self.folder}: dict.src.txt and dict.tgt.txt differ, but a paraphrasing model has one dictionary."
            )
        return numbered(self.folder / FILES[1], source, source["<unk>"], self.files[2:])

    def model(self, *, dtype: torch.dtype, device: torch.device) -> EncoderDecoder:
        """Return the model with its weights."""
        path = self.files[0]
        content = read_checkpoint(path)
        state = given(content["model"], path)
        words = state["encoder.embed_tokens.weight"]() if "encoder.embed_tokens.weight" in state else None
        if words is None or words.dim() != 2:
            raise InputError(f"{path} contains no translation model: encoder.embed_tokens.weight is missing.")
        return build(read_settings(content, words.shape[0], str(path)), state, str(path), dtype=dtype, device=device)

    def fingerprint(self) -> str:
        return fingerprint_files(*self.files)


def find_fairseq(path: str | Path) -> FairseqFolder:
    """Return the model in a folder. Raise an error if a file is missing."""
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise MissingPart(f"the model folder {folder} does not exist.")
    for name in FILES:
        if not (folder / name).is_file():
            raise MissingPart(f"{folder} has no {name}: a Prism model consists of {', '.join(FILES)}.")
    return FairseqFolder(folder)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Return the content of ``checkpoint.pt``: weights under ``model``, settings under ``args`` (fairseq 0.11: ``cfg``)."""
    boxes: list[StandIn] = [(_Box, "argparse.Namespace")]
    while True:
        try:
            content = read_torch(path, boxes)
            break
        except InputError as error:
            named = re.search(r"GLOBAL (\S+)", str(error.__cause__))
            name = named[1] if named else ""
            if not name.startswith(BOXED) or any(name == boxed for _, boxed in boxes):
                raise
            boxes.append((type("Box", (_Box,), {}), name))
    if not isinstance(content, dict) or not isinstance(content.get("model"), Mapping):
        raise InputError(f"{path} has no weights under 'model': it is not a fairseq checkpoint.")
    return content


def read_settings(content: Mapping[str, Any], vocabulary: int, where: str) -> Shape:
    """Return the model's shape, based on the settings in its checkpoint."""
    settings = content.get("args")
    if settings is None and isinstance(content.get("cfg"), Mapping):
        settings = content["cfg"].get("model")
    values = vars(settings) if isinstance(settings, _Box) else settings
    if not isinstance(values, Mapping):
        raise InputError(f"{where} has no settings under 'args': it is not a fairseq translation checkpoint.")
    try:
        read = typed(_Settings, {str(key): value for key, value in values.items()}, Place(where), strict=False)
    except InputError as error:
        raise InputError(f"{where} contains no translation model: {error}") from error
    both = [
        (read.encoder_embed_dim, read.decoder_embed_dim),
        (read.encoder_attention_heads, read.decoder_attention_heads),
        (read.encoder_normalize_before, read.decoder_normalize_before),
        (read.encoder_learned_pos, read.decoder_learned_pos),
    ]
    if any(one != other for one, other in both) or read.no_token_positional_embeddings:
        raise InputError(f"{where}: encoder and decoder differ in more than their depth, which assay does not support.")
    hidden, heads = read.encoder_embed_dim, read.encoder_attention_heads
    if hidden % heads:
        raise InputError(f"{where}: {hidden} units cannot be split into {heads} heads.")
    learned = read.encoder_learned_pos
    if read.no_decoder_final_norm and read.decoder_normalize_before:
        raise InputError(
            f"{where}: a decoder that normalises before its blocks and has no final norm is not supported."
        )
    return Shape(
        "fairseq",
        hidden=hidden,
        heads=heads,
        head_size=hidden // heads,
        encoder_layers=read.encoder_layers,
        decoder_layers=read.decoder_layers,
        encoder_inner=read.encoder_ffn_embed_dim,
        decoder_inner=read.decoder_ffn_embed_dim,
        vocabulary=vocabulary,
        target_vocabulary=vocabulary,
        activation=activation(read.activation_fn),
        pre_norm=read.encoder_normalize_before,
        positions="learned" if learned else "sinusoidal",
        offset=2,
        longest=min(read.max_source_positions, read.max_target_positions) if learned else LONGEST,
        embedding_scale=1.0 if read.no_scale_embedding else float(hidden**0.5),
        embedding_norm=read.layernorm_embedding,
        final_norm=read.encoder_normalize_before,
        pad=1,
        end=2,
        start=2,
    )


def read_dictionary(path: Path) -> dict[str, int]:
    """Return fairseq's dictionary: one subword per line with its count, numbered after the four special tokens.

    If a subword occurs twice, the last line counts.
    """
    ids = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    lines = read_text(path).split("\n")
    for number, line in enumerate(lines, 1):
        if not line and number == len(lines):
            break
        subword, _, times = line.rstrip().removesuffix(" #fairseq:overwrite").rpartition(" ")
        if not subword or not times.isdecimal():
            raise InputError(f"{path} line {number}: expected a subword and its count, as fairseq writes them.")
        ids[subword] = number + 3
    if len(ids) == 4:
        raise InputError(f"{path} is empty: it contains no dictionary.")
    return ids
