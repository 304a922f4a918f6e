"""What was read of the rules' results: enough items, and few bad ones of every rule that is on by default."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from assay.perturb import PERTURBATIONS
from assay.perturb.aces.constituent import ADDED
from assay.perturb.language.alignment import READ

FILES = sorted((Path(__file__).parent / "read").glob("*.tsv"))
OFF = {"pronoun-and-coreference.de", "tense.ja"}
"""Families that are in doubt by default, because too many were bad."""


def verdicts(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as lines:
        return [row["verdict"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_few_are_bad(path: Path) -> None:
    said = verdicts(path)
    assert set(said) <= {"good", "bad"}
    if path.stem in OFF:
        return
    assert path.stem.partition(".")[0] in PERTURBATIONS.entries
    assert len(said) >= 60
    assert said.count("bad") <= 0.05 * len(said)


def test_every_language_that_is_on_was_read() -> None:
    stems = {path.stem for path in FILES}
    for pair in READ:
        assert f"untranslated-word.{pair}" in stems
        assert f"untranslated-versus-reference.{pair}" in stems
    assert {f"constituent-added.{language}" for language in ADDED} <= stems
