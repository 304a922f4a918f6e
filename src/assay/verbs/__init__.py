"""What a person can do with assay, one module a verb, named as on the command line.

A verb is a function with typed keyword arguments that gives back a `Result`. The command line and ``import assay`` are two
doors onto these functions; nothing that a program would miss lives in either.
"""

from assay.core.table import Table, set_html_renderer


def _table_as_html(table: Table) -> str:
    from assay.report.page import fragment

    return fragment(table)


set_html_renderer(_table_as_html)
