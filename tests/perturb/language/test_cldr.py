from __future__ import annotations

import pytest

from assay.perturb.language.cldr import months

pytest.importorskip("babel")


def test_months_do_not_leak_between_languages() -> None:
    """Babel's Locale hands French the stand-alone names of the language asked for before."""
    months("zh")
    assert "stand-alone-wide" not in months("fr") and months("fr")["format-wide"][1] == "janvier"
