"""What `import assay` offers: names that are there, typed and explained, results that are alike, verbs named as typed."""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import assay
import assay.verbs
from assay.cli.main import VERBS
from assay.core.task import Task
from assay.corpus.engines import Engine
from assay.io.files.folders import Folder
from assay.io.table.delimited import Cells
from assay.io.table.open_table import OpenTable
from assay.report.rows import RowWriter
from assay.verbs.result import Result

FUNCTIONS = [name for name in assay.__all__ if inspect.isfunction(getattr(assay, name))]
POSITIONAL = 3
"""Arguments that may be given by their place; `metrics` where it is the second (a suite, a set) is hard to mistake."""


def test_every_public_name_is_there() -> None:
    assert {"score", "compare", "run", "make", "meta", "train", "fetch", "Metric", "Batch", "AssayError"} <= set(
        dir(assay)
    )
    assert all(getattr(assay, name) is not None for name in assay.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_typed_and_explained(name: str) -> None:
    function = getattr(assay, name)
    parameters = inspect.signature(function).parameters
    words = inspect.getdoc(function) or ""
    for parameter in parameters.values():
        assert parameter.annotation is not parameter.empty, parameter
        assert re.search(rf"\b{parameter.name}\b", words), f"{name}'s docstring says nothing of {parameter.name}"
    placed = [p for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert len(placed) <= POSITIONAL, [p.name for p in placed]
    assert inspect.signature(function).return_annotation is not inspect.Signature.empty


def undocumented(kind: type[Any]) -> list[str]:
    """Public methods and properties without a docstring of their own or of a class that they override."""
    return [
        f"{kind.__name__}.{name}"
        for name, member in vars(kind).items()
        if not name.startswith("_")
        and isinstance(member, (FunctionType, classmethod, staticmethod, property, cached_property))
        and not inspect.getdoc(getattr(kind, name))
    ]


def test_public_classes_and_contracts_are_documented() -> None:
    """The linter lets an override go without a docstring; what others build on may not."""
    public = [member for name in assay.__all__ if inspect.isclass(member := getattr(assay, name))]
    contracts = [Cells, Engine, Folder, OpenTable, RowWriter, Task]
    kinds = [kind for kind in (*public, *contracts) if kind.__module__.startswith("assay.")]
    assert [kind for kind in kinds if not kind.__doc__] == []
    assert [name for kind in kinds for name in undocumented(kind)] == []


def results() -> list[type[Result]]:
    for verb in VERBS:
        if verb != "completion":
            __import__(f"assay.verbs.{verb}")
    found: list[type[Result]] = []
    waiting = [Result]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        found.append(kind)
    return found[1:]


def test_every_verb_is_a_module_of_its_name_and_gives_a_result() -> None:
    folder = Path(assay.verbs.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")}
    assert set(VERBS) - {"completion"} <= modules
    homes = {kind.verb.partition(" ")[0] for kind in results()}
    assert set(VERBS) - {"completion"} <= homes


def test_a_result_can_be_looked_at_in_every_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[Any] = [
        assay.score(["a b"], ["a c"]),
        assay.compare({"x": ["a b", "c"], "y": ["a", "c"]}, ["a c", "c"], samples=5, trials=5),
        assay.run("embedded", ["chrf"], samples=5),
        assay.list_metrics(),
        assay.list_metrics("chrf"),
        assay.card("chrf", ["embedded"], samples=5),
    ]
    for i, result in enumerate(shown):
        assert isinstance(result, Result)
        assert result.tables and result.table() in result.tables.values()
        assert result.to_polars().height > 0 and result.to_dict() and "<table>" in result._repr_html_()
        written = result.write(tmp_path / str(i), figures=())
        assert {"tables.json", "manifest.json"} <= {path.name for path in written.iterdir()}
        result.show()
        assert capsys.readouterr().out.rstrip() == repr(result).rstrip()
        table = result.table()
        assert table.to_polars().height == len(table.rows) and "<table>" in table._repr_html_()


def test_a_notebook_shows_marked_spans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    from tests.models.official import tiny, unpack

    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    sources, hypotheses, references = map(list, zip(*tiny().OWN, strict=True))
    metric = f"{unpack('xcomet', tmp_path)}:precision=fp32"
    result = assay.score(hypotheses, references, sources=sources, metrics=[metric], spans=True)
    page = result._repr_html_()
    assert page.count('<div class="row"') == len(hypotheses) and "<mark style=" in page and "class=" in page
    with pytest.raises(assay.InputError, match="chrf does not mark error spans"):
        assay.score(["a"], ["a"], metrics=["chrf"], spans=True)


def test_a_frame_of_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = assay.score(["a b", "c"], ["a c", "c"], metrics=["chrf", "bleu"]).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["segment", "chrf", "bleu", "flags"]
    again = assay.score(data=pandas.DataFrame({"mt": ["a b", "c"], "ref": ["a c", "c"]}), metrics=["chrf"])
    assert again.segments["chrf"].tolist() == frame["chrf"].tolist()
