"""Plain English: phrases that do not belong in documentation, help, docstrings and messages.

A phrase on the list is nearly always a literal translation or a figure of speech. The list is a floor, not a target:
a page without one may still be hard to read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli.main import VERBS, main
from tests.docs.examples import ROOT, captured

LIMITS = {"README": 1.0, "docs": 1.5, "help": 1.0, "docstrings": 1.5, "messages": 1.0}
"""Permitted phrases per 1,000 words."""
PATTERNS = (
    r"\b(?:one|a|an) \w+ an? (?:system|segment|row|line|file|metric|core|worker|shard|verb|column)\b",
    r"\b(?:one|a|an) \w+ an? (?:phenomenon|language|pair|cell|run|token|year)\b",
    r"\b(?:goes|go|went|going) on(?! (?:and|to the))\b",
    r"\b(?:is|are|was) through\b",
    r"(?<!there )(?<!There )\b(?:is|are|was) no (?!longer|more|less|fewer|later|doubt)\w+",
    r"\bis none\b",
    r"\b(?:is|are|was|were|it) (?:told|said)\b",
    r"\btold apart\b",
    r"\b(?:stands?|lies|lie) (?:in|on|at|there|behind|under|above|where|as|side|for)\b",
    r"\bmakes? way\b",
    r"\btaken up\b|\btakes? up\b",
    r"\bheld to\b",
    r"\bis a coin\b",
    r"\bthe way there\b",
    r"\bpeople (?:agree|mark|said|say|would|give|prefer)\b",
    r"\bfurther tries\b",
    r"\bso many\b",
    r"\bby its side\b",
    r"\bwhere (?:there (?:is|are)|nothing|somebody|people|wanted|asked|given|none|it may|it serves|one is|that is)\b",
    r"\bhow far it is\b",
    r"\bas it is\b.{0,20}\bas they are\b",
    r"\b(?:unasked|anew|parted|beside|whoever|blanks|nought|somebody)\b",
)
PHRASE = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS), re.IGNORECASE)
MARKUP = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)

Text = tuple[str, int, str]
"""Name of a file or command, number of the first line, content."""


def without_code(markdown: str) -> str:
    """Blank out code, links and indented blocks; keep the number of lines."""
    return MARKUP.sub(lambda match: " " + "\n" * match[0].count("\n"), markdown)


def markdown(*paths: Path) -> Iterator[Text]:
    for path in paths:
        yield path.relative_to(ROOT).as_posix(), 1, without_code(path.read_text(encoding="utf-8"))


def helps() -> Iterator[Text]:
    def print_help(words: list[str]) -> None:
        with pytest.raises(SystemExit):
            raise SystemExit(main(words))

    for verb in ("", *VERBS):
        words = [*verb.split(), "--help"]
        yield " ".join(["assay", *words]), 1, captured(lambda words=words: print_help(words))[1]


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "src").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def docstrings() -> Iterator[Text]:
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                first = node.body[0]
                assert isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                yield name, first.lineno, str(first.value.value)


def messages() -> Iterator[Text]:
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                for argument in node.exc.args:
                    for part in ast.walk(argument):
                        if isinstance(part, ast.Constant) and isinstance(part.value, str):
                            yield name, part.lineno, part.value


SOURCES = {
    "README": lambda: markdown(ROOT / "README.md"),
    "docs": lambda: markdown(*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / f"{p}.md" for p in PAGES)),
    "help": helps,
    "docstrings": docstrings,
    "messages": messages,
}
PAGES = ("CONTRIBUTING", "CHANGELOG", "SECURITY")


def phrases(texts: Iterator[Text]) -> tuple[int, list[str]]:
    """Return the number of words, and each phrase of the list with its file and line."""
    words, hits = 0, []
    for name, first, text in texts:
        words += len(re.findall(r"\w+", text))
        for match in PHRASE.finditer(text):
            line = first + text.count("\n", 0, match.start())
            hits.append(f"{name}:{line}: {' '.join(match[0].split())!r}")
    return words, hits


@pytest.mark.parametrize("kind", SOURCES)
def test_plain_words(kind: str) -> None:
    words, hits = phrases(SOURCES[kind]())
    rate = 1000 * len(hits) / words
    if rate > LIMITS[kind]:
        title = f"{kind}: {len(hits)} phrases in {words:,} words, {rate:.1f} per 1,000 (at most {LIMITS[kind]})"
        pytest.fail("\n".join([title, *hits]), pytrace=False)


def test_phrases_are_reported_with_file_and_line() -> None:
    text = "A plain line.\n`beside` is code.\nThe run goes on\nbeside the others.\n```\nanew\n```\nanew\n"
    words, hits = phrases(iter([("page.md", 1, without_code(text))]))
    assert hits == ["page.md:3: 'goes on'", "page.md:4: 'beside'", "page.md:8: 'anew'"]
    assert words == 13


PROSE = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lines_of_prose_are_short(path: Path) -> None:
    """Lines have at most 100 characters, except in tables, code, headings and images."""
    text, code, long = path.read_text(encoding="utf-8"), False, []
    for number, line in enumerate(text.splitlines(), 1):
        code ^= line.lstrip().startswith("```")
        if len(line) > 100 and not code and not line.startswith(("|", "    ", "#", "![")):
            long.append(f"{path.name}:{number}: {len(line)} characters")
    assert not long


def test_the_first_page_and_the_changelog_are_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()) <= 60


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_an_empty_line_separates_a_list_from_the_paragraph_before(path: Path) -> None:
    """The site shows a list as running text otherwise, unlike a code host."""
    text = without_code(path.read_text(encoding="utf-8"))
    faults = re.findall(r"^[^\s\-*\d|#>][^\n]*\n(?:[-*]|\d+\.) [^\n]*", text, re.MULTILINE)
    assert not faults
