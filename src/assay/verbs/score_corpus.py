"""Implementation of ``assay score FOLDER --out FOLDER``: workers score a corpus in many files shard by shard."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import alert
from assay.core.flags import flag_notes
from assay.core.table import Table, TableColumn
from assay.corpus.preflight import first_batch
from assay.engine.languages import target_languages
from assay.engine.preflight import find_misplaced_texts
from assay.metrics import build_metrics
from assay.verbs.shared.corpora import CorpusResult, CorpusRun, counted, named_metrics

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.corpus.manifest import CorpusManifest
    from assay.verbs.shared.options import ScoreOptions


def score_corpus(
    out: str | os.PathLike[str], metrics: Any, options: ScoreOptions, *, spans: bool, seed: int
) -> CorpusResult:
    """Score a corpus in many files: each shard becomes a shard of the same name in `out`, with its columns and the scores."""
    specs = named_metrics(metrics, ("chrf", "bleu"))
    run = CorpusRun.of(out, options)
    built, settings, alerts = _settled(run, build_metrics(specs))
    driver = run.carry_out(run.scoring_job(built, spans=spans, seed=seed, settings=settings), built)
    return CorpusResult({"corpus": _table(driver.manifest, built)}, **run.outcome(driver, built, alerts))


def _settled(
    run: CorpusRun, metrics: Mapping[str, Metric]
) -> tuple[Mapping[str, Metric], dict[str, Any], Sequence[str]]:
    """Return the metrics for the target language of the first rows (as for one file), settings for workers, and alerts."""
    options = run.options
    first = first_batch(
        run.shards,
        columns=options.get("columns"),
        quoting=options.get("quoting", "auto"),
        langpair=options.get("langpair"),
        empty_reference=options.get("empty_reference"),
    )
    if first is None:
        return metrics, {}, []
    languages, notes = target_languages(first, metrics)
    alerts = [*notes, *find_misplaced_texts(first)]
    alert(alerts)
    settled = {
        name: metric.for_language(languages[name]) if name in languages else metric for name, metric in metrics.items()
    }
    return settled, {"target_languages": languages} if languages else {}, alerts


def _table(corpus: CorpusManifest, metrics: Mapping[str, Metric]) -> Table:
    """Return the corpus score table with the counts below it."""
    systems = list(corpus.scores)
    columns = [TableColumn("system", hidden=systems in ([""], []))]
    for name in corpus.signatures:
        metric = metrics.get(name) or metrics[name.rpartition(" ")[0]]
        label = metric.card.label if name in metrics else name
        columns.append(
            TableColumn(
                name, label if metric.card.higher_is_better else f"{label} ↓", "number", decimals=metric.card.decimals
            )
        )
    rows = [{"system": system, **scores} for system, scores in corpus.scores.items()]
    if corpus.kept_scores:
        rows += [{"system": f"{system} kept".strip(), **scores} for system, scores in corpus.kept_scores.items()]
        columns[0] = TableColumn("system", "rows" if systems == [""] else "")
        rows = [{**row, "system": row["system"] or "all"} for row in rows]
    notes = [counted(corpus), *flag_notes({"": corpus.flags})]
    return Table("corpus", tuple(columns), rows, "Corpus scores", notes=notes)
