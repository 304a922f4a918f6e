"""``assay score``: corpus and segment scores of one or more systems, from texts, files or tables of any size."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.analyses import comparison, comparison_tables
from assay.core.call import recorded
from assay.core.chunk import LABELS, TEXTS, Retained
from assay.core.columns import Columns, joined
from assay.core.errors import InputError, listing
from assay.core.flags import flag_notes
from assay.core.metric import Metric, Scores
from assay.core.rows import FLAGS, SPANS
from assay.core.spans import marks_none
from assay.engine.scoring import may_mark_spans
from assay.report.writing import whole_file
from assay.verbs.shared.request import TextRequest, request
from assay.verbs.shared.run_over_texts import RunOverTexts, fewest_segments, segments_note

if TYPE_CHECKING:
    from assay.core.batch import EmptyReference
    from assay.core.chunk import Flagging
    from assay.core.metric import Floats
    from assay.core.table import Table
    from assay.engine.arguments import References, Texts
    from assay.engine.inputs import PathName
    from assay.engine.scored_run import RowsDone, ScoredRun
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice
    from assay.report.scores import RowStream
    from assay.report.spans import SpanRow

MOST_SPANS = 20
"""Segments whose marked spans a notebook shows."""


@dataclass(repr=False)
class ScoreResult(RunOverTexts):
    """Scores of one or more systems: `systems` by name, `system` and `segments` where there is one."""

    marked: bool = field(default=False, kw_only=True)
    """Whether error spans were asked for."""

    verb = "score"

    @property
    def systems(self) -> dict[str, dict[str, float]]:
        """Corpus scores by system and metric."""
        return {system: {name: s.score for name, s in row.items()} for system, row in self.standings.items()}

    @property
    def system(self) -> dict[str, float]:
        """Corpus scores by metric, of the one system that was scored."""
        return self.systems[self._only()]

    @property
    def segments(self) -> dict[str, Floats]:
        """Segment scores by metric asked for, in the order of the input, of the one system that was scored."""
        return {name: scores.values for name, scores in self.scores.items()}

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """All that each metric said about the one system that was scored: values, components, spans, flags."""
        return self.scores_of(self._only())

    def scores_of(self, system: str) -> dict[str, Scores]:
        """All that each metric said about a system."""
        return {name: Scores.concat(list(self.run.scores(system, name))) for name in self.run.asked}

    def __len__(self) -> int:
        return len(self.run)

    def _only(self) -> str:
        if len(self.run.systems) > 1:
            names = ", ".join(self.run.systems[:3])
            raise InputError(f"there are several systems ({names} …): take result.systems, or result.scores_of(NAME).")
        return self.run.systems[0]

    def columns(self) -> Columns:
        """One row a segment: the columns of the input where they were kept (``texts=True``), else what names the row; then every
        metric's score, its components and flags, all flags in a list, and error spans where they were asked for."""
        parts = []
        stream = self.rows()
        for chunk, columns in zip(self.run.chunks(), stream, strict=True):
            added = dict(columns)
            after = {name: added.pop(name) for name in (FLAGS, SPANS) if name in added}
            for name in self.run.asked:
                scores = chunk.scores[name]
                place: dict[str, Any] = {name: scores.values}
                place |= {f"{name} {part}": values for part, values in scores.components.items()}
                place |= {f"{name} {flag}": raised for flag, raised in scores.flags.items()}
                del added[name]
                added |= place
            parts.append(added | after)
        return joined(parts)

    scores_columns = columns

    def rows(self) -> RowStream:
        """The rows that `write_rows` writes, as columns, a chunk at a time."""
        from assay.report.scores import RowStream

        return RowStream(self.run, self.run.asked, spans=self.marked)

    def write_rows(self, path: PathName, *, spreadsheet_safe: bool = False) -> None:
        """Write one row per segment: the columns of the input (``texts=True`` keeps them), scores, flags and error spans.

        The suffix selects the format: .jsonl, .tsv, .csv, .parquet or .xlsx.
        """
        from assay.report.rows import ROWS, write_rows

        format = os.fspath(path).rpartition(".")[2].lower()
        if format not in ROWS:
            raise InputError(f"{path}: rows are written as {listing(f'.{form}' for form in ROWS)}.")
        rows = self.rows()
        with whole_file(os.fspath(path), binary=format in ("parquet", "xlsx")) as stream:
            notes = write_rows(rows, format, stream, scores=rows.scores, spreadsheet_safe=spreadsheet_safe)
        self.notes += [*notes, *rows.notes]

    def to_dict(self) -> dict[str, Any]:
        """``{"systems": {SYSTEM: {METRIC: {"score": x, "signature": "...", "components": {...}, "segments": [...]}}}}``."""
        import io
        import json

        from assay.report.scores import as_json

        out = io.StringIO()
        as_json(self.run, self.known(), out.write, self.groups(), self.system_flags)
        whole: dict[str, Any] = json.loads(out.getvalue())
        return whole

    def groups(self) -> list[dict[str, Any]]:
        """The rows of the table `groups`, where scores by group were asked for (``by``)."""
        from assay.report.data import rows

        return rows(self.tables["groups"]) if "groups" in self.tables else []

    def known(self) -> dict[str, dict[str, dict[str, Any]]]:
        """What JSON says of each system and metric before its segments."""
        made_of = self.components
        return {
            system: {
                name: {
                    "score": s.score,
                    "low": s.low,
                    "high": s.high,
                    "signature": self.signatures[name],
                    "n": self.run.count(system, name) if self.run.partial(name) else None,
                    "components": made_of[system].get(name),
                }
                for name, s in row.items()
            }
            for system, row in self.standings.items()
        }

    def span_rows(self) -> Iterator[SpanRow]:
        """Every segment of every metric with the errors marked in it (``score(spans=True)``)."""
        from assay.report.spans import SpanRow

        met: dict[int, int] = {}
        for chunk in self.run.chunks():
            places = []
            for code in chunk.codes.tolist():
                met[code] = met.get(code, 0) + 1
                places.append((chunk.systems[code], met[code]))
            texts, sources = chunk.columns["hypotheses"], chunk.columns.get("sources") or [None] * len(chunk)
            for name, scores in chunk.scores.items():
                if scores.spans is None:
                    continue
                for i, (system, segment) in enumerate(places):
                    yield SpanRow(
                        system, segment, name, float(scores.values[i]), str(texts[i]), scores.spans[i], sources[i]
                    )

    def _repr_html_(self) -> str | None:
        whole = super()._repr_html_()
        if whole is None or not self.run.retained.spans:
            return whole
        from itertools import islice

        from assay.report.spans import fragment

        return whole + fragment(islice(self.span_rows(), MOST_SPANS))


