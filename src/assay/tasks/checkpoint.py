"""Neural translators from a local folder: Marian (OPUS), M2M100 and NLLB through `transformers`, or converted for CTranslate2."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingPart
from assay.data import rows
from assay.io.documents import read_document
from assay.tasks.programs import LineProgram

_NLLB_CODES = {row["language"]: row["code"] for row in rows("tasks/nllb_codes.csv")}


def language_tokens(tokenizer: Any, source: str, target: str) -> tuple[str, str] | None:
    """Return the tokenizer's name for the source language and the first token of a translation, or None if it lacks either.

    M2M100 uses the token ``__es__`` and the name ``es``; NLLB uses ``spa_Latn`` for both.
    """
    if has_tokens(tokenizer, f"__{source}__", f"__{target}__"):
        return source, f"__{target}__"
    first, second = _NLLB_CODES.get(source, source), _NLLB_CODES.get(target, target)
    return (first, second) if has_tokens(tokenizer, first, second) else None


def has_tokens(tokenizer: Any, *tokens: str) -> bool:
    """Return whether the tokenizer knows all these tokens; M2M100's does not list its language tokens."""
    return not {tokenizer.convert_tokens_to_ids(token) for token in tokens} & {None, tokenizer.unk_token_id}


def disable_progress_bars() -> None:
    """Disable the progress bars that transformers prints while it loads weights."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.disable_progress_bar()


class Checkpoint:
    """Translator ``transformers:FOLDER``: an encoder-decoder checkpoint with greedy decoding, so runs are reproducible."""

    def __init__(self, folder: str, batch: int = 16, longest: int = 256) -> None:
        self.folder = Path(folder).expanduser()
        self.name = f"transformers:{self.folder.name}"
        self.batch, self.longest = batch, longest
        if not (self.folder / "config.json").is_file():
            raise InputError(f"{self.folder} has no config.json. Specify the folder of a transformers checkpoint.")
        about = read_document(self.folder / "config.json")
        self.kind = str(about.get("model_type", "")) if isinstance(about, dict) else ""
        self._loaded: tuple[Any, Any] | None = None

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Return one translation per text. A failed batch is retried text by text; a text that still fails is None."""
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
        # Remove the language token, which would precede every translation if it is not a special token.
        language = options.get("forced_bos_token_id")
        rows = [[token for token in row if token != language] for row in tokens.tolist()]
        return list(tokenizer.batch_decode(rows, skip_special_tokens=True))

    def _languages(self, tokenizer: Any, source: str, target: str) -> dict[str, Any]:
        """Return the options that set the languages; a Marian model has a fixed language pair and needs none."""
        if self.kind != "m2m_100":
            return {}
        if (names := language_tokens(tokenizer, source, target)) is None:
            raise InputError(f"{self.folder} must support both languages of the pair, {source} and {target}.")
        tokenizer.src_lang, token = names
        return {"forced_bos_token_id": tokenizer.convert_tokens_to_ids(token)}

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            tokenizer, model = load_pretrained(
                self.name, self.folder, "AutoModelForSeq2SeqLM", "a translation checkpoint"
            )
            self._loaded = tokenizer, model.eval()
        return self._loaded


def load_pretrained(name: str, folder: Path, model_class: str, what: str, **options: Any) -> tuple[Any, Any]:
    """Load the tokenizer and the model from a folder with a transformers class, without running any code from the folder."""
    try:
        transformers: Any = importlib.import_module("transformers")
        loader = getattr(transformers, model_class)
    except ImportError as error:
        raise MissingPart(f"{name} needs torch and transformers: pip install torch transformers") from error
    disable_progress_bars()
    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        return transformers.AutoTokenizer.from_pretrained(folder, **local), loader.from_pretrained(
            folder, **local, **options
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{folder} is not {what}: {str(error).splitlines()[0]}") from error


_NEEDS = ("ctranslate2", "transformers")
_ENGLISH = ("__en__", "eng_Latn")
"""English language tokens of M2M100 and NLLB; every model of these families has them."""
_BATCH = 16
_WORKER = "import sys; from assay.tasks.checkpoint import translate_stream; translate_stream(*sys.argv[1:])"


class Converted:
    """Translator ``ctranslate2:FOLDER``: a converted checkpoint with its tokenizer, run with greedy decoding in a separate process.

    ``ct2-transformers-converter --model CHECKPOINT --output_dir FOLDER --copy_files …`` creates the folder. Copy all tokenizer
    files of the checkpoint (``tokenizer_config.json``, ``source.spm``, ``vocab.json`` …).
    """

    def __init__(self, folder: str, seconds: float = 600.0, longest: int = 256) -> None:
        self.folder = Path(folder).expanduser()
        self.name = f"ctranslate2:{self.folder.name}"
        self.seconds, self.longest = seconds, longest
        if not (self.folder / "model.bin").is_file():
            raise InputError(f"{self.folder} has no model.bin. Specify a folder written by ct2-transformers-converter.")
        if not (self.folder / "tokenizer_config.json").is_file():
            raise InputError(
                f"{self.folder} has no tokenizer_config.json. Convert the model again, with the tokenizer in --copy_files."
            )

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Return one translation per text; None if the model crashes or hangs."""
        if absent := [name for name in _NEEDS if importlib.util.find_spec(name) is None]:
            raise MissingPart(f"{self.name} needs {' and '.join(absent)}: pip install 'mt-assay[ctranslate2]'")
        command = [sys.executable, "-c", _WORKER, str(self.folder), source, target, str(self.longest)]
        self._check(command)
        return LineProgram(command, self.seconds).translate(texts)

    def _check(self, command: Sequence[str]) -> None:
        """Load the model once without translating: an error here would affect every segment."""
        try:
            loaded = subprocess.run(command, input=b"", capture_output=True, timeout=self.seconds, check=False)
        except subprocess.TimeoutExpired:
            raise InputError(f"{self.folder} could not be loaded within {self.seconds:g} seconds.") from None
        if loaded.returncode:
            error_lines = loaded.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit {loaded.returncode}"]
            raise InputError(
                f"{self.folder} cannot be used: {error_lines[-1].partition('InputError: ')[2] or error_lines[-1]}"
            )


def translate_stream(folder: str, source: str, target: str, longest: str) -> None:
    """Translate standard input line by line to standard output; runs in the separate process started by `Converted`."""
    import ctranslate2
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    token = _set_languages(tokenizer, source, target)
    model = ctranslate2.Translator(folder, device="cpu")
    lines = sys.stdin.buffer.read().decode("utf-8").splitlines()
    coded = [tokenizer(line, truncation=True, max_length=int(longest))["input_ids"] for line in lines]
    results = model.translate_batch(
        [tokenizer.convert_ids_to_tokens(ids) for ids in coded],
        target_prefix=[[token]] * len(coded) if token else None,
        beam_size=1,
        max_batch_size=_BATCH,
        min_decoding_length=0,
        max_decoding_length=int(longest),
    )
    for result in results:
        ids = tokenizer.convert_tokens_to_ids([word for word in result.hypotheses[0] if word != token])
        sys.stdout.write(" ".join(str(tokenizer.decode(ids, skip_special_tokens=True)).split()) + "\n")


def _set_languages(tokenizer: Any, source: str, target: str) -> str | None:
    """Set the tokenizer's source language and return the first token of a translation, or None for a single-pair model."""
    if not any(has_tokens(tokenizer, token) for token in _ENGLISH):
        return None
    if (names := language_tokens(tokenizer, source, target)) is None:
        raise InputError(f"the model must support both languages of the pair, {source} and {target}.")
    tokenizer.src_lang, token = names
    return token
