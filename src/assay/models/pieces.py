"""BLEURT's two tokenizers: sentencepiece as Google runs it, and BERT's WordPiece. Texts become ids, without special tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingPart
from assay.models.tokenizer import without_halves

_LONGEST_WORD = 200
"""Characters of a word beyond which Google's WordPiece looks no further."""


class WrittenPieces:
    """A vocabulary with the ids of ``[CLS]`` and ``[SEP]``."""

    def __init__(self, path: Path, *, lowercase: bool = False) -> None:
        self.path = path
        self._spoken: Any = _wordpiece(path, lowercase) if path.suffix == ".txt" else read_sentencepiece(path)
        self.wordpiece = path.suffix == ".txt"
        found = [self._id(name) for name in ("[CLS]", "[SEP]")]
        if None in found:
            raise InputError(f"{path} has no tokens [CLS] and [SEP]: it is not the vocabulary of a BLEURT.")
        self.first, self.last = found

    def __len__(self) -> int:
        return int(self._spoken.get_vocab_size() if self.wordpiece else self._spoken.get_piece_size())

    def _id(self, name: str) -> Any:
        if self.wordpiece:
            return self._spoken.token_to_id(name)
        number = self._spoken.piece_to_id(name)
        return None if number == self._spoken.unk_id() else number

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of every text."""
        plain = [without_halves(text) for text in texts]
        if self.wordpiece:
            clean = [_cleaned(text) for text in plain]
            return [encoding.ids for encoding in self._spoken.encode_batch_fast(clean, add_special_tokens=False)]
        # By way of the pieces, as BLEURT does: unknown characters in a row that spell a special token become it.
        found: list[list[int]] = [
            self._spoken.piece_to_id(pieces) for pieces in self._spoken.encode(plain, out_type=str)
        ]
        return found


def _cleaned(text: str) -> str:
    """Without control and format characters, every blank a space; Google's rule, which keeps private-use characters."""
    if text.isprintable() and "\ufffd" not in text:
        return text
    kept = []
    for letter in text:
        kind = unicodedata.category(letter)
        if letter in "\t\n\r" or kind == "Zs":
            kept.append(" ")
        elif letter != "\ufffd" and kind not in ("Cc", "Cf"):
            kept.append(letter)
    return "".join(kept)


def read_sentencepiece(path: Path) -> Any:
    """A sentencepiece model behind the library that wrote it."""
    try:
        import sentencepiece
    except ImportError as error:
        raise MissingPart("neural metrics need the extra 'neural': pip install 'mt-assay[neural]'") from error
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    except Exception as error:  # sentencepiece raises what its C++ raises
        raise InputError(f"{path} is cut short or is not a sentencepiece model. Fetch it again.") from error


def _wordpiece(path: Path, lowercase: bool) -> Any:
    try:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    except ImportError as error:
        raise MissingPart("bleurt needs the extra 'neural': pip install 'mt-assay[neural]'") from error
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a vocabulary in UTF-8, a piece a line.") from error
    names = [line.strip() for line in (lines if lines[-1] else lines[:-1])]
    if "[UNK]" not in names:
        raise InputError(f"{path} has no token [UNK]: it is not the vocabulary of a BLEURT.")
    vocabulary = {name: number for number, name in enumerate(names)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=_LONGEST_WORD))
    made.normalizer = normalizers.BertNormalizer(clean_text=False, lowercase=lowercase)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made
