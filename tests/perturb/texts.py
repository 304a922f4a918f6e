"""Perturbing one text in a test, with tools that the whole session shares."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from assay.core.batch import Batch, Segment
from assay.core.perturbation import Perturbation, Perturbed, Refused
from assay.core.spec import build, parse
from assay.perturb import PERTURBATIONS
from assay.perturb.language.tools import LinguisticTools
from assay.perturb.making.selection import find_obstacle
from assay.verbs.make import make

OTHERS = (
    Segment("The committee will meet again in the spring.", "x", ("r",), "de-en", id="1"),
    Segment("Heavy rain is expected along the coast tonight.", "y", ("r",), "de-en", id="2"),
)
POOL = (
    Segment("Der Hund schläft im Garten.", "The dog sleeps in the garden.", (), "en-de"),
    Segment(
        "Die Regierung hat gestern neue Steuern beschlossen.", "The government passed new taxes yesterday.", (), "en-de"
    ),
    Segment("The weather was cold and the roads were closed.", "Das Wetter war kalt.", (), "de-en"),
    Segment("Nobody expected the factory to reopen so early.", "Niemand erwartete das.", (), "de-en"),
    Segment("It was late.", "Es war spät.", (), "de-en"),
)
IN_DOUBT = "in doubt about the "


@functools.cache
def tools() -> LinguisticTools:
    return LinguisticTools(OTHERS)


def perturbation(spec: str, language: str = "en") -> Perturbation:
    """Build it, or skip where what it needs is not installed."""
    name, options = parse(spec)
    made: Perturbation = build(PERTURBATIONS.resolve(name), name, options)
    reason = find_obstacle(made.card, language)
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


def unexpected(cases: Iterable[tuple[str, str, set[str]]], language: str = "en") -> list[tuple[str, str, set[str]]]:
    """The cases (spec, text, what should come of it) from which many seeds make something else, with what they make."""
    made = [(spec, text, every(spec, text, language), expected) for spec, text, expected in cases]
    return [(spec, text, found) for spec, text, found, expected in made if found != expected]


@functools.cache
def pool_tools() -> LinguisticTools:
    """Tools with the segments of `POOL`."""
    return LinguisticTools(POOL)


def attempted(name: str, segment: Segment, seed: int = 1) -> Perturbed | Refused:
    """What comes of a segment with its language pair, source and columns; the rule's own check must be content."""
    language = (segment.langpair or "").rpartition("-")[2]
    rule = perturbation(name, language)
    made = rule.perturb(segment, language, np.random.default_rng(seed), pool_tools())
    if isinstance(made, Perturbed):
        assert rule.problems(segment, made, language, pool_tools()) == []
    return made


def incorrect(name: str, segment: Segment, seed: int = 1) -> str:
    """The incorrect translation that is made of a segment."""
    made = attempted(name, segment, seed)
    assert isinstance(made, Perturbed), made
    return made.incorrect(segment)


def reason(name: str, segment: Segment) -> str:
    """Why a segment is refused."""
    made = attempted(name, segment)
    assert isinstance(made, Refused), made
    return made.reason


def problems(name: str, segment: Segment, bad: Perturbed) -> list[str]:
    """What the rule's own check finds in a bad result."""
    language = (segment.langpair or "").rpartition("-")[2]
    return perturbation(name, language).problems(segment, bad, language, pool_tools())


def refusals(spec: str, text: str, langpair: str = "de-en", source: str = "x", **more: Any) -> dict[str, int]:
    """Why ``assay make`` refuses a text, under the default confidence; empty where it makes an item."""
    perturbation(spec, langpair.rpartition("-")[2])
    made = make([spec], Batch([text], [source], ([text],), [langpair]), **more)
    refused: dict[str, int] = made.card["perturbations"][spec]["refused"]
    return refused
