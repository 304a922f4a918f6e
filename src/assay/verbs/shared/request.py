"""What score, compare and decide are asked: which texts, by which metrics. Refused here, before anything is read, if wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.batch import check_empty_reference
from assay.core.call import Call
from assay.core.errors import InputError
from assay.core.langpair import plain_pair
from assay.metrics import build_metrics

if TYPE_CHECKING:
    from assay.core.batch import EmptyReference
    from assay.core.chunk import Retained
    from assay.core.metric import Metric
    from assay.engine.arguments import References, Texts
    from assay.engine.inputs import Inputs, Known, PathName
    from assay.engine.scored_run import RowsDone, ScoredRun
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice


@dataclass
class TextRequest:
    """Texts to be scored, as a stream, and the metrics to score them with."""

    inputs: Inputs
    metrics: Mapping[str, Metric]
    notes: Sequence[str] = ()
    """What people should hear about the choice of metrics."""
    call: Call | None = None
    """The arguments that it was made from."""
    ours: Sequence[Metric] = ()
    """The metrics that were built for this call: nobody scores with them again, and their networks go when it is through."""

    @property
    def rows(self) -> int | None:
        """Roughly how many rows there will be; None where it cannot be told."""
        return self.inputs.rows

    def run(self, keep: Retained, workers: int | None, store: bool, progress: RowsDone | None) -> ScoredRun:
        """Score it all; see `assay.engine.run.run_inputs`."""
        from assay.engine.run import run_inputs

        try:
            run = run_inputs(self.inputs, self.metrics, retain=keep, workers=workers, store=store, progress=progress)
        finally:
            for metric in self.ours:
                metric.release()
        run.notices += self.notes
        return run


def request(
    hypotheses: Texts | None = None,
    references: References | None = None,
    *,
    sources: Texts | None = None,
    systems: Mapping[str, Texts] | None = None,
    mt: PathName | Sequence[PathName] | Mapping[str, PathName] = (),
    ref: PathName | Sequence[PathName] = (),
    src: PathName | None = None,
    data: Any = None,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    langpair: str | None = None,
    testset: PathName | None = None,
    data_dir: PathName | None = None,
    metrics: Sequence[str | Metric] | Mapping[str, Metric] | None = None,
    spans: bool = False,
    by: str | Sequence[str] | None = None,
    rows: bool = False,
    empty_reference: EmptyReference | None = None,
) -> TextRequest:
    """What the arguments of `assay.score` (or, with `systems`, of `assay.compare`) ask for.

    Without `metrics` it is what the texts allow (`assay.verbs.defaults`); with `spans`, a metric that marks errors. `by` groups the
    segments: a column of the table, ``length``, or a label for each segment. With `rows`, all columns of a table are read.
    `empty_reference`: see `assay.core.batch`.
    """
    from assay.engine.grouping import grouped
    from assay.verbs.defaults import with_defaults

    check_empty_reference(empty_reference)
    langpair = plain_pair(langpair) if langpair else langpair
    if data is None and (table := table_among(mt, ref, src, columns, testset)) is not None:
        data, mt = table, ()
    known = None
    if testset is not None:
        from assay.verbs.known_sets import known_texts

        known = known_texts(testset, langpair, data_dir)
        langpair = known.langpair
    built = metrics if isinstance(metrics, Mapping) else {} if metrics is None else build_metrics(metrics)
    given = {
        "hypotheses": hypotheses, "references": references, "sources": sources, "systems": systems, "mt": mt, "ref": ref,
        "src": src, "data": data, "columns": columns, "quoting": quoting, "langpair": langpair, "by": by,
        "empty_reference": empty_reference,
    }  # fmt: skip
    inputs = grouped(_inputs(built, known=known, whole=rows, **given), by)
    made = TextRequest(inputs, built) if metrics is not None else with_defaults(inputs, spans)
    chosen = list(made.metrics) if metrics is None else metrics
    asked = {**given, "testset": testset, "data_dir": data_dir, "metrics": chosen}
    call = Call.of("", asked, texts=("hypotheses", "references", "sources", "systems"))
    return replace(made, call=call, ours=_built_here(metrics, made.metrics))


def _built_here(asked: object, built: Mapping[str, Metric]) -> list[Metric]:
    """The metrics that were asked for by name, or not at all; objects are whoever's gave them."""
    if asked is None:
        return list(built.values())
    names = [asked] if isinstance(asked, str) else asked if isinstance(asked, Sequence) else []
    return [built[name] for name in names if isinstance(name, str)]


