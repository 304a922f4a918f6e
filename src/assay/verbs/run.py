"""``assay run``: metrics on challenge sets and judged sets. Missing scores are computed, and the suite's tables are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from assay.core.call import recorded
from assay.core.errors import InputError
from assay.core.metric import Metric
from assay.core.suite import Suite
from assay.verbs.shared.options import CorpusOptions, RunOptions, SuiteInputs, need_folder, parted, refuse_with_folder
from assay.verbs.shared.suites import Analysing, SuiteResult, run_suite

if TYPE_CHECKING:
    from assay.core.analysis import Analysis
    from assay.corpus.driver import ProgressCallback
    from assay.engine.inputs import PathName

__all__ = ["SuiteResult", "run"]

DEFAULTS = {
    **dict.fromkeys((*SuiteInputs.__annotations__, *CorpusOptions.__annotations__)),
    "quoting": "auto", "skip_bad": False, "verify": False,
}  # fmt: skip
"""Recorded values of options that are not given."""


@recorded("run", DEFAULTS)
def run(
    suite: str | Suite | Sequence[str] = "embedded",
    metrics: Sequence[str | Metric] | str | None = None,
    *,
    metric_files: Sequence[str] = (),
    analysis: str | Analysis | None = None,
    subsample: int | None = None,
    labels: Mapping[str, str] | None = None,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
    workers: int | None = None,
    store: bool = True,
    out: PathName | None = None,
    progress: ProgressCallback | None = None,
    **options: Unpack[RunOptions],
) -> SuiteResult:
    """Run metrics on a suite and make its tables.

    Args:
        suite: A registered name (``demetr``), the path of a contrastive file, a Suite object, or a contrastive set in many files
            (a folder, a pattern or a list of files).
        metrics: Names with options, paths of checkpoints, or Metric objects. By default, string metrics, and assay-mini if it is
            installed and the suite has at most 20,000 translations.
        metric_files: Files of scores of third-party metrics: ``scores.tsv``, ``scores.tsv:lower,source``, or with a card
            ``scores.card.json`` that names what the metric reads.
        analysis: The analysis that makes the tables instead of the suite's own: a name (`assay.analyses`), ``module:function`` or
            a function.
        subsample: Largest number of items per phenomenon, drawn with `seed` in proportion to the language pairs.
        labels: Names for metrics in tables and figures; scores and signatures keep the original names.
        seed: Seed of the resampling.
        samples: Bootstrap resamples.
        correction: Correction for multiple comparisons: ``none``, ``holm``, ``bonferroni`` or ``benjamini-hochberg``.
        workers: Number of threads, by default one per core. For a set in many files, the number of worker processes.
        store: Whether to look up and cache the scores of slow metrics.
        out: Output folder for a set in many files. Each shard becomes a shard of the same name in it, with its columns and two
            scores per metric: ``chrf good``, ``chrf incorrect``. The tables are those of one file with all rows. An interrupted
            run resumes from the folder. Metrics must be names, because workers load them.
        progress: Called with `assay.corpus.driver.CorpusProgress` during a run over many files.
        options: How the suite is loaded (`assay.verbs.shared.options.SuiteInputs`), and for a set in many files its workers
            (`CorpusOptions`). `langpair` selects one language pair, or names that of a file without.

    Returns:
        The tables of the suite, with the scores behind them.

    Raises:
        InputError: The suite, the metrics or the options are invalid.
        MissingPart: The data of the suite, or an extra that a metric requires, is missing.

    Example:
        >>> import assay
        >>> assay.run("embedded", ["chrf"], samples=10).table().name
        'summary'
    """
    inputs, corpus = parted("run", options, SuiteInputs, CorpusOptions)
    how = Analysing(analysis, labels or {}, seed, samples, correction)
    if out is not None:
        refuse_with_folder({"metric_files": metric_files, "subsample": subsample, **{
            name: inputs.get(name) for name in ("data_dir", "skip_bad", "verify")
        }})  # fmt: skip
        from assay.verbs.run_corpus import run_corpus

        given: Any = {**options, "data": suite, "workers": workers, "progress": progress}
        return run_corpus(out, metrics, given, how)
    need_folder(corpus)
    if not isinstance(suite, (str, Suite)):
        raise InputError("a set in many files requires out=FOLDER.")
    named = [metrics] if isinstance(metrics, str) else metrics
    return run_suite(
        suite, named, how, metric_files=metric_files, subsample=subsample, workers=workers, store=store, **inputs
    )
