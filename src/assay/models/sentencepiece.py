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
