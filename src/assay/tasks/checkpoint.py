"""Neural translators from a local folder, through `transformers`: Marian (OPUS), M2M100 and NLLB."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingPart
from assay.io.documents import read_document

_NLLB_CODES = {
    "ar": "arb_Arab",
    "ca": "cat_Latn",
    "de": "deu_Latn",
    "el": "ell_Grek",
    "en": "eng_Latn",
    "es": "spa_Latn",
    "fr": "fra_Latn",
    "hi": "hin_Deva",
    "it": "ita_Latn",
    "ja": "jpn_Jpan",
    "ko": "kor_Hang",
    "pt": "por_Latn",
    "ro": "ron_Latn",
    "ru": "rus_Cyrl",
    "th": "tha_Thai",
    "tr": "tur_Latn",
    "vi": "vie_Latn",
    "zh": "zho_Hans",
}


def language_tokens(tokenizer: Any, source: str, target: str) -> tuple[str, str] | None:
    """What the tokenizer calls the source language, and the token that begins a translation; None if it lacks either.

    M2M100 writes ``__es__`` and is told ``es``; NLLB writes ``spa_Latn`` and is told the same.
    """
    if knows(tokenizer, f"__{source}__", f"__{target}__"):
        return source, f"__{target}__"
    first, second = _NLLB_CODES.get(source, source), _NLLB_CODES.get(target, target)
    return (first, second) if knows(tokenizer, first, second) else None


def knows(tokenizer: Any, *tokens: str) -> bool:
    """Whether the tokenizer has all these tokens; M2M100's does not list those of its languages."""
    return not {tokenizer.convert_tokens_to_ids(token) for token in tokens} & {None, tokenizer.unk_token_id}


def no_progress_bars() -> None:
    """Loading weights draws a bar on every terminal and in every log; here progress is said by the command line alone."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.disable_progress_bar()


class Checkpoint:
    """``transformers:FOLDER``: an encoder-decoder checkpoint, decoded greedily so that two runs agree."""

    def __init__(self, folder: str, batch: int = 16, longest: int = 256) -> None:
        self.folder = Path(folder).expanduser()
        self.name = f"transformers:{self.folder.name}"
        self.batch, self.longest = batch, longest
        if not (self.folder / "config.json").is_file():
            raise InputError(f"{self.folder} has no config.json: give the folder of a transformers checkpoint.")
        about = read_document(self.folder / "config.json")
        self.kind = str(about.get("model_type", "")) if isinstance(about, dict) else ""
        self._loaded: tuple[Any, Any] | None = None

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """One translation a text; a batch that fails is tried again text by text, and what still fails is None."""
        tokenizer, model = self._load()
        options = self._languages(tokenizer, source, target)
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        answers: list[str | None] = [None] * len(texts)
        for start in range(0, len(order), self.batch):
            rows = order[start : start + self.batch]
            for index, answer in zip(
                rows, self._batch(tokenizer, model, [texts[i] for i in rows], options), strict=True
            ):
                answers[index] = answer
        return answers

    def _batch(self, tokenizer: Any, model: Any, texts: list[str], options: dict[str, Any]) -> list[str | None]:
        try:
            return list(self._generate(tokenizer, model, texts, options))
        except (RuntimeError, ValueError, IndexError):
            if len(texts) == 1:
                return [None]
            return [self._batch(tokenizer, model, [text], options)[0] for text in texts]

    def _generate(self, tokenizer: Any, model: Any, texts: list[str], options: dict[str, Any]) -> list[str]:
        import torch

        coded = tokenizer(texts, return_tensors="pt", padding=True, truncation=True, max_length=self.longest)
        with torch.inference_mode():
            tokens = model.generate(**coded, **options, num_beams=1, do_sample=False, max_new_tokens=self.longest)
        # Where the language's token is not among the special ones it would stand before every translation.
        language = options.get("forced_bos_token_id")
        said = [[token for token in row if token != language] for row in tokens.tolist()]
        return list(tokenizer.batch_decode(said, skip_special_tokens=True))

    def _languages(self, tokenizer: Any, source: str, target: str) -> dict[str, Any]:
        """What tells the model its languages; a Marian model knows one pair and is told nothing."""
        if self.kind != "m2m_100":
            return {}
        if (known := language_tokens(tokenizer, source, target)) is None:
            raise InputError(f"{self.folder} does not know both languages, {source} and {target}.")
        tokenizer.src_lang, token = known
        return {"forced_bos_token_id": tokenizer.convert_tokens_to_ids(token)}

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            try:
                from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
            except ImportError as error:
                raise MissingPart(
                    f"{self.name} needs torch and transformers: pip install torch transformers"
                ) from error
            no_progress_bars()
            try:
                tokenizer = AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
                model = AutoModelForSeq2SeqLM.from_pretrained(self.folder, local_files_only=True).eval()
            except (OSError, ValueError) as error:
                raise InputError(
                    f"{self.folder} is not a translation checkpoint: {str(error).splitlines()[0]}"
                ) from error
            self._loaded = tokenizer, model
        return self._loaded
