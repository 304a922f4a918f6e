from __future__ import annotations

import pytest

from assay.core.errors import InputError, MissingPart, UnknownName
from assay.core.registry import Registry

REGISTRY = Registry("metric", {"chrf": "assay.metrics.chrf:Chrf", "chrf++": "assay.metrics.chrf:ChrfPlusPlus"})


def test_a_wrong_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        REGISTRY.resolve("chfr")
    assert str(caught.value) == "unknown metric 'chfr'. Did you mean chrf or chrf++? See: assay list metrics"


def test_a_module_and_attribute_are_taken_as_they_are() -> None:
    from assay.metrics.chrf import Chrf

    assert REGISTRY.resolve("assay.metrics.chrf:Chrf") is Chrf
    with pytest.raises(UnknownName, match="module 'nowhere' is not"):
        REGISTRY.resolve("nowhere:Metric")
    with pytest.raises(InputError, match="has no 'Nothing'"):
        REGISTRY.resolve("assay.metrics.chrf:Nothing")


def test_a_missing_package_is_named(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "wants_it.py").write_text("import not_installed_anywhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingPart, match="needs the package 'not_installed_anywhere'"):
        REGISTRY.resolve("wants_it:Metric")


@pytest.mark.parametrize(
    ("kind", "group"), [("metric", "assay.metrics"), ("suite", "assay.suites"), ("analysis", "assay.analyses")]
)
def test_entry_point_groups(kind: str, group: str) -> None:
    assert Registry(kind, {}).group == group
