"""Words that stand for one thing: no class name twice, and papers cited by who wrote them."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import assay

SOURCE = Path(assay.__file__).parent


def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}


def test_a_class_name_stands_for_one_thing() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_papers_are_cited_by_their_authors() -> None:
    for path in SOURCE.rglob("*.py"):
        assert not re.search(r"\bseed 00\d", path.read_text(encoding="utf-8"), re.IGNORECASE), path
