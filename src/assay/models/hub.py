"""The published checkpoints and encoders: where they come from, where a local copy may lie, and how one is fetched when asked."""

from __future__ import annotations

import http.client
import os
import re
import urllib.error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError, MissingPart, listing
from assay.data import rows
from assay.io.files.download import Progress, Say, download, explained
from assay.io.files.paths import cache_dir, ours
from assay.io.files.server import head, may_carry_secrets, offline
from assay.models.marian_files import MODEL, VOCABULARY

HUB = "https://huggingface.co"
BASELINES = "https://raw.githubusercontent.com/Tiiiger/bert_score/19e7f551fe4fa43fdd07b8129ae947015b902b2d/bert_score/rescale_baseline"
XLMR = "FacebookAI/xlm-roberta-large"
"""Its tokenizer.json serves every XLM-R, InfoXLM, XL and XXL: they share one vocabulary."""


@dataclass(frozen=True, slots=True)
class Published:
    """A checkpoint on the hub."""

    repository: str
    gigabytes: float
    gated: bool
    """Whether its licence must be accepted on the hub first (then a token is needed)."""


PUBLISHED = {
    "xcomet-xl": Published("Unbabel/XCOMET-XL", 13.9, True),
    "xcomet-xxl": Published("Unbabel/XCOMET-XXL", 42.9, True),
    "comet-22": Published("Unbabel/wmt22-comet-da", 2.3, False),
    "comet-20": Published("Unbabel/wmt20-comet-da", 2.3, False),
    "comet-qe": Published("Unbabel/wmt20-comet-qe-da", 2.3, False),
    "cometkiwi-22": Published("Unbabel/wmt22-cometkiwi-da", 2.3, True),
    "cometkiwi-xl": Published("Unbabel/wmt23-cometkiwi-da-xl", 13.9, True),
    "cometkiwi-xxl": Published("Unbabel/wmt23-cometkiwi-da-xxl", 42.9, True),
    "unite": Published("Unbabel/unite-mup", 2.3, False),
    "cometoid22-wmt21": Published("marian-nmt/cometoid22-wmt21", 2.3, False),
    "cometoid22-wmt22": Published("marian-nmt/cometoid22-wmt22", 2.3, False),
    "cometoid22-wmt23": Published("marian-nmt/cometoid22-wmt23", 2.3, False),
    "chrfoid-wmt23": Published("marian-nmt/chrfoid-wmt23", 2.3, False),
}


@dataclass(frozen=True, slots=True)
class PublishedEncoder(Published):
    """An encoder on the hub: which of its files are taken, the first of those with ``|`` between them that the hub has."""

    licence: str
    files: tuple[str, ...] = ("config.json", "tokenizer.json|vocab.txt", "model.safetensors|pytorch_model.bin")


_SENTENCE = (
    "config.json", "tokenizer.json", "model.safetensors|pytorch_model.bin", "modules.json", "1_Pooling/config.json",
)  # fmt: skip
_DENSE = ("2_Dense/config.json", "2_Dense/model.safetensors|2_Dense/pytorch_model.bin")
_MIT, _APACHE = "MIT", "Apache-2.0"

ENCODERS = {
    "xlm-roberta-base": PublishedEncoder("FacebookAI/xlm-roberta-base", 1.1, False, _MIT),
    "xlm-roberta-large": PublishedEncoder("FacebookAI/xlm-roberta-large", 2.2, False, _MIT),
    "roberta-large": PublishedEncoder("FacebookAI/roberta-large", 1.4, False, _MIT),
    "bert-base-multilingual-cased": PublishedEncoder("google-bert/bert-base-multilingual-cased", 0.7, False, _APACHE),
    "bert-base-chinese": PublishedEncoder("google-bert/bert-base-chinese", 0.4, False, _APACHE),
    "bert-base-turkish-cased": PublishedEncoder("dbmdz/bert-base-turkish-cased", 0.4, False, _MIT),
    "mpnet-base": PublishedEncoder("microsoft/mpnet-base", 0.5, False, _MIT),
    "labse": PublishedEncoder("sentence-transformers/LaBSE", 1.9, False, _APACHE, (*_SENTENCE, *_DENSE)),
    "paraphrase-multilingual-mpnet-base-v2": PublishedEncoder(
        "sentence-transformers/paraphrase-multilingual-mpnet-base-v2", 1.1, False, _APACHE, _SENTENCE
    ),
}
"""Encoders that metrics are computed with, by the name that people give them."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """A checkpoint that no address hands out to a program."""

    address: str


BY_HAND = {
    "ms-comet-22": ByHand("https://aka.ms/MS-COMET-checkpoints"),
    "ms-comet-qe-22": ByHand("https://aka.ms/MS-COMET-checkpoints"),
}


def published_name(name: str) -> str | None:
    """The name here of a checkpoint that goes by its name on the hub, with the owner or without: ``Unbabel/wmt22-comet-da``."""
    return _named(name, PUBLISHED)


def encoder_name(name: str) -> str | None:
    """The name here of an encoder, which may go by its name on the hub as well."""
    return _named(name, ENCODERS)


def _named(name: str, table: Mapping[str, Published]) -> str | None:
    lowered = name.lower()
    for known, one in table.items():
        full = one.repository.lower()
        if lowered in (known, full, full.partition("/")[2]):
            return known
    return None


def hub_address() -> str:
    """The hub, or the mirror of it that the environment names, as the hub's own tools read it."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or HUB


