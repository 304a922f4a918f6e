"""Tutorials run and print the stored outputs.

When an output has changed for a good reason: ``python scripts/site/notebooks.py docs/tutorials/*.ipynb`` stores the new one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.site import notebooks

TUTORIALS = sorted((Path(__file__).resolve().parents[2] / "docs" / "tutorials").glob("*.ipynb"))


def test_the_four_are_there() -> None:
    assert [path.stem for path in TUTORIALS] == ["data_scientist", "engineer", "manager", "student"]


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_gives_what_it_shows(path: Path) -> None:
    assert "\n".join(notebooks.differences(path)) == ""


def notebook(path: Path, source: str, shown: str, tags: tuple[str, ...] = ()) -> Path:
    output = {"name": "stdout", "output_type": "stream", "text": shown.splitlines(keepends=True)}
    cell = {"cell_type": "code", "metadata": {"tags": list(tags)}, "outputs": [output], "source": [source]}
    notebooks.write(path / "one.ipynb", {"cells": [cell]})
    return path / "one.ipynb"


def test_another_output_is_found(tmp_path: Path) -> None:
    assert notebooks.differences(notebook(tmp_path, "1 + 1", "2\n")) == []
    (difference,) = notebooks.differences(notebook(tmp_path, "1 + 1", "3\n"))
    assert "shows\n3\n\nbut now prints\n2\n" in difference
    assert notebooks.differences(notebook(tmp_path, "1 + 1", "3\n", ("varies",))) == []


def test_a_cell_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(notebooks.Failed, match=r"one\.ipynb.*left with 3"):
        notebooks.run(notebook(tmp_path, "!exit 3", ""))
    with pytest.raises(notebooks.Failed, match="ZeroDivisionError"):
        notebooks.run(notebook(tmp_path, "1 / 0", ""))


def test_refreshing_keeps_what_comes_out(tmp_path: Path) -> None:
    path = notebook(tmp_path, "!echo hello", "old\n")
    notebooks.refresh(path)
    assert notebooks.shown(notebooks.read(path)["cells"][0]) == "hello\n"
    assert "$ echo hello" in notebooks.as_markdown(path) and "hello\n```" in notebooks.as_markdown(path)


def test_a_cell_writes_a_file_that_the_next_imports(tmp_path: Path) -> None:
    path = notebook(tmp_path, "%%writefile here.py\nvalue = 7", "")
    one = notebooks.read(path)
    two = {**one["cells"][0], "source": ["from here import value\n", "value"]}
    notebooks.write(path, {"cells": [*one["cells"], two]})
    assert [given for _, given in notebooks.run(path)] == ["", "7\n"]
