"""Requests for score, compare and decide: the texts and metrics in a call, validated before anything is read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from assay.core.batch import check_empty_reference
from assay.core.call import Call
from assay.core.errors import InputError
from assay.core.langpair import plain_pair
from assay.engine.arguments import make_batch
from assay.engine.grouping import column_of, grouped
from assay.engine.inputs import from_columns, from_files, from_known, from_table, split_name
from assay.engine.run import run_inputs
from assay.io.table.detection import is_table
from assay.metrics import build_metrics
from assay.verbs.shared.defaults import with_defaults
from assay.verbs.shared.options import TextInputs, parted

if TYPE_CHECKING:
    from assay.core.batch import EmptyReference
    from assay.core.chunk import Retained
    from assay.core.metric import Metric
    from assay.engine.arguments import References, Texts
    from assay.engine.inputs import Inputs, Known, PathName
    from assay.engine.scored_run import RowsDone, ScoredRun
    from assay.io.table.vocabulary import ColumnChoice


@dataclass
class TextRequest:
    """Texts to score as a stream, and the metrics."""

    inputs: Inputs
    metrics: Mapping[str, Metric]
    notes: Sequence[str] = ()
    """Notes on the choice of metrics."""
    call: Call | None = None
    """Recorded arguments of the call."""
    ours: Sequence[Metric] = ()
    """Metrics that were built for this call; their models are unloaded after it."""

    @property
    def rows(self) -> int | None:
        """Approximate number of rows; None if unknown."""
        return self.inputs.rows

    def run(self, keep: Retained, workers: int | None, store: bool, progress: RowsDone | None) -> ScoredRun:
        """Score all texts; see `assay.engine.run.run_inputs`."""
        with self.released():
            run = run_inputs(self.inputs, self.metrics, retain=keep, workers=workers, store=store, progress=progress)
        run.notices += self.notes
        return run

    @contextmanager
    def released(self) -> Iterator[None]:
        """At the end of the block, release the metrics that were built for this request."""
        try:
            yield
        finally:
            for metric in self.ours:
                metric.release()


TEXTS = ("hypotheses", "references", "sources", "systems")
"""Arguments that hold texts in memory."""


def request(
    hypotheses: Texts | None = None,
    references: References | None = None,
    *,
    systems: Mapping[str, Texts] | None = None,
    metrics: Sequence[str | Metric] | Mapping[str, Metric] | str | None = None,
    spans: bool = False,
    by: str | Sequence[str] | None = None,
    rows: bool = False,
    **texts: Unpack[TextInputs],
) -> TextRequest:
    """Build the request from the arguments of `assay.score` (or, with `systems`, of `assay.compare`).

    The default `metrics` depend on the texts (`assay.verbs.shared.defaults`); with `spans`, the default is a metric that
    marks errors. `by` groups the segments: a column of the table, ``length``, or one label per segment. With `rows`, all
    columns of a table are read.
    """
    parted("request", texts, TextInputs)
    given: dict[str, Any] = {
        "hypotheses": hypotheses, "references": references, "sources": None, "systems": systems, "mt": (), "ref": (),
        "src": None, "data": None, "columns": None, "quoting": "auto", "langpair": None, "by": by, "empty_reference": None,
        "testset": None, "data_dir": None, **texts,
    }  # fmt: skip
    check_empty_reference(given["empty_reference"])
    if given["langpair"]:
        given["langpair"] = plain_pair(given["langpair"])
    names = ("mt", "ref", "src", "columns", "testset")
    if given["data"] is None and (table := table_among(*(given[name] for name in names))) is not None:
        given |= {"data": table, "mt": ()}
    named = None
    if given["testset"] is not None:
        from assay.verbs.shared.named_sets import known_texts

        named = known_texts(given["testset"], given["langpair"], given["data_dir"])
        given["langpair"] = named.langpair
    built = metrics if isinstance(metrics, Mapping) else {} if metrics is None else build_metrics(metrics)
    inputs = grouped(_inputs(built, given, named, whole=rows), by)
    notes: Sequence[str] = ()
    if metrics is None:
        built, notes = with_defaults(inputs, spans)
    call = Call.of("", {**given, "metrics": list(built) if metrics is None else metrics}, texts=TEXTS)
    return TextRequest(inputs, built, notes, call, _built_here(metrics, built))


def _built_here(asked: object, built: Mapping[str, Metric]) -> list[Metric]:
    """Return the metrics that were specified by name or chosen by default; the caller owns metrics that are objects."""
    if asked is None:
        return list(built.values())
    names = [asked] if isinstance(asked, str) else asked if isinstance(asked, Sequence) else []
    return [built[name] for name in names if isinstance(name, str)]


def _inputs(built: Mapping[str, Metric], given: Mapping[str, Any], known: Known | None, *, whole: bool) -> Inputs:
    data, langpair, empty = given["data"], given["langpair"], given["empty_reference"]
    mt, ref, src = given["mt"], given["ref"], given["src"]
    column = column_of(given["by"], data is not None)
    files = bool(mt or ref or src is not None)
    lists = any(given[name] is not None for name in TEXTS)
    if known is not None:
        if data is not None or ref or src is not None or lists:
            raise InputError(
                "a test set (-t) includes sources and references. Specify only the translations: --mt FILE."
            )
        return from_known(_several(mt) or ["-"], known)
    if data is not None:
        if files:
            raise InputError(
                "--data cannot be combined with --mt, --ref or --src, because the table has these columns."
            )
        if lists:
            raise InputError(
                "data cannot be combined with hypotheses, references or sources, because the table has these columns."
            )
        return from_table(
            data, given["columns"], quoting=given["quoting"], langpair=langpair, metrics=built.values(), by=column,
            empty_reference=empty, whole=whole,
        )  # fmt: skip
    if given["columns"]:
        raise InputError("--columns requires --data.")
    if lists and files:
        raise InputError("pass lists (hypotheses, references, sources) or files (mt, ref, src), not both.")
    if lists:
        named = {"": given["hypotheses"]} if given["systems"] is None else given["systems"]
        return _in_memory(named, given["references"], given["sources"], langpair, empty)
    if not mt:
        raise InputError(
            "there are no translations to score. Specify them with --mt FILE, or a table with --data FILE."
        )
    return from_files(_several(mt), _several(ref), src, langpair=langpair, empty_reference=empty)


def table_among(
    mt: Any,
    ref: Any = (),
    src: PathName | None = None,
    columns: ColumnChoice | None = None,
    testset: PathName | None = None,
) -> str | None:
    """Return the one file of `mt` that is a table, which then takes the place of `data`; None if all files are text.

    Raises:
        InputError: One of several files is a table; its rows cannot be paired with the other files.
    """
    named = [(str(name), os.fspath(path)) for name, path in mt.items()] if isinstance(mt, Mapping) else None
    files = named if named is not None else [split_name(os.fspath(path)) for path in _several(mt)]
    beside = [os.fspath(path) for path in [*_several(ref), *([] if src is None else [src])]]
    for path in beside:
        if is_table(path):
            raise InputError(
                f"{path} is a table, but references and sources must be text files with one segment per line. Put all texts in one "
                "table (--data FILE), or save the column as a text file."
            )
    if columns and len(files) == 1 and not beside and testset is None:
        return files[0][1]
    tables = [(name, path) for name, path in files if is_table(path)]
    if not tables:
        return None
    name, path = tables[0]
    if beside or testset is not None:
        with_what = "--ref and --src" if beside else "a test set (-t)"
        raise InputError(
            f"{path} is a table, whose rows cannot be paired with {with_what}. Specify only the table, with its own reference "
            "and source columns, or save its translation column as a text file."
        )
    if len(files) > 1:
        raise InputError(
            f"{path} is a table, and several files are specified. Put the systems in one table: a column 'system', or one column "
            "per system (--columns mt=A,mt=B)."
        )
    if name:
        raise InputError(f"{path} is a table. Name the system in its column 'system', not with {name}=FILE.")
    return path


def demo_table() -> Path:
    """Return the location of the bundled demo table."""
    return Path(__file__).parents[2] / "data" / "demo.tsv"


def _in_memory(
    systems: Mapping[str, Any],
    references: References | None,
    sources: Texts | None,
    langpair: str | None,
    empty_reference: EmptyReference | None,
) -> Inputs:
    if not systems:
        raise InputError("compare requires at least one system.")
    if any(texts is None for texts in systems.values()):
        raise InputError("there are references or sources, but no hypotheses=[...] to score.")
    batches = {
        name: make_batch(texts, references, sources, langpair, empty_reference) for name, texts in systems.items()
    }
    unequal({name: len(batch) for name, batch in batches.items()})
    return from_columns(batches)


def unequal(segments: Mapping[str, int], of: str = "") -> None:
    """Reject systems with different numbers of segments."""
    if len(set(segments.values())) > 1:
        counts = ", ".join(f"{system} {n:,}" for system, n in segments.items())
        raise InputError(
            f"the systems have different numbers of segments{of} ({counts}), but a paired test requires the same number for each."
        )


def _several(paths: Any) -> Any:
    """Return a single path as a list; leave lists and mappings unchanged."""
    return paths if isinstance(paths, (list, tuple, Mapping)) else [paths]