def checkpoint_home(name: str) -> Path:
    """Where assay keeps its own copy."""
    return cache_dir() / "checkpoints" / name


def find_checkpoint(name: str) -> Path:
    """A local copy of a published checkpoint: assay's own, else one in the hub's cache; the error says how to get it."""
    if name in BY_HAND:
        raise MissingPart(
            f"{name} is not fetched by assay. Download and unpack {BY_HAND[name].address}, then give its folder: "
            f"{name}:path=FOLDER."
        )
    for place in copies(name, PUBLISHED[name]):
        if all((place / file).is_file() for file in _files(PUBLISHED[name]) if file != "tokenizer.json"):
            return place
    raise MissingPart(f"{name} is not on this machine. {instruction(name)}")


def find_encoder(name: str) -> Path:
    """A local copy of a published encoder (``labse``, ``FacebookAI/xlm-roberta-large``), or the folder of that path."""
    known = encoder_name(name)
    if known is None:
        raise InputError(
            f"{name[:200]} is neither a folder nor an encoder that assay knows ({listing(ENCODERS)}): give the folder of one "
            "with model=PATH."
        )
    wanted = ENCODERS[known].files
    for place in copies(known, ENCODERS[known]):
        if all(any((place / file).is_file() for file in choice.split("|")) for choice in wanted):
            return place
    raise MissingPart(f"the encoder {known} is not on this machine. {instruction(known)}")


def copies(name: str, known: Published) -> list[Path]:
    """Where a copy may lie: assay's own, then those in the hub's cache."""
    home = os.environ.get("HF_HOME")
    hub = (Path(home) if home else Path("~/.cache/huggingface").expanduser()) / "hub"
    own = [checkpoint_home(name)] if ours(checkpoint_home(name)) else []
    return [*own, *sorted(hub.glob(f"models--{known.repository.replace('/', '--')}/snapshots/*"))]


def _known(name: str) -> Published:
    if name in PUBLISHED or name in ENCODERS:
        return PUBLISHED[name] if name in PUBLISHED else ENCODERS[name]
    from assay.models.seq2seq.published import MODELS

    return MODELS[name]


def instruction(name: str) -> str:
    """How to get what is not here."""
    known = _known(name)
    first = f"accept its licence at {hub_address()}/{known.repository}, set HF_TOKEN, then " if known.gated else ""
    how = "a checkpoint folder with -m PATH" if name in PUBLISHED else "the folder of one with model=PATH"
    how = how if name in PUBLISHED or name in ENCODERS else "a folder with path=FOLDER"
    return f"Get it ({known.gigabytes} GB): {first}assay fetch {name}; or give {how}."


def fetch_checkpoint(
    name: str, folder: str | None = None, progress: Progress | None = None, say: Say | None = None
) -> Path:
    """Download a published checkpoint and its tokenizer, resumed where it broke off; the folder comes back.

    Every file is taken from the commit that the hub names for it and checked against the sha256 that assay knows, or else
    against the hub's own word and against what came first (`assay.io.files.first_use`). A file that is here is whole, and not
    fetched again. `say` is told of what nothing vouches for.
    """
    return fetch_files(name, folder, [[choice] for choice in _files(PUBLISHED[name]).items()], progress, say)


def _files(known: Published) -> dict[str, str]:
    """The files of a checkpoint, and their addresses."""
    if known.repository.startswith("marian-nmt/"):
        return {file: address_of(known, file) for file in (VOCABULARY, MODEL)}
    return {
        "hparams.yaml": address_of(known, "hparams.yaml"),
        "tokenizer.json": f"{hub_address()}/{XLMR}/resolve/main/tokenizer.json",
        "checkpoints/model.ckpt": address_of(known, "checkpoints/model.ckpt"),
    }


