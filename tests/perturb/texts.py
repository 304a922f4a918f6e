"""Perturbing one text in a test, with tools that the whole session shares."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.perturbation import Perturbation, Perturbed, Refused
from assay.core.spec import build, parse
from assay.perturb import PERTURBATIONS
from assay.perturb.language.tools import LinguisticTools
from assay.perturb.making.selection import obstacle

OTHERS = (
    Segment("The committee will meet again in the spring.", "x", ("r",), "de-en", id="1"),
    Segment("Heavy rain is expected along the coast tonight.", "y", ("r",), "de-en", id="2"),
)


@functools.cache
def tools() -> LinguisticTools:
    return LinguisticTools(OTHERS)


def perturbation(spec: str, language: str = "en") -> Perturbation:
    """Build it, or skip where what it needs is not installed."""
    name, options = parse(spec)
    made: Perturbation = build(PERTURBATIONS.resolve(name), name, options)
    reason = obstacle(made.card, language)
    if reason:
        pytest.skip(reason)
    return made


def attempt(
    spec: str, text: str, seed: int = 0, language: str = "en", source: str | None = None, reference: str | None = None
) -> str:
    """The incorrect text, or ``refused: why``; the rule's own check must be content."""
    rule = perturbation(spec, language)
    references = (reference,) if reference is not None else ()
    segment = Segment(text, source, references, f"de-{language}" if language != "de" else "en-de")
    made = rule.perturb(segment, language, np.random.default_rng(seed), tools())
    if isinstance(made, Refused):
        return f"refused: {made.reason}"
    assert isinstance(made, Perturbed)
    assert rule.problems(segment, made, language, tools()) == []
    return made.apply(made.good if made.good is not None else text)


def every(spec: str, text: str, language: str = "en", **more: str) -> set[str]:
    """What comes of many seeds."""
    return {attempt(spec, text, seed, language, **more) for seed in range(40)}
