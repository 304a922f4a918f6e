"""GEMBA prompts (Kocmi and Federmann 2023), downloaded or read from a checkout.

The texts belong to the authors and are not bundled; they are verified by SHA-256. ``data/gemba.toml`` lists the commit,
files and hashes.
"""

from __future__ import annotations

import functools
import json
import os
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, InputError, MissingPart
from assay.core.schema import Place, typed
from assay.io.files.atomic import atomic_write
from assay.io.files.download import Notify, Progress, download
from assay.io.files.paths import cache_dir, is_trusted
from assay.io.files.server import offline
from assay.io.files.text import read_text
from assay.io.judgements.literals import MOST_SOURCE, PythonLiterals
from assay.io.judgements.prompts import Prompt, from_file, prompt_of

REPOSITORY = "MicrosoftTranslator/GEMBA"
VERSION, LICENCE = "gemba-1", "CC BY-SA 4.0"
KILOBYTES = 22
_HEAD = f"# The words of GEMBA's authors (github.com/{REPOSITORY}, commit {{commit}}), unchanged: {LICENCE}, © the authors.\n"


@dataclass(frozen=True, slots=True)
class GembaPromptFacts:
    """Source and SHA-256 of one prompt, and how its answers are read."""

    sha256: str
    reading: dict[str, Any]
    file: str = "gemba/prompt.py"
    entry: str = ""
    conversation: str = ""
    question: str = ""
    first: str = ""


@dataclass(frozen=True, slots=True)
class GembaFacts:
    """The commit to download, its files with their SHA-256, and the prompts in them."""

    commit: str
    files: dict[str, str]
    prompts: dict[str, GembaPromptFacts]


@functools.cache
def facts() -> GembaFacts:
    """Return the contents of ``data/gemba.toml``."""
    text = (files("assay") / "data" / "gemba.toml").read_text(encoding="utf-8")
    return typed(GembaFacts, tomllib.loads(text), Place("gemba.toml"))


def find_prompts(name: str) -> Path:
    """Return the folder with the prompts of the metric `name`; if it is missing, raise MissingPart with instructions."""
    location = _prompt_folder()
    if is_trusted(location) and all(
        (location / f"{stem}.toml").is_file() for stem in (name, f"{name}-ref") if stem in facts().prompts
    ):
        return location
    raise MissingPart(
        f"{name} requires the GEMBA prompts ({LICENCE}), which are not shipped with assay. Download them "
        f"({KILOBYTES} kB): assay fetch gemba. Or use a checkout of {REPOSITORY}: {name}:prompts=FOLDER. judge-da "
        "and judge-mqm need neither."
    )


def gemba_prompt(name: str, folder: str = "") -> Prompt:
    """Return a prompt by name, either downloaded or from `folder`, which is a checkout or a download folder."""
    location = Path(folder).expanduser() if folder else find_prompts(name.removesuffix("-ref"))
    if (location / facts().prompts[name].file).is_file():
        return _verify(name, prompt_of(_document(name, location), Place(str(location))), str(location))
    path = location / f"{name}.toml"
    if folder and not path.is_file():
        raise MissingPart(
            f"{folder} has neither {path.name} nor {facts().prompts[name].file}: name a checkout of {REPOSITORY}, or "
            "a folder written by assay fetch gemba --data-dir."
        )
    return _verify(name, from_file(str(path)), str(path))


def fetch_prompts(folder: str | None = None, progress: Progress | None = None, say: Notify | None = None) -> Path:
    """Download the prompts unless they exist, and return their folder."""
    location = Path(folder).expanduser() / "gemba" if folder else _prompt_folder()
    if all(_is_cached(name, location) for name in facts().prompts):
        return location
    sums = {file: (location / file, sha256) for file, sha256 in facts().files.items()}
    if offline() and not all(target.is_file() for target, _ in sums.values()):
        raise MissingPart("gemba is incomplete on this machine, and HF_HUB_OFFLINE is set. Unset it to download gemba.")
    for file, (target, sha256) in sums.items():
        download("gemba", f"{_address()}/{file}", target, sha256, progress, say=say)
    for name in facts().prompts:
        values = _document(name, location)
        _verify(name, prompt_of(values, Place(str(location))), str(location))
        with atomic_write(location / f"{name}.toml", "w") as out:
            out.write(_HEAD.format(commit=facts().commit) + _toml(values))
    for target, _ in sums.values():
        target.unlink()
    with suppress(OSError):  # another download may have left a part there
        (location / "gemba").rmdir()
    return location


def _prompt_folder() -> Path:
    return cache_dir() / "prompts" / "gemba"


def _address() -> str:
    mirror = os.environ.get("ASSAY_GEMBA", "").strip().rstrip("/")
    return mirror or f"https://raw.githubusercontent.com/{REPOSITORY}/{facts().commit}"


def _is_cached(name: str, location: Path) -> bool:
    """Return whether a prompt exists and has the expected hash."""
    path = location / f"{name}.toml"
    try:
        return path.is_file() and bool(_verify(name, from_file(str(path)), str(path)))
    except AssayError:
        return False


def _verify(name: str, prompt: Prompt, where: str) -> Prompt:
    expected = facts().prompts[name].sha256
    if prompt.sha256 != expected:
        raise InputError(
            f"{where} differs from the prompt {name} of {VERSION} (sha256 {prompt.sha256[:12]}…, expected "
            f"{expected[:12]}…), so scores would not be comparable. Download the published prompts: assay fetch "
            "gemba. Or use your own: judge:prompt=FILE."
        )
    return prompt


def _document(name: str, folder: Path) -> dict[str, Any]:
    """Return a prompt as a document: texts from a checkout, and how answers to them are read."""
    known = facts().prompts[name]
    path = str(folder / known.file)
    source = PythonLiterals(read_text(path, MOST_SOURCE), path)
    values: dict[str, Any] = {"name": name, "version": VERSION, "licence": LICENCE, **known.reading}
    if known.conversation:
        return {**values, "messages": source.conversation(known.conversation)}
    if known.first:
        values["first"] = {"messages": source.conversation(known.first)}
        return {**values, "messages": _user_message(source.value(known.question), path)}
    entry = source.value("prompts")
    entry = entry.get(known.entry) if isinstance(entry, dict) else None
    if not isinstance(entry, dict):
        raise InputError(f"{path} has no prompt named {known.entry}. Use the published file.")
    if known.reading["answer"] == "classes":
        reader = entry.get("validate_answer")
        values["classes"] = reader.get("classes") if isinstance(reader, dict) else None
    return {**values, "messages": _user_message(entry.get("prompt"), path)}


def _user_message(question: Any, path: str) -> list[dict[str, str]]:
    if not isinstance(question, str):
        raise InputError(f"{path} has no text where a question is expected. Use the published file.")
    return [{"role": "user", "content": question}]


def _toml(values: dict[str, Any], table: str = "") -> str:
    """Return a document as TOML: texts, numbers and lists first, then its tables and lists of tables."""
    plain, below = "", ""
    for key, value in values.items():
        if isinstance(value, dict) and "messages" in value:
            below += f"\n[{table}{key}]\n{_toml(value, f'{table}{key}.')}"
        elif key == "messages":
            below += "".join(f"\n[[{table}{key}]]\n{_toml(message)}" for message in value)
        elif isinstance(value, dict):
            plain += f"{key} = {{ {', '.join(f'{name} = {number}' for name, number in value.items())} }}\n"
        else:
            plain += f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
    return plain + below
