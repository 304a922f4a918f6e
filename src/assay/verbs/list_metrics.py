"""Tables of ``assay list metrics``: metrics by kind with their state on this machine, and one metric in full."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.errors import AssayError
from assay.core.metric import Metric
from assay.core.spec import contracted, options
from assay.core.table import Table, TableColumn
from assay.metrics import METRICS, is_path, metric
from assay.verbs.shared.extras import installed

if TYPE_CHECKING:
    from assay.core.metric import Card

KINDS = ("string", "checks", "embedding", "learned", "likelihood", "judge", "baseline", "file")
"""Kinds of metrics in the order of the list, from the cheapest on."""
_UNTRAINED = {
    "string": "nothing",
    "baseline": "nothing",
    "embedding": "no judgements",
    "judge": "unknown: everything that the model has seen",
}
"""Training data of metrics whose card names none, by kind."""
_COLUMNS = (
    TableColumn("kind"),
    TableColumn("name"),
    TableColumn("needs", "reads"),
    TableColumn("state"),
    TableColumn("about"),
    *(
        TableColumn(key, hidden=True)
        for key in ("better", "extra", "gigabytes", "get", "where", "licence", "languages", "citation")
    ),
)


def metrics_by_kind() -> Table:
    """Return one row per metric: inputs, state and meaning; data formats also include the licence."""
    rows: list[dict[str, Any]] = []
    for name in METRICS.names():
        try:
            rows.append(_row(name, METRICS.resolve(name).card))
        except AssayError as error:
            rows.append({"kind": "file", "name": name, "state": "cannot be loaded", "about": str(error)})
    rows.sort(key=lambda row: KINDS.index(row["kind"]))
    ready = sum(row["state"] == "ready" for row in rows)
    notes = [
        f"{ready} of {len(rows)} are ready on this machine. extra NAME: pip install 'mt-assay[NAME]'; weights, subwords, prompts: "
        "assay fetch METRIC.",
        "assay list metrics NAME shows one in full, with licence, installation and options. docs/metrics.md lists all.",
    ]
    return Table("metrics", _COLUMNS, rows, notes=notes)


def metric_in_full(name: str) -> dict[str, str]:
    """Return a metric's card in full, its missing requirements on this machine, and its options."""
    from assay.engine.drifts import measured

    if is_path(name):
        built = metric(name)
        factory, card, name = type(built), built.card, built.card.name
    else:
        factory = contracted(METRICS, name, Metric)
        card = factory.card
    low, high = ("…" if bound is None else f"{bound:g}" for bound in card.range)
    row = _row(card.name, card)
    facts = {
        "name": name,
        "kind": card.kind,
        "meaning": card.meaning,
        "needs": card.needs,
        "better": "higher" if card.higher_is_better else "lower",
        "range": f"{low} to {high}",
        "state": row["state"],
        "to get it": row["get"],
        card.weights.what if card.weights else "weights": row["where"],
        "languages": ", ".join(card.languages),
        "trained on": ", ".join(card.trained_on) or _UNTRAINED.get(card.kind, "not stated"),
        "licence": card.licence,
        "citation": card.citation,
        "measured on this machine": "; ".join(f"drift {drift}" for drift in measured(card.name)),
    }
    for key, (takes, default) in options(factory).items() if inspect.isclass(factory) else ():
        facts[f"option {key}"] = f"{takes} (default: {default})" if default else takes
    return facts


def _row(name: str, card: Card) -> dict[str, Any]:
    weights = card.weights
    where = weights.folder(name) if weights else None
    missing = [card.extra] if card.extra and not installed(card.extra) else []
    get = [f"pip install 'mt-assay[{extra}]'" for extra in missing]
    if weights:
        get += [*([weights.get] if where is None else []), *([f"give {weights.given}"] if weights.given else [])]
    return {
        "kind": card.kind,
        "name": name,
        "needs": card.needs,
        "state": " + ".join(_wanting(card, missing, here=where is not None)) or "ready",
        "about": card.meaning.partition(". ")[0].rstrip("."),
        "better": "higher" if card.higher_is_better else "lower",
        "extra": card.extra,
        "gigabytes": weights.gigabytes if weights else None,
        "get": "; ".join(get),
        "where": None if where is None else str(where),
        "licence": card.licence,
        "languages": ", ".join(card.languages),
        "citation": card.citation,
    }


def _wanting(card: Card, missing: list[str], *, here: bool) -> Iterator[str]:
    """Return a metric's missing requirements on this machine, in a few words each."""
    yield from (f"extra {extra}" for extra in missing)
    if card.weights and not here:
        licence = card.weights.licence or card.licence
        terms = licence.partition(" (")[0].partition(";")[0]  # the details of a single metric show it in full
        if terms.endswith(" own"):  # the folder's, the checkpoint's
            yield f"your own {card.weights.what}"
        else:
            terms = terms.replace("not stated", "licence not stated")
            yield f"{' '.join(filter(None, (card.weights.what, card.weights.size)))} ({terms})"
    if card.weights and card.weights.given:
        yield card.weights.given
    if card.service:
        yield card.service
