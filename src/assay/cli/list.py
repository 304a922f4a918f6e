"""``assay list``: what there is."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import AssayError
from assay.core.spec import options
from assay.core.table import Table, TableColumn

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.core.registry import Registry

SUMMARY = "List metrics, suites, analyses, perturbations, tasks or translators, with what they need and what they mean."
EXAMPLES = """examples:
  assay list metrics
  assay list metrics bleu          # one metric: its card and its options
  assay list suites demetr         # one suite, and how to get its data
  assay list perturbations         # name by language, and what to install"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_output
    from assay.report import FORMATS

    kinds = ["metrics", "suites", "analyses", "perturbations", "tasks", "translators"]
    parser.add_argument("what", choices=kinds, metavar="WHAT", help=", ".join(kinds))
    parser.add_argument("name", nargs="?", metavar="NAME", help="one of them, in full")
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    from assay.cli.output import emit

    if args.name is None:
        table = _all(args.what)
    else:
        whole = {"metrics": _one, "suites": _suite, "perturbations": _perturbation}.get(args.what)
        table = whole(args.name) if whole else _alone(_described(args.what, [args.name]))
    emit([table], args)
    return 0


def _all(what: str) -> Table:
    if what == "metrics":
        return _metrics()
    if what == "suites":
        return _suites()
    if what == "perturbations":
        from assay.api.perturbations import matrix

        return matrix()
    return _described(what)


def _alone(table: Table) -> Table:
    """A list of one row, as facts below each other."""
    (row,) = table.rows
    return _facts(table.name, {column.title: row.get(column.key, "") for column in table.columns}, table.notes)


def _facts(name: str, facts: dict[str, str], notes: Sequence[str] = ()) -> Table:
    rows = [{"field": field, "value": value} for field, value in facts.items() if value]
    return Table(name, [TableColumn("field", " "), TableColumn("value", " ")], rows, notes=notes)


def _metrics() -> Table:
    from assay.metrics import METRICS

    def row(metric: type[Metric]) -> dict[str, str]:
        better = "higher" if metric.card.higher_is_better else "lower"
        about = metric.card.meaning.partition(". ")[0].rstrip(".")
        return {"needs": metric.card.needs, "better": better, "about": about}

    columns = [TableColumn("name"), TableColumn("needs"), TableColumn("better"), TableColumn("about")]
    rows = _rows(METRICS, row, "about")
    return Table("metrics", columns, rows, notes=["assay list metrics NAME shows one in full, with its options."])


def _one(name: str) -> Table:
    from assay.metrics import METRICS, is_path, metric

    if is_path(name):
        made = metric(name)
        factory, card, name = type(made), made.card, made.card.name
    else:
        factory = METRICS.resolve(name)
        card = factory.card
    low, high = ("…" if bound is None else f"{bound:g}" for bound in card.range)
    facts = {
        "name": name,
        "meaning": card.meaning,
        "needs": card.needs,
        "better": "higher" if card.higher_is_better else "lower",
        "range": f"{low} to {high}",
        "languages": ", ".join(card.languages),
        "trained on": ", ".join(card.trained_on) or "nothing",
        "licence": card.licence,
        "citation": card.citation,
    }
    for key, (takes, default) in options(factory).items():
        facts[f"option {key}"] = f"{takes} (default: {default})" if default else takes
    return _facts("metric", facts)


def _suites() -> Table:
    from assay.suites import SUITES

    keys = ("kind", "languages", "licence", "title")
    rows = _rows(SUITES, lambda suite: {key: getattr(suite.card, key) for key in keys}, "title")
    columns = [TableColumn(key) for key in ("name", *keys)]
    return Table("suites", columns, rows, notes=["assay list suites NAME shows one in full, and how to get its data."])


def _suite(name: str) -> Table:
    from assay.suites import SUITES

    card = SUITES.resolve(name).card
    facts = {
        "name": name,
        "title": card.title,
        "kind": card.kind,
        "languages": card.languages,
        "analysis": card.analysis,
        "origin": card.origin,
        "licence": card.licence,
        "citation": card.citation,
        "to get it": f"assay fetch {name}" if card.downloads else card.how_to_get,
        "folder": " or ".join(card.folders) and f"{' or '.join(card.folders)}, under --data-dir or $ASSAY_DATA",
    }
    return _facts("suite", facts)


def _perturbation(name: str) -> Table:
    from assay.api.perturbations import matrix
    from assay.perturb import PERTURBATIONS

    PERTURBATIONS.resolve(name)
    return _alone(matrix([name]))


def _described(what: str, names: Sequence[str] = ()) -> Table:
    """Analyses, tasks or translators, by their docstrings: all, or those named."""
    from assay.analyses import ANALYSES
    from assay.tasks import TASKS, TRANSLATORS

    columns = [TableColumn("name"), TableColumn("about")]
    if what == "analyses":
        return Table(
            what, columns, _rows(ANALYSES, lambda made: {"about": _about(_module_of(made), made)}, names=names)
        )
    registry = TASKS if what == "tasks" else TRANSLATORS
    rows = _rows(
        registry, lambda made: {"about": _about(made, _module_of(made)), "options": _options(made)}, names=names
    )
    return Table(what, [*columns, TableColumn("options")], rows)


def _rows(
    registry: Registry, row: Callable[[Any], dict[str, str]], trouble: str = "about", names: Sequence[str] = ()
) -> list[dict[str, str]]:
    """A row for everything registered, or for what is named. Of all, what cannot be loaded says so in the column `trouble`."""
    rows = []
    for name in names or registry.names():
        try:
            rows.append({"name": name, **row(registry.resolve(name))})
        except AssayError as error:
            if names:
                raise
            rows.append({"name": name, trouble: str(error)})
    return rows


def _options(factory: Callable[..., object]) -> str:
    return ", ".join(f"{name}={default or '…'}" for name, (_, default) in options(factory).items())


def _module_of(thing: object) -> object:
    return sys.modules[getattr(thing, "__module__", "")]


def _about(*things: object) -> str:
    """The first paragraph of the first docstring that there is, without the marks of code."""
    text = next(filter(None, map(inspect.getdoc, things)), "")
    return " ".join(text.partition("\n\n")[0].replace("`", "").split())
