"""Subword tokenizers read from local files, and the token sequences that models expect.

XLM-R's tokenizer can also be read from ``sentencepiece.bpe.model``, without the sentencepiece package. That file is a
protocol buffer: field 1 repeats the subwords (1: text, 2: score), field 3 is the normaliser (2: its compiled character
map). XLM-R shifts the ids of the subwords by one and puts fairseq's special tokens in front.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingPart
from assay.io.files.protobuf import fields

FILES = ("tokenizer.json", "sentencepiece.bpe.model", "sentencepiece.model", "vocab.txt")
"""File names of tokenizers, in order of preference."""

_HALVES = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates(which Python strings may contain but tokenizers reject) with U+FFFD. Offsets stay correct."""
    return _HALVES.sub("\ufffd", text)


@dataclass(slots=True)
class Tokens:
    """Token ids of one text, including special tokens, with the character offsets of each token if requested."""

    ids: list[int]
    offsets: list[tuple[int, int]] | None
    cut: bool
    """Whether the text was longer than the model's limit."""


class Tokenizer:
    """A `tokenizers` tokenizer with the special tokens of XLM-R (``<s> </s> <pad>``) or BERT (``[CLS] [SEP] [PAD]``).

    RemBERT uses BERT's tokens, except for ``<pad>``.
    """

    def __init__(self, backend: Any, where: str) -> None:
        backend.no_truncation()
        backend.no_padding()
        self.backend, self.where = backend, where
        roberta = backend.token_to_id("<s>") is not None
        names = ("<s>", "</s>", "<pad>") if roberta else ("[CLS]", "[SEP]", "[PAD]")
        if not roberta and backend.token_to_id("<pad>") is not None:
            names = ("[CLS]", "[SEP]", "<pad>")
        ids = [backend.token_to_id(name) for name in names]
        if None in ids:
            missing = names[ids.index(None)]
            raise InputError(f"{where} has no token {missing}: it is not the tokenizer of an XLM-R or BERT encoder.")
        self.first, self.last, self.pad = ids
        self.between = [self.last, self.last] if roberta else [self.last]

    def __len__(self) -> int:
        return int(self.backend.get_vocab_size())

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Read a ``tokenizer.json``, a sentencepiece model or BERT's ``vocab.txt``."""
        try:
            from tokenizers import Tokenizer as Backend
        except ImportError as error:
            raise MissingPart("neural metrics need the extra 'neural': pip install 'mt-assay[neural]'") from error
        try:
            if path.suffix == ".json":
                return cls(Backend.from_file(str(path)), str(path))
            if path.suffix == ".txt":
                return cls(_wordpiece(path), str(path))
            return cls(xlmr_tokenizer(path.read_bytes()), str(path))
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{path} is not a readable tokenizer: {error}.") from error

    def with_leading_blank(self) -> Tokenizer:
        """Make RoBERTa's byte-level tokenizer read a text as if a space preceded it. Other tokenizers are unchanged."""
        from tokenizers.pre_tokenizers import ByteLevel

        if isinstance(self.backend.pre_tokenizer, ByteLevel):
            self.backend.pre_tokenizer.add_prefix_space = True
        return self

    def encode(self, texts: Sequence[str], limit: int, *, offsets: bool = False) -> list[Tokens]:
        """Tokenize texts and truncate them to `limit` tokens; the closing token is retained."""
        encode = self.backend.encode_batch if offsets else self.backend.encode_batch_fast
        try:
            "".join(texts).encode()
        except UnicodeEncodeError:
            texts = [replace_surrogates(text) for text in texts]
        result = []
        for encoding in encode(texts):
            ids, positions = encoding.ids, encoding.offsets if offsets else None
            cut = len(ids) > limit
            if cut:
                ids = [*ids[: limit - 1], ids[-1]]
                positions = None if positions is None else [*positions[: limit - 1], positions[-1]]
            result.append(Tokens(ids, positions, cut))
        return result

    def join(self, first: Tokens, *others: Tokens, limit: int) -> tuple[list[int], bool]:
        """Return the ids of ``<s> first </s></s> other </s></s> other </s>``, truncated to `limit`, and whether they were
        truncated.

        As in the official package, a padding token spelled out in a text is removed.
        """
        ids = [*self._inner(first.ids)]
        for other in others:
            ids += self.between
            ids += self._inner(other.ids)
        whole = [self.first, *ids, self.last]
        return whole[:limit], len(whole) > limit

    def _inner(self, ids: list[int]) -> list[int]:
        return [i for i in ids if i != self.pad][1:-1] if self.pad in ids else ids[1:-1]