def fetch_encoder(
    name: str, folder: str | None = None, progress: Progress | None = None, say: Say | None = None
) -> Path:
    """Download a published encoder in the same way; the folder comes back."""
    known = ENCODERS[name]
    choices = [[(file, address_of(known, file)) for file in choice.split("|")] for choice in known.files]
    place = fetch_files(name, folder, choices, progress, say)
    try:
        for row in rows("bertscore_baselines.csv"):
            target = place / "baselines" / f"{row['language']}.tsv"
            if row["encoder"] == name and not target.is_file() and not offline():
                download(name, f"{baselines_address()}/{row['path']}", target, row["sha256"])
    except MissingPart as error:  # they are of use to whoever rescales only
        if say is not None:
            say(f"the baselines for bertscore:baseline=… were not fetched: {error}")
    return place


def baselines_address() -> str:
    """Where bert-score's baselines lie, at the commit whose sums assay knows."""
    return os.environ.get("ASSAY_BASELINES", "").strip().rstrip("/") or BASELINES


def address_of(known: Published, file: str) -> str:
    """Where the hub has a file."""
    return f"{hub_address()}/{known.repository}/resolve/main/{file}"


def fetch_files(
    name: str,
    folder: str | None,
    choices: Sequence[Sequence[tuple[str, str]]],
    progress: Progress | None,
    say: Say | None,
) -> Path:
    """Of every choice of files (with their addresses) the first one that the hub has, unless one is here."""
    place = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    missing = [choice for choice in choices if not any((place / file).is_file() for file, _ in choice)]
    if missing and offline():
        raise MissingPart(f"{name} is not whole on this machine, and HF_HUB_OFFLINE is set. Unset it to fetch {name}.")
    headers = _authorization(name, say) if missing else {}
    pins = {(row["checkpoint"], row["file"]): row["sha256"] for row in rows("checkpoints.csv")}
    for choice in missing:
        file, address, (commit, hubs) = _first(name, choice, place, headers)
        pin = pins.get((name, file))
        if pin is not None and hubs is not None and len(hubs) == 64 and hubs != pin:
            raise InputError(
                f"{address} is not the file that assay knows: sha256 {hubs[:12]}…, expected {pin[:12]}…. Nothing was fetched."
            )
        exact = address.replace("/resolve/main/", f"/resolve/{commit}/", 1)
        first_use = address if pin is None else None
        download(name, exact, place / file, pin or hubs, progress, headers, first_use=first_use, say=say)
    return place


def _authorization(name: str, say: Say | None) -> dict[str, str]:
    """The token's header, where there is a token and nobody on the way to the hub can read it."""
    token, gated = os.environ.get("HF_TOKEN", "").strip(), _known(name).gated
    if gated and not token:
        raise MissingPart(f"{name} is handed out under its own licence. {instruction(name)}")
    if not token or may_carry_secrets(hub_address()):
        return {"Authorization": f"Bearer {token}"} if token else {}
    refused = f"HF_TOKEN is not sent to {hub_address()}, since anybody on the way could read it"
    if gated:
        raise MissingPart(f"{refused}, and {name} needs it. Set HF_ENDPOINT to an address with https.")
    if say is not None:
        say(f"{refused}.")
    return {}


def _first(
    name: str, choice: Sequence[tuple[str, str]], place: Path, headers: Mapping[str, str]
) -> tuple[str, str, tuple[str, str | None]]:
    """The first file of a choice that the hub has, its address, and what the hub says of it."""
    for file, address in choice[:-1]:
        try:
            return file, address, _described(name, address, place / file, headers)
        except MissingPart as error:
            if not isinstance(error.__cause__, urllib.error.HTTPError) or error.__cause__.code != 404:
                raise
    file, address = choice[-1]
    return file, address, _described(name, address, place / file, headers)


def _described(name: str, address: str, target: Path, headers: Mapping[str, str]) -> tuple[str, str | None]:
    """The commit and the checksum of a file on the hub: sha256 of a large one, git's sha1 of a small one."""
    try:
        status, said = head(address, headers)
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            who = "the account of HF_TOKEN" if headers else "anybody"
            raise MissingPart(
                f"the hub does not hand {name} to {who} ({error.code} at {address}). {instruction(name)}"
            ) from error
        raise explained(error, name, address, target) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise explained(OSError(str(error)), name, address, target) from error
    # A redirect's own ETag is not that of the file it leads to.
    tag = said.get("X-Linked-ETag") or (said.get("ETag") if status == 200 else None) or ""
    tag = tag.removeprefix("W/").strip('"')
    commit = said.get("X-Repo-Commit", "")
    known = tag if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", tag) else None
    return commit if re.fullmatch("[0-9a-f]{40}", commit) else "main", known
