"""Options that several verbs accept: input texts, threads and cache, selection of rows, and corpora in many files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.core.batch import EmptyReference
    from assay.core.chunk import Flagging
    from assay.corpus.discovery import Paths
    from assay.corpus.driver import ProgressCallback
    from assay.corpus.job import Duplicates, OnError
    from assay.engine.arguments import Texts
    from assay.engine.inputs import PathName
    from assay.engine.scored_run import RowsDone
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice


class TableOptions(TypedDict, total=False):
    """Options for reading a table.

    Args:
        columns: The column for each role, if its name is not a standard one: ``{"mt": "Output"}``. Each of several
        translation columns is one system (``{"mt": ["A", "B"]}``). Without a header line, use column numbers.
        quoting: How quotation marks in a TSV are read: ``auto``, ``csv`` or ``none``.
        langpair: The language pair, such as ``en-de``, if the texts do not specify it.
    """

    columns: ColumnChoice | None
    quoting: Quoting
    langpair: str | None


class TextInputs(TableOptions, total=False):
    """Sources of texts other than hypotheses and references in memory.

    Args:
        sources: A list of source texts.
        mt: Text files with one segment per line, one file per system, with or without names (``{"ours": "a.de"}``).
        ref: Reference files for `mt`, one file per reference.
        src: Source file for `mt`.
        data: A table with columns src, mt, ref, system … (TSV, CSV, JSON lines, XLSX, Parquet, TMX, XLIFF …,
            ``docs/tables.md``), a polars, pandas or Arrow frame, or an iterable of dictionaries, one per row.
        empty_reference: How to treat rows whose references are all empty. ``skip`` leaves them out for metrics that need a
            reference (default for tables). ``score`` scores them against an empty text (default for text files and lists, as
            in sacrebleu). ``error`` rejects them.
        testset: Source of sources and references, instead of `ref` and `src`: a year (``wmt23``), the path of an
            mt-metrics-eval tree, or a test set downloaded by sacrebleu. Requires `langpair`.
        data_dir: Folder with local copies of the test sets; by default ``$ASSAY_DATA``.
    """

    sources: Texts | None
    mt: PathName | Sequence[PathName] | Mapping[str, PathName]
    ref: PathName | Sequence[Paths]
    src: Paths | None
    data: Any
    empty_reference: EmptyReference | None
    testset: PathName | None
    data_dir: PathName | None


class ScoringOptions(TypedDict, total=False):
    """Options for scoring texts.

    Args:
        flags: Text flags to raise: ``auto``, ``all`` (identify languages at any cost) or ``none``.
        workers: Number of threads, by default one per core. For a corpus, the number of worker processes.
        store: Whether to look up and cache the scores of slow metrics.
        progress: Called after every chunk with its number of rows and whether they came from an earlier, interrupted run.
            For a corpus, called with `assay.corpus.driver.CorpusProgress`.
    """

    flags: Flagging
    workers: int | None
    store: bool
    progress: RowsDone | ProgressCallback | None


class RowChoice(TypedDict, total=False):
    """Options that select the rows to write.

    Args:
        keep: Write only rows that satisfy an expression: ``"chrf > 30 and length_ratio < 2"`` (``docs/filter.md``).
        dedup: Use only the first row with the same texts: ``pair`` (translation and source), ``mt`` or ``src``.
        sample: Write a random sample of this many rows.
        sample_by: Column whose values are the strata of the sample; by default, each shard is a stratum.
    """

    keep: str | None
    dedup: Duplicates | None
    sample: int | None
    sample_by: str | None


class CorpusOptions(TypedDict, total=False):
    """Options for processing a corpus in many files. They require ``out=FOLDER``.

    Args:
        on_error: What to do if a shard cannot be read: ``stop``, or ``skip`` the shard.
        engine: Where the workers run: ``local`` (processes on this machine) or ``ray`` (a Ray cluster, ``docs/cluster.md``).
        batch: Maximum number of rows per batch.
        address: Address of the Ray cluster's head node, ``host:port`` or ``auto``; by default, Ray is started on this machine.
        gpus_per_worker: GPUs per worker in a Ray cluster; two workers share a GPU at 0.5.
    """

    on_error: OnError
    engine: str
    batch: int | None
    address: str | None
    gpus_per_worker: float | None


class ScoreOptions(TextInputs, ScoringOptions, RowChoice, CorpusOptions, total=False):
    """Options of `assay.score` and `assay.apply_rule`."""


class CompareOptions(TextInputs, ScoringOptions, total=False):
    """Options of `assay.compare`."""


class MakeOptions(TableOptions, CorpusOptions, total=False):
    """Options of `assay.make`."""


class SuiteInputs(TableOptions, total=False):
    """Options for loading a suite.

    Args:
        data_dir: Folder with local copies of the suites; by default ``$ASSAY_DATA``.
        skip_bad: Leave out malformed rows and list them in `notes`.
        verify: Verify the checksums of the suite's files first.
    """

    data_dir: PathName | None
    skip_bad: bool
    verify: bool


class RunOptions(SuiteInputs, CorpusOptions, total=False):
    """Options of `assay.run`."""


def parted(verb: str, options: Mapping[str, Any], *kinds: type) -> list[dict[str, Any]]:
    """Group options by the class that declares them.

    Raises:
        TypeError: An option is not declared by any class.
    """
    parts = [{name: options[name] for name in options if name in kind.__annotations__} for kind in kinds]
    if unknown := options.keys() - {name for part in parts for name in part}:
        raise TypeError(f"{verb}() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    return parts


def need_folder(options: Mapping[str, Any]) -> None:
    """Reject corpus options in a call without ``out=FOLDER``."""
    for name, value in options.items():
        if value is not None and (name, value) not in (("on_error", "stop"), ("engine", "local")):
            raise InputError(f"{name} requires a corpus: a folder of shards and out=FOLDER (docs/corpora.md).")


def refuse_with_folder(options: Mapping[str, Any]) -> None:
    """Reject options that do not apply to a corpus in many files; None, false and empty values count as unset."""
    for name, value in options.items():
        if value is not None and value is not False and not (isinstance(value, (list, tuple)) and not value):
            raise InputError(f"{name} cannot be combined with out=FOLDER. Use a single file and omit out.")


def check_rows(options: Mapping[str, Any]) -> None:
    """Reject an invalid row selection."""
    if options.get("sample") is not None and options["sample"] < 1:
        raise InputError("--sample must be a positive whole number.")
    if options.get("sample_by") and options.get("sample") is None:
        raise InputError("--sample-by requires --sample.")
    if options.get("dedup") not in (None, "pair", "mt", "src"):
        raise InputError(f"--dedup must be pair, mt or src, not {options['dedup']!r}.")
