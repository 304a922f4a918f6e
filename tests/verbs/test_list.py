"""What there is, as a program asks for it."""

from __future__ import annotations

import inspect

import pytest

from assay.core.errors import UnknownName
from assay.verbs import list as lists


@pytest.mark.parametrize("kind", lists.KINDS)
def test_a_list_has_a_row_for_every_name(kind: str) -> None:
    found = lists.listing(kind)
    assert found.kind == kind and sorted(row["name"] for row in found.table().rows) == sorted(lists.names(kind))
    assert found.to_polars()["name"].to_list() == [row["name"] for row in found.table().rows]
    assert found._repr_html_().startswith("<") and lists.names(kind)[0] in repr(found)


def test_one_metric_in_full_has_the_options_of_its_constructor() -> None:
    from assay.metrics.bleu import Bleu

    facts = {row["field"]: row["value"] for row in lists.metrics("bleu").table().rows}
    options = {f"option {name}" for name in inspect.signature(Bleu).parameters}
    assert {field for field in facts if field.startswith("option ")} == options
    assert facts["better"] == "higher" and facts["needs"] == "reference"


def test_one_thing_of_every_kind_and_wrong_names() -> None:
    for kind in lists.KINDS:
        name = lists.names(kind)[0]
        facts = {row["field"]: row["value"] for row in lists.listing(kind, name).table().rows}
        assert facts["name"] == name
        with pytest.raises(UnknownName, match=f"Did you mean .*{name}"):
            lists.listing(kind, f"{name}x")
    with pytest.raises(UnknownName, match="Did you mean metrics"):
        lists.listing("metrcs")
