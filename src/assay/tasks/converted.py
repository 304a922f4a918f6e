"""Neural translators that were converted for CTranslate2: Marian (OPUS), M2M100 and NLLB."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingPart
from assay.tasks.checkpoint import knows, language_tokens
from assay.tasks.programs import LineProgram

_NEEDS = ("ctranslate2", "transformers")
_ENGLISH = ("__en__", "eng_Latn")
"""Tokens of M2M100 and NLLB, which know English whatever else they know."""
_BATCH = 16
_WORKER = "import sys; from assay.tasks.converted import work; work(*sys.argv[1:])"


class Converted:
    """``ctranslate2:FOLDER``: a converted checkpoint with its tokenizer, decoded greedily, in a process of its own.

    The folder is what ``ct2-transformers-converter --model CHECKPOINT --output_dir FOLDER --copy_files …`` writes; the copied
    files are the tokenizer's, all that the checkpoint has of it (``tokenizer_config.json``, ``source.spm``, ``vocab.json`` …).
    """

    def __init__(self, folder: str, seconds: float = 600.0, longest: int = 256) -> None:
        self.folder = Path(folder).expanduser()
        self.name = f"ctranslate2:{self.folder.name}"
        self.seconds, self.longest = seconds, longest
        if not (self.folder / "model.bin").is_file():
            raise InputError(
                f"{self.folder} has no model.bin: give a folder that ct2-transformers-converter has written."
            )
        if not (self.folder / "tokenizer_config.json").is_file():
            raise InputError(
                f"{self.folder} has no tokenizer_config.json: convert again, with the tokenizer in --copy_files."
            )

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """One translation a text; None where the model crashed or hung."""
        if absent := [name for name in _NEEDS if importlib.util.find_spec(name) is None]:
            raise MissingPart(f"{self.name} needs {' and '.join(absent)}: pip install 'mt-assay[ctranslate2]'")
        command = [sys.executable, "-c", _WORKER, str(self.folder), source, target, str(self.longest)]
        self._check(command)
        return LineProgram(command, self.seconds).translate(texts)

    def _check(self, command: Sequence[str]) -> None:
        """Load everything once and translate nothing: what fails now would fail on every segment."""
        try:
            loaded = subprocess.run(command, input=b"", capture_output=True, timeout=self.seconds, check=False)
        except subprocess.TimeoutExpired:
            raise InputError(f"{self.folder} was not loaded within {self.seconds:g} seconds.") from None
        if loaded.returncode:
            said = loaded.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit {loaded.returncode}"]
            raise InputError(f"{self.folder} cannot be used: {said[-1].partition('InputError: ')[2] or said[-1]}")


def work(folder: str, source: str, target: str, longest: str) -> None:
    """Translate the lines of standard input to standard output: what `Converted` runs in a process of its own."""
    import ctranslate2
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    token = _told(tokenizer, source, target)
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


def _told(tokenizer: Any, source: str, target: str) -> str | None:
    """Tell the tokenizer its language and give the token that begins a translation; a model of one pair has none."""
    if not any(knows(tokenizer, token) for token in _ENGLISH):
        return None
    if (known := language_tokens(tokenizer, source, target)) is None:
        raise InputError(f"it does not know both languages, {source} and {target}.")
    tokenizer.src_lang, token = known
    return token
