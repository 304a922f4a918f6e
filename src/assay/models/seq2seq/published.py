"""The published encoder-decoders: where they come from, where a local copy may lie, and how one is fetched when asked.

Sizes are those of the published parameters in float32; names and licences are from the repositories' own pages.
"""

from __future__ import annotations

import re
import tarfile
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError, MissingPart
from assay.io.documents import read_document
from assay.io.files.atomic import atomic_write
from assay.io.files.download import Progress, Say, download
from assay.models.hub import Published, address_of, checkpoint_home, copies, fetch_files, hub_address, instruction

WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
_PART = re.compile(r"[\w-][\w.-]*\.(safetensors|bin)")
PRISM_FILES = ("checkpoint.pt", "spm.model", "dict.src.txt", "dict.tgt.txt")


@dataclass(frozen=True, slots=True)
class PublishedModel(Published):
    """A model on the hub, or one that lies as an archive on a server of its own."""

    tokenizer: str = ""
    """The repository that the tokenizer is in, where it is another one."""
    tokenizer_files: tuple[str, ...] = ("spiece.model",)

    @property
    def archive(self) -> bool:
        """Whether it is one file to be unpacked."""
        return self.repository.startswith("http")


def _metricx() -> dict[str, PublishedModel]:
    found = {}
    for size, gigabytes in {"large": 4.9, "xl": 15.0, "xxl": 51.7}.items():
        mt5 = f"google/mt5-{size}"
        found[f"metricx-24-{size}"] = PublishedModel(f"google/metricx-24-hybrid-{size}-v2p6", gigabytes, False, mt5)
        for kind in ("", "qe-"):
            repository = f"google/metricx-23-{kind}{size}-v2p0"
            found[f"metricx-23-{kind}{size}"] = PublishedModel(repository, gigabytes, False, mt5)
    return found


MODELS = {
    **_metricx(),
    "bart-large-cnn": PublishedModel(
        "facebook/bart-large-cnn", 1.6, False, tokenizer_files=("vocab.json", "merges.txt")
    ),
    "m39v1": PublishedModel("http://data.statmt.org/prism/m39v1.tar", 3.0, False),
}
_OF_METRICS = {"bartscore": "bart-large-cnn", "prism": "m39v1", "prism-qe": "m39v1"}


def model_name(name: str) -> str | None:
    """The name here of a model that goes by a metric that reads it, or by its name on the hub."""
    lowered = _OF_METRICS.get(name.lower(), name.lower()).replace("metricx-24-qe-", "metricx-24-")
    for known, one in MODELS.items():
        if lowered in (known, one.repository.lower()):
            return known
    return None


def find_model_of(name: str) -> Path:
    """A local copy of a published model: assay's own, else one in the hub's cache; the error says how to get it."""
    wanted = PRISM_FILES[0] if MODELS[name].archive else "config.json"
    for place in copies(name, MODELS[name]):
        if (place / wanted).is_file():
            return place
    raise MissingPart(f"{name} is not on this machine. {instruction(name)}")


def fetch_model(name: str, folder: str | None = None, progress: Progress | None = None, say: Say | None = None) -> Path:
    """Download a published model with its tokenizer, resumed where it broke off; the folder comes back."""
    known = MODELS[name]
    if known.archive:
        return _unpacked(name, known, folder, progress, say)
    tokenizer = f"{hub_address()}/{known.tokenizer or known.repository}/resolve/main"
    choices = [[(file, f"{tokenizer}/{file}")] for file in known.tokenizer_files]
    choices.append([(file, address_of(known, file)) for file in WEIGHTS])
    place = fetch_files(name, folder, choices, progress, say)
    parts = [part for file in WEIGHTS if file.endswith(".index.json") for part in _parts(place / file)]
    # config.json comes last: where it is, all of the model is.
    whole = [[(file, address_of(known, file))] for file in (*parts, "config.json")]
    return fetch_files(name, folder, whole, progress, say)


def _parts(index: Path) -> list[str]:
    """The files that an index names, none of which may lie elsewhere."""
    if not index.is_file():
        return []
    content = read_document(index, said="cannot be read")
    named = content.get("weight_map") if isinstance(content, dict) else None
    files = sorted(set(map(str, named.values()))) if isinstance(named, dict) else []
    if not files or not all(_PART.fullmatch(file) for file in files):
        raise InputError(f"{index} names no files of weights beside it.")
    return files


def _unpacked(name: str, known: PublishedModel, folder: str | None, progress: Progress | None, say: Say | None) -> Path:
    """The files of an archive by their last names; nothing else of it is written."""
    place = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    if all((place / file).is_file() for file in PRISM_FILES):
        return place
    archive = place / known.repository.rpartition("/")[2]
    download(name, known.repository, archive, progress=progress, say=say)
    try:
        with tarfile.open(archive) as opened:
            members = {Path(one.name).name: one for one in opened if one.isfile()}
            for file in reversed(PRISM_FILES):
                content = opened.extractfile(members[file]) if file in members else None
                if content is None:
                    raise InputError(f"{archive} has no {file}: it is not the archive of Prism's model.")
                with atomic_write(place / file, "wb") as out:
                    while block := content.read(1 << 22):
                        out.write(block)
    except (tarfile.TarError, EOFError) as error:
        raise InputError(f"{archive} is cut short or no archive ({error}). Delete it and fetch again.") from error
    archive.unlink()
    return place
