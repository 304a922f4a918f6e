"""Job that makes a challenge set: survey the corpus, perturb segments in order, limit each perturbation, write the data card."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from assay._version import __version__
from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.perturbation import SURE
from assay.data import rows
from assay.io.resources.wordnet import find, load
from assay.io.table.open_table import Quoting
from assay.io.table.vocabulary import ColumnChoice
from assay.perturb.language.texts import base_language
from assay.perturb.language.tools import MODELS, RESOURCES
from assay.perturb.making.corpus import (
    Corpus,
    Survey,
    Words,
    allocate_items,
    hash_pool,
    open_corpus,
    read_usable_segments,
    survey_corpus,
)
from assay.perturb.making.maker import Attempt, Maker, process_chunk, split_chunks, start_worker
from assay.perturb.making.selection import Chosen, choose_perturbations, select_available

if TYPE_CHECKING:
    from concurrent.futures import Future

LICENCES = {row["package"]: row["licence"] for row in rows("licences.csv")}
"""Licences of the tools. The licence of a challenge set is that of its corpus."""

_BEHIND_WORDS = ("jieba", "sudachipy", "sudachidict-core")


def provenance(needs: Iterable[str], languages: Iterable[str]) -> dict[str, Any]:
    """Return versions and licences of assay and of the packages behind the needed resources in these languages."""
    import numpy

    resources = sorted(set(needs))
    bases = sorted({base_language(language) for language in languages})
    names: list[str] = []
    for need in resources:
        by_language = RESOURCES[need].packages_by_language if need in RESOURCES else {}
        names += [package for base in bases for package in by_language.get(base, ())]
        usual = [base for base in bases if base not in by_language]
        if need == "parse":
            names += ["spacy"] * bool(usual) + [
                name.replace("_", "-") for base in usual for name in MODELS.get(base, ())
            ]
        elif need == "words":
            names += _BEHIND_WORDS
        elif need == "frequency":
            names.append("wordfreq")
        elif need in RESOURCES and usual:
            names += RESOURCES[need].packages
    versions = {"mt-assay": __version__, "numpy": numpy.__version__}
    versions |= {name: installed for name in names if (installed := _version(name))}
    if "wordnet" in resources:
        path = find()
        if path is not None:
            versions["WordNet"] = load(path).identity
    licences = {name: LICENCES[name] for name in versions if name in LICENCES}
    return {"versions": versions, "licences": {"corpus": "that of its owner", **licences}}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


Able = Mapping[str, Sequence[str]]
"""The specs of the available perturbations by language."""

IN_FLIGHT = 3
"""Number of chunks per worker that may be in progress."""


@dataclass
class MakingCounts:
    """Counts for one perturbation: items made, refusals by reason, failed checks by reason."""

    made: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)


@dataclass
class MakingJob:
    """One run. Attempts arrive in corpus order from any worker and are counted until a perturbation has its quota."""

    chosen: Sequence[Chosen]
    able: Able
    left_out: Mapping[str, str]
    """Reasons why perturbations in a group are left out."""
    survey: Survey
    n: int
    seed: int
    workers: int
    corpus: Corpus
    langpair: str | None
    words: Words | None = None
    """Minimum and maximum number of words in a translation to change."""
    least: float = SURE
    """Minimum confidence of an item."""
    pool: str = "corpus"
    """Origin of the other sentences: the corpus itself, or the name of a file."""

    def __post_init__(self) -> None:
        self.quota = allocate_items(self.survey.usable, self.n)
        self.counts = {one.spec: MakingCounts() for one in self.chosen}

    @classmethod
    def prepare(
        cls,
        perturbations: Sequence[str],
        data: str | os.PathLike[str] | Batch,
        *,
        langpair: str | None,
        columns: ColumnChoice | None,
        quoting: Quoting,
        n: int,
        seed: int,
        workers: int,
        words: Words | None = None,
        least: float = SURE,
        pool: str | os.PathLike[str] | Batch | None = None,
    ) -> MakingJob:
        """Survey the corpus and determine which perturbations are available in which language."""
        if n < 1:
            raise InputError(f"n must be at least 1, not {n}.")
        if not 0 <= least <= 1:
            raise InputError(f"the minimum confidence must be between 0 and 1, not {least:g}.")
        if words and not 1 <= words[0] <= words[1]:
            raise InputError(f"the number of words must be a range such as 15-25, not {words[0]}-{words[1]}.")
        chosen = choose_perturbations(perturbations)
        further = sorted({column for one in chosen for column in one.perturbation.card.columns})
        corpus, present = open_corpus(data, columns, further, quoting)
        survey = survey_corpus(corpus, langpair, words)
        if not survey.usable:
            raise InputError(f"there is nothing to change: none of the {survey.rows:,} rows has a translation.")
        languages = sorted({pair.rpartition("-")[2] for pair in survey.usable})
        able, left_out = select_available(chosen, languages, present)
        named = "corpus"
        if pool is not None:
            survey.others = survey_corpus(open_corpus(pool, columns, (), quoting)[0], langpair).others
            named = "a batch" if isinstance(pool, Batch) else os.path.basename(os.fspath(pool))
        return cls(chosen, able, left_out, survey, n, seed, workers, corpus, langpair, words, least, named)

    def lines(self, progress: Callable[[int], None] | None) -> Iterator[str]:
        """Yield the items as lines, in corpus order and then in the order of the perturbations."""
        for size, attempts in self._attempts():
            for attempt in attempts:
                if self._is_item(attempt):
                    yield attempt.line
            if progress:
                progress(size)

    def _is_item(self, attempt: Attempt) -> bool:
        """Count an attempt; return whether it becomes an item of the set."""
        counts = self.counts[attempt.spec]
        if counts.made[attempt.langpair] >= self.quota[attempt.langpair]:
            return False
        if attempt.line:
            counts.made[attempt.langpair] += 1
            return True
        (counts.failed if attempt.failed else counts.refused)[attempt.reason] += 1
        return False

    def _open_specs(self) -> Able:
        """Return, for each language, the perturbations that still need items for one of its pairs."""
        wanting = {
            language: [pair for pair in self.quota if pair.rpartition("-")[2] == language] for language in self.able
        }
        return {
            language: [
                spec
                for spec in specs
                if any(self.counts[spec].made[pair] < self.quota[pair] for pair in wanting[language])
            ]
            for language, specs in self.able.items()
        }

    def _attempts(self) -> Iterator[tuple[int, list[Attempt]]]:
        pieces = iter(split_chunks(read_usable_segments(self.corpus, self.langpair, self.words)))
        specs = [one.spec for one in self.chosen]
        if self.workers == 1:
            maker = Maker(specs, self.seed, self.survey.others, self.least)
            while (able := self._open_specs()) and any(able.values()) and (piece := next(pieces, None)):
                yield len(piece), maker.chunk(piece, able)
            return
        with _pool(self.workers, start_worker, (specs, self.seed, self.survey.others, self.least)) as submit:
            waiting: deque[tuple[int, Future[list[Attempt]]]] = deque()
            while any((able := self._open_specs()).values()):
                while len(waiting) < self.workers * IN_FLIGHT and (piece := next(pieces, None)):
                    waiting.append((len(piece), submit(process_chunk, piece, able)))
                if not waiting:
                    return
                size, future = waiting.popleft()
                yield size, future.result()

    def card(self) -> dict[str, Any]:
        """Return the data card: counts, corpus, perturbations, tools and licences."""
        entries = {}
        for one in self.chosen:
            if one.spec in self.left_out:
                continue
            counts, about = self.counts[one.spec], one.perturbation.card
            entries[one.spec] = {
                "made": sum(counts.made.values()),
                "by langpair": dict(sorted(counts.made.items())),
                "refused": dict(sorted(counts.refused.items(), key=lambda entry: (-entry[1], entry[0]))),
                "failed its check": dict(sorted(counts.failed.items(), key=lambda entry: (-entry[1], entry[0]))),
                "follows": list(about.follows),
                "phenomenon": about.phenomenon,
                "rule approximates people": about.manual,
            }
        needs = {need for one in self.chosen if one.spec not in self.left_out for need in one.perturbation.card.needs}
        return {
            "items": sum(entry["made"] for entry in entries.values()),
            "seed": self.seed,
            "n": self.n,
            "segments": self.survey.rows,
            "usable by langpair": dict(sorted(self.survey.usable.items())),
            "words": list(self.words) if self.words else None,
            "least confidence": self.least,
            "pool": {"of": self.pool, "segments": len(self.survey.others), "digest": hash_pool(self.survey.others)},
            "corpus": {"digest": self.survey.digest, "problems": self.survey.problems()},
            "perturbations": entries,
            "left out": dict(self.left_out),
            **provenance(needs, self.able),
        }


@contextmanager
def _pool(workers: int, start: Callable[..., None], arguments: tuple[Any, ...]) -> Iterator[Callable[..., Any]]:
    """Open a pool of freshly started worker processes; cancel pending work at the end."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=start, initargs=arguments)
    try:
        yield pool.submit
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
