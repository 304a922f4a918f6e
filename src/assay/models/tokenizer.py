"""Subword tokenizers from a local file, and the sequences that models read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingPart

FILES = ("tokenizer.json", "sentencepiece.bpe.model", "sentencepiece.model", "vocab.txt")
"""What a tokenizer may lie in, the first one found being taken."""

_HALVES = re.compile("[\ud800-\udfff]")


def without_halves(text: str) -> str:
    """Half characters, which Python strings may hold and tokenizers refuse, as U+FFFD; offsets stay right."""
    return _HALVES.sub("\ufffd", text)


@dataclass(slots=True)
class Tokens:
    """One text as token ids, special tokens included, with each token's place in the text where it was asked for."""

    ids: list[int]
    offsets: list[tuple[int, int]] | None
    cut: bool
    """Whether the text was longer than the model reads."""


class Tokenizer:
    """A `tokenizers` tokenizer with the special tokens of XLM-R (``<s> </s> <pad>``) or BERT (``[CLS] [SEP] [PAD]``).

    RemBERT has BERT's and calls padding ``<pad>``.
    """

    def __init__(self, backend: Any, where: str) -> None:
        backend.no_truncation()
        backend.no_padding()
        self.backend, self.where = backend, where
        roberta = backend.token_to_id("<s>") is not None
        names = ("<s>", "</s>", "<pad>") if roberta else ("[CLS]", "[SEP]", "[PAD]")
        if not roberta and backend.token_to_id("<pad>") is not None:
            names = ("[CLS]", "[SEP]", "<pad>")
        found = [backend.token_to_id(name) for name in names]
        if None in found:
            missing = names[found.index(None)]
            raise InputError(f"{where} has no token {missing}: it is not the tokenizer of an XLM-R or BERT encoder.")
        self.first, self.last, self.pad = found
        self.between = [self.last, self.last] if roberta else [self.last]

    def __len__(self) -> int:
        return int(self.backend.get_vocab_size())

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """From a ``tokenizer.json``, a sentencepiece model or BERT's ``vocab.txt``."""
        try:
            from tokenizers import Tokenizer as Backend
        except ImportError as error:
            raise MissingPart("neural metrics need the extra 'neural': pip install 'mt-assay[neural]'") from error
        try:
            if path.suffix == ".json":
                return cls(Backend.from_file(str(path)), str(path))
            if path.suffix == ".txt":
                return cls(_wordpiece(path), str(path))
            from assay.models.sentencepiece import xlmr_tokenizer

            return cls(xlmr_tokenizer(path.read_bytes()), str(path))
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{path} is not a tokenizer that can be read: {error}.") from error

    def with_leading_blank(self) -> Tokenizer:
        """RoBERTa's byte-level tokenizer as it reads a word within a text, where a blank stands before it; others as they are."""
        from tokenizers.pre_tokenizers import ByteLevel

        if isinstance(self.backend.pre_tokenizer, ByteLevel):
            self.backend.pre_tokenizer.add_prefix_space = True
        return self

    def encode(self, texts: Sequence[str], limit: int, *, offsets: bool = False) -> list[Tokens]:
        """Texts as tokens, cut to `limit` with the closing token kept."""
        encode = self.backend.encode_batch if offsets else self.backend.encode_batch_fast
        try:
            "".join(texts).encode()
        except UnicodeEncodeError:
            texts = [without_halves(text) for text in texts]
        found = []
        for encoding in encode(texts):
            ids, places = encoding.ids, encoding.offsets if offsets else None
            cut = len(ids) > limit
            if cut:
                ids = [*ids[: limit - 1], ids[-1]]
                places = None if places is None else [*places[: limit - 1], places[-1]]
            found.append(Tokens(ids, places, cut))
        return found

    def join(self, first: Tokens, *others: Tokens, limit: int) -> tuple[list[int], bool]:
        """``<s> first </s></s> other </s></s> other </s>``, cut to `limit` from the end; and whether it was cut.

        A padding token written in a text disappears here, as it does in the official package.
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
    """BERT's tokenizer from its list of pieces; the tokenizer_config.json beside it says whether case is kept."""
    from tokenizers import BertWordPieceTokenizer

    from assay.io.documents import read_document

    beside = path.with_name("tokenizer_config.json")
    told = read_document(beside, said="cannot be read") if beside.is_file() else {}
    lower = bool(told.get("do_lower_case", True)) if isinstance(told, dict) else True
    pieces = path.read_text(encoding="utf-8").splitlines()
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    backend: Any = BertWordPieceTokenizer(vocabulary, lowercase=lower)._tokenizer
    return backend
