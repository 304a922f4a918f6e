"""Import cycles of the package, lazy imports included, and the modules that one `assay score` runs through.

python scripts/import_graph.py                 # cycles, lazy imports, modules and frames of a score
python scripts/import_graph.py --modules       # also list the modules, and the frames from the command to the metric
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1] / "src"
PACKAGE = "assay"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
METRIC = "/metrics/"
"""The folder whose method `score` ends the path of a score."""


def modules() -> dict[str, Path]:
    """Return every module of the package with its file."""
    found = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _statements(node: ast.AST, lazy: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield the imports that are executed, and whether a function has to be called first."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child, lazy
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            yield from _statements(ast.Module(child.orelse, []), lazy)
        else:
            yield from _statements(child, lazy or isinstance(child, FUNCTIONS))


def graph(files: Mapping[str, Path]) -> tuple[dict[str, set[str]], int]:
    """Return the modules that each module imports, and the number of import statements inside functions."""
    edges: dict[str, set[str]] = {name: set() for name in files}
    lazies = 0
    for name, path in files.items():
        for statement, lazy in _statements(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(statement, ast.Import):
                targets = {alias.name for alias in statement.names}
            else:
                home = statement.module or ""
                targets = {f"{home}.{alias.name}" for alias in statement.names}
                targets = {target if target in files else home for target in targets}
            targets = targets & files.keys() - {name}
            edges[name] |= targets
            lazies += lazy and bool(targets)
    return edges, lazies


def cycles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module (Tarjan), largest first."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in sorted(edges[name]):
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            at = stack.index(name)
            component = sorted(stack[at:])
            del stack[at:]
            if len(component) > 1:
                components.append(component)

    sys.setrecursionlimit(10_000)
    for name in edges:
        if name not in index:
            visit(name)
    return sorted(components, key=len, reverse=True)


def trace_score() -> tuple[set[CodeType], list[str]]:
    """Score two lines with chrF; return the functions of the package that ran, and the frames from `main` to the metric.

    What runs while a module is imported does not count, nor do comprehensions and lambdas.
    """
    sys.path.insert(0, str(ROOT))
    from assay.cli.main import main

    folder = str(ROOT / PACKAGE)
    ran: set[CodeType] = set()
    path: list[str] = []

    def frames(frame: FrameType | None) -> list[FrameType]:
        found = []
        while frame is not None:
            found.append(frame)
            frame = frame.f_back
        return found[::-1]

    def profile(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code in ran or code.co_name[0] == "<" or not code.co_filename.startswith(folder):
            return
        callers = [caller for caller in frames(frame) if caller.f_code.co_filename.startswith(folder)]
        if any(caller.f_code.co_name == "<module>" for caller in callers):
            return
        ran.add(code)
        if code.co_name == "score" and METRIC in code.co_filename and not path:
            codes = [caller.f_code for caller in callers]
            path.extend(f"{Path(one.co_filename).relative_to(folder)}:{one.co_qualname}" for one in codes)

    with tempfile.TemporaryDirectory() as made:
        mt, ref = Path(made, "a.txt"), Path(made, "b.txt")
        mt.write_text("the cat sat\nhe goes home\n", encoding="utf-8")
        ref.write_text("the cat sat down\nhe went home\n", encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            sys.setprofile(profile)
            try:
                main(["score", "-m", "chrf", "--mt", str(mt), "--ref", str(ref), "--no-config"])
            finally:
                sys.setprofile(None)
    return ran, path


def main() -> int:
    """Print cycles and figures; the exit code is 1 if there is a cycle."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--modules", action="store_true", help="list the modules and frames that a score runs through")
    arguments = parser.parse_args()
    edges, lazies = graph(modules())
    components = cycles(edges)
    ran, path = trace_score()
    through: dict[str, list[str]] = {}
    for code in ran:
        through.setdefault(str(Path(code.co_filename).relative_to(ROOT / PACKAGE)), []).append(code.co_qualname)
    for component in components:
        print(f"cycle of {len(component)}: {', '.join(component)}")
    print(f"{len(edges)} modules, {sum(map(len, edges.values())):,} imports, {lazies} lazy, {len(components)} cycles")
    print(f"score -m chrf: {len(through)} modules, {len(ran)} functions, {len(path)} frames to the metric")
    if arguments.modules:
        print(*(f"  {name}: {', '.join(sorted(names))}" for name, names in sorted(through.items())), sep="\n")
        print(*(f"  {depth:>2} {frame}" for depth, frame in enumerate(path, 1)), sep="\n")
    return bool(components)


if __name__ == "__main__":
    sys.exit(main())
