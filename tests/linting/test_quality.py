"""Findings on human translations and in perturbed ones: a small part of `scripts/lint_quality.py`."""

from __future__ import annotations

import pytest

from assay.linting import CHECKS, lint_texts
from assay.linting.finding import Texts
from scripts import lint_quality
from tests.data import need


@pytest.mark.real
@pytest.mark.parametrize("language", ["de", "ru", "zh", "ar", "ja"])
def test_human_translations_have_few_findings(language: str) -> None:
    data = need("data", "ntrex").parent
    english = lint_quality.lines(data / "ntrex/src.eng.txt.gz")[1200:1500]
    other = lint_quality.lines(data / f"ntrex/ref.{lint_quality.NTREX[language]}.txt.gz")[1200:1500]
    found = sum(
        bool(lint_texts(Texts(source, text, "en", language), list(CHECKS)))
        for source, text in zip(english, other, strict=True)
    )
    assert found <= 0.03 * len(english)


@pytest.mark.real
def test_wrong_numbers_are_found() -> None:
    items = list(lint_quality.demetr_items(need("data", "demetr").parent, "critical_id10_numbers_replaced"))
    found = sum(bool(lint_texts(perturbed, ("numbers", "dates"))) for _, perturbed in items)
    assert len(items) == 374 and found / len(items) > 0.9
    assert sum(bool(lint_texts(original, ("numbers", "dates"))) for original, _ in items) <= 2
