"""Prompts of GEMBA (Kocmi and Federmann 2023), which are downloaded or read from a checkout.

The texts belong to the authors and are not shipped; they are verified by SHA-256. ``data/gemba.toml`` has the facts about
them.
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
    """Source of one prompt, how its answers are read, and its SHA-256."""

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
    """Return the known facts about the prompts."""
    text = (files("assay") / "data" / "gemba.toml").read_text(encoding="utf-8")
    return typed(GembaFacts, tomllib.loads(text), Place("gemba.toml"))


def find_prompts(name: str) -> Path:
    """Return the folder with the prompts of the metric `name`; raise MissingPart with instructions if there is none."""
    place = _home()
    if is_trusted(place) and all(
        (place / f"{known}.toml").is_file() for known in (name, f"{name}-ref") if known in facts().prompts
    ):
        return place
    raise MissingPart(
        f"{name} asks in the words of GEMBA's authors ({LICENCE}), which are not shipped with assay. Get them ({KILOBYTES} kB): "
        f"assay fetch gemba; or give a checkout of {REPOSITORY}: {name}:prompts=FOLDER. judge-da and judge-mqm need neither."
    )


def gemba_prompt(name: str, folder: str = "") -> Prompt:
    """Return a downloaded prompt by name, or one from `folder`, which is a checkout or a download folder."""
    place = Path(folder).expanduser() if folder else find_prompts(name.removesuffix("-ref"))
    if (place / facts().prompts[name].file).is_file():
        return _known(name, prompt_of(_values(name, place), Place(str(place))), str(place))
    kept = place / f"{name}.toml"
    if folder and not kept.is_file():
        raise MissingPart(
            f"{folder} has neither {kept.name} nor {facts().prompts[name].file}: give a checkout of {REPOSITORY}, or the folder "
            "that assay fetch gemba --data-dir made."
        )
    return _known(name, from_file(str(kept)), str(kept))


def fetch_prompts(folder: str | None = None, progress: Progress | None = None, say: Notify | None = None) -> Path:
    """Download the prompts unless they exist, and return their folder."""
    place = Path(folder).expanduser() / "gemba" if folder else _home()
    if all(_kept(name, place) for name in facts().prompts):
        return place
    sums = {file: (place / file, sha256) for file, sha256 in facts().files.items()}
    if offline() and not all(target.is_file() for target, _ in sums.values()):
        raise MissingPart("gemba is not whole on this machine, and HF_HUB_OFFLINE is set. Unset it to fetch gemba.")
    for file, (target, sha256) in sums.items():
        download("gemba", f"{_address()}/{file}", target, sha256, progress, say=say)
    for name in facts().prompts:
        values = _values(name, place)
        _known(name, prompt_of(values, Place(str(place))), str(place))
        with atomic_write(place / f"{name}.toml", "w") as out:
            out.write(_HEAD.format(commit=facts().commit) + _toml(values))
    for target, _ in sums.values():
        target.unlink()
    with suppress(OSError):  # another fetch may have left a part there
        (place / "gemba").rmdir()
    return place


def _home() -> Path:
    return cache_dir() / "prompts" / "gemba"


def _address() -> str:
    mirror = os.environ.get("ASSAY_GEMBA", "").strip().rstrip("/")
    return mirror or f"https://raw.githubusercontent.com/{REPOSITORY}/{facts().commit}"


def _kept(name: str, place: Path) -> bool:
    """Return whether a prompt exists and is the known one."""
    kept = place / f"{name}.toml"
    try:
        return kept.is_file() and bool(_known(name, from_file(str(kept)), str(kept)))
    except AssayError:
        return False


def _known(name: str, prompt: Prompt, where: str) -> Prompt:
    expected = facts().prompts[name].sha256
    if prompt.sha256 != expected:
        raise InputError(
            f"{where} has other words for {name} than {VERSION} stands for (sha256 {prompt.sha256[:12]}…, expected "
            f"{expected[:12]}…), so that numbers would not compare. Get the known ones: assay fetch gemba; or call yours by a "
            "name of its own: judge:prompt=FILE."
        )
    return prompt


def _values(name: str, folder: Path) -> dict[str, Any]:
    """Return a prompt as a document: the texts of a checkout, and how answers to them are read."""
    known = facts().prompts[name]
    path = str(folder / known.file)
    source = PythonLiterals(read_text(path, MOST_SOURCE), path)
    values: dict[str, Any] = {"name": name, "version": VERSION, "licence": LICENCE, **known.reading}
    if known.conversation:
        return {**values, "messages": source.conversation(known.conversation)}
    if known.first:
        values["first"] = {"messages": source.conversation(known.first)}
        return {**values, "messages": _asked(source.value(known.question), path)}
    entry = source.value("prompts")
    entry = entry.get(known.entry) if isinstance(entry, dict) else None
    if not isinstance(entry, dict):
        raise InputError(f"{path} has no prompt called {known.entry}: it is not the file that assay knows.")
    if known.reading["answer"] == "classes":
        reader = entry.get("validate_answer")
        values["classes"] = reader.get("classes") if isinstance(reader, dict) else None
    return {**values, "messages": _asked(entry.get("prompt"), path)}


def _asked(question: Any, path: str) -> list[dict[str, str]]:
    if not isinstance(question, str):
        raise InputError(f"{path} has something else than words where a question should stand.")
    return [{"role": "user", "content": question}]


def _toml(values: dict[str, Any], table: str = "") -> str:
    """Return a document in TOML: texts, numbers and lists first, then its tables and lists of tables."""
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
