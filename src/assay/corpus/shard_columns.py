"""Which columns of a shard play which role, by the purpose of a run; and shards whose columns are not those of the first."""

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
    """Which column plays which role."""
    if job.settings.get("ready"):
        from assay.corpus.precomputed import precomputed_layout

        return precomputed_layout(table, job)
    if job.purpose == "pairs":
        from assay.suites import contrastive

        return lay_out(table, contrastive.WANTED, job.choice or None)
    return lay_out(table, WANTED, job.choice or None)


def roles(table: OpenTable, layout: Layout) -> tuple[tuple[str, str], ...]:
    """The roles with the names of their columns, in a fixed order: what all shards have in common."""
    found = [(role, table.names[place]) for role, place in sorted(layout.places.items())]
    found += [("reference", table.names[place]) for place in layout.references]
    if layout.references_list is not None:
        found.append(("references", table.names[layout.references_list]))
    return tuple(found)


def check_columns(job: Job, table: OpenTable, names: Sequence[str], layout: Layout, shard: Shard) -> None:
    """Refuse a shard whose columns are not those of the first."""
    if layout.several:
        raise InputError("--columns gives mt several columns: a row of a corpus is one translation. Give one of them.")
    mine = roles(table, layout)
    if job.layout and mine != job.layout:
        first, own = (", ".join(f"{role} {name!r}" for role, name in found) for found in (job.layout, mine))
        raise InputError(
            f"{shard.title} has other columns than the first shard: it has {own}; the first has {first}. Score them apart."
        )
    if job.names and table.form != "jsonl" and set(names) != set(job.names):
        lacks = [name for name in job.names if name not in names]
        more = [name for name in names if name not in job.names]
        said = f"lacks {listing(map(repr, lacks))}" if lacks else f"has {listing(map(repr, more))} beside the others"
        raise InputError(
            f"{shard.title} has other columns than the first shard: it {said}. Make them alike, or score them apart."
        )


def renamed_columns(names: Sequence[str], job: Job) -> dict[str, str]:
    """Return new names for the columns of a shard that have names of columns to be added."""
    return renamed_inputs(names, {*job.added, *((SCORES,) if job.scores else ())})


def reader_for(table: OpenTable, layout: Layout, job: Job) -> RoleColumns | PairColumns | PrecomputedColumns:
    """What turns pieces of the table into what is scored."""
    if job.settings.get("ready"):
        from assay.corpus.precomputed import PrecomputedColumns

        return PrecomputedColumns(table, layout, job)
    if job.purpose == "pairs":
        from assay.corpus.minimal_pairs import PairColumns

        return PairColumns(table, layout, job)
    return RoleColumns(table, layout, empty_reference=job.empty_reference or "skip")
