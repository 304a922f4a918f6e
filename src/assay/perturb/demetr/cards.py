"""The cards of the perturbations that follow DEMETR: what the paper says about a number is read from its table in `assay.data`."""

from __future__ import annotations

from typing import Literal, cast

from assay.core.perturbation import PerturbationCard
from assay.data.demetr import perturbations

Severity = Literal["minor", "major", "critical", "base"]


def demetr_card(
    number: int,
    *,
    name: str,
    about: str,
    category: str,
    also: tuple[str, ...] = (),
    languages: tuple[str, ...] = ("any",),
    needs: tuple[str, ...] = (),
    wants: tuple[Literal["source", "reference"], ...] = (),
    sure_in: tuple[str, ...] = ("any",),
    extra: str | None = None,
    manual: bool = False,
) -> PerturbationCard:
    """The card of perturbation `number` with DEMETR's phenomenon and severity; `also` names what else it follows."""
    one = perturbations()[number - 1]
    return PerturbationCard(
        name=name,
        about=about,
        phenomenon=one.phenomenon,
        category=category,
        severity=cast(Severity, one.severity),
        follows=(f"DEMETR {number}", *also),
        languages=languages,
        needs=needs,
        wants=wants,
        sure_in=sure_in,
        extra=extra,
        manual=manual,
    )
