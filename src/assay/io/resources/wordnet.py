"""Reader for WordNet files (``index.*``, ``data.*``, ``*.exc``; see wndb(5WN)): a word's synonyms and synsets.

Synonyms are the same as those from NLTK's ``wordnet.synsets(word)``: Morphy (morphy(7WN)) reduces the word to its base forms
for every part of speech, and the lemma names of all their synsets are collected. Loading splits the index into lines;
entries are parsed on demand.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError, MissingPart
from assay.io.files.paths import cache_dir

PARTS = ("noun", "verb", "adj", "adv")
NEEDED = tuple(f"{kind}.{part}" for part in PARTS for kind in ("index", "data"))
EXCEPTIONS = tuple(f"{part}.exc" for part in PARTS)

_ENDINGS = {
    "noun": (
        (b"s", b""),
        (b"ses", b"s"),
        (b"ves", b"f"),
        (b"xes", b"x"),
        (b"zes", b"z"),
        (b"ches", b"ch"),
        (b"shes", b"sh"),
        (b"men", b"man"),
        (b"ies", b"y"),
    ),
    "verb": (
        (b"s", b""),
        (b"ies", b"y"),
        (b"es", b"e"),
        (b"es", b""),
        (b"ed", b"e"),
        (b"ed", b""),
        (b"ing", b"e"),
        (b"ing", b""),
    ),
    "adj": ((b"er", b""), (b"est", b""), (b"er", b"e"), (b"est", b"e")),
    "adv": (),
}
"""Morphy's rules of detachment: an ending and its replacement."""
_MARKER = re.compile(r"\((?:p|a|ip)\)$")
_CACHE_WORDS, _CACHE_LENGTH = 1 << 17, 64
DEBIAN = Path("/usr/share/wordnet")
NLTK_FOLDERS = (
    *(Path(sys.prefix, folder) for folder in ("nltk_data", "share/nltk_data", "lib/nltk_data")),
    *(Path(folder, "nltk_data") for folder in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")),
)
_HOW_TO_GET = "Install it (Debian: wordnet-base), or name its folder (meteor:wordnet=FOLDER, ASSAY_WORDNET=FOLDER)"


LETTERS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
"""WordNet's abbreviations of the parts of speech; ``s`` is a satellite adjective."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """Relation to another synset: ``@`` hypernym, ``~`` hyponym, ``!`` antonym, ``+`` derivation, ``&`` similar …

    `source` and `target` number the linked words, from 1; both are 0 for a relation between whole synsets.
    """

    symbol: str
    part: str
    offset: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Synset:
    """One sense: its names (underscores for spaces), its relations, and the number of its lexicographer file."""

    part: str
    offset: int
    names: tuple[str, ...]
    pointers: tuple[Pointer, ...]
    file: int


class WordNet:
    """WordNet in memory: version 3.0 takes about 30 MB and a fifth of a second to load."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._index = {part: _index(files[f"index.{part}"]) for part in PARTS}
        self._data = {part: files[f"data.{part}"] for part in PARTS}
        self._exceptions = {part: _exceptions(files.get(f"{part}.exc", b"")) for part in PARTS}
        self._synonyms: dict[str, frozenset[str]] = {}
        self._senses: dict[tuple[str, str], tuple[Synset, ...]] = {}
        self._synsets: dict[tuple[str, int], Synset] = {}
        digest = hashlib.sha256()
        for name in (*NEEDED, *EXCEPTIONS):
            digest.update(hashlib.sha256(files.get(name, b"")).digest())
        version = re.search(rb"Word[Nn]et (\d+(?:\.\d+)?\+?) Copyright", self._data["adj"][:4096])
        self.version = version[1].decode() if version else "unknown"
        self.identity = f"{self.version}-{digest.hexdigest()[:12]}"
        """Version and content for a signature: ``3.0-`` and twelve hexadecimal digits."""

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the lemma names without an underscore, as WordNet spells them, of every synset of every base form of `word`."""
        cached = self._synonyms.get(word)
        if cached is None:
            form = word.lower().encode("utf-8", "surrogatepass")
            try:
                cached = frozenset(name.decode("utf-8") for part in PARTS for name in self._names(form, part))
            except (ValueError, IndexError) as error:
                raise InputError(f"WordNet's files are damaged at the entry of {word!r}. Reinstall them.") from error
            if len(self._synonyms) >= _CACHE_WORDS:
                self._synonyms.clear()
            if len(word) <= _CACHE_LENGTH:
                self._synonyms[word] = cached
        return cached

    def synsets(self, word: str, part: str) -> tuple[Synset, ...]:
        """Return the senses that a word has as one part of speech (``noun``, ``verb``, ``adj``, ``adv``), the most frequent
        first."""
        key = word, part
        cached = self._senses.get(key)
        if cached is None:
            form = word.lower().replace(" ", "_").encode("utf-8", "surrogatepass")
            index = self._index[part]
            offsets = [offset for base in self._base_forms(form, part) for offset in _offsets(index[base])]
            cached = tuple(self.synset(part, offset) for offset in dict.fromkeys(offsets))
            if len(self._senses) >= _CACHE_WORDS:
                self._senses.clear()
            self._senses[key] = cached
        return cached

    def tagged(self, word: str, part: str) -> int:
        """Return how many senses of this base form occur in WordNet's sense-tagged texts; rare words have 0."""
        entry = self._index[part].get(word.lower().replace(" ", "_").encode("utf-8", "surrogatepass"))
        if entry is None:
            return 0
        fields = entry.split()
        return int(fields[4 + int(fields[2])])

    def synset(self, part: str, offset: int) -> Synset:
        """Return the synset at an offset in the data file for a part of speech."""
        cached = self._synsets.get((part, offset))
        if cached is None:
            if len(self._synsets) >= _CACHE_WORDS:
                self._synsets.clear()
            cached = self._synsets[part, offset] = self._parse_synset(part, offset)
        return cached

    def _parse_synset(self, part: str, offset: int) -> Synset:
        data = self._data[part]
        try:
            fields = data[offset : data.index(b"|", offset)].decode("utf-8").split()
            words = int(fields[3], 16)
            names = tuple(_MARKER.sub("", name) for name in fields[4 : 4 + 2 * words : 2])
            first = 5 + 2 * words
            pointers = tuple(
                Pointer(fields[at], LETTERS[fields[at + 2]], int(fields[at + 1]), *_ends(fields[at + 3]))
                for at in range(first, first + 4 * int(fields[first - 1]), 4)
            )
        except (ValueError, IndexError, KeyError) as error:
            raise InputError(f"WordNet's files are damaged at {part} {offset}. Reinstall them.") from error
        return Synset(part, offset, names, pointers, int(fields[1]))

    def related(self, synset: Synset, symbol: str) -> tuple[Synset, ...]:
        """Return the synsets that a relation between whole synsets leads to."""
        return tuple(self.synset(p.part, p.offset) for p in synset.pointers if p.symbol == symbol and not p.source)

    def related_words(self, synset: Synset, word: str, symbol: str) -> tuple[str, ...]:
        """Return the words to which a relation between words (antonym, derivation) leads from `word` in this synset."""
        lowered = word.lower().replace(" ", "_")
        related = []
        for pointer in synset.pointers:
            if pointer.symbol == symbol and pointer.source and synset.names[pointer.source - 1].lower() == lowered:
                related.append(self.synset(pointer.part, pointer.offset).names[pointer.target - 1])
        return tuple(related)

    def _names(self, form: bytes, part: str) -> Iterator[bytes]:
        index, data = self._index[part], self._data[part]
        for base in self._base_forms(form, part):
            for offset in _offsets(index[base]):
                fields = data[offset : data.index(b"|", offset)].split()
                for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
                    if name.endswith(b")"):  # a syntactic marker: "galore(ip)"
                        name = name[: name.rindex(b"(")]
                    if b"_" not in name:
                        yield name

    def _base_forms(self, form: bytes, part: str) -> list[bytes]:
        """Return the form itself, then its exceptions or, if it has none, its base forms by Morphy's rules, if WordNet has
        them."""
        others = self._exceptions[part].get(form)
        if others is None:
            others = [form[: -len(old)] + new for old, new in _ENDINGS[part] if form.endswith(old)]
        index = self._index[part]
        return [base for base in dict.fromkeys((form, *others)) if base in index]


def _index(text: bytes) -> dict[bytes, bytes]:
    """Return a mapping from lemma to the unparsed rest of its line; lines that begin with a space are the licence."""
    entries = (line.partition(b" ") for line in text.split(b"\n") if line and not line.startswith(b" "))
    return {lemma: rest for lemma, _, rest in entries}


def _offsets(entry: bytes) -> list[int]:
    """Return the synset offsets of ``pos synsets pointers pointer… senses tagged offset…``."""
    fields = entry.split()
    synsets, pointers = int(fields[1]), int(fields[2])
    return [int(field) for field in fields[5 + pointers : 5 + pointers + synsets]]


def _ends(field: str) -> tuple[int, int]:
    """Return the source and target word numbers in four hexadecimal digits."""
    return int(field[:2], 16), int(field[2:], 16)


def _exceptions(text: bytes) -> dict[bytes, list[bytes]]:
    return {words[0]: words[1:] for line in text.split(b"\n") if (words := line.split())}


def find() -> Path | None:
    """Return WordNet's folder or None: ASSAY_WORDNET, Debian's folder, the cache, NLTK's data folders."""
    named = os.environ.get("ASSAY_WORDNET")
    if named:
        return check_folder(Path(named))
    return next(filter(_complete, _places()), None)


def check_folder(location: Path) -> Path:
    """Return `place`; raise MissingPart if a file is missing there."""
    if not _complete(location):
        absent = next((name for name in NEEDED if not (location / name).is_file()), NEEDED[0])
        raise MissingPart(f"there is no WordNet in {str(location)!r} ({absent} is missing). {_HOW_TO_GET}.")
    return location


def _places() -> Iterator[Path]:
    yield DEBIAN
    yield cache_dir() / "wordnet"
    named = [Path(root) for root in os.environ.get("NLTK_DATA", "").split(os.pathsep) if root]
    for root in (*named, Path("~/nltk_data").expanduser(), *NLTK_FOLDERS):
        yield root / "corpora" / "wordnet"
        yield root / "corpora" / "wordnet.zip"


def _complete(location: Path) -> bool:
    if location.suffix == ".zip":
        return zipfile.is_zipfile(location)
    return all((location / name).is_file() for name in NEEDED)


@functools.lru_cache(maxsize=2)
def load(location: Path) -> WordNet:
    """Return the WordNet in a folder, or in a zip file from NLTK's downloader; it is read once."""
    try:
        if location.suffix != ".zip":
            names = [name for name in (*NEEDED, *EXCEPTIONS) if (location / name).is_file()]
            return WordNet({name: (location / name).read_bytes() for name in names})
        with zipfile.ZipFile(location) as archive:
            members = {Path(name).name: name for name in archive.namelist()}
            return WordNet({name: archive.read(members[name]) for name in (*NEEDED, *EXCEPTIONS) if name in members})
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise MissingPart(f"WordNet in {str(location)!r} could not be read: {error}. {_HOW_TO_GET}.") from error
