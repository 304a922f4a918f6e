"""What was read of the rules' results: enough items, and few bad ones of every rule that is on by default."""

from __future__ import annotations

import csv
import gzip
import hashlib
from pathlib import Path

import pytest

from assay.core.batch import Segment
from assay.core.perturbation import SURE, Perturbed
from assay.perturb import PERTURBATIONS
from assay.perturb.aces.constituent import ADDED
from assay.perturb.language.alignment import READ
from assay.perturb.making.corpus import hash_segment
from assay.perturb.making.maker import Generators
from tests.data import need
from tests.perturb.demetr import test_japanese_verbs, test_japanese_words, test_russian_forms, test_russian_words
from tests.perturb.texts import every, perturbation, tools

FOLDER = Path(__file__).parent / "read"
FILES = sorted(FOLDER.glob("*.tsv"))
OFF = {"pronoun-and-coreference.de", "tense.ja"}
"""Families that are in doubt by default, because too many were bad."""
RULES = [
    (name, language)
    for name in PERTURBATIONS.entries
    for language in ("ru", "ja")
    if language in PERTURBATIONS.resolve(name).card.languages and "parse" in PERTURBATIONS.resolve(name).card.needs
]
FRAGMENTS = {
    "ru": [
        "",
        "«",
        "—",
        "Не.",
        "Он",
        "Он не",
        "в Лондоне",
        "и",
        "Да? Нет!",
        "новый",
        "Он сказал: «",
        "ПРИНЯЛ",
        "1 2 3",
    ],
    "ja": [
        "",
        "。",
        "で",
        "東京で",
        "新しい",
        "ない。",
        "た。",
        "は。",
        "彼",
        "です。",
        "ません。",
        "しかし、",
        "「」",
        "A B。",
    ],
}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_few_are_bad() -> None:
    for path in FILES:
        said = [row["verdict"] for row in rows(path)]
        assert set(said) <= {"good", "bad"}, path.stem
        if path.stem in OFF:
            continue
        assert path.stem.partition(".")[0] in PERTURBATIONS.entries
        assert len(said) >= 60, path.stem
        assert said.count("bad") <= 0.05 * len(said), path.stem


def test_every_language_that_is_on_was_read() -> None:
    stems = {path.stem for path in FILES}
    for pair in READ:
        assert f"untranslated-word.{pair}" in stems
        assert f"untranslated-versus-reference.{pair}" in stems
    assert {f"constituent-added.{language}" for language in ADDED} <= stems


def test_every_rule_has_its_sentences_and_was_read() -> None:
    russian = test_russian_forms.MADE | test_russian_words.MADE
    japanese = test_japanese_verbs.MADE | test_japanese_words.MADE
    assert {name for name, language in RULES if language == "ru"} == set(russian)
    assert {name for name, language in RULES if language == "ja"} == set(japanese)
    assert all((FOLDER / f"{name}.{language}.tsv").is_file() for name, language in RULES)


@pytest.mark.parametrize("language", FRAGMENTS)
def test_fragments_are_made_rightly_or_refused(language: str) -> None:
    for text in FRAGMENTS[language]:
        for name in [name for name, of in RULES if of == language]:
            every(name, text, language=language)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["ru", "ja"])
def test_what_was_read_is_what_is_made(language: str) -> None:
    """Of the first good items each is made as it was read (with the parsers of the lock)."""
    corpus = need("data", "ntrex", f"ref.{ {'ru': 'rus', 'ja': 'jpn'}[language] }.txt.gz")
    texts = gzip.decompress(corpus.read_bytes()).decode().splitlines()
    other = []
    for name in [name for name, of in RULES if of == language]:
        rule, generators = perturbation(name, language), Generators(12345)
        good = [row for row in rows(FOLDER / f"{name}.{language}.tsv") if row["verdict"] == "good"]
        for row in good[:6]:
            segment = Segment(texts[int(row["line"].removeprefix("ntrex:")) - 1], "x", (), f"en-{language}")
            made = rule.perturb(segment, language, generators.of(name, hash_segment(segment)), tools())
            assert isinstance(made, Perturbed), (name, row["line"])
            assert (made.confidence >= SURE) == ((name, language) != ("tense", "ja"))  # too many were bad
            if hashlib.blake2b(made.incorrect(segment).encode(), digest_size=8).hexdigest() != row["hash"]:
                other.append((name, row["line"]))
    assert other == []
