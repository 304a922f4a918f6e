"""MkDocs hooks: pages generated from other files, so that nothing is written twice.

The README is the first page, helps end the pages of the verbs, notebooks become pages, docstrings the API reference, and links
between files of the repository become links between pages.
"""

from __future__ import annotations

import importlib
import os
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from material.plugins.search import plugin as search
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["COLUMNS"] = "100"  # the width of help texts
search.jieba = None  # if installed, it would load a dictionary for the few Chinese words of these pages

from assay.cli.main import VERBS  # noqa: E402
from assay.cli.parser import parser_for  # noqa: E402
from scripts.site import api, metrics_table, notebooks  # noqa: E402

AT_THE_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "docs/decisions": "decisions/index.md",
}
"""Files (and a folder) that are pages under another name."""
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> None:
    """Add the decision records to the navigation, and pages that it does not name under More."""
    decisions = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))
    records: dict[str, list[Any]] = {"DECISIONS": ["decisions/index.md", *(f"decisions/{name}" for name in decisions)]}
    config.nav = _filled(config.nav, records)
    placed = {*_names(config.nav)}
    others = [name for path in sorted((ROOT / "docs").glob("*.md")) if (name := path.name) not in placed]
    config.nav += [{"More": others}] if others else []


def _names(part: Any) -> Iterator[str]:
    """Yield every page that the navigation names."""
    if isinstance(part, str):
        yield part
    for inside in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _names(inside)


def _filled(part: Any, known: dict[str, list[Any]]) -> Any:
    if isinstance(part, list):
        return [_filled(one, known) for one in part]
    if isinstance(part, dict):
        return {name: _filled(inside, known) for name, inside in part.items()}
    return known.get(part, part)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for uri, content in _made():
        files.append(File.generated(config, uri, content=content))
    return files


def _made() -> Iterator[tuple[str, str]]:
    for name, uri in AT_THE_ROOT.items():
        if name.endswith(".md"):
            yield uri, (ROOT / name).read_text(encoding="utf-8")
    titles = {path: _title(path) for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))}
    lines = "\n".join(f"- [{title}]({path.name})" for path, title in titles.items())
    yield "decisions/index.md", f"# Decisions\n\nWhat was decided and why: one short page per decision.\n\n{lines}\n"
    yield "api.md", api.page()
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        yield f"tutorials/{path.stem}.md", notebooks.as_markdown(path)


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links of the repository into links of the site; add a verb's help and the table of metrics to their pages."""
    uri = page.file.src_uri
    if uri == "metrics.md":
        markdown = metrics_table.page(markdown)
    verb = uri.removesuffix(".md")
    return _linked(markdown, uri) + (help_of(verb) if verb in VERBS else "")


def help_of(verb: str) -> str:
    """Return the full help of the verb and of each of its modes."""
    parser = parser_for(verb, importlib.import_module(f"assay.cli.{verb}"))
    printed = "\n".join(f"```text\n{command.format_full_help()}```\n" for command in parser.commands())
    return f"\n\n## All options\n\n`assay {verb} --help-all` prints:\n\n{printed}"


def _linked(markdown: str, uri: str) -> str:
    """Turn links to files of the repository into links to pages; files that are not pages are only named."""
    home = next((name for name, made in AT_THE_ROOT.items() if made == uri and name.endswith(".md")), f"docs/{uri}")

    def link(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        place = posixpath.normpath(posixpath.join(posixpath.dirname(home), target))
        if place in AT_THE_ROOT:
            goal = AT_THE_ROOT[place]
        elif place.startswith("docs/"):
            goal = place.removeprefix("docs/").replace(".ipynb", ".md")
        else:
            return text if (ROOT / place).exists() else found[0]
        return f"[{text}]({posixpath.relpath(goal, posixpath.dirname(uri) or '.')}{anchor})"

    return LINK.sub(link, markdown)
