"""Implementation of ``assay run FOLDER --out FOLDER``: workers score a set of minimal pairs, which is analysed as one set."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses import find_analysis
from assay.core.analysis import requirement_of
from assay.core.errors import InputError
from assay.core.rows import SIDES, SPANS
from assay.core.spans import ErrorSpan
from assay.core.suite import Measured
from assay.corpus.job import ShardTask
from assay.corpus.shard_reader import local_files, with_user_paths
from assay.engine.languages import as_computed
from assay.io.files.folders import open_folder
from assay.io.table.formats import open_table
from assay.io.table.open_table import score_place
from assay.metrics import build_metrics
from assay.suites.contrastive import Contrastive
from assay.verbs.shared.corpora import CorpusRun, counted, named_metrics, remarks
from assay.verbs.shared.metric_labels import check_labels
from assay.verbs.shared.suites import METRICS, Analysing, SuiteResult, analysis_name, flagged, of_langpair, unscored

if TYPE_CHECKING:
    from assay.core.item import Item
    from assay.core.metric import Metric
    from assay.corpus.job import Job, Shard
    from assay.corpus.manifest import CorpusManifest
    from assay.io.files.folders import Folder
    from assay.verbs.shared.options import ScoreOptions


def run_corpus(
    out: str | os.PathLike[str], metrics: Sequence[str | Metric] | str | None, options: ScoreOptions, how: Analysing
) -> SuiteResult:
    """Run metrics on a contrastive set in many files: the tables are the same as for one file with all rows.

    Workers write each shard's scores into `out`. The analysis then runs in this process, with the whole set in memory.
    """
    built = build_metrics(named_metrics(metrics, METRICS))
    card = Contrastive.card
    name = how.analysis or card.analysis
    spans = requirement_of(find_analysis(name)[1]).spans
    check_labels(how.labels, list(built))
    run = CorpusRun.of(out, options)
    job = run.scoring_job(built, spans=spans, flags="none", purpose="pairs", settings={})
    driver = run.carry_out(job, built)
    corpus = driver.manifest
    scored = [
        shard for shard in run.shards if shard.name in corpus.shards and corpus.shards[shard.name].record.tally["rows"]
    ]
    pairs = _Pairs(job, open_folder(job.out))
    content = _distinct({shard.name: list(pairs.items(shard)) for shard in scored})
    if not content:
        raise InputError("these shards contain no items to run.")
    measured = pairs.measured(built, content, corpus)
    langpair = options.get("langpair")
    if langpair is not None:
        selected = of_langpair(content, langpair, card.title)
        measured = _only(measured, [item.langpair == langpair for item in content])
        content = list(selected)  # type: ignore[arg-type]
    langpairs = [item.langpair for item in content]
    unable, computed = unscored(built, langpairs), as_computed(built, langpairs)
    notes = [*run.notes, *pairs.problems[:5], *flagged(measured), *unable, *_rejected(corpus), *remarks(driver)]
    return SuiteResult(
        how.tables(name, content, measured),
        suite=card.name,
        title=card.title,
        content=content,
        measured=measured,
        reused=driver.reused,
        analysis=analysis_name(name),
        signatures={name: metric.signed(1) for name, metric in computed.items()},
        notes=list(dict.fromkeys(notes)),
        files=[file.path for shard in run.shards for file in shard.files],
    )


def _distinct(shards: Mapping[str, Sequence[Item]]) -> list[Item]:
    """Return the items of all shards; if an id occurs in several shards, all ids are prefixed with their shard's name."""
    items = [item for shard_items in shards.values() for item in shard_items]
    if len({item.id for item in items}) == len(items):
        return items
    return [replace(item, id=f"{name}:{item.id}") for name, shard_items in shards.items() for item in shard_items]


class _Pairs:
    """Reader for a scored set in shard order: items from the input, scores from the output folder."""

    def __init__(self, job: Job, folder: Folder) -> None:
        self._job, self._folder = job, folder
        self._scores: dict[str, list[float]] = {f"{name} {side}": [] for name in job.metrics for side in SIDES}
        self._spans: list[Any] = []
        """Error spans of every item by metric and side."""
        self.problems: list[str] = []

    def items(self, shard: Shard) -> Iterator[Item]:
        """Return a shard's items and collect their scores."""
        job, n = self._job, 0
        with local_files(ShardTask("score", shard)) as paths:
            suite = Contrastive(paths[0], job.choice, job.langpair, quoting=job.quoting)  # type: ignore[arg-type]
            for item in suite.stream():
                n += 1
                yield item
            self.problems += [with_user_paths(note, shard, paths) for note in suite.notes]
            self.problems += [f"{shard.name}: {note}" for note in suite.problems]
        before = len(next(iter(self._scores.values())))
        self._read(shard)
        if len(next(iter(self._scores.values()))) - before != n:
            raise InputError(f"{shard.title} has changed since it was scored. Run the same command again.")

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

    def measured(self, metrics: Mapping[str, Metric], items: Sequence[Item], corpus: CorpusManifest) -> list[Measured]:
        """Return the scores of all items by metric."""
        results, flags = [], corpus.flags
        for name, metric in metrics.items():
            good, incorrect = (np.array(self._scores[f"{name} {side}"]) for side in ("good", "incorrect"))
            own = {flag.removeprefix(f"{name} "): n for flag, n in flags.items() if flag.startswith(f"{name} ")}
            marks = bool(corpus.more.get("marking", {}).get(name))
            spans = [self._marked(name, side, items) if marks else None for side in SIDES]
            results.append(
                Measured(
                    name, metric.card, good=good, incorrect=incorrect, flags=own, good_spans=spans[0], incorrect_spans=spans[1]
                )
            )  # fmt: skip
        return results

    def _marked(self, metric: str, side: str, items: Sequence[Item]) -> list[tuple[ErrorSpan, ...]]:
        """Return the error spans that a metric marked on one side of all items."""

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
    """Return the value of a cell; text is parsed as JSON."""
    return json.loads(value) if isinstance(value, str) else value


def _only(measured: Sequence[Measured], rows: Sequence[bool]) -> list[Measured]:
    """Return the scores restricted to some items."""
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


def _rejected(corpus: CorpusManifest) -> list[str]:
    if not corpus.counts.rejected:
        return []
    return [f"{counted(corpus)}: rejected items have no scores (reasons are in _rejected.jsonl)."]
