"""``assay make --data FOLDER --out FOLDER``: challenge items from a corpus in many files, shard by shard."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from assay._version import __version__
from assay.core.errors import InputError, count, listing
from assay.corpus.job import Job
from assay.corpus.plan import as_items
from assay.io.files.folders import open_folder
from assay.perturb.making.corpus import Survey
from assay.perturb.making.job import LICENCES
from assay.perturb.making.selection import choose_perturbations
from assay.verbs.make import made_table
from assay.verbs.shared.corpora import CorpusResult, CorpusWorkers, corpus_shards, remarks

if TYPE_CHECKING:
    from assay.corpus.driver import Watch
    from assay.corpus.job import OnError
    from assay.corpus.plan import Paths
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice

CARD = "_card.json"
"""The data card of a set in many files."""


@dataclass(repr=False)
class MadeCorpus(CorpusResult):
    """A challenge set in many files: how many items of each perturbation, what was refused, and the data card."""

    card: dict[str, Any] = field(default_factory=dict)

    verb: ClassVar[str] = "make"
    headline: ClassVar[str] = "made"

    def __len__(self) -> int:
        return int(self.card["items"])


def make_corpus(
    perturbations: Sequence[str],
    data: Paths,
    *,
    out: str | os.PathLike[str],
    langpair: str | None = None,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    n: int = 1000,
    seed: int = 12345,
    words: tuple[int, int] | None = None,
    min_confidence: float = 0.5,
    pool: str | os.PathLike[str] | None = None,
    on_error: OnError = "stop",
    engine: str = "local",
    workers: int | None = None,
    address: str | None = None,
    gpus_per_worker: float | None = None,
    progress: Watch | None = None,
) -> MadeCorpus:
    """Make a challenge set of a corpus in many files: each shard becomes a shard of items (JSON lines) in `out`.

    A shard is a corpus of its own: its items are those that `make` gives for it alone, other sentences come from it (or from
    the `pool`), and duplicates are looked for within it.

    Args:
        perturbations: Names, names with options, or groups, as for `make`.
        data: As for `score_corpus`: a folder, a pattern or several files of tables.
        out: The folder of results; made where it is missing. A call that was killed goes on there when it is made again.
        langpair: The language pair of a corpus that has none.
        columns: Which column plays which role where the names differ.
        quoting: How quotation marks in a TSV are read.
        n: Items of each perturbation from each shard, at most.
        seed: The same seed gives the same bytes, whoever makes them.
        words: The fewest and the most words of a translation that is changed.
        min_confidence: Refuse items of which the rule is less sure.
        pool: A table that other sentences are drawn from.
        on_error: What to do about a shard that cannot be read: ``stop``, or ``skip`` it.
        engine: Where workers are: ``local`` or ``ray``.
        workers: How many; by default one a core.
        address: The head of the Ray cluster, ``host:port`` or ``auto``.
        gpus_per_worker: GPUs that each worker in a Ray cluster gets.
        progress: Called with how far it is (`assay.corpus.driver.Seen`).
    """
    how = CorpusWorkers(engine, workers, address, gpus_per_worker, on_error, progress)
    chosen = {one.spec: one.perturbation.card for one in choose_perturbations(perturbations)}
    shards, notes = corpus_shards(out, data)
    settings = {
        "perturbations": list(perturbations), "n": n, "words": list(words) if words else None, "least": min_confidence,
        "pool": None if pool is None else os.fspath(pool), "pool stamp": None if pool is None else _stamp(os.fspath(pool)),
    }  # fmt: skip
    job = Job(
        out=os.fspath(out),
        metrics=(),
        signatures={},
        version=__version__,
        choice=dict(columns or {}),
        quoting=quoting,
        langpair=langpair,
        seed=seed,
        purpose="make",
        settings=settings,
    )
    told, driver = how.carry_out(job, as_items(shards), {}, cut=False)
    card = _card(told, chosen)
    open_folder(job.out).write(CARD, (json.dumps(card, ensure_ascii=False, indent=1) + "\n").encode())
    table = made_table(card)
    table = replace(table, notes=[f"{count(card['shards'], 'shard')} · {table.notes[0]}", *table.notes[1:]])
    return MadeCorpus(
        {"made": table},
        out=job.out,
        told=told,
        reused=driver.reused,
        card=card,
        notes=[*notes, *card["corpus"]["problems"], *_unlike(told), *remarks(told, driver)],
    )


def _stamp(path: str) -> list[int]:
    try:
        known = os.stat(path)
    except OSError as error:
        raise InputError(f"--pool {path} cannot be read: {error.strerror}.") from error
    return [known.st_size, known.st_mtime_ns]


def _card(told: Mapping[str, Any], cards: Mapping[str, Any]) -> dict[str, Any]:
    """The data card over all shards: as that of one set, its counts added up."""
    asked, making = told["asked"]["settings"], told.get("making", {})
    entries = {}
    for spec, counts in making.get("perturbations", {}).items():
        about = cards[spec]
        entries[spec] = {
            "made": sum(counts["made"].values()),
            "by langpair": dict(sorted(counts["made"].items())),
            "refused": _ranked(counts["refused"].items()),
            "failed its check": _ranked(counts["failed"].items()),
            "follows": list(about.follows),
            "phenomenon": about.phenomenon,
            "rule approximates people": about.manual,
        }
    found = Survey(rows=told["counts"]["rows"], usable=making.get("usable", {}), **making.get("passed over", {}))
    versions = {name: ", ".join(sorted(known)) for name, known in making.get("versions", {}).items()}
    return {
        "items": told["counts"]["kept"],
        "seed": told["asked"]["seed"],
        "n": asked["n"],
        "shards": told["counts"]["shards"],
        "segments": found.rows,
        "usable by langpair": dict(sorted(found.usable.items())),
        "words": asked["words"],
        "least confidence": asked["least"],
        "pool": {"of": "each shard" if asked["pool"] is None else os.path.basename(asked["pool"])},
        "corpus": {"problems": found.problems()},
        "perturbations": {spec: entries[spec] for spec in cards if spec in entries},
        "left out": {
            spec: next(iter(reasons)) for spec, reasons in making.get("left out", {}).items() if spec not in entries
        },
        "versions": versions,
        "licences": {
            "corpus": "that of its owner", **{name: LICENCES[name] for name in versions if name in LICENCES}
        },
    }  # fmt: skip


def _ranked(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    return dict(sorted(counts, key=lambda entry: (-entry[1], entry[0])))


def _unlike(told: Mapping[str, Any]) -> list[str]:
    """A sentence where workers had different versions of a tool."""
    several = [
        f"{name} ({', '.join(sorted(known))})"
        for name, known in told.get("making", {}).get("versions", {}).items()
        if len(known) > 1
    ]
    return [f"shards were made with different versions of {listing(several)}."] if several else []