def score(
    hypotheses: Texts | None = None,
    references: References | None = None,
    *,
    sources: Texts | None = None,
    mt: PathName | Sequence[PathName] | Mapping[str, PathName] = (),
    ref: PathName | Sequence[PathName] = (),
    src: PathName | None = None,
    data: Any = None,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    langpair: str | None = None,
    empty_reference: EmptyReference | None = None,
    testset: PathName | None = None,
    data_dir: PathName | None = None,
    metrics: Sequence[str | Metric] | None = None,
    spans: bool = False,
    texts: bool = False,
    flags: Flagging = "auto",
    ci: bool = False,
    by: str | Sequence[str] | None = None,
    samples: int = 1000,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
) -> ScoreResult:
    """Score translations with one or more metrics: lists of texts, text files, or a table.

    Args:
        hypotheses: The translations.
        references: A list of strings, or a list of such lists, one for each reference of every segment:
            ``references=[first_references, second_references]``.
        sources: What was translated.
        mt: Instead of lists: text files of one segment a line, one file a system, with names or without
            (``{"ours": "a.de"}``).
        ref: The files of references that go with `mt`, one for each reference.
        src: The file of sources that goes with `mt`.
        data: Instead of both: a table with columns src, mt, ref, system … (TSV, CSV, JSON lines, XLSX, Parquet, TMX, XLIFF …,
            ``docs/tables.md``), a frame of polars, pandas or Arrow, or dictionaries, one a row, in a list or as they come.
        columns: Which column of `data` plays which role where the names differ: ``{"mt": "Output"}``; several columns of
            translations are a system each (``{"mt": ["A", "B"]}``); numbers serve where there is no header line.
        quoting: How quotation marks in a TSV are read: ``auto``, ``csv`` or ``none``.
        langpair: The language pair, as in en-de, where the table does not say.
        empty_reference: What becomes of rows whose references are all empty: ``skip`` leaves them out of metrics that need a
            reference (the default for tables), ``score`` scores them against an empty text (the default for text files and
            lists, as in sacrebleu), ``error`` refuses them.
        testset: Where sources and references come from, instead of `ref` and `src`: a year (``wmt23``), the path of an
            mt-metrics-eval tree, or a test set that sacrebleu has downloaded; with `langpair`.
        data_dir: Where local copies of test sets lie; by default ``$ASSAY_DATA``.
        metrics: Names with options (``"bleu:tokenize=zh"``), paths of checkpoints, or Metric objects; by default chrF and
            BLEU where there are references, and assay-mini where it is installed, up to 20,000 rows.
        spans: Keep the error spans that a metric marks (`ScoreResult.span_rows`).
        texts: Keep all columns of the input, and error spans: in `ScoreResult.to_polars`, `ScoreResult.write_rows`, and for
            `assay view` in what `ScoreResult.write` writes.
        flags: Which flags of the texts to raise: ``auto``, ``all`` (identify languages whatever it costs) or ``none``.
        ci: 95% bootstrap intervals beside the corpus scores.
        by: Add the table `groups`, with a score for each document, domain …: a column of `data` (``doc``), ``length``, or a label
            for each segment.
        samples: Bootstrap resamples for `ci`.
        seed: Seed of the resampling.
        workers: Threads to use; by default one a core.
        store: Look up and keep the results of slow metrics.
        progress: Called after every chunk with its rows and whether they came from an earlier, interrupted run.

    Files are read in flat memory; a call that was killed finds its finished chunks when it is made again.
    """
    asked = request(
        hypotheses, references, sources=sources, mt=mt, ref=ref, src=src, data=data, columns=columns, quoting=quoting,
        langpair=langpair, testset=testset, data_dir=data_dir,
        metrics=metrics, spans=spans, by=by, rows=texts, empty_reference=empty_reference,
    )  # fmt: skip
    return score_request(
        asked, spans=spans, texts=texts, flags=flags, ci=ci, by=by, samples=samples, seed=seed, workers=workers, store=store,
        progress=progress,
    )  # fmt: skip


