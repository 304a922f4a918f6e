"""XLM-R's tokenizer from its ``sentencepiece.bpe.model``, read without the sentencepiece package.

The file is a protocol buffer: field 1 repeats the pieces (1: text, 2: score), field 3 is the normaliser (2: its compiled
character map). XLM-R moves the pieces by one and puts fairseq's special tokens in front.
"""

from __future__ import annotations

import struct
from typing import Any

from assay.io.files.protobuf import fields


def xlmr_tokenizer(data: bytes) -> Any:
    """A `tokenizers` tokenizer with XLM-R's numbering, normalisation and special tokens."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    pieces, charsmap = read_model(data)
    if len(pieces) < 4:
        raise ValueError("it holds no sentencepiece vocabulary")
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *pieces[3:], ("<mask>", 0.0)]
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
    """A `tokenizers` tokenizer with the file's own numbering and no special tokens around the text; for unigram models.

    As sentencepiece does it, blanks at both ends go, several count as one, and control pieces (``</s>``) are never found in a text.
    With `named` they keep their names, for those who declare them as special tokens.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    pieces, charsmap = read_model(data)
    kinds = piece_kinds(data)
    if not pieces or 2 not in kinds:
        raise ValueError("it holds no sentencepiece vocabulary")
    if not named:  # under a character that is none
        pieces = [
            (f"\ufdd0{i}" if kind in (2, 3, 5) else text, score)
            for i, ((text, score), kind) in enumerate(zip(pieces, kinds, strict=True))
        ]
    backend = Tokenizer(models.Unigram(pieces, unk_id=kinds.index(2), byte_fallback=6 in kinds))
    steps = [normalizers.Precompiled(charsmap)] if charsmap else []
    backend.normalizer = normalizers.Sequence([*steps, normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    backend.decoder = decoders.Metaspace()
    return backend


def is_unigram(data: bytes) -> bool:
    """Whether the pieces are chosen by their scores (field 2: how it was trained; 3 in it: 1 unigram, 2 pairs of bytes)."""
    trained = next((value for number, value in fields(data) if number == 2 and isinstance(value, bytes)), b"")
    return dict(fields(trained)).get(3, 1) == 1


def piece_kinds(data: bytes) -> list[int]:
    """What each piece is: 1 normal, 2 unknown, 3 control, 4 defined by a user, 5 unused, 6 a byte."""
    found = [
        dict(fields(value)).get(3, 1) for number, value in fields(data) if number == 1 and isinstance(value, bytes)
    ]
    return [kind if isinstance(kind, int) else 1 for kind in found]


def read_model(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """Pieces with their scores, and the compiled character map of the normaliser."""
    pieces: list[tuple[str, float]] = []
    charsmap = b""
    for number, value in fields(data):
        if number == 1 and isinstance(value, bytes):
            piece = dict(fields(value))
            text, score = piece.get(1, b""), piece.get(2, b"\0\0\0\0")
            assert isinstance(text, bytes) and isinstance(score, bytes)
            pieces.append((text.decode("utf-8"), struct.unpack("<f", score)[0]))
        elif number == 3 and isinstance(value, bytes):
            found = dict(fields(value)).get(2, b"")
            charsmap = found if isinstance(found, bytes) else b""
    return pieces, charsmap
