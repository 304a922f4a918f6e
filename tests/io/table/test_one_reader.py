"""Tables are read in io/table and nowhere else: what else reads CSV, Parquet or JSON lines is named here with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import assay

ROOT = Path(assay.__file__).parent
ROOM = "io/table/"
READERS = {"read_csv", "scan_csv", "read_parquet", "scan_parquet", "read_ndjson", "scan_ndjson", "read_json"}
EXCEPTIONS = {
    "report/data.py": "writes CSV",
    "corpus/shard_writer.py": "joins the Parquet parts it wrote itself",
    "report/binary_rows.py": "joins the Parquet parts it wrote itself",
    "report/rows.py": "writes CSV",
    "data/__init__.py": "facts in the package's data, with comment lines",
    "core/chunk.py": "the names of arrays in a progress file",
    "suites/embedded.py": "the embedded suite in the package's data",
    "tasks/judging.py": "hands a user's judge the rows it has just written",
    "models/training/search.py": "a search's own record of its tries",
    "viewer/reader.py": "rows that a run wrote, with the types that it noted",
    "verbs/make_corpus.py": "returns the lines it has just written",
    "verbs/shared/made_set.py": "returns the lines it has just written",
}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def uses_csv(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name == "csv" for alias in node.names)
    return isinstance(node, ast.ImportFrom) and node.module == "csv"


def reads(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in READERS


def decodes_lines(node: ast.AST) -> bool:
    """A loop whose variable goes into json.loads as it is. (JSON inside a cell is another matter.)"""
    if isinstance(node, ast.For):
        targets: list[ast.AST] = [node.target]
    elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
        targets = [generator.target for generator in node.generators]
    else:
        return False
    names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return any(
        isinstance(call, ast.Call)
        and ast.unparse(call.func) in ("json.loads", "loads")
        and any(isinstance(argument, ast.Name) and argument.id in names for argument in call.args)
        for call in ast.walk(node)
    )


def test_tables_are_read_in_one_room() -> None:
    found = {
        name
        for name, tree in sources()
        if not name.startswith(ROOM)
        for node in ast.walk(tree)
        if uses_csv(node) or reads(node) or decodes_lines(node)
    }
    assert found == set(EXCEPTIONS)


def test_the_field_limit_of_csv_is_put_back_where_it_is_raised() -> None:
    for name, tree in sources():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "field_size_limit"]
        assert not calls or (name == ROOM + "quoting.py" and len(calls) == 2), name


def test_there_is_one_table_of_aliases() -> None:
    """No other module holds a tuple of several spellings of one role."""
    from assay.io.table.vocabulary import ROLES, plain

    by_spelling = {spelling: role for role, names in ROLES.items() for spelling in names}
    for name, tree in sources():
        if name == "io/table/vocabulary.py":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple) and len(node.elts) > 1:
                parts = [part.value for part in node.elts if isinstance(part, ast.Constant)]
                texts = {plain(part) for part in parts if isinstance(part, str)}
                roles = {by_spelling.get(text) for text in texts}
                assert len(texts) < 2 or len(roles) > 1 or roles == {None}, f"{name} line {node.lineno}: {texts}"
