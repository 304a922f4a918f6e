"""Token ids of texts for encoder-decoders: tokenizers in any format, and each family's special tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingPart
from assay.io.documents import read_document
from assay.models.encoders.tokenizer import is_unigram, plain_tokenizer, replace_surrogates
from assay.models.seq2seq.config import Shape

PIECE_FILES = ("spiece.model", "sentencepiece.bpe.model", "sentencepiece.model")


@dataclass(frozen=True, slots=True)
class Target:
    """The tokens that the decoder reads, the tokens whose probabilities are computed, and the index at which counting begins."""

    read: tuple[int, ...]
    asked: tuple[int, ...]
    counted_from: int = 0


@dataclass(frozen=True, slots=True)
class Words:
    """A tokenizer without special tokens, and the ids of those tokens."""

    encode: Callable[[Sequence[str]], list[list[int]]]
    token_id: Callable[[str], int | None]
    files: tuple[Path, ...]
    size: int


def read_tokenizer(folder: Path, path: str | Path | None = None) -> Words:
    """Read the tokenizer in a folder, or at the given path (a folder, ``tokenizer.json`` or a sentencepiece model)."""
    location = folder if path is None else Path(path).expanduser()
    home = location if location.is_dir() else location.parent
    if location.is_file():
        return _json(location) if location.suffix == ".json" else _pieces(location, None)
    if (home / "tokenizer.json").is_file():
        return _json(home / "tokenizer.json")
    if (home / "vocab.json").is_file() and (home / "merges.txt").is_file():
        return _bytes(home / "vocab.json", home / "merges.txt")
    file = next((home / name for name in PIECE_FILES if (home / name).is_file()), None)
    if file is not None:
        return _pieces(file, home / "vocab.json" if (home / "vocab.json").is_file() else None)
    raise MissingPart(
        f"{location} has no tokenizer: tokenizer.json, vocab.json with merges.txt, or spiece.model is missing. Put it next to "
        "config.json, or specify it with tokenizer=PATH."
    )


def _json(path: Path) -> Words:
    return _backend(lambda: _load(path), (path,))


def _load(path: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))


def _bytes(vocabulary: Path, merges: Path) -> Words:
    """Return the byte-pair tokenizer for BART and GPT-2."""

    def make() -> Any:
        from tokenizers import Tokenizer, models, pre_tokenizers

        tokenizer = Tokenizer(models.BPE.from_file(str(vocabulary), str(merges)))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        special = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>")
        tokenizer.add_special_tokens([one for one in special if tokenizer.token_to_id(one) is not None])
        return tokenizer

    return _backend(make, (vocabulary, merges))


def _backend(make: Callable[[], Any], files: tuple[Path, ...]) -> Words:
    try:
        backend = make()
    except ImportError as error:
        raise MissingPart("neural metrics need the extra 'neural': pip install 'mt-assay[neural]'") from error
    except Exception as error:
        raise InputError(f"{files[0]} is not a readable tokenizer: {str(error)[:160]}.") from error
    backend.no_truncation()
    backend.no_padding()

    def encode(texts: Sequence[str]) -> list[list[int]]:
        plain = [replace_surrogates(text) for text in texts]
        return [one.ids for one in backend.encode_batch_fast(plain, add_special_tokens=False)]

    return Words(encode, backend.token_to_id, files, int(backend.get_vocab_size()))


def _pieces(path: Path, vocabulary: Path | None) -> Words:
    """Read a sentencepiece model, with the ids from a vocabulary file (M2M-100) or its own (mT5)."""
    if vocabulary is not None:
        numbers = read_document(vocabulary, said="cannot be read")
        if not isinstance(numbers, dict) or not all(isinstance(one, int) for one in numbers.values()):
            raise InputError(f"{vocabulary} must assign an id to every subword.")
        return numbered(path, numbers, numbers.get("<unk>", 3), (vocabulary,))

    def make() -> Any:
        data = path.read_bytes()
        if not is_unigram(data):
            raise ValueError("byte pairs need a tokenizer.json next to the model")
        backend = plain_tokenizer(data, named=True)
        backend.add_special_tokens([one for one in ("<pad>", "</s>", "<unk>") if backend.token_to_id(one) is not None])
        return backend

    return _backend(make, (path,))


def numbered(path: Path, numbers: Mapping[str, int], unknown: int, others: tuple[Path, ...]) -> Words:
    """Return a sentencepiece model's tokenizer with the ids from a separate dictionary."""
    split = _splitter(path)

    def encode(texts: Sequence[str]) -> list[list[int]]:
        plain = [replace_surrogates(text) for text in texts]
        return [[numbers.get(piece, unknown) for piece in pieces] for pieces in split(plain)]

    return Words(encode, numbers.get, (path, *others), len(numbers))


