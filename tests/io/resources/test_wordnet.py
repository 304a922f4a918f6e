from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest

from assay.core.errors import AssayError, InputError, MissingPart
from assay.io.resources import wordnet
from tests.wordnets import EXCEPTIONS, SYNSETS, hand_made, need_debian, nltk_reader


def by_nltk(reader, word):
    return {lemma.name() for synset in reader.synsets(word) for lemma in synset.lemmas() if "_" not in lemma.name()}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return hand_made(tmp_path_factory.mktemp("small") / "wordnet")


# Read off the lists in tests/wordnets.py.
@pytest.mark.parametrize(
    ("word", "synonyms"),
    [
        ("dog", {"dog", "cad", "bounder", "hound", "chase", "tail"}),
        ("Dogs", {"dog", "cad", "bounder", "hound", "chase", "tail"}),
        ("churches", {"church"}),
        ("oxen", {"ox"}),
        ("axes", {"axis", "ax", "axe"}),
        ("paris", {"Paris"}),
        ("running", set()),
        ("seeing", {"see", "understand", "realize"}),
        ("bigger", {"big", "large"}),
        ("galore", {"abundant", "galore"}),
        ("best", {"well", "good"}),
        ("French_capital", {"Paris"}),
        ("", set()),
        ("s", set()),
        ("\ud800", set()),
        ("猫", set()),
    ],
)
def test_synonyms(small, word, synonyms):
    assert wordnet.load(small).synonyms(word) == synonyms


def test_the_hand_made_one_read_by_nltk(small):
    names = {name.partition("(")[0] for synsets in SYNSETS.values() for line in synsets for name in line.split()}
    names |= {word for text in EXCEPTIONS.values() for word in text.split()}
    endings = ("", "s", "es", "ed", "ing", "er", "est", "men", "ies", "d")
    words = {name[: len(name) - cut] + ending for name in names for cut in (0, 1) for ending in endings}
    reader, ours = nltk_reader(small), wordnet.load(small)
    assert {word: ours.synonyms(word) for word in words} == {word: by_nltk(reader, word) for word in words}


@pytest.mark.real
def test_debians_read_by_nltk():
    folder = need_debian()
    reader, ours = nltk_reader(folder), wordnet.load(folder)
    rng = random.Random(1)
    lemmas = rng.sample(sorted(reader._lemma_pos_offset_map), 3000)
    words = lemmas + [lemma + rng.choice(("s", "es", "ed", "ing", "er", "est")) for lemma in lemmas]
    words += rng.sample(sorted(word for part in "nvar" for word in reader._exception_map[part]), 1000)
    assert {word: ours.synonyms(word) for word in words} == {word: by_nltk(reader, word) for word in words}
    assert ours.version == "3.0"


def test_identity_is_version_and_content(small, tmp_path):
    identity = wordnet.load(small).identity
    again = hand_made(tmp_path / "again")
    assert identity.startswith("0.1-")
    assert wordnet.load(again).identity == identity
    changed = hand_made(tmp_path / "changed")
    (changed / "noun.exc").write_text("")
    assert wordnet.load(changed).identity != identity


def test_zip_as_nltks_downloader_leaves_it(small, tmp_path, monkeypatch):
    place = tmp_path / "corpora" / "wordnet.zip"
    place.parent.mkdir()
    with zipfile.ZipFile(place, "w") as archive:
        for file in small.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    assert wordnet.load(place).identity == wordnet.load(small).identity


def test_places(small, tmp_path, monkeypatch):
    monkeypatch.setattr(wordnet, "DEBIAN", tmp_path / "nothing")
    for name in ("ASSAY_WORDNET", "ASSAY_CACHE_DIR", "NLTK_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(wordnet, "NLTK_FOLDERS", ())
    assert wordnet.find() is None
    in_home = hand_made(tmp_path / "nltk_data" / "corpora" / "wordnet")
    assert wordnet.find() == in_home
    in_cache = hand_made(tmp_path / "cache" / "wordnet")
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    assert wordnet.find() == in_cache
    monkeypatch.setenv("ASSAY_WORDNET", str(small))
    assert wordnet.find() == small


def test_a_named_folder_without_wordnet_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_WORDNET", str(tmp_path / "absent"))
    with pytest.raises(MissingPart, match=r"no WordNet in .*absent.*index.noun is missing.*wordnet-base"):
        wordnet.find()
    incomplete = hand_made(tmp_path / "incomplete")
    (incomplete / "data.verb").unlink()
    with pytest.raises(MissingPart, match=r"data\.verb is missing"):
        wordnet.check_folder(incomplete)


def test_damaged_files(tmp_path):
    cut = hand_made(tmp_path / "cut")
    (cut / "data.noun").write_bytes((cut / "data.noun").read_bytes()[:100])
    with pytest.raises(InputError, match="damaged at the entry of 'wolf'"):
        wordnet.load(cut).synonyms("wolf")
    broken = tmp_path / "wordnet.zip"
    broken.write_bytes(b"PK no zip at all")
    with pytest.raises(AssayError):
        wordnet.check_folder(broken)
    empty = tmp_path / "empty.zip"
    zipfile.ZipFile(empty, "w").close()
    with pytest.raises(MissingPart, match="could not be read"):
        wordnet.load(Path(empty))


def test_the_memory_is_bounded(small, monkeypatch):
    monkeypatch.setattr(wordnet, "_CACHE_WORDS", 10)
    ours = wordnet.WordNet({file.name: file.read_bytes() for file in small.iterdir()})
    for i in range(100):
        ours.synonyms(f"word{i}")
    assert len(ours._synonyms) <= 10


@pytest.mark.real
def test_relations_as_nltk_reads_them():
    folder = need_debian()
    reader, ours = nltk_reader(folder), wordnet.load(folder)
    words = [
        "dog",
        "dogs",
        "hot",
        "quickly",
        "take",
        "increase",
        "beautiful",
        "ceremony",
        "pain",
        "galore",
        "write",
        "church",
    ]
    for word in words:
        for letter, part in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
            theirs, mine = reader.synsets(word, letter), ours.synsets(word, part)
            assert [synset.offset() for synset in theirs] == [synset.offset for synset in mine]
            for synset, own in zip(theirs, mine, strict=True):
                assert [lemma.name() for lemma in synset.lemmas()] == list(own.names)
                above = [hypernym.offset() for hypernym in synset.hypernyms()]
                assert sorted(above) == sorted(found.offset for found in ours.related(own, "@"))
                for lemma in synset.lemmas():
                    opposites = sorted(antonym.name() for antonym in lemma.antonyms())
                    assert opposites == sorted(ours.related_words(own, lemma.name(), "!"))
                    kin = sorted(other.name() for other in lemma.derivationally_related_forms())
                    assert kin == sorted(ours.related_words(own, lemma.name(), "+"))


# index.noun of WordNet 3.0 counts one sense of "dog" met in tagged texts ("dog n 7 5 @ ~ #m #p %p 7 1 …"); of "cad" none.
@pytest.mark.real
def test_tagged_senses():
    ours = wordnet.load(need_debian())
    assert ours.tagged("dog", "noun") == 1
    assert ours.tagged("cad", "noun") == 0
    assert ours.tagged("no such word", "noun") == 0
