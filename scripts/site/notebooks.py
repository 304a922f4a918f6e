"""Runner, checker and renderer of notebooks, without Jupyter.

    python scripts/site/notebooks.py docs/tutorials/*.ipynb            # run them and store the outputs
    python scripts/site/notebooks.py --check docs/tutorials/*.ipynb    # run them and fail if an output differs

A notebook runs in an empty folder. A code cell is Python; the shell runs a line ``!command``; a cell that begins with
``%%writefile NAME`` writes that file, all as in Jupyter. Printed text and the value of the last line are stored. A cell with the
tag ``varies`` prints times or sizes: it is run, but not compared.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
SHELL = re.compile(r"^( *)!(.*)$", re.MULTILINE)
ENDS = re.compile(r"\x1b\[[0-9;]*m")
PROGRESS = re.compile(r"^ .* · [\d,.]+/s\n", re.MULTILINE)
"""A progress line, which a command prints after a minute, on a slow machine only."""


class Failed(Exception):
    """A cell that failed, or whose output differs from the stored one."""


def read(path: Path) -> dict[str, Any]:
    """Return a notebook as parsed JSON."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def write(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook as Jupyter does, so that opening and saving it changes nothing."""
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def run(path: Path) -> list[tuple[Cell, str]]:
    """Run the code cells in an empty folder; return each with its output."""
    with tempfile.TemporaryDirectory(prefix="tutorial-") as folder, _inside(Path(folder)):
        names: dict[str, Any] = {"__name__": "__main__"}
        return [(cell, _given(cell, names, path)) for cell in read(path)["cells"] if cell["cell_type"] == "code"]


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Use a temporary working folder and cache, this Python's commands first, and tables of 100 columns."""
    before, path = dict(os.environ), list(sys.path)
    place = os.getcwd()
    os.environ |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "ASSAY_CACHE_DIR": str(folder / ".cache"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    os.environ.pop("ASSAY_DATA", None)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(place)
        sys.path[:] = path
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]
        os.environ.clear()
        os.environ.update(before)


def _given(cell: Cell, names: dict[str, Any], path: Path) -> str:
    source = "".join(cell["source"])
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            if source.startswith("%%writefile "):
                head, _, text = source.partition("\n")
                Path(head.split()[1]).write_text(text + "\n", encoding="utf-8")
            else:
                _execute(source, names)
    except Exception as error:
        raise Failed(f"{path.name}: {error!r}\n{printed.getvalue()}in the cell\n{source}") from error
    return ENDS.sub("", printed.getvalue())


def _execute(source: str, names: dict[str, Any]) -> None:
    """Run the cell; print the value of its last line as a notebook does."""
    names["_shell"] = _shell
    tree = ast.parse(SHELL.sub(lambda line: f"{line[1]}_shell({line[2]!r})", source))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        if value is not None:
            print(value if hasattr(value, "_repr_html_") else repr(value))


def _shell(command: str) -> None:
    """Run a line in the shell and return what it prints on either stream. An exit code other than 0 or 1 is an error in the
    tutorial.
    """
    done = subprocess.run(command, shell=True, capture_output=True, text=True, encoding="utf-8", check=False)
    print(done.stdout + PROGRESS.sub("", done.stderr), end="")
    if done.returncode > 1:
        raise Failed(f"{command} left with {done.returncode}")


def shown(cell: Cell) -> str:
    """Return the stored output of a cell."""
    return "".join(line for output in cell["outputs"] for line in output.get("text", []))


def differences(path: Path) -> list[str]:
    """Return the differences between the output of a run and the stored output."""
    return [
        f"{path.name}: the cell\n{''.join(cell['source'])}\nshows\n{shown(cell)}\nbut now prints\n{given}"
        for cell, given in run(path)
        if given != shown(cell) and "varies" not in cell["metadata"].get("tags", [])
    ]


def refresh(path: Path) -> None:
    """Run a notebook and store its outputs."""
    notebook = read(path)
    given = iter(run(path))
    for number, cell in enumerate(one for one in notebook["cells"] if one["cell_type"] == "code"):
        text = next(given)[1]
        lines = text.splitlines(keepends=True)
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if text else []
        cell["execution_count"] = number + 1
    write(path, notebook)


def as_markdown(path: Path) -> str:
    """Return a notebook as a page: text, code and outputs."""
    parts = []
    for cell in read(path)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        commands = all(line.startswith(("!", "#")) for line in source.splitlines())
        code = re.sub(r"^!", "$ ", source, flags=re.MULTILINE) if commands else source
        parts.append(f"```{'console' if commands else 'python'}\n{code}\n```")
        if text := shown(cell):
            parts.append(f'<div class="output" markdown>\n```text\n{text.rstrip()}\n```\n</div>')
    head, *rest = parts
    return "\n\n".join([head, f"*[This page as a notebook]({path.name}), to run and to change.*{{ .download }}", *rest])


def main(arguments: list[str] | None = None) -> int:
    """Refresh or check the given notebooks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true", help="compare instead of storing")
    asked = parser.parse_args(arguments)
    wrong = []
    for path in (one.resolve() for one in asked.notebook):
        try:
            if asked.check:
                wrong += differences(path)
            else:
                refresh(path)
        except Failed as error:
            wrong.append(str(error))
    print("\n\n".join(wrong), end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
