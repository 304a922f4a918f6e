"""``assay list``: registered metrics, suites, analyses, perturbations, tasks and translators, with details."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.core.errors import AssayError, unknown
from assay.core.errors import listing as shortened
from assay.core.spec import contracted, options
from assay.core.suite import Suite
from assay.core.table import Table, TableColumn
from assay.metrics import METRICS
from assay.verbs.result import Result
from assay.verbs.shared.registries import names, registry


@dataclass(repr=False)
class Listing(Result):
    """All entries of one kind, or one of them in full."""

    kind: str

    verb: ClassVar[str] = "list"


def listing(kind: str | None = None, name: str | None = None) -> Listing:
    """List all entries of a kind, or the one called `name` in full; without a kind, list the number of entries of each kind."""
    if kind is None:
        return overview()
    if kind not in KINDS:
        raise unknown("kind of thing", kind, KINDS)
    return KINDS[kind](name)


def list_metrics(name: str | None = None) -> Listing:
    """List the metrics by kind, with their inputs, requirements and meaning.

    Args:
        name: Show this metric in full, with its options.

    Returns:
        One table with one row per metric, or the facts about one metric.

    Raises:
        InputError: No metric has this name.

    Example:
        >>> assay.list_metrics("chrf").table().rows[0]["value"]
        'chrf'
    """
    from assay.verbs.list_metrics import metric_in_full, metrics_by_kind

    return _listed("metrics", metrics_by_kind() if name is None else _facts("metric", metric_in_full(name)))


def list_suites(name: str | None = None) -> Listing:
    """List the challenge sets and human-rated test sets.

    Args:
        name: Show this suite in full, and how to get its data.

    Returns:
        One table with one row per suite, or the facts about one suite.

    Raises:
        InputError: No suite has this name.
    """
    return _listed("suites", _suites() if name is None else _suite(name))


def list_analyses(name: str | None = None) -> Listing:
    """List the analyses, which turn the scores of a suite into its tables.

    Args:
        name: Show this analysis only.

    Returns:
        One table with a row per analysis, or the facts about one.

    Raises:
        InputError: No analysis has this name.
    """
    return _listed("analyses", _described("analyses", name))


def list_perturbations(name: str | None = None) -> Listing:
    """List the perturbations by language, with their requirements.

    Args:
        name: Show this perturbation only.

    Returns:
        One table with a row per perturbation, or its state in each language.

    Raises:
        InputError: No perturbation has this name.
    """
    return _listed("perturbations", _perturbations(name))


def list_tasks(name: str | None = None) -> Listing:
    """List the downstream tasks.

    Args:
        name: Show this task only.

    Returns:
        One table with a row per task, or the facts about one.

    Raises:
        InputError: No task has this name.
    """
    return _listed("tasks", _described("tasks", name))


def list_translators(name: str | None = None) -> Listing:
    """List the translators that downstream tasks can use.

    Args:
        name: Show this translator only.

    Returns:
        One table with a row per translator, or the facts about one.

    Raises:
        InputError: No translator has this name.
    """
    return _listed("translators", _described("translators", name))


KINDS: Mapping[str, Callable[[str | None], Listing]] = {
    "metrics": list_metrics,
    "suites": list_suites,
    "analyses": list_analyses,
    "perturbations": list_perturbations,
    "tasks": list_tasks,
    "translators": list_translators,
}
"""Kinds that ``assay list`` accepts."""


def overview() -> Listing:
    """Return every kind with its number of entries and some of their names, without importing any."""
    rows = []
    for kind in KINDS:
        entries = names(kind)
        rows.append({"kind": kind, "n": len(entries), "such as": shortened(entries, 4), "about": ABOUT[kind]})
    columns = [TableColumn("kind"), TableColumn("n", kind="count"), TableColumn("about"), TableColumn("such as")]
    notes = [
        "assay list KIND lists all of a kind, assay list KIND NAME shows one in full.",
        "assay doctor shows what is installed.",
    ]
    return _listed("overview", Table("overview", columns, rows, notes=notes))


ABOUT = {
    "metrics": "score translations (-m)",
    "suites": "find blind spots of metrics (assay run)",
    "analyses": "make the tables of a suite (--analysis)",
    "perturbations": "insert errors into sentences (assay make)",
    "tasks": "use translations downstream (assay breakdown)",
    "translators": "translate for tasks (--translator)",
}
"""Purpose of each kind."""


def is_admitted(spec: str, where: str) -> bool:
    """Whether the file `where` may name this metric, that is, a registered metric whose options cannot be paths."""
    from assay.core.trust import check_spec

    try:
        check_spec(METRICS, spec, where)
    except AssayError:
        return False
    return True


def _listed(kind: str, table: Table) -> Listing:
    return Listing({table.name: table}, kind)


def _alone(table: Table) -> Table:
    """Return a one-row table as a list of facts."""
    (row,) = table.rows
    return _facts(table.name, {column.title: row.get(column.key, "") for column in table.columns}, table.notes)


def _facts(name: str, facts: dict[str, str], notes: Sequence[str] = ()) -> Table:
    rows = [{"field": field, "value": value} for field, value in facts.items() if value]
    return Table(name, [TableColumn("field", " "), TableColumn("value", " ")], rows, notes=notes)


def _suites() -> Table:
    keys = ("kind", "languages", "licence", "title")
    rows = _rows("suites", lambda suite: {key: getattr(suite.card, key) for key in keys}, "title")
    columns = [TableColumn(key) for key in ("name", *keys)]
    return Table("suites", columns, rows, notes=["assay list suites NAME shows one in full, and how to get its data."])


def _suite(name: str) -> Table:
    from assay.suites import SUITES

    card = contracted(SUITES, name, Suite).card
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


def _perturbations(name: str | None) -> Table:
    from assay.core.perturbation import Perturbation
    from assay.perturb.making.selection import availability_table, describe

    if name is None:
        return availability_table()
    contracted(registry("perturbations"), name, Perturbation)
    return _facts("perturbations", describe(name))


def _described(kind: str, name: str | None) -> Table:
    """Describe analyses, tasks or translators by their docstrings: all, or the one called `name`."""

    def row(made: Any) -> dict[str, str]:
        if kind == "analyses":
            return {"about": _about(_module_of(made), made)}
        return {"about": _about(made, _module_of(made)), "options": _options(made)}

    columns = [TableColumn("name"), TableColumn("about")]
    if kind != "analyses":
        columns.append(TableColumn("options"))
    table = Table(kind, columns, _rows(kind, row, only=[] if name is None else [name]))
    return table if name is None else _alone(table)


def _rows(
    kind: str, row: Callable[[Any], dict[str, str]], trouble: str = "about", only: Sequence[str] = ()
) -> list[dict[str, str]]:
    """Return one row per entry of a kind; the column `trouble` contains import errors."""
    entries, rows = registry(kind), []
    for name in only or entries.names():
        try:
            rows.append({"name": name, **row(entries.resolve(name))})
        except AssayError as error:
            if only:
                raise
            rows.append({"name": name, trouble: str(error)})
    return rows


def _options(factory: Callable[..., object]) -> str:
    return ", ".join(f"{name}={default or '…'}" for name, (_, default) in options(factory).items())


def _module_of(thing: object) -> object:
    return sys.modules[getattr(thing, "__module__", "")]


def _about(*things: object) -> str:
    """Return the first paragraph of the first available docstring, without code markup."""
    text = next(filter(None, map(inspect.getdoc, things)), "")
    return " ".join(text.partition("\n\n")[0].replace("`", "").split())
