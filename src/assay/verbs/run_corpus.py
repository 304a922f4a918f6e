"""``assay run FOLDER --out FOLDER``: a set of minimal pairs in many files, scored by workers and analysed as one set."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

from assay.analyses import analyse, find_analysis
from assay.core.analysis import requirement_of
from assay.core.call import recorded
from assay.core.errors import InputError
from assay.core.rows import SIDES, SPANS
from assay.core.spans import ErrorSpan
from assay.core.suite import Measured
from assay.corpus.job import ShardTask
from assay.corpus.piece import local_files
from assay.corpus.rows_in import as_named
from assay.engine.languages import as_computed
from assay.io.files.folders import open_folder
from assay.io.table.forms import open_table
from assay.io.table.open_table import score_place
from assay.metrics import build_metrics
from assay.suites.contrastive import Contrastive
from assay.verbs.labels import check_labels, labelled
from assay.verbs.run import METRICS, SuiteResult, flagged, of_langpair, unscored
from assay.verbs.score_corpus import named_metrics, scoring_job
from assay.verbs.shared.corpora import CorpusWorkers, corpus_shards, counted, remarks

if TYPE_CHECKING:
    from assay.core.analysis import Analysis
    from assay.core.item import Item
    from assay.core.metric import Metric
    from assay.corpus.driver import Watch
    from assay.corpus.job import Job, OnError, Shard
    from assay.corpus.plan import Paths
    from assay.io.files.folders import Folder
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice


@recorded("run_corpus")
def run_corpus(
    data: Paths,
    metrics: Sequence[str] | str | None = None,
    *,
    out: str | os.PathLike[str],
    analysis: str | Analysis | None = None,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    langpair: str | None = None,
    labels: Mapping[str, str] | None = None,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
    on_error: OnError = "stop",
    engine: str = "local",
    workers: int | None = None,
    batch: int | None = None,
    address: str | None = None,
    gpus_per_worker: float | None = None,
    progress: Watch | None = None,
) -> SuiteResult:
    """Run metrics on a contrastive set in many files: the tables are those of `run` on one file with all rows.

    Each shard becomes a shard of the same name in `out`, with its columns and two scores for each metric: ``chrf good``,
    ``chrf incorrect``. The analysis is made here when all are through, and holds the whole set in memory, as `run` does.

    Args:
        data: A folder, a pattern or several files of minimal pairs, each as `run` takes one; also one large file.
        metrics: Names with options; by default string metrics. Workers load them, so that objects cannot be given.
        out: The folder of results; made where it is missing. A call that was killed goes on there when it is made again.
        analysis: The analysis that makes the tables, as for `run`.
        columns: Which column plays which role where the names differ.
        quoting: How quotation marks in a TSV are read.
        langpair: This language pair only; of a set that has none, its language pair.
        labels: Other words for metrics in tables and figures.
        seed: Seed of the resampling.
        samples: Bootstrap resamples.
        correction: For many comparisons, as for `run`.
        on_error: What to do about a shard that cannot be read: ``stop``, or ``skip`` it.
        engine: Where workers are: ``local`` or ``ray``.
        workers: How many; by default as for `score_corpus`.
        batch: Pairs that a metric gets at a time, at most.
        address: The head of the Ray cluster, ``host:port`` or ``auto``.
        gpus_per_worker: GPUs that each worker in a Ray cluster gets.
        progress: Called with how far it is (`assay.corpus.driver.Seen`).
    """
    how = CorpusWorkers(engine, workers, address, gpus_per_worker, on_error, progress)
    built = build_metrics(named_metrics(metrics, METRICS))
    card = Contrastive.card
    name = analysis or card.analysis
    spans = requirement_of(find_analysis(name)[1]).spans
    check_labels(labels or {}, list(built))
    shards, notes = corpus_shards(out, data)
    job = scoring_job(built, os.fspath(out), shards, {
        "columns": columns, "quoting": quoting, "langpair": langpair, "spans": spans, "flags": "none", "keep": None, "dedup": None,
        "sample": None, "sample_by": None, "seed": 12345, "batch": batch, "purpose": "pairs", "settings": {},
    }, on_error)  # fmt: skip
    told, driver = how.carry_out(job, shards, built)
    rows = {name: entry["tally"]["rows"] for name, entry in told["shards"].items()}
    done = [shard for shard in shards if rows.get(shard.name)]
    read = _Pairs(job, open_folder(job.out))
    content = _told_apart({shard.name: list(read.items(shard)) for shard in done})
    if not content:
        raise InputError("there are no items in these shards: there is nothing to run.")
    measured = read.measured(built, content, told)
    if langpair is not None:
        kept = of_langpair(content, langpair, card.title)
        measured = _only(measured, [item.langpair == langpair for item in content])
        content = list(kept)  # type: ignore[arg-type]
    tables = analyse(name, content, measured, seed=seed, samples=samples, correction=correction)
    tables = labelled(tables, labels or {}, [metric.name for metric in measured])
    unable = unscored(built, [item.langpair for item in content])
    computed = as_computed(built, [item.langpair for item in content])
    return SuiteResult(
        {table.name: table for table in tables},
        suite=card.name,
        title=card.title,
        content=content,
        measured=measured,
        reused=driver.reused,
        analysis=name if isinstance(name, str) else getattr(name, "__name__", repr(name)),
        signatures={name: metric.signed(1) for name, metric in computed.items()},
        notes=list(
            dict.fromkeys(
                [*notes, *read.problems[:5], *flagged(measured), *unable, *_rejected(told), *remarks(told, driver)]
            )
        ),
        files=[file.path for shard in shards for file in shard.files],
    )


def _told_apart(shards: Mapping[str, Sequence[Item]]) -> list[Item]:
    """The items of all shards; where an id comes again in another shard, the name of its shard stands before each."""
    from dataclasses import replace

    items = [item for found in shards.values() for item in found]
    if len({item.id for item in items}) == len(items):
        return items
    return [replace(item, id=f"{name}:{item.id}") for name, found in shards.items() for item in found]


class _Pairs:
    """What was scored, read again in the order of the shards: items from the input, scores from the folder of results."""

    def __init__(self, job: Job, folder: Folder) -> None:
        self._job, self._folder = job, folder
        self._scores: dict[str, list[float]] = {f"{name} {side}": [] for name in job.metrics for side in SIDES}
        self._spans: list[Any] = []
        """The error spans of every item by metric and side."""
        self.problems: list[str] = []

    def items(self, shard: Shard) -> Iterator[Item]:
        """The items of a shard. Their scores are noted."""
        job, n = self._job, 0
        with local_files(ShardTask("score", shard)) as paths:
            suite = Contrastive(paths[0], job.choice, job.langpair, quoting=job.quoting)  # type: ignore[arg-type]
            for item in suite.stream():
                n += 1
                yield item
            self.problems += [as_named(said, shard, paths) for said in suite.notes]
            self.problems += [f"{shard.name}: {said}" for said in suite.problems]
        before = len(next(iter(self._scores.values())))
        self._read(shard)
        if len(next(iter(self._scores.values()))) - before != n:
            raise InputError(f"{shard.title} has changed since it was scored: run the same command again.")

    def _read(self, shard: Shard) -> None:
        with (
            self._folder.local(shard.name) as path,
            open_table(path, quoting="csv" if shard.form in ("tsv", "csv") else "auto", form=shard.form) as table,
        ):
            for piece in table.pieces([score_place(table, name) for name in self._job.added], 4096):
                columns = dict(zip(self._job.added, piece.columns, strict=True))
                for name, scores in self._scores.items():
                    scores.extend(float("nan") if value in (None, "") else float(value) for value in columns[name])
                if self._job.spans:
                    self._spans.extend(map(_in_cell, columns[SPANS]))

    def measured(self, metrics: Mapping[str, Metric], items: Sequence[Item], told: Mapping[str, Any]) -> list[Measured]:
        """What each metric said about all items."""
        import numpy as np

        found, flags = [], told["flags"]
        for name, metric in metrics.items():
            good, incorrect = (np.array(self._scores[f"{name} {side}"]) for side in ("good", "incorrect"))
            own = {flag.removeprefix(f"{name} "): n for flag, n in flags.items() if flag.startswith(f"{name} ")}
            marks = bool(told.get("marking", {}).get(name))
            spans = [self._marked(name, side, items) if marks else None for side in SIDES]
            found.append(
                Measured(
                    name, metric.card, good=good, incorrect=incorrect, flags=own, good_spans=spans[0], incorrect_spans=spans[1]
                )
            )  # fmt: skip
        return found

    def _marked(self, metric: str, side: str, items: Sequence[Item]) -> list[tuple[ErrorSpan, ...]]:
        """The error spans that a metric marked in one of the translations of all items."""

        def span(item: Item, one: Mapping[str, Any]) -> ErrorSpan:
            text = getattr(item, side) if one["side"] == "target" else item.source or ""
            return ErrorSpan.of(
                text, *(one[part] for part in ("start", "end", "severity", "category", "side", "confidence"))
            )

        return [
            tuple(span(item, one) for one in (spans or {}).get(f"{metric} {side}") or ())
            for item, spans in zip(items, self._spans, strict=True)
        ]


def _in_cell(value: Any) -> Any:
    """What a shard holds in a cell: JSON where a cell can only hold text."""
    return json.loads(value) if isinstance(value, str) else value


def _only(measured: Sequence[Measured], rows: Sequence[bool]) -> list[Measured]:
    """The same metrics, of some items alone."""
    from dataclasses import replace

    import numpy as np

    keep = np.array(rows, bool)

    def spans(marked: Sequence[Sequence[ErrorSpan]] | None) -> list[Sequence[ErrorSpan]] | None:
        return None if marked is None else list(compress(marked, rows))

    return [
        replace(
            m,
            good=m.good[keep],  # type: ignore[index]
            incorrect=m.incorrect[keep],  # type: ignore[index]
            good_spans=spans(m.good_spans),
            incorrect_spans=spans(m.incorrect_spans),
        )
        for m in measured
    ]


def _rejected(told: Mapping[str, Any]) -> list[str]:
    if not told["counts"]["rejected"]:
        return []
    return [f"{counted(told['counts'])}: rejected items have no scores (_rejected.jsonl says why)."]