@recorded("score")
def score_request(
    asked: TextRequest,
    *,
    spans: bool = False,
    texts: bool = False,
    flags: Flagging = "auto",
    ci: bool = False,
    by: str | Sequence[str] | None = None,
    samples: int = 1000,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
) -> ScoreResult:
    """`score` for a request that is made already."""
    if spans:
        for metric in asked.metrics.values():
            if not may_mark_spans(metric):
                raise InputError(marks_none(metric.card.name))
    shown = (*(TEXTS if spans else ()), *(("rows",) if texts else ()))
    columns = tuple(dict.fromkeys((*LABELS, *shown, *(("groups",) if by is not None else ()))))
    keep = Retained(stats=ci or by is not None, spans=spans or texts, columns=columns, flags=flags)
    run = asked.run(keep, workers, store, progress)
    if spans:
        _need_spans(run)
    standings = comparison.plain(run.corpus)
    if ci:
        stats = {s: {m: run.own_stats(s, m) for m in run.metrics} for s in run.systems}
        found = comparison.contests(stats, run.metrics, samples=samples, trials=0, seed=seed, paired=False)
        sure = comparison.standings(found)
        standings = {system: {name: sure[system][name] for name in row} for system, row in standings.items()}
    about = segments_note(run) + (f" · 95% bootstrap, n={samples}, seed {seed}" if ci else "")
    few = comparison_tables.doubt_notes(standings, run.metrics, fewest_segments(run)) if ci else []
    tables = [comparison_tables.systems(standings, run.metrics, notes=[about, *few, *flag_notes(run.flagged())])]
    if by is not None:
        tables.append(_by_group(run, by if isinstance(by, str) else "group"))
    found_tables = {table.name: table for table in tables}
    made = ScoreResult(found_tables, run, standings, files=asked.inputs.paths, seed=seed if ci else None, marked=spans)
    made.add_components()
    return made


def _by_group(run: ScoredRun, by: str) -> Table:
    """The table `groups`: a score for each document, domain …"""
    from collections import Counter

    from assay.engine import pairing

    labels = pairing.labels(run, by)
    counts = {system: Counter(mine) for system, mine in labels.items()}
    scores = pairing.group_scores(run, labels)
    groups = {group: comparison.plain(scores[group]) for group in pairing.order_of(labels, by)}
    sizes = {group: {system: counts[system][group] for system in row} for group, row in groups.items()}
    return comparison_tables.groups(by, groups, sizes, run.metrics, ())


def _need_spans(run: ScoredRun) -> None:
    for name, metric in run.asked.items():
        if any(chunk.scores[name].spans is None for chunk in run.chunks()):
            run.finish()
            raise InputError(marks_none(metric.card.name))
