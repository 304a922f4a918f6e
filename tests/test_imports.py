"""Imports inside functions count, too: no cycle among modules, no verb that imports another verb. The lists shrink to nothing."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "import_graph.py"
VERBS = "assay.verbs."
SHARED = {"result"}
"""Modules that verbs share and that are not in `verbs/shared/` yet."""
KNOWN_VERBS: set[str] = set()
KNOWN_CYCLES = {
    "assay.cli.config", "assay.corpus.challenge_items", "assay.io.files.folders",
    "assay.models.runtime.fp8", "assay.report.binary_rows", "assay.verbs.result", "assay.verbs.shared.input_files",
}  # fmt: skip
"""The first module of each cycle that is still there."""


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("import_graph", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _edges() -> dict[str, set[str]]:
    script = _script()
    edges: dict[str, set[str]] = script.graph(script.modules())[0]
    return edges


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert {cycle[0] for cycle in _script().cycles(_edges())} <= KNOWN_CYCLES


def test_no_verb_imports_another_verb() -> None:
    found = set()
    for name, targets in _edges().items():
        for target in targets:
            if name.startswith(VERBS) and target.startswith(VERBS):
                one, other = name.removeprefix(VERBS), target.removeprefix(VERBS)
                shared = other.startswith("shared") or other in SHARED
                if not shared and one.partition("_")[0] != other.partition("_")[0]:
                    found.add(f"{one} -> {other}")
    assert found <= KNOWN_VERBS, f"what verbs share belongs in verbs/shared or in a lower layer: {found - KNOWN_VERBS}"


def test_cycles_are_found_through_imports_inside_functions(tmp_path: Path) -> None:
    script = _script()
    files = {name: tmp_path / f"{name}.py" for name in ("a", "b", "c")}
    files["a"].write_text("import b\n")
    files["b"].write_text("def f():\n    from c import x\n")
    files["c"].write_text("from typing import TYPE_CHECKING\nimport a\nif TYPE_CHECKING:\n    import nothing\n")
    edges, lazy = script.graph(files)
    assert script.cycles(edges) == [["a", "b", "c"]] and lazy == 1
    files["c"].write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n")
    assert script.cycles(script.graph(files)[0]) == []
