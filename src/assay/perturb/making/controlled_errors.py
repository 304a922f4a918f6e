"""Controlled errors for tasks: perturbations or user functions as ``(text, rng) -> (text, error type) | None``."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from assay.core.batch import Segment
from assay.core.errors import InputError, MissingPart
from assay.core.perturbation import SURE, Perturbation, Refused, Tools
from assay.core.spec import create, parse
from assay.core.task import ControlledError, is_controlled_error
from assay.perturb import PERTURBATIONS
from assay.perturb.language.tools import LinguisticTools
from assay.perturb.making.selection import explain_left_out, find_obstacle

EVERY = "all"


def find_errors(names: Sequence[str], language: str = "en") -> tuple[list[ControlledError], list[str]]:
    """Return errors by name for texts in `language`, and one sentence per reason for which some errors of ``all`` are unavailable.

    A name is a perturbation (``assay list perturbations``), ``all`` for every available one, or ``module:function`` for a
    function marked with `assay.core.task.error`.
    """
    from_group = {
        name: name != requested
        for requested in names
        for name in (PERTURBATIONS.names() if requested == EVERY else [requested])
    }
    tools: LinguisticTools | None = None
    errors: list[ControlledError] = []
    reasons: dict[str, str] = {}
    for name, grouped in from_group.items():
        target = PERTURBATIONS.resolve(parse(name)[0])
        if callable(target) and not inspect.isclass(target):
            if not is_controlled_error(target) and not PERTURBATIONS.registered(name):
                raise InputError(f"{name} is not marked as a controlled error: add @assay.error above the function.")
            errors.append(target)
            continue
        perturbation: Perturbation = create(PERTURBATIONS, name, Perturbation)
        if reason := find_obstacle(perturbation.card, language):
            if not grouped:
                raise MissingPart(reason)
            reasons[name] = reason
            continue
        if tools is None:
            tools = LinguisticTools()
        errors.append(perturbation_error(perturbation, tools, language, lenient=grouped))
    return errors, explain_left_out(reasons)


def perturbation_error(
    perturbation: Perturbation, tools: Tools, language: str = "en", *, lenient: bool = False
) -> ControlledError:
    """Return a perturbation as a controlled error, with its name as error type.

    The error returns None if the perturbation refuses, is in doubt or fails its check. A missing resource that only some texts
    need raises an error; with `lenient` the error returns None.
    """

    def error(text: str, rng: Any) -> tuple[str, str] | None:
        segment = Segment(hypothesis=text, references=(text,))
        try:
            result = perturbation.perturb(segment, language, rng, tools)
            if (
                isinstance(result, Refused)
                or result.doubt(SURE)
                or perturbation.problems(segment, result, language, tools)
            ):
                return None
        except MissingPart:
            if not lenient:
                raise
            return None
        return result.incorrect(segment), perturbation.card.name

    return error
