"""Check of what a page names in backticks: verbs with their options, names in Python, files of the repository."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import assay
from assay.cli.main import VERBS
from tests.docs.examples import ROOT, Failed, blocks, check_command, parser

SOURCE = ROOT / "src" / "assay"
TOP = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"build"}
PACKAGES = {path.name for path in SOURCE.iterdir() if path.is_dir()}
OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*|-[a-zA-Z](?![\w-]))")
NOT_PYTHON = {"assay.toml", "assay.obtainers", "assay.perturbations", "assay.translators"}
"""A file, and groups of entry points that are not modules."""
OTHERS = {"--include-dashboard", "--nodes", "--cpus-per-task", "--user", "--hallucinations"}
"""Options of ray, srun, docker and benchmarks."""


def inline(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and content of backticks outside blocks."""
    lines = text.splitlines()
    for block in blocks(text):
        lines[block.line - 1 : block.line - 1 + len(block.lines)] = [""] * len(block.lines)
    prose = "\n".join("" if line.strip().startswith("```") else line for line in lines)
    if "# Coming from" in text:  # the first column and remarks contain commands of another tool
        prose = re.sub(
            r"^(\|[^|]*|[^|\n]*$)", lambda found: re.sub("`-[^`]*`", "", found[0]), prose, flags=re.MULTILINE
        )
    for found in re.finditer(r"(?<!`)`([^`]+)`(?!`)", prose):
        yield prose.count("\n", 0, found.start()) + 1, " ".join(found[1].replace("\\|", "|").split())


def check_name(name: str, importing: bool) -> None:
    """Check that a dotted name exists; a name that is called must exist after ``import assay``."""
    place, *rest = name.rstrip("(").split(".")
    if name.endswith("(") and rest[0] not in assay.__all__ and not importing:
        raise Failed(f"{name}) is not there after import assay")
    value: object = assay
    for part in rest:
        place += f".{part}"
        value = getattr(value, part) if hasattr(value, part) else importlib.import_module(place)


def check_path(code: str, inside: bool) -> None:
    """Check that a file of the repository exists, from the root or below src/assay, and contains the name after the colon."""
    path, _, name = code.partition(":")
    first = path.split("/")[0]
    if "/" not in path or re.search(r"[A-Z]{3}|[…<{ ()]", path) or first not in (TOP | PACKAGES if inside else TOP):
        return
    found = [*ROOT.glob(path), *SOURCE.glob(path)]
    if not found or (name and name not in found[0].read_text(encoding="utf-8")):
        raise Failed(f"{name or path} is not there")


def check(code: str, options: set[str], inside: bool) -> None:
    if code.startswith(("assay ", "make ")):
        check_command(code, mention=True)
    elif code.startswith("-"):
        if unknown := [word for word in OPTION.findall(code.partition("$(")[0]) if word not in options]:
            raise Failed(f"there is no option {unknown[0]}")
    elif (found := re.match(r"assay(\.\w+)+\(?", code)) and found[0] not in NOT_PYTHON:
        check_name(found[0], inside)
    else:
        check_path(code, inside)


def problems(page: str, text: str) -> Iterator[str]:
    """Yield what a page names and does not exist; options are those of the verbs of the page."""
    named = {verb for verb in re.findall(r"\bassay (\w+)", text) if verb in VERBS}
    verbs = named | {Path(page).stem} if Path(page).stem in VERBS else set(VERBS)
    options = {option for verb in verbs for option in parser(verb).options()} | OTHERS | {"--debug", "--no-config"}
    for line, code in inline(text):
        try:
            check(code, options, inside=re.search("CONTRIBUTING|architecture|decisions|reproduce", page) is not None)
        except Exception as error:
            yield f"{page}:{line}: `{code}`\n    {error}"
