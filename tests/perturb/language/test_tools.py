from __future__ import annotations

import pytest

from assay.core.errors import MissingPart
from assay.perturb.language import tools
from assay.perturb.making.selection import choose_perturbations, select_available


def test_a_missing_package_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "_installed", lambda package: False)
    with pytest.raises(MissingPart, match=r"pip install 'mt-assay\[make\]'"):
        select_available(choose_perturbations(["negation"]), ["en"])
    for resource in ("morphology", "parse", "inflection"):
        with pytest.raises(MissingPart, match=r"mt-assay\[make-ru\]"):
            tools.load_resource(resource, "ru")
    with pytest.raises(MissingPart, match=r"mt-assay\[make-ja\]"):
        tools.load_resource("parse", "ja")
