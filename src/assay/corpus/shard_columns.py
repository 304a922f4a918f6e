"""Shard columns: their roles for the purpose of the run, and a check that all shards have the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.errors import InputError, listing
from assay.core.rows import SCORES, renamed_inputs
from assay.corpus.job import Job, Shard
from assay.io.table.open_table import OpenTable
from assay.io.table.role_columns import RoleColumns, lay_out
from assay.io.table.tables import WANTED
from assay.io.table.vocabulary import Layout

if TYPE_CHECKING:
    from assay.corpus.minimal_pairs import PairColumns
    from assay.corpus.precomputed import PrecomputedColumns


def layout_of(table: OpenTable, job: Job) -> Layout:
    """Return the roles of the columns."""
    if job.settings.get("ready"):
        from assay.corpus.precomputed import precomputed_layout

        return precomputed_layout(table, job)
    if job.purpose == "pairs":
        from assay.suites import contrastive

        return lay_out(table, contrastive.WANTED, job.choice or None)
    return lay_out(table, WANTED, job.choice or None)


def roles(table: OpenTable, layout: Layout) -> tuple[tuple[str, str], ...]:
    """Return the roles with the names of their columns, in a fixed order, for comparison between shards."""
    names = [(role, table.names[position]) for role, position in sorted(layout.places.items())]
    names += [("reference", table.names[position]) for position in layout.references]
    if layout.references_list is not None:
        names.append(("references", table.names[layout.references_list]))
    return tuple(names)


def check_columns(job: Job, table: OpenTable, names: Sequence[str], layout: Layout, shard: Shard) -> None:
    """Reject a shard whose columns differ from those of the first."""
    if layout.several:
        raise InputError(
            "--columns assigns several columns to mt, but each row of a corpus holds one translation. Specify one column."
        )
    layout_here = roles(table, layout)
    if job.layout and layout_here != job.layout:
        first, own = (", ".join(f"{role} {name!r}" for role, name in columns) for columns in (job.layout, layout_here))
        raise InputError(
            f"{shard.title} has {own}, but the first shard has {first}. All shards must have the same columns."
        )
    if job.names and table.form != "jsonl" and set(names) != set(job.names):
        lacks = [name for name in job.names if name not in names]
        more = [name for name in names if name not in job.names]
        difference = f"lacks {listing(map(repr, lacks))}" if lacks else f"has {listing(map(repr, more))} in addition"
        raise InputError(f"{shard.title} {difference}, unlike the first shard. All shards must have the same columns.")


def renamed_columns(names: Sequence[str], job: Job) -> dict[str, str]:
    """Return new names for shard columns that have the same names as added columns."""
    return renamed_inputs(names, {*job.added, *((SCORES,) if job.scores else ())})


def reader_for(table: OpenTable, layout: Layout, job: Job) -> RoleColumns | PairColumns | PrecomputedColumns:
    """Return the reader that turns table rows into batches."""
    if job.settings.get("ready"):
        from assay.corpus.precomputed import PrecomputedColumns

        return PrecomputedColumns(table, layout, job)
    if job.purpose == "pairs":
        from assay.corpus.minimal_pairs import PairColumns

        return PairColumns(table, layout, job)
    return RoleColumns(table, layout, empty_reference=job.empty_reference or "skip")
