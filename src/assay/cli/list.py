"""``assay list``: what there is."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Sequence

from assay.core.errors import AssayError, unknown
from assay.core.spec import options
from assay.core.table import Table, TableColumn

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
        table = whole(args.name) if whole else _alone(_all(args.what), args.name)
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

    rows = [{"name": name, "about": _about(_module_of(ANALYSES.resolve(name)))} for name in ANALYSES.names()]
    return Table("analyses", [TableColumn("name"), TableColumn("about")], rows)


def _alone(table: Table, name: str) -> Table:
    """The one row of a list that has this name, as facts below each other."""
    row = next((row for row in table.rows if row["name"] == name), None)
    if row is None:
        kind = "analysis" if table.name == "analyses" else table.name.removesuffix("s")
        raise unknown(kind, name, [row["name"] for row in table.rows], f"assay list {table.name}")
    return _facts(table.name, {column.title: row.get(column.key, "") for column in table.columns}, table.notes)


def _facts(name: str, facts: dict[str, str], notes: Sequence[str] = ()) -> Table:
    rows = [{"field": field, "value": value} for field, value in facts.items() if value]
    return Table(name, [TableColumn("field", " "), TableColumn("value", " ")], rows, notes=notes)


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

    rows = []
    for name in SUITES.names():
        card = SUITES.resolve(name).card
        rows.append(
            {"name": name, "kind": card.kind, "languages": card.languages, "licence": card.licence, "title": card.title}
        )
    columns = [TableColumn(key) for key in ("name", "kind", "languages", "licence", "title")]
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
    return _alone(matrix([name]), name)


def _tasks(what: str) -> Table:
    from assay.tasks import TASKS, TRANSLATORS

    registry = TASKS if what == "tasks" else TRANSLATORS
    rows = []
    for name in registry.names():
        made = registry.resolve(name)
        rows.append({"name": name, "about": _about(made), "options": _options(made)})
    return Table(what, [TableColumn("name"), TableColumn("about"), TableColumn("options")], rows)


def _options(factory: Callable[..., object]) -> str:
    """What may follow the name and a colon; nothing where all that follows is one argument (a folder, a command)."""
    parameters = inspect.signature(factory).parameters.values()
    if any(parameter.default is parameter.empty for parameter in parameters):
        return ""
    return ", ".join(f"{each.name}={'…' if each.default is None else each.default}" for each in parameters)


def _module_of(thing: object) -> object:
    return sys.modules[getattr(thing, "__module__", "")]


def _about(thing: object) -> str:
    """The first paragraph of a docstring (a module's where it has none), without the marks of code."""
    text = inspect.getdoc(thing) or inspect.getdoc(_module_of(thing)) or ""
    return " ".join(text.partition("\n\n")[0].replace("`", "").split())
