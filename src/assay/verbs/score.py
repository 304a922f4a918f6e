"""``assay score``: corpus and segment scores of one or more systems, from lists, files, tables or corpora of any size."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack, overload

from assay.analyses import comparison, comparison_tables
from assay.core.call import recorded
from assay.core.chunk import LABELS, TEXTS, Retained
from assay.core.columns import Columns, joined
from assay.core.errors import InputError, listing
from assay.core.flags import flag_notes
from assay.core.metric import Metric, Scores
from assay.core.rows import FLAGS, SPANS
from assay.core.spans import no_spans_message
from assay.engine.run import run_inputs
from assay.engine.scoring import may_mark_spans
from assay.report.writing import output_file
from assay.verbs.shared.options import (
    CorpusOptions,
    RowChoice,
    ScoreOptions,
    ScoringOptions,
    TextInputs,
    need_folder,
    parted,
    refuse_with_folder,
)
from assay.verbs.shared.request import TextRequest, request
from assay.verbs.shared.run_over_texts import RunOverTexts, fewest_segments, segments_note
from assay.verbs.shared.selection import Selection

if TYPE_CHECKING:
    from assay.core.chunk import Flagging
    from assay.core.metric import Floats
    from assay.core.table import Table
    from assay.corpus.job import Duplicates
    from assay.engine.arguments import References, Texts
    from assay.engine.inputs import PathName
    from assay.engine.scored_run import RowsDone, ScoredRun
    from assay.report.scores import RowStream
    from assay.report.spans import SpanRow
    from assay.verbs.shared.corpora import CorpusResult

MOST_SPANS = 20
"""Number of segments with marked spans that a notebook shows."""


@dataclass(repr=False)
class ScoreResult(RunOverTexts):
    """Scores of one or more systems: `systems` by name; `system` and `segments` if there is only one."""

    marked: bool = field(default=False, kw_only=True)
    """Whether error spans were requested."""

    verb = "score"

    @property
    def systems(self) -> dict[str, dict[str, float]]:
        """Corpus scores by system and metric."""
        return {system: {name: s.score for name, s in row.items()} for system, row in self.standings.items()}

    @property
    def system(self) -> dict[str, float]:
        """Corpus scores of the only system by metric."""
        return self.systems[self._only()]

    @property
    def segments(self) -> dict[str, Floats]:
        """Segment scores of the only system by requested metric, in input order."""
        return {name: scores.values for name, scores in self.scores.items()}

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """Everything that each metric returned for the only system: values, components, spans, flags."""
        return self.scores_of(self._only())

    def scores_of(self, system: str) -> dict[str, Scores]:
        """Return everything that each metric returned for a system."""
        return {name: Scores.concat(list(self.run.scores(system, name))) for name in self.run.asked}

    def __len__(self) -> int:
        return len(self.run)

    def _only(self) -> str:
        if len(self.run.systems) > 1:
            names = ", ".join(self.run.systems[:3])
            raise InputError(
                f"the result has several systems ({names} …). Use result.systems, or result.scores_of(NAME)."
            )
        return self.run.systems[0]

    def columns(self) -> Columns:
        """Return one row per segment: input columns, scores with components and flags, a list of all flags, and requested
        error spans.

        Without ``texts=True``, only the input columns that identify the row are included.
        """
        parts = []
        stream = self.rows()
        for chunk, columns in zip(self.run.chunks(), stream, strict=True):
            added = dict(columns)
            after = {name: added.pop(name) for name in (FLAGS, SPANS) if name in added}
            for name in self.run.asked:
                scores = chunk.scores[name]
                own: dict[str, Any] = {name: scores.values}
                own |= {f"{name} {part}": values for part, values in scores.components.items()}
                own |= {f"{name} {flag}": raised for flag, raised in scores.flags.items()}
                del added[name]
                added |= own
            parts.append(added | after)
        return joined(parts)

    scores_columns = columns

    def rows(self) -> RowStream:
        """Return the same rows as `write_rows`, as columns, chunk by chunk."""
        from assay.report.scores import RowStream

        return RowStream(self.run, self.run.asked, spans=self.marked)

    def write_rows(self, path: PathName, *, spreadsheet_safe: bool = False) -> None:
        """Write one row per segment: input columns (with ``texts=True``), scores, flags and error spans.

        The suffix selects the format: .jsonl, .tsv, .csv, .parquet or .xlsx.
        """
        from assay.report.rows import ROWS, write_rows

        format = os.fspath(path).rpartition(".")[2].lower()
        if format not in ROWS:
            raise InputError(f"{path}: rows can be written as {listing(f'.{form}' for form in ROWS)}.")
        rows = self.rows()
        with output_file(os.fspath(path), binary=format in ("parquet", "xlsx")) as stream:
            notes = write_rows(rows, format, stream, scores=rows.scores, spreadsheet_safe=spreadsheet_safe)
        self.notes += [*notes, *rows.notes]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"systems": {SYSTEM: {METRIC: {"score": x, "signature": "...", "components": {...}, "segments": [...]}}}}``."""
        import io
        import json

        from assay.report.scores import as_json

        out = io.StringIO()
        as_json(self.run, self.known(), out.write, self.groups(), self.system_flags)
        whole: dict[str, Any] = json.loads(out.getvalue())
        return whole

    def groups(self) -> list[dict[str, Any]]:
        """Return the rows of the table `groups`, if scores by group were requested (``by``)."""
        from assay.report.data import rows

        return rows(self.tables["groups"]) if "groups" in self.tables else []

    def known(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return the values that precede the segments of each system and metric in JSON."""
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
        """Return every segment with the error spans of every metric (``score(spans=True)``)."""
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


@overload
def score(
    hypotheses: Texts | None = None,
    references: References | None = None,
    *,
    metrics: Sequence[str | Metric] | None = None,
    spans: bool = False,
    texts: bool = False,
    ci: bool = False,
    by: str | Sequence[str] | None = None,
    samples: int = 1000,
    seed: int = 12345,
    out: None = None,
    **options: Unpack[ScoreOptions],
) -> ScoreResult: ...
@overload
def score(
    *,
    out: PathName,
    metrics: Sequence[str] | str | None = None,
    spans: bool = False,
    seed: int = 12345,
    **options: Unpack[ScoreOptions],
) -> CorpusResult: ...
def score(
    hypotheses: Texts | None = None,
    references: References | None = None,
    *,
    metrics: Sequence[str | Metric] | str | None = None,
    spans: bool = False,
    texts: bool = False,
    ci: bool = False,
    by: str | Sequence[str] | None = None,
    samples: int = 1000,
    seed: int = 12345,
    out: PathName | None = None,
    **options: Unpack[ScoreOptions],
) -> ScoreResult | CorpusResult:
    """Score translations with one or more metrics: lists of texts, text files, a table, or a corpus in many files.

    Args:
        hypotheses: The translations.
        references: A list of strings, or one such list per reference: ``references=[first_references, second_references]``.
        metrics: Names with options (``"bleu:tokenize=zh"``), checkpoint paths, or Metric objects. The default is chrF and
        BLEU if there are references, plus assay-mini if it is installed and there are at most 20,000 rows.
        spans: Keep the error spans that a metric marks (`ScoreResult.span_rows`).
        texts: Keep all input columns and error spans, for `ScoreResult.to_polars`, `ScoreResult.write_rows` and
            `assay view`.
        ci: Add 95% bootstrap intervals to the corpus scores.
        by: Add the table `groups` with a score per document, domain …: a column of `data` (``doc``), ``length``, or one label
            per segment.
        samples: Number of bootstrap resamples for `ci`.
        seed: Random seed for resampling and for `sample`.
        out: Output folder for a corpus in many files. `data`, or `mt`, `ref` and `src`, are then folders, patterns or lists of
            files. Each shard becomes a shard of the same name in `out`, with its columns and the scores. The folder is
            created if needed; an interrupted run resumes from it. Metrics must be names, because workers load them.
        options: The texts (`assay.verbs.shared.options.TextInputs`), threads and cache (`ScoringOptions`), row selection
        (`RowChoice`) and, for a corpus, its workers (`CorpusOptions`).

    Returns:
        The scores: `ScoreResult`, or `CorpusResult` if `out` is specified.

    Raises:
        InputError: The texts or options are invalid.
        MissingPart: A metric requires an extra that is not installed.

    Memory use does not depend on the size of the files. An interrupted run over files resumes when the call is repeated.

    Example:
        >>> import assay
        >>> round(assay.score(["the cat sat"], ["the cat sat down"], metrics=["chrf"]).system["chrf"], 2)
        66.02
    """
    inputs, scoring, rows, corpus = parted("score", options, TextInputs, ScoringOptions, RowChoice, CorpusOptions)
    if out is not None:
        lists = {"hypotheses": hypotheses, "references": references, "sources": inputs.get("sources")}
        sets = {name: inputs.get(name) for name in ("testset", "data_dir")}
        refuse_with_folder({**lists, **sets, "texts": texts, "ci": ci, "by": by})
        from assay.verbs.score_corpus import score_corpus

        return score_corpus(out, metrics, options, spans=spans, seed=seed)
    need_folder(corpus)
    asked = request(
        hypotheses, references, metrics=metrics, spans=spans, by=by, rows=texts or any(rows.values()), **inputs
    )
    return score_request(asked, spans=spans, texts=texts, ci=ci, by=by, samples=samples, seed=seed, **scoring, **rows)


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
    keep: str | None = None,
    dedup: Duplicates | None = None,
    sample: int | None = None,
    sample_by: str | None = None,
) -> ScoreResult:
    """Run `score` for an existing request."""
    selection = Selection(keep, dedup, sample, sample_by, seed)
    if spans:
        for metric in asked.metrics.values():
            if not may_mark_spans(metric):
                raise InputError(no_spans_message(metric.card.name))
    shown = (*(TEXTS if spans else ()), *(("rows",) if texts else ()), *selection.columns)
    columns = tuple(dict.fromkeys((*LABELS, *shown, *(("groups",) if by is not None else ()))))
    stats = ci or by is not None or keep is not None
    retained = Retained(stats=stats, spans=spans or texts, columns=columns, flags=flags)
    distinct = selection.without_duplicates(asked)
    with distinct.released():
        run = run_inputs(
            distinct.inputs, distinct.metrics, retain=retained, workers=workers, store=store, progress=progress
        )
    run.notices += distinct.notes
    if spans:
        _need_spans(run)
    standings = comparison.plain_standings(run.corpus)
    if ci:
        each = {s: {m: run.own_stats(s, m) for m in run.metrics} for s in run.systems}
        contests = comparison.contests(each, run.metrics, samples=samples, trials=0, seed=seed, paired=False)
        sure = comparison.standings(contests)
        standings = {system: {name: sure[system][name] for name in row} for system, row in standings.items()}
    chosen = selection.chosen(run)
    about = (
        segments_note(run) + (f" · 95% bootstrap, n={samples}, seed {seed}" if ci else "") + selection.note(chosen, run)
    )
    few = comparison_tables.doubt_notes(standings, run.metrics, fewest_segments(run)) if ci else []
    tables = [comparison_tables.systems(standings, run.metrics, notes=[about, *few, *flag_notes(run.flagged())])]
    if keep and len(chosen):
        kept = comparison_tables.systems(
            comparison.plain_standings(chosen.corpus), run.metrics, caption=f"Rows for which {keep}"
        )
        tables.append(replace(kept, name="kept"))
    if by is not None:
        tables.append(_by_group(run, by if isinstance(by, str) else "group"))
    result = ScoreResult(
        {table.name: table for table in tables}, chosen, standings, files=asked.inputs.paths, seed=seed if ci else None,
        marked=spans,
    )  # fmt: skip
    result.add_components()
    return result


def _by_group(run: ScoredRun, by: str) -> Table:
    """Return the table `groups`: one score per document, domain …"""
    from collections import Counter

    from assay.engine import pairing

    labels = pairing.labels(run, by)
    counts = {system: Counter(own) for system, own in labels.items()}
    scores = pairing.group_scores(run, labels)
    groups = {group: comparison.plain_standings(scores[group]) for group in pairing.order_of(labels, by)}
    sizes = {group: {system: counts[system][group] for system in row} for group, row in groups.items()}
    return comparison_tables.groups(by, groups, sizes, run.metrics, ())


def _need_spans(run: ScoredRun) -> None:
    for name, metric in run.asked.items():
        if any(chunk.scores[name].spans is None for chunk in run.chunks()):
            run.finish()
            raise InputError(no_spans_message(metric.card.name))
