"""The word lists: how a file is read, and that every list is used."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from assay.data import rows
from assay.data.words import lists, name_list, word_list

FOLDER = Path(str(files("assay") / "data" / "words"))
SOURCE = Path(str(files("assay") / "perturb"))


def test_rows_of_one_key_are_one_list() -> None:
    assert word_list("added adverbs")[:2] == ("allegedly", "secretly")
    assert word_list("added adjectives")[-2:] == ("hypothetical", "so-called")  # on the third row
    assert {"New York", "Las Vegas", "Caracas"} < set(name_list("further cities"))
    assert lists("noun_kinds")["snake"] == ("python", "cobra", "viper")
    assert lists("misspellings")["absence"] == ("absense", "abscence")
    with pytest.raises(KeyError):
        word_list("added nouns")


def test_every_list_is_used_and_has_words() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    asked = set(re.findall(r'word_list\(\s*"([^"]+)"', code))
    assert set(lists("lists")) == asked
    assert all(words and "" not in words for name in ("lists", "names", "additions") for words in lists(name).values())
    by_script = {
        f"{kind} {script}" for kind in ("female", "male", "surnames") for script in ("latin", "cyrillic", "han", "kana")
    }
    assert set(lists("names")) == set(re.findall(r'name_list\(\s*"([^"]+)"', code)) | by_script
    used = (
        set(re.findall(r'"words/(\w+)\.tsv"', code))
        | set(re.findall(r'\blists\(\s*"(\w+)"\)', code))
        | {"lists", "names"}
    )
    assert {path.stem for path in FOLDER.glob("*.tsv")} == used


def test_every_row_has_every_cell() -> None:
    for path in [*sorted(FOLDER.glob("*.tsv")), FOLDER.parent / "perturbations.tsv"]:
        for row in rows(str(path.relative_to(FOLDER.parent))):
            assert None not in row and None not in row.values(), (path.name, row)
            assert all(cell == cell.strip() for cell in row.values()), (path.name, row)
