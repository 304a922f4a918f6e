"""WordNets for tests: a hand-made one of a few words, Debian's where it is installed, and NLTK's reader over either."""

from __future__ import annotations

import functools
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

DEBIAN = Path("/usr/share/wordnet")
HEADER = "  1 A hand-made WordNet 0.1 Copyright 2006 by nobody.  \n"
LETTER = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
SYNSETS = {
    "noun": [
        "dog domestic_dog Canis_familiaris",
        "cad bounder dog hound",
        "church church_building",
        "man adult_male",
        "ox",
        "Paris City_of_Light French_capital",
        "car auto automobile machine motorcar",
        "glass drinking_glass",
        "lady peeress",
        "wolf brute",
        "axis axis_of_rotation",
        "ax axe",
    ],
    "verb": ["run go", "see understand realize", "chase dog go_after tail", "axe ax", "machine"],
    "adj": ["big large(p)", "abundant galore(ip)", "fine"],
    "adv": ["well good", "quickly rapidly speedily"],
}
EXCEPTIONS = {
    "noun": "men man\noxen ox\naxes ax axis\n",
    "verb": "ran run\nsaw see\n",
    "adj": "bigger big\n",
    "adv": "best well\n",
}


def hand_made(folder: Path) -> Path:
    """Write the hand-made WordNet into `folder`, in WordNet's own format."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, synsets in SYNSETS.items():
        data, index = HEADER, {}
        for synset in synsets:
            names = synset.split()
            for name in names:
                index.setdefault(name.partition("(")[0].lower(), []).append(len(data))
            words = " ".join(f"{name} 0" for name in names)
            frames = " 01 + 01 00" if part == "verb" else ""
            data += f"{len(data):08d} 00 {LETTER[part]} {len(names):02x} {words} 000{frames} | a gloss  \n"
        lines = [
            f"{lemma} {LETTER[part]} {len(places)} 2 @ ~ {len(places)} 0 {' '.join(f'{place:08d}' for place in places)}  \n"
            for lemma, places in sorted(index.items())
        ]
        (folder / f"data.{part}").write_text(data)
        (folder / f"index.{part}").write_text(HEADER + "".join(lines))
        (folder / f"{part}.exc").write_text(EXCEPTIONS[part])
    return folder


def need_debian() -> Path:
    """Debian's WordNet, or a skip that says how to get it."""
    if not (DEBIAN / "data.noun").exists():
        pytest.skip("WordNet 3.0 is not installed (apt-get install wordnet-base)")
    return DEBIAN


@functools.cache
def nltk_reader(folder: Path) -> Any:
    """NLTK's reader over a copy of `folder`: it wants a file of names besides, and a place on its own path."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """No sense mapping to another WordNet: METEOR does not use it, and it takes seconds."""

    root = Path(tempfile.mkdtemp(prefix="assay-wordnet-"))
    copy = root / "corpora" / "wordnet"
    copy.mkdir(parents=True)
    for pattern in ("data.*", "index.[anv]*", "*.exc"):
        for file in folder.glob(pattern):
            shutil.copy(file, copy)
    (copy / "lexnames").write_text("".join(f"{i:02d}\tlexname{i}\t1\n" for i in range(45)))
    nltk.data.path.append(str(root))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = Reader(nltk.data.FileSystemPathPointer(str(copy)), None)
    for part in LETTER:  # the data files are open now and can go
        reader._data_file(LETTER[part])
    shutil.rmtree(root)
    return reader


class NoWordNet:
    """What NLTK's METEOR is given when there is no WordNet."""

    def synsets(self, word: str) -> list[Any]:
        return []
