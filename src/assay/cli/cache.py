"""``assay cache``: what the score store holds, and emptying it."""

from __future__ import annotations

import argparse

from assay.core.table import Table, TableColumn

SUMMARY = "Look at the score store and the spools of unfinished runs, or empty them."
EXAMPLES = """examples:
  assay cache info
  assay cache clear"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_output
    from assay.report import FORMATS

    parser.add_argument("action", choices=["info", "clear"])
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Show or clear."""
    from assay.api.scoring import default_store
    from assay.cli.output import emit, note
    from assay.engine import spool
    from assay.io.files.paths import cache_dir, spool_dir

    store = default_store()
    if args.action == "clear":
        store.clear()
        runs = spool.prune(spool_dir(), days=0)
        note(f"cleared {cache_dir()} ({runs} unfinished runs)", args.quiet)
        return 0
    known = store.info()
    runs, size = spool.usage(spool_dir())
    facts = {
        "folder": cache_dir(),
        "scores kept": f"{known.entries:,}",
        "size": f"{known.bytes / 1e6:,.1f} MB",
        "damaged files set aside": known.damaged,
        "unfinished runs": f"{runs} ({size / 1e6:,.1f} MB)",
    }
    rows = [{"what": what, "value": str(value)} for what, value in facts.items()]
    emit([Table("cache", [TableColumn("what", " "), TableColumn("value", " ")], rows)], args)
    return 0
