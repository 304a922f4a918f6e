"""Implementation of ``assay make --data FOLDER --out FOLDER``: workers make challenge items from a corpus shard by shard."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.errors import InputError, count, listing
from assay.corpus.discovery import as_item_shards
from assay.io.files.folders import open_folder
from assay.io.files.text import open_utf8
from assay.perturb.making.corpus import Survey
from assay.perturb.making.job import LICENCES
from assay.perturb.making.selection import choose_perturbations
from assay.verbs.result import Result
from assay.verbs.shared.corpora import CorpusResult, CorpusRun
from assay.verbs.shared.made_set import MadeSet, made_table

if TYPE_CHECKING:
    from assay.corpus.manifest import CorpusManifest
    from assay.verbs.shared.options import ScoreOptions

CARD = "_card.json"
"""File name of the data card of a set in many files."""


@dataclass(repr=False)
class MadeCorpus(CorpusResult, MadeSet):
    """A challenge set in many files: counts per perturbation, and the data card."""

    verb: ClassVar[str] = "make"
    headline: ClassVar[str] = "made"

    write = Result.write

    def items(self) -> list[dict[str, Any]]:
        """Return the items from all shards, as dictionaries with the same columns as the files."""
        folder, items = open_folder(self.out), []
        for name in self.corpus.shards:
            with folder.local(name) as path, open_utf8(path) as lines:
                items += [json.loads(line) for line in lines if line.strip()]
        return items


def make_corpus(
    perturbations: Sequence[str],
    out: str | os.PathLike[str],
    options: ScoreOptions,
    choice: Mapping[str, Any],
    *,
    pool: str | os.PathLike[str] | None,
    seed: int,
) -> MadeCorpus:
    """Make a challenge set from a corpus: each shard becomes a shard of items (JSON Lines) in `out`.

    Each shard is treated as a separate corpus: its items are the same as from `make` on that shard alone. Other sentences
    come from the shard (or from the `pool`), and only duplicates within it are removed. `choice` contains the settings
    ``n``, ``words`` and ``least``.
    """
    chosen = {one.spec: one.perturbation.card for one in choose_perturbations(perturbations)}
    run = CorpusRun.of(out, options)
    run = replace(run, shards=as_item_shards(run.shards))
    file = None if pool is None else os.fspath(pool)
    settings = {
        "perturbations": list(perturbations), **choice, "pool": file, "pool stamp": None if file is None else _stamp(file),
    }  # fmt: skip
    job = run.job({}, seed=seed, purpose="make", settings=settings)
    driver = run.carry_out(job, {}, cut=False)
    card = _card(driver.manifest, chosen)
    open_folder(job.out).write(CARD, (json.dumps(card, ensure_ascii=False, indent=1) + "\n").encode())
    table = made_table(card)
    table = replace(table, notes=[f"{count(card['shards'], 'shard')} · {table.notes[0]}", *table.notes[1:]])
    result = MadeCorpus({"made": table}, card, **run.outcome(driver, {}))
    at = len(run.notes)
    result.notes[at:at] = [*card["corpus"]["problems"], *_unlike(driver.manifest)]
    return result


def _stamp(path: str) -> list[int]:
    try:
        status = os.stat(path)
    except OSError as error:
        raise InputError(f"--pool {path} cannot be read: {error.strerror}.") from error
    return [status.st_size, status.st_mtime_ns]


def _card(corpus: CorpusManifest, cards: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data card for all shards, with summed counts."""
    asked, making = corpus.asked["settings"], corpus.more.get("making", {})
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
    survey = Survey(rows=corpus.counts.rows, usable=making.get("usable", {}), **making.get("passed over", {}))
    versions = {name: ", ".join(sorted(used)) for name, used in making.get("versions", {}).items()}
    return {
        "items": corpus.counts.kept,
        "seed": corpus.asked["seed"],
        "n": asked["n"],
        "shards": corpus.counts.shards,
        "segments": survey.rows,
        "usable by langpair": dict(sorted(survey.usable.items())),
        "words": asked["words"],
        "least confidence": asked["least"],
        "pool": {"of": "each shard" if asked["pool"] is None else os.path.basename(asked["pool"])},
        "corpus": {"problems": survey.problems()},
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


def _unlike(corpus: CorpusManifest) -> list[str]:
    """Return a note if workers used different versions of a tool."""
    several = [
        f"{name} ({', '.join(sorted(used))})"
        for name, used in corpus.more.get("making", {}).get("versions", {}).items()
        if len(used) > 1
    ]
    return [f"shards were made with different versions of {listing(several)}."] if several else []
