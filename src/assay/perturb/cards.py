"""Metadata cards for the perturbations, read from `data/perturbations.tsv`."""

from __future__ import annotations

from inspect import isfunction
from typing import Literal, TypeVar, cast

from assay.core.perturbation import Perturbation, PerturbationCard
from assay.data.demetr import perturbations
from assay.perturb import ROWS

Severity = Literal["minor", "major", "critical", "base"]
Rule = TypeVar("Rule", bound=Perturbation)
Wants = tuple[Literal["source", "reference"], ...]


def card_of(name: str) -> PerturbationCard:
    """Return the card of a perturbation; DEMETR's own table provides its phenomenon and severity."""
    row = ROWS[name]
    follows = tuple(row["follows"].split("; "))
    paper, _, entry = follows[0].partition(" ")
    phenomenon, severity = row["phenomenon"], row["severity"]
    if paper == "DEMETR":
        one = perturbations()[int(entry) - 1]
        phenomenon, severity = one.phenomenon, one.severity
    elif not phenomenon:
        phenomenon = entry if paper == "ACES" else name
    return PerturbationCard(
        name=name,
        about=row["about"],
        phenomenon=phenomenon,
        category=row["category"],
        severity=cast(Severity, severity),
        follows=follows,
        languages=_languages(row["languages"]),
        needs=tuple(row["needs"].split()),
        wants=cast(Wants, tuple(row["wants"].split())),
        columns=tuple(row["columns"].split()),
        sure_in=_languages(row["sure_in"]),
        unless=tuple(row["unless"].split()),
        extra=row["extra"] or None,
        manual=row["manual"] == "yes",
        off=row["off"],
    )


def _languages(cell: str) -> tuple[str, ...]:
    return () if cell == "none" else tuple(cell.split()) or ("any",)


def variant(base: type[Rule], name: str, **attributes: object) -> type[Rule]:
    """Return a subclass of `base` with the card for the perturbation `name` and these class attributes; functions become static."""
    static = {key: staticmethod(value) if isfunction(value) else value for key, value in attributes.items()}
    return cast("type[Rule]", type(name, (base,), {"__module__": base.__module__, "card": card_of(name), **static}))
