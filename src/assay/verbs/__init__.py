"""assay's public functions: one module per verb, with the same name as on the command line.

A verb is a function with typed keyword arguments that returns a `Result`. The command line and ``import assay`` call the same
functions, so both can do the same things.
"""

from assay.core.table import Table, set_html_renderer


def _table_as_html(table: Table) -> str:
    from assay.report.page import fragment

    return fragment(table)


set_html_renderer(_table_as_html)
