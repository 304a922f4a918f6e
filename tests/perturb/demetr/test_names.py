from __future__ import annotations

from tests.perturb.texts import every


def test_a_name_changes_everywhere_and_within_its_type() -> None:
    for made in every("name-replaced", "France beat Italy because France was better."):
        assert ("France" in made) != ("Italy" in made)
        assert made.count("France") in (0, 2)


def test_a_magazine_is_no_person() -> None:
    for text in every("name-replaced", "He told the magazine Der Spiegel that Germany had changed."):
        assert "magazine Der Spiegel" in text or text.startswith("refused")
