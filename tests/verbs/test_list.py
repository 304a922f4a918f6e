"""What there is, as a program asks for it."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from assay.core.errors import UnknownName
from assay.verbs import list as lists
from assay.verbs import list_metrics


@pytest.mark.parametrize("kind", lists.KINDS)
def test_a_list_has_a_row_for_every_name(kind: str) -> None:
    found = lists.listing(kind)
    assert found.kind == kind and sorted(row["name"] for row in found.table().rows) == sorted(lists.names(kind))
    assert found.to_polars()["name"].to_list() == [row["name"] for row in found.table().rows]
    assert found._repr_html_().startswith("<") and lists.names(kind)[0] in repr(found)


def test_one_metric_in_full_has_the_options_of_its_constructor() -> None:
    from assay.metrics.bleu import Bleu

    facts = {row["field"]: row["value"] for row in lists.list_metrics("bleu").table().rows}
    options = {f"option {name}" for name in inspect.signature(Bleu).parameters}
    assert {field for field in facts if field.startswith("option ")} == options
    assert facts["better"] == "higher" and facts["needs"] == "reference"


def test_metrics_stand_by_kind_and_say_what_they_still_need(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    rows = {row["name"]: row for row in lists.list_metrics().table().rows}
    kinds = [row["kind"] for row in rows.values()]
    assert list(dict.fromkeys(kinds)) == [kind for kind in list_metrics.KINDS if kind in kinds]
    assert rows["chrf"]["state"] == rows["random"]["state"] == "ready" and rows["random"]["kind"] == "baseline"
    assert rows["xcomet-xl"]["state"] == "weights 13.9 GB (CC BY-NC-SA 4.0)"
    assert rows["xcomet-xl"]["get"] == "assay fetch xcomet-xl" and rows["xcomet-xl"]["gigabytes"] == 13.9
    assert rows["matese"]["state"] == "weights (CC BY-NC-SA 4.0)" and "path=FOLDER" in rows["matese"]["get"]
    assert rows["hwtsc-tlm"]["state"] == "your own weights" and rows["hwtsc-tlm"]["needs"] == "translation"
    assert rows["cometoid22-wmt22"]["state"] == "weights 2.3 GB (licence not stated)"
    assert rows["bartscore"]["state"] == "weights 1.6 GB (MIT)", "the weights', not the code's"
    assert rows["spbleu"]["state"].endswith("pieces 4.9 MB (their makers' licence)")
    assert rows["mee"]["state"] == "your own word vectors"
    assert rows["mee4"]["state"] == "weights 1.9 GB (Apache-2.0) + word vectors (vectors=FILE)"
    labse = tmp_path / "checkpoints" / "labse"
    labse.mkdir(parents=True)
    for file in ("config.json", "tokenizer.json", "model.safetensors", "modules.json"):
        (labse / file).write_text("{}")
    for folder, file in (("1_Pooling", "config.json"), ("2_Dense", "config.json"), ("2_Dense", "model.safetensors")):
        (labse / folder).mkdir(exist_ok=True)
        (labse / folder / file).write_text("{}")
    found = {row["name"]: row for row in lists.list_metrics().table().rows}
    assert found["labse-sim"]["state"] == "ready" and found["mee4"]["state"] == "word vectors (vectors=FILE)"
    place = tmp_path / "checkpoints" / "bleurt-20-d3"
    place.mkdir(parents=True)
    (place / "bleurt_config.json").write_text("{}")
    found = {row["name"]: row for row in lists.list_metrics().table().rows}["bleurt-20-d3"]
    assert found["state"] == "ready" and found["where"] == str(place) and not found["get"]
    monkeypatch.setattr(list_metrics, "installed", lambda extra: False)
    bare = {row["name"]: row for row in lists.list_metrics().table().rows}["bleurt-20-d6"]
    assert bare["state"] == "extra neural + weights 0.2 GB (Apache-2.0)"
    assert bare["get"] == "pip install 'mt-assay[neural]'; assay fetch bleurt-20-d6"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("chrf", "nothing"),
        ("bertscore", "no judgements"),
        ("judge-da", "unknown: everything that the model has seen"),
        ("ms-comet-22", "Microsoft's own judgements"),
        ("bleurt", "not stated"),
    ],
)
def test_only_what_learned_from_nothing_is_said_to(name: str, said: str) -> None:
    facts = {row["field"]: row["value"] for row in lists.list_metrics(name).table().rows}
    assert facts["trained on"].startswith(said)


def test_one_thing_of_every_kind_and_wrong_names() -> None:
    for kind in lists.KINDS:
        name = lists.names(kind)[0]
        facts = {row["field"]: row["value"] for row in lists.listing(kind, name).table().rows}
        assert facts["name"] == name
        with pytest.raises(UnknownName, match=f"Did you mean .*{name}"):
            lists.listing(kind, f"{name}x")
    with pytest.raises(UnknownName, match="Did you mean metrics"):
        lists.listing("metrcs")