def _inputs(
    built: Mapping[str, Metric],
    *,
    hypotheses: Texts | None,
    references: References | None,
    sources: Texts | None,
    systems: Mapping[str, Texts] | None,
    mt: PathName | Sequence[PathName] | Mapping[str, PathName],
    ref: PathName | Sequence[PathName],
    src: PathName | None,
    data: Any,
    columns: ColumnChoice | None,
    quoting: Quoting,
    langpair: str | None,
    by: str | Sequence[str] | None,
    empty_reference: EmptyReference | None,
    known: Known | None,
    whole: bool,
) -> Inputs:
    from assay.engine.grouping import column_of
    from assay.engine.inputs import from_files, from_known, from_table

    column = column_of(by, data is not None)
    files = bool(mt or ref or src is not None)
    lists = any(column is not None for column in (hypotheses, references, sources, systems))
    if known is not None:
        if data is not None or ref or src is not None or lists:
            raise InputError("a test set (-t) brings sources and references: give the translations alone, --mt FILE.")
        return from_known(_several(mt) or ["-"], known)
    if data is not None:
        if files:
            raise InputError("--data brings its own columns: leave out --mt, --ref and --src.")
        if lists:
            raise InputError("data brings its own columns: leave out hypotheses, references and sources.")
        return from_table(
            data,
            columns,
            quoting=quoting,
            langpair=langpair,
            metrics=built.values(),
            by=column,
            empty_reference=empty_reference,
            whole=whole,
        )
    if columns:
        raise InputError("--columns goes with --data.")
    if lists and files:
        raise InputError("give lists (hypotheses, references, sources) or files (mt, ref, src), not both.")
    if lists:
        named = {"": hypotheses} if systems is None else systems
        return _in_memory(named, references, sources, langpair, empty_reference)
    if not mt:
        raise InputError("nothing to score: give the translations with --mt FILE, or a table with --data FILE.")
    return from_files(_several(mt), _several(ref), src, langpair=langpair, empty_reference=empty_reference)


def table_among(
    mt: Any,
    ref: Any = (),
    src: PathName | None = None,
    columns: ColumnChoice | None = None,
    testset: PathName | None = None,
) -> str | None:
    """Return the one file of `mt` that is a table, which then takes the place of `data`; None if all files are text.

    Raises:
        InputError: A table is among other files, which cannot be paired with its rows.
    """
    from assay.engine.inputs import split_name
    from assay.io.table.bare import is_table

    named = [(str(name), os.fspath(path)) for name, path in mt.items()] if isinstance(mt, Mapping) else None
    files = named if named is not None else [split_name(os.fspath(path)) for path in _several(mt)]
    beside = [os.fspath(path) for path in [*_several(ref), *([] if src is None else [src])]]
    for path in beside:
        if is_table(path):
            raise InputError(
                f"{path} is a table, but references and sources are text files of one segment per line. Put all texts into one "
                "table (--data FILE), or write its column into a text file."
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
            f"{path} is a table, whose rows cannot be paired with {with_what}. Give the table alone, with its own columns of "
            "references and sources, or write its column of translations into a text file."
        )
    if len(files) > 1:
        raise InputError(
            f"{path} is a table, and several files were given. Put the systems into one table: a column 'system', or one column "
            "per system (--columns mt=A,mt=B)."
        )
    if name:
        raise InputError(f"{path} is a table: name the system in its column 'system', not with {name}=FILE.")
    return path


def demo_table() -> Path:
    """The small table that comes with assay, for trying things."""
    return Path(__file__).parents[2] / "data" / "demo.tsv"


def _in_memory(
    systems: Mapping[str, Any],
    references: References | None,
    sources: Texts | None,
    langpair: str | None,
    empty_reference: EmptyReference | None,
) -> Inputs:
    from assay.engine.arguments import make_batch
    from assay.engine.inputs import from_columns

    if not systems:
        raise InputError("compare needs at least one system.")
    if any(texts is None for texts in systems.values()):
        raise InputError("there are references or sources, but no hypotheses=[...] to score.")
    batches = {
        name: make_batch(texts, references, sources, langpair, empty_reference) for name, texts in systems.items()
    }
    unequal({name: len(batch) for name, batch in batches.items()})
    return from_columns(batches)


def unequal(segments: Mapping[str, int], of: str = "") -> None:
    """Refuse systems of different lengths."""
    if len(set(segments.values())) > 1:
        counts = ", ".join(f"{system} {n:,}" for system, n in segments.items())
        raise InputError(
            f"the systems have different numbers of segments{of} ({counts}): a paired test needs the same."
        )


def _several(paths: Any) -> Any:
    """One path as a list; several, or names for them, as they are."""
    return paths if isinstance(paths, (list, tuple, Mapping)) else [paths]
