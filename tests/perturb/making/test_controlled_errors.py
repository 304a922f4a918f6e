from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.errors import AssayError
from assay.core.perturbation import Change, Perturbation, PerturbationCard, Perturbed, Refused
from assay.perturb.language.tools import LinguisticTools
from assay.perturb.making.controlled_errors import find_errors, perturbation_error
from tests.perturb.texts import perturbation


class Shout(Perturbation):
    card = PerturbationCard("shout", "ends in a mark", "punctuation", "fluency/punctuation", "minor", ("our own",))

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Any) -> Perturbed | Refused:
        if segment.hypothesis.endswith("!"):
            return Refused("shouts already")
        return Perturbed((Change(len(segment.hypothesis), len(segment.hypothesis), "!"),))


def test_a_perturbation_becomes_a_controlled_error() -> None:
    error = perturbation_error(Shout(), None)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    assert error("to Rome", rng) == ("to Rome!", "shout")
    assert error("to Rome!", rng) is None


class Contrast(Perturbation):
    """Words the good text anew, as ACES' contrastive phenomena do; the change stands in the new wording."""

    card = PerturbationCard("contrast", "a wrong word", "knowledge", "accuracy/mistranslation", "major", ("our own",))

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Any) -> Perturbed | Refused:
        return Perturbed((Change(14, 20, "fox"),), good="She feeds the animal")


def test_a_change_of_another_good_text_is_made_there() -> None:
    error = perturbation_error(Contrast(), None)  # type: ignore[arg-type]
    assert error("She feeds a dog", np.random.default_rng(0)) == ("She feeds the fox", "contrast")


class LanguageRule(Shout):
    """Edits a text of its own, as some of ACES's phenomena do."""

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Any) -> Perturbed | Refused:
        return Perturbed((Change(11, 15, "Oslo"),), base="a train to Rome")


def test_changes_are_made_in_the_text_they_were_made_for() -> None:
    error = perturbation_error(LanguageRule(), None)  # type: ignore[arg-type]
    assert error("to Rome", np.random.default_rng(0)) == ("a train to Oslo", "shout")


def test_functions_are_found_by_their_path() -> None:
    errors, left_out = find_errors(["tests.verbs.test_breakdown:shout"])
    assert errors[0]("to Rome", None) == ("to Rome!", "punctuation") and left_out == []
    with pytest.raises(AssayError, match="unknown perturbation 'shuot'"):
        find_errors(["shuot"])


def test_controlled_errors_are_sure() -> None:
    error = perturbation_error(perturbation("hypernym"), LinguisticTools(), "en")
    assert error("The bank ran a plant.", np.random.default_rng(0)) is None
