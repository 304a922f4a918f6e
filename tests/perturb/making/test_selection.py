from __future__ import annotations

import pytest

from assay.core.errors import InputError, MissingPart, UnknownName
from assay.perturb.making.controlled_errors import find_errors
from assay.perturb.making.selection import choose_perturbations, describe, select_available


def test_demetr_is_35() -> None:
    chosen = choose_perturbations(["demetr"])
    assert len(chosen) == 35
    assert {entry for one in chosen for entry in one.perturbation.card.follows} >= {f"DEMETR {n}" for n in range(1, 36)}


def test_options_and_doubles() -> None:
    (only,) = choose_perturbations(["empty:stop=no"])
    assert only.perturbation.stop is False  # type: ignore[attr-defined]
    assert len(choose_perturbations(["demetr", "tense"])) == 35
    with pytest.raises(InputError, match="are the same perturbation"):
        choose_perturbations(["empty", "empty:stop=no"])
    with pytest.raises(UnknownName, match="Did you mean antonym"):
        choose_perturbations(["antonim"])
    with pytest.raises(InputError, match="no perturbation is selected"):
        choose_perturbations([])


def test_a_language_without_the_resource_is_named() -> None:
    named, group = choose_perturbations(["negation"]), choose_perturbations(["demetr"])
    with pytest.raises(
        MissingPart, match="negation: it needs a parser, and there is no installable parser with open weights for de"
    ):
        select_available(named, ["de"])
    able, left_out = select_available(group, ["de"])
    assert "repeat-twice" in able["de"]
    assert "negation" in left_out


@pytest.mark.parametrize("language", ["en", "de", "zh", "xx"])
def test_what_is_switched_off_is_in_no_group_and_says_why(language: str) -> None:
    with pytest.raises(MissingPart, match=r"^name-swapped: disabled: .*finds names of people only"):
        select_available(choose_perturbations(["name-swapped"]), [language])
    for group in ("all", "smaug"):
        able, left_out = select_available(choose_perturbations([group]), [language])
        assert "name-swapped" not in able[language] and "disabled" in left_out["name-swapped"]
    errors, reasons = find_errors(["all"], language)
    assert errors and any("name-swapped" in reason and "disabled" in reason for reason in reasons)
    with pytest.raises(MissingPart, match="disabled"):
        find_errors(["name-swapped"], language)
    assert "disabled" in describe("name-swapped")["en"]


def test_thai_words_are_not_known() -> None:
    from assay.perturb import PERTURBATIONS
    from assay.perturb.making.selection import find_obstacle

    assert "written without spaces" in find_obstacle(PERTURBATIONS.resolve("word-swap").card, "th")
    assert find_obstacle(PERTURBATIONS.resolve("number-replaced").card, "th") == ""


@pytest.mark.parametrize("language", ["de", "zh"])
def test_without_a_parser_it_is_said_why(language: str) -> None:
    with pytest.raises(
        MissingPart, match=f"needs a parser, and there is no installable parser with open weights for {language}"
    ):
        select_available(choose_perturbations(["negation"]), [language])


def test_french_has_a_parser_but_no_rules() -> None:
    with pytest.raises(MissingPart, match="negation works in en, ru, ja, not in fr"):
        select_available(choose_perturbations(["negation"]), ["fr"])