def _splitter(path: Path) -> Callable[[list[str]], list[list[str]]]:
    try:
        data = path.read_bytes()
        if is_unigram(data):
            backend = plain_tokenizer(data)
            return lambda texts: [one.tokens for one in backend.encode_batch(texts)]
    except OSError as error:
        raise MissingPart(f"the sentencepiece model {path} does not exist.") from error
    except Exception as error:
        raise InputError(f"{path} is not a readable sentencepiece model: {str(error)[:160]}.") from error
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise MissingPart(
            f"{path} contains byte pairs, which need the extra 'neural': pip install 'mt-assay[neural]'"
        ) from error
    processor = SentencePieceProcessor(model_proto=data)
    return lambda texts: processor.encode(texts, out_type=str)


class Framing:
    """Special tokens that a family puts around source and target, and the maximum lengths."""

    def __init__(self, shape: Shape, words: Words, longest: int | None = None) -> None:
        self.shape, self.words = shape, words
        self.longest = min(longest or shape.longest, shape.longest)
        self.fifty = shape.family == "mbart" and words.token_id("af_ZA") is not None
        """mBART-50 puts the language in front, mBART-25 at the end."""
        self.first = words.token_id("<s>") if shape.family == "bart" else None
        if shape.family == "bart" and self.first is None:
            raise InputError(f"{words.files[0]} has no token <s>: it is not a BART tokenizer.")
        if words.size > shape.vocabulary:
            raise InputError(
                f"{words.files[0]} has {words.size:,} tokens, the model {shape.vocabulary:,}: it belongs to another model. "
                "Specify the right one with tokenizer=PATH."
            )

    @property
    def by_language(self) -> bool:
        """Whether texts need a language tag."""
        return self.shape.family in ("mbart", "m2m_100", "fairseq")

    def knows(self, language: str) -> bool:
        """Return whether this language has a tag or needs none."""
        return not self.by_language or self.tag(language) is not None

    def tag(self, language: str) -> int | None:
        """Return the token for a language."""
        if self.shape.family == "mbart":
            codes = (f"{language}_{region}" for region in _REGIONS.get(language, (language.upper(),)))
            return next((token for one in codes if (token := self.words.token_id(one)) is not None), None)
        return self.words.token_id(f"__{language}__" if self.shape.family == "m2m_100" else f"<{language}>")

    def source(self, ids: Sequence[int], language: str) -> tuple[tuple[int, ...], bool]:
        """Return the tokens that the encoder reads, and whether the text was truncated."""
        before, after = self._around(language)
        if self.shape.family == "fairseq":
            before = ()  # only the decoder reads the language
        return self._cut(before, ids, after)

    def target(self, ids: Sequence[int], language: str) -> tuple[Target, bool]:
        """Return the tokens that the decoder reads and predicts, and whether the text was truncated.

        As in BARTScore, BART's first token counts. As in Prism, a tag that only identifies the language does not count.
        """
        if self.shape.family == "gpt2":
            target_ids, cut = self._cut((), ids, (self.shape.end,), room=1)
            return Target((self.shape.start, *target_ids[:-1]), target_ids), cut
        before, after = self._around(language)
        if self.shape.family == "mbart" and not self.fifty:
            before, after = after[1:], after[:1]
            target_ids, cut = self._cut((), ids, after, room=1)
            return Target((*before, *target_ids[:-1]), target_ids), cut
        target_ids, cut = self._cut(before, ids, after)
        start = self.shape.start
        return Target((start, *target_ids[:-1]), target_ids, len(before) if self.by_language else 0), cut

    def _around(self, language: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        end = (self.shape.end,)
        if self.first is not None:
            return (self.first,), end
        if not self.by_language:
            return (), end
        tag = self.tag(language)
        if tag is None:
            raise InputError(f"{self.words.files[0]} has no tag for the language {language!r}.")
        return ((), (*end, tag)) if self.shape.family == "mbart" and not self.fifty else ((tag,), end)

    def _cut(
        self, before: tuple[int, ...], ids: Sequence[int], after: tuple[int, ...], room: int = 0
    ) -> tuple[tuple[int, ...], bool]:
        most = self.longest - len(before) - len(after) - room
        return (*before, *ids[:most], *after), len(ids) > most


_REGIONS = {
    "ar": ("AR",), "cs": ("CZ",), "en": ("XX",), "et": ("EE",), "gu": ("IN",), "hi": ("IN",), "ja": ("XX",), "kk": ("KZ",),
    "ko": ("KR",), "my": ("MM",), "ne": ("NP",), "si": ("LK",), "es": ("XX",), "vi": ("VN",), "zh": ("CN",), "af": ("ZA",),
    "bn": ("IN",), "fa": ("IR",), "he": ("IL",), "ka": ("GE",), "km": ("KH",), "ml": ("IN",), "mr": ("IN",), "pt": ("XX",),
    "sv": ("SE",), "sw": ("KE",), "ta": ("IN",), "te": ("IN",), "tl": ("XX",), "uk": ("UA",), "ur": ("PK",), "xh": ("ZA",),
    "gl": ("ES",), "sl": ("SI",),
}  # fmt: skip
"""Second half of mBART's language codes, if it differs from the language."""
