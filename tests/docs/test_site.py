"""The site builds without a warning (a broken link is one) and contains its pages."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.cli.main import VERBS
from assay.metrics import METRICS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    return place


def text(path: Path) -> str:
    """Return the text of a page without markup."""
    return html.unescape(re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_a_page_that_ends_with_its_help(site: Path, verb: str) -> None:
    assert f"usage: assay {verb}" in text(site / f"{verb}.html")


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    page = text(site / "api.html")
    for name in assay.__all__:
        assert name == "__version__" or f"assay.{name}(" in page, name


def test_every_metric_is_in_the_table(site: Path) -> None:
    page = text(site / "metrics.html")
    for name in METRICS.entries:
        assert f"\n{name}\n" in page, name
    assert "Baselines and sentinels" in page


def test_arguments_are_a_list(site: Path) -> None:
    """`samples` is described in the docstring of compare as an entry under Args."""
    page = (site / "api.html").read_text(encoding="utf-8")
    assert re.search(r"<li>\s*(<p>)?<code>samples</code>", page) and "Args:" not in text(site / "api.html")


def test_the_first_page_is_the_readme_with_links_between_pages(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="numbers.html"' in page and 'href="security.html"' in page
    assert "docs/numbers.md" not in page


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?:', page), path


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_of_the_repository(page: Path) -> None:
    """Links also work in a clone, without the site."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        assert target.startswith("http") or (page.parent / target).exists(), target
