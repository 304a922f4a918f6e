"""BLEU's tokenizers other than 13a: sacrebleu's own, and sentencepiece models in local files.

sacrebleu downloads a missing sentencepiece model automatically. assay downloads nothing unless asked to; instead it reads the
model from a local file here and returns the same subwords.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.core.errors import InputError, MissingPart
from assay.io.resources.spm import find_spm
from assay.metrics.common import References

SENTENCEPIECE = {"spm": "flores101", "flores101": "flores101", "flores200": "flores200"}
_SACREBLEU = {
    "intl": "tokenizer_intl:TokenizerV14International",
    "zh": "tokenizer_zh:TokenizerZh",
    "char": "tokenizer_char:TokenizerChar",
    "ja-mecab": "tokenizer_ja_mecab:TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab:TokenizerKoMecab",
}
_EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}


class LineTokenizer:
    """A function from a line to the tokenized line, with an identifier for signatures.

    Tokenizers written in C (MeCab, sentencepiece) do not accept every string. Lone surrogates are first replaced with U+FFFD;
    for MeCab, so are NULs, which would end the text.
    """

    def __init__(self, signature: str, call: Callable[[str], str], weights: str | None = None) -> None:
        self.signature, self.weights = signature, weights
        self._call = call
        self._lock = threading.Lock()  # MeCab taggers are not thread-safe

    def columns(self, hypotheses: Sequence[str], references: References) -> tuple[list[str], References]:
        """Tokenize both sides, each distinct line only once."""
        lines = {text: "" for column in (hypotheses, *references) for text in column if text is not None}
        with self._lock:
            for text in lines:
                lines[text] = self._call(text.rstrip())
        tokenized = tuple([None if text is None else lines[text] for text in column] for column in references)
        return [lines[text] for text in hypotheses], tokenized


def tokenizer(name: str, model: str | None) -> LineTokenizer:
    """Return the tokenizer with this sacrebleu name.

    `model` is the path of a sentencepiece model to use instead of the default one.
    """
    if name in SENTENCEPIECE:
        return _sentencepiece(name, model)
    module, _, attribute = _SACREBLEU[name].partition(":")
    make = getattr(importlib.import_module(f"sacrebleu.tokenizers.{module}"), attribute)
    if name not in _EXTRAS:
        return LineTokenizer(name, make())
    try:
        line_tokenizer = make()
    except (RuntimeError, AssertionError) as error:  # MeCab or its dictionary is missing
        extra = _EXTRAS[name]
        raise MissingPart(f"tokenizer {name} needs the extra {extra!r}: pip install 'mt-assay[{extra}]'") from error
    return LineTokenizer(
        line_tokenizer.signature(), lambda line: line_tokenizer(well_formed(line).replace("\0", "\ufffd"))
    )


def well_formed(line: str) -> str:
    """Replace lone surrogates, which cannot be encoded in UTF-8, with U+FFFD."""
    try:
        line.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in line)
    return line


def _sentencepiece(name: str, model: str | None) -> LineTokenizer:
    import hashlib

    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise MissingPart(f"tokenizer {name} needs the extra 'spm': pip install 'mt-assay[spm]'") from error
    published = SENTENCEPIECE[name]
    path = Path(model) if model else find_spm(published)
    if path is None:
        raise MissingPart(
            f"tokenizer {name} requires its sentencepiece model. Run assay fetch {published}, or specify a local file with "
            "model=PATH."
        )
    try:
        content = path.read_bytes()
        processor = SentencePieceProcessor(model_proto=content)
    except OSError as error:
        raise InputError(f"sentencepiece model {path} cannot be read: {error.strerror}.") from error
    except RuntimeError as error:
        raise InputError(f"{path} is not a sentencepiece model.") from error
    return LineTokenizer(
        name if model else published,
        lambda line: " ".join(processor.EncodeAsPieces(well_formed(line))),
        weights=hashlib.sha256(content).hexdigest()[:12],
    )
