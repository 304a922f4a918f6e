"""Examples in the docstrings of public functions: they run and print what they say."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import assay

FUNCTIONS = [name for name in assay.__all__ if inspect.isfunction(getattr(assay, name))]
VERBS = {name: getattr(assay, name) for name in FUNCTIONS if getattr(assay, name).__module__.startswith("assay.verbs.")}


def test_public_functions_have_sections_and_an_example() -> None:
    lists = {name for name in VERBS if name.startswith("list_")}
    for name, function in VERBS.items():
        words = inspect.getdoc(function) or ""
        assert all(f"{section}:\n" in words for section in ("Args", "Returns", "Raises") if name != "doctor"), name
        assert "Example:\n" in words or name in lists, f"{name} has no example"


@pytest.mark.filterwarnings("ignore")
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    finder, runner, scope = doctest.DocTestFinder(), doctest.DocTestRunner(), ModuleType("scope")
    for name, function in VERBS.items():
        for test in finder.find(inspect.unwrap(function), name, module=scope, globs={"assay": assay}):
            assert runner.run(test).failed == 0, name
    assert runner.tries > 25