def _wordpiece(path: Path) -> Any:
    """Return BERT's tokenizer for a list of subwords; case is preserved if a tokenizer_config.json in the folder says so."""
    from tokenizers import BertWordPieceTokenizer

    from assay.io.documents import read_document

    beside = path.with_name("tokenizer_config.json")
    settings = read_document(beside, said="cannot be read") if beside.is_file() else {}
    lower = bool(settings.get("do_lower_case", True)) if isinstance(settings, dict) else True
    subwords = path.read_text(encoding="utf-8").splitlines()
    vocabulary = {subword: number for number, subword in enumerate(subwords)}
    backend: Any = BertWordPieceTokenizer(vocabulary, lowercase=lower)._tokenizer
    return backend


def xlmr_tokenizer(data: bytes) -> Any:
    """Return a `tokenizers` tokenizer with XLM-R's ids, normalisation and special tokens."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    subwords, charsmap = read_model(data)
    if len(subwords) < 4:
        raise ValueError("it contains no sentencepiece vocabulary")
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *subwords[3:], ("<mask>", 0.0)]
    backend = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    steps = [normalizers.Precompiled(charsmap)] if charsmap else []
    backend.normalizer = normalizers.Sequence([*steps, normalizers.Replace(Regex(" {2,}"), " ")])
    backend.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    backend.decoder = decoders.Metaspace()
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    backend.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    return backend


def plain_tokenizer(data: bytes, *, named: bool = False) -> Any:
    """Return a `tokenizers` tokenizer with the ids in a unigram model file and no special tokens around the text.

    As in sentencepiece, whitespace at both ends is removed, repeated spaces count as one, and control subwords (``</s>``)
    are never found in a text. With `named` these keep their names, so they can be declared as special tokens.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    subwords, charsmap = read_model(data)
    kinds = subword_kinds(data)
    if not subwords or 2 not in kinds:
        raise ValueError("it contains no sentencepiece vocabulary")
    if not named:  # named by noncharacters, which no text contains
        subwords = [
            (f"\ufdd0{i}" if kind in (2, 3, 5) else text, score)
            for i, ((text, score), kind) in enumerate(zip(subwords, kinds, strict=True))
        ]
    backend = Tokenizer(models.Unigram(subwords, unk_id=kinds.index(2), byte_fallback=6 in kinds))
    steps = [normalizers.Precompiled(charsmap)] if charsmap else []
    backend.normalizer = normalizers.Sequence([*steps, normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    backend.decoder = decoders.Metaspace()
    return backend


def is_unigram(data: bytes) -> bool:
    """Return whether subwords are chosen by score (field 2: trainer settings; in it, field 3: 1 unigram, 2 byte pairs)."""
    trained = next((value for number, value in fields(data) if number == 2 and isinstance(value, bytes)), b"")
    return dict(fields(trained)).get(3, 1) == 1


def subword_kinds(data: bytes) -> list[int]:
    """Return the kind of each subword: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte."""
    kinds = [
        dict(fields(value)).get(3, 1) for number, value in fields(data) if number == 1 and isinstance(value, bytes)
    ]
    return [kind if isinstance(kind, int) else 1 for kind in kinds]


def read_model(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """Return the subwords with their scores, and the compiled character map of the normaliser."""
    subwords: list[tuple[str, float]] = []
    charsmap = b""
    for number, value in fields(data):
        if number == 1 and isinstance(value, bytes):
            subword = dict(fields(value))
            text, score = subword.get(1, b""), subword.get(2, b"\0\0\0\0")
            assert isinstance(text, bytes) and isinstance(score, bytes)
            subwords.append((text.decode("utf-8"), struct.unpack("<f", score)[0]))
        elif number == 3 and isinstance(value, bytes):
            charsmap_field = dict(fields(value)).get(2, b"")
            charsmap = charsmap_field if isinstance(charsmap_field, bytes) else b""
    return subwords, charsmap


def read_sentencepiece(path: Path) -> Any:
    """Read a sentencepiece model with the sentencepiece library."""
    try:
        import sentencepiece
    except ImportError as error:
        raise MissingPart("neural metrics need the extra 'neural': pip install 'mt-assay[neural]'") from error
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    except Exception as error:  # sentencepiece may raise any exception
        raise InputError(f"{path} is incomplete or not a sentencepiece model. Download it again.") from error
