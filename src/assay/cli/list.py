"""``assay list``: what there is."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable

from assay.core.errors import AssayError
from assay.core.table import Table, TableColumn

SUMMARY = "List metrics, suites, analyses, perturbations, tasks or translators, with what they need and what they mean."
EXAMPLES = """examples:
  assay list metrics
  assay list metrics bleu          # one metric: its card and its options
  assay list perturbations         # name by language, and what to install"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_output
    from assay.report import FORMATS

    kinds = ["metrics", "suites", "analyses", "perturbations", "tasks", "translators"]
    parser.add_argument("what", choices=kinds, help="what to list")
    parser.add_argument("name", nargs="?", help="one of them, in full")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    from assay.cli.output import emit

    table = _one(args.name) if args.what == "metrics" and args.name else _all(args.what)
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
    if what in ("tasks", "translators"):
        return _tasks(what)
    from assay.analyses import ANALYSES

    rows = [{"name": name, "about": _first_line(ANALYSES.resolve(name))} for name in ANALYSES.names()]
    return Table("analyses", [TableColumn("name"), TableColumn("about")], rows)


def _metrics() -> Table:
    from assay.metrics import METRICS

    rows = []
    for name in METRICS.names():
        try:
            card = METRICS.resolve(name).card
        except AssayError as error:
            rows.append({"name": name, "needs": "", "better": "", "about": str(error)})
            continue
        better = "higher" if card.higher_is_better else "lower"
        rows.append(
            {"name": name, "needs": card.needs, "better": better, "about": card.meaning.partition(". ")[0].rstrip(".")}
        )
    columns = [TableColumn("name"), TableColumn("needs"), TableColumn("better"), TableColumn("about")]
    return Table("metrics", columns, rows, notes=["assay list metrics NAME shows one in full, with its options."])


def _one(name: str) -> Table:
    from assay.metrics import METRICS

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
    rows = [{"field": field, "value": value} for field, value in facts.items() if value]
    for key, parameter in inspect.signature(factory).parameters.items():
        kind = str(parameter.annotation).replace("typing.", "")
        rows.append({"field": f"option {key}", "value": f"{kind}, default {parameter.default}"})
    return Table("metric", [TableColumn("field", " "), TableColumn("value", " ")], rows)


def _suites() -> Table:
    from assay.suites import SUITES

    rows = []
    for name in SUITES.names():
        card = SUITES.resolve(name).card
        rows.append(
            {"name": name, "kind": card.kind, "languages": card.languages, "licence": card.licence, "title": card.title}
        )
    columns = [TableColumn(key) for key in ("name", "kind", "languages", "licence", "title")]
    return Table("suites", columns, rows)


def _tasks(what: str) -> Table:
    from assay.tasks import TASKS, TRANSLATORS

    registry = TASKS if what == "tasks" else TRANSLATORS
    found = {name: registry.resolve(name) for name in registry.names()}
    rows = [{"name": name, "about": _first_line(made), "options": _options(made)} for name, made in found.items()]
    return Table(what, [TableColumn("name"), TableColumn("about"), TableColumn("options")], rows)


def _options(factory: Callable[..., object]) -> str:
    """What may follow the name and a colon; nothing where all that follows is one argument (a folder, a command)."""
    parameters = inspect.signature(factory).parameters.values()
    if any(parameter.default is parameter.empty for parameter in parameters):
        return ""
    return ", ".join(f"{each.name}={'…' if each.default is None else each.default}" for each in parameters)


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0] or str(
        sys.modules[getattr(thing, "__module__", "")].__doc__
    )
