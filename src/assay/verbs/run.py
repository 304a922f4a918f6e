"""``assay run``: metrics on challenge sets and human-rated test sets. Missing scores are computed, and the suite's tables
are built."""

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
    """Run metrics on a suite and build its tables.

    Args:
        suite: A registered name (``demetr``), the path of a contrastive file, a Suite object, or a contrastive set in many files
            (a folder, a pattern or a list of files).
        metrics: Names with options, checkpoint paths, or Metric objects. The default is string metrics, plus assay-mini if
        it is installed and the suite has at most 20,000 translations.
        metric_files: Score files from third-party metrics: ``scores.tsv``, ``scores.tsv:lower,source``, or with a card
        ``scores.card.json`` that lists the metric's inputs.
        analysis: The analysis that builds the tables, instead of the suite's default: a name (`assay.analyses`),
            ``module:function`` or a function.
        subsample: Maximum number of items per phenomenon, drawn with `seed` in proportion to the language pairs.
        labels: Names for metrics in tables and figures; scores and signatures keep the original names.
        seed: Random seed for the resampling.
        samples: Number of bootstrap resamples.
        correction: Correction for multiple comparisons: ``none``, ``holm``, ``bonferroni`` or ``benjamini-hochberg``.
        workers: Number of threads, by default one per core. For a set in many files, the number of worker processes.
        store: Whether to look up and cache the scores of slow metrics.
        out: Output folder for a set in many files. Each shard becomes a shard of the same name in it, with its columns and two
            scores per metric: ``chrf good``, ``chrf incorrect``. The tables are the same as for one file with all rows. An
            interrupted run resumes from the folder. Metrics must be names, because workers load them.
        progress: Called with `assay.corpus.driver.CorpusProgress` during a run over many files.
        options: Options for loading the suite (`assay.verbs.shared.options.SuiteInputs`) and, for a set in many files, its
        workers (`CorpusOptions`). `langpair` selects one language pair, or specifies it for a file that does not.

    Returns:
        The suite's tables, with the underlying scores.

    Raises:
        InputError: The suite, the metrics or the options are invalid.
        MissingPart: The suite's data, or an extra that a metric requires, is missing.

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
