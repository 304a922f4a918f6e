"""Controlled errors for tasks: perturbations, or anyone's function, as ``(text, rng) -> (text, error type) | None``."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from typing import Any

from assay.api.tasks import ControlledError
from assay.core.batch import Segment
from assay.core.errors import MissingPart
from assay.core.perturbation import Perturbation, Refused, Tools

EVERY = "all"


def find_errors(names: Sequence[str], language: str = "en") -> tuple[list[ControlledError], list[str]]:
    """Errors by name, for texts in `language`, and a sentence for each that cannot be made here.

    A name is a perturbation (``assay list perturbations``), ``all`` for every one that can be made, or ``module:function``.
    """
    from assay.core.spec import build, parse
    from assay.perturb import PERTURBATIONS

    wanted = [name for given in names for name in (PERTURBATIONS.names() if given == EVERY else [given])]
    tools: Any = None
    errors: list[ControlledError] = []
    left_out = []
    for name in dict.fromkeys(wanted):
        plain, options = parse(name)
        found = PERTURBATIONS.resolve(plain)
        if not (inspect.isclass(found) and issubclass(found, Perturbation)):
            errors.append(found)
            continue
        if tools is None:
            tools = _tools()
        made = perturbation_error(build(found, plain, options), tools, language)
        try:
            made("The red train leaves Rome at 7:30 on Monday.", _first_generator())
        except MissingPart as error:
            if EVERY not in names:
                raise
            left_out.append(f"⚠ {name} is left out: {error}")
            continue
        errors.append(made)
    return errors, left_out


def perturbation_error(perturbation: Perturbation, tools: Tools, language: str = "en") -> ControlledError:
    """A perturbation as a controlled error; its name is the error's type. Where it refuses, or fails its check, None."""

    def error(text: str, rng: Any) -> tuple[str, str] | None:
        segment = Segment(hypothesis=text, references=(text,))
        result = perturbation.perturb(segment, language, rng, tools)
        if isinstance(result, Refused) or perturbation.problems(segment, result, language, tools):
            return None
        return result.incorrect(segment), perturbation.card.name

    return error


def _tools() -> Any:
    return importlib.import_module("assay.perturb.tools").LinguisticTools()


def _first_generator() -> Any:
    import numpy as np

    return np.random.default_rng(0)
