"""From what the user says about columns to their places in an open table, with or without a header line."""

from __future__ import annotations

from assay.core.errors import InputError, listing
from assay.io.table.open_table import OpenTable
from assay.io.table.vocabulary import ColumnChoice, Layout, Wanted, assign, columns_chosen, plain, spellings


def lay_out(table: OpenTable, wanted: Wanted, chosen: ColumnChoice | None) -> Layout:
    """Which column plays which role. Numbers choose by place, in a table whose first line is a row already."""
    named = columns_chosen(chosen or {})
    numbers = [one for columns in named.values() for one in columns if one.isdecimal() and one not in table.names]
    if numbers and table.names:
        if others := [one for columns in named.values() for one in columns if one not in numbers]:
            raise InputError(
                f"--columns chooses {listing(numbers)} by number and {listing(others)} by name: numbers are for tables without "
                "a header line, and for all of their columns."
            )
        _refuse_header(table, wanted, named)
        table.without_header()
    for column in (one for columns in named.values() for one in columns):
        if column not in table.names and column.partition(".")[0] in table.names:
            table.look_inside(column)
    return assign(table.names, wanted, chosen, table.name)


def _refuse_header(table: OpenTable, wanted: Wanted, named: dict[str, list[str]]) -> None:
    """A line with two names of texts in it, or with one in the column that was chosen for it, is no row of texts."""
    known = [place for place, name in enumerate(table.names) if plain(name) in spellings(*_TEXTS)]
    called = {wanted.name_of(role): columns for role, columns in named.items()}
    own = [at for at in known if str(at + 1) in called.get(wanted.name_of(table.names[at]), ())]
    if len(known) > 1 or own:
        raise InputError(
            f"{table.name} has a header line ({listing(table.names)}): choose columns by these names. Numbers are for tables "
            "without one."
        )


_TEXTS = ("hypothesis", "target", "source", "reference", "system", "langpair")
