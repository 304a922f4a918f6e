"""The word lists: how a file is read, and that every list is used."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from assay.data import rows
from assay.data.words import lists, name_list, nested_lists, patterns, word_list
from assay.perturb.aces.ambiguity import SINCE, WHILE

FOLDER = Path(str(files("assay") / "data" / "words"))
SOURCES = [Path(str(files("assay") / package)) for package in ("perturb", "linting")]
CODE = "\n".join(path.read_text(encoding="utf-8") for folder in SOURCES for path in sorted(folder.rglob("*.py")))


def test_rows_of_one_key_are_one_list() -> None:
    assert word_list("added adverbs")[:2] == ("allegedly", "secretly")
    assert word_list("added adjectives")[-2:] == ("hypothetical", "so-called")  # on the third row
    assert {"New York", "Las Vegas", "Caracas"} < set(name_list("further cities"))
    assert lists("noun_kinds")["snake"] == ("python", "cobra", "viper")
    assert lists("misspellings")["absence"] == ("absense", "abscence")
    with pytest.raises(KeyError):
        word_list("added nouns")


def test_every_list_is_used_and_has_words() -> None:
    asked = set(re.findall(r'word_list\(\s*"([^"]+)"', CODE))
    assert set(lists("lists")) == asked
    assert all(words and "" not in words for name in ("lists", "names", "additions") for words in lists(name).values())
    by_script = {
        f"{kind} {script}" for kind in ("female", "male", "surnames") for script in ("latin", "cyrillic", "han", "kana")
    }
    assert set(lists("names")) == set(re.findall(r'name_list\(\s*"([^"]+)"', CODE)) | by_script
    used = (
        set(re.findall(r'"words/(\w+)\.tsv"', CODE))
        | set(re.findall(r'\b(?:lists|nested_lists)\(\s*"(\w+)"\)', CODE))
        | {"lists", "names", "patterns"}
    )
    assert {path.stem for path in FOLDER.glob("*.tsv")} == used


def test_patterns_are_used_and_valid() -> None:
    senses = {f"{word} {sense}" for word, spelt in (("since", SINCE), ("while", WHILE)) for sense in spelt}
    used = set(re.findall(r'\bpatterns\("([^"]+)"\)', CODE)) | senses
    assert {row["list"] for row in rows("words/patterns.tsv")} == used
    for row in rows("words/patterns.tsv"):
        re.compile(row["pattern"])
    assert patterns("while temporal")["ru"] == r"\bпока\b"
    assert nested_lists("pronouns")["fr"]["il"] == ("elle",)


def test_every_row_has_every_cell() -> None:
    for path in [*sorted(FOLDER.glob("*.tsv")), FOLDER.parent / "perturbations.tsv"]:
        for row in rows(str(path.relative_to(FOLDER.parent))):
            assert None not in row and None not in row.values(), (path.name, row)
            assert all(cell == cell.strip() for cell in row.values()), (path.name, row)
