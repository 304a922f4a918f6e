"""Guard against test sets in training data, based on hashes of their texts.

The package does not contain any test set. It contains 40-bit hashes of the normalised texts (``data/contamination.bin.xz``, made by
``scripts/make_contamination.py``): enough to recognise a sentence, too little to reconstruct one. Two texts in ten million
match by chance, each of which costs one record. Reasons: docs/decisions/0005-contamination.md.
"""

from __future__ import annotations

import functools
import hashlib
import html
import json
import lzma
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from assay.core.errors import InputError, count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

MAGIC = b"assay-contamination-1\n"
FILE = "contamination.bin.xz"
BUCKETS, LOW = 1 << 16, 24
_NOT_WORD = re.compile(r"[\W_]+")


def normalised(text: str) -> str:
    """Return a text without case, spacing, punctuation, entities and Unicode variants.

    A tokenised, lower-cased copy of a sentence is still that sentence. A text without a letter or digit becomes empty.
    """
    return _NOT_WORD.sub("", unicodedata.normalize("NFKC", html.unescape(text)).casefold())


def fingerprint(text: str) -> int | None:
    """Return a 40-bit BLAKE2b hash of the normalised text; None for a text without a letter or digit."""
    plain = normalised(text)
    if not plain:
        return None
    return int.from_bytes(hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=5).digest(), "big")


def pack(sets: Mapping[str, Iterable[str]]) -> bytes:
    """Encode several sets of texts: the upper 16 bits of the sorted hashes as bucket counts, then the lower 24."""
    import numpy as np

    header, body = [], []
    for name, texts in sets.items():
        hashes = np.unique(np.array([h for h in map(fingerprint, texts) if h is not None], dtype=np.uint64))
        counts = np.bincount((hashes >> np.uint64(LOW)).astype(np.int64), minlength=BUCKETS)
        header.append({"name": name, "texts": len(hashes)})
        low = hashes.astype("<u8").view(np.uint8).reshape(-1, 8)[:, : LOW // 8]
        body += [counts.astype("<u2").tobytes(), low.tobytes()]
    return lzma.compress(MAGIC + json.dumps(header).encode() + b"\n" + b"".join(body), preset=9)


def unpack(data: bytes) -> dict[str, Hashes]:
    """Return a mapping from set names to sorted hashes."""
    import numpy as np

    try:
        plain = lzma.decompress(data)
    except lzma.LZMAError as error:
        raise InputError(f"{FILE} is damaged ({error}). Reinstall mt-assay.") from error
    if not plain.startswith(MAGIC):
        raise InputError(f"{FILE} is not a file of contamination hashes. Reinstall mt-assay.")
    end = plain.index(b"\n", len(MAGIC))
    at, sets = end + 1, {}
    for entry in json.loads(plain[len(MAGIC) : end]):
        counts = np.frombuffer(plain, "<u2", BUCKETS, at)
        at += 2 * BUCKETS
        hashes = np.zeros((entry["texts"], 8), dtype=np.uint8)
        hashes[:, : LOW // 8] = np.frombuffer(plain, np.uint8, LOW // 8 * entry["texts"], at).reshape(-1, LOW // 8)
        at += LOW // 8 * entry["texts"]
        high = np.repeat(np.arange(BUCKETS, dtype=np.uint64), counts.astype(np.int64))
        sets[entry["name"]] = (high << np.uint64(LOW)) | hashes.view("<u8")[:, 0]
    return sets


@functools.cache
def shipped() -> Mapping[str, Hashes]:
    """Return the bundled sets, which every training run is guarded against."""
    return unpack(resources.files("assay.data").joinpath(FILE).read_bytes())


@dataclass
class RefusedRecords:
    """Counts of refused records by set and by the matching field."""

    seen: int = 0
    refused: int = 0
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """Return one sentence with the total, then one per set; none if no record was refused."""
        if not self.refused:
            return []
        lines = [f"{count(self.refused, 'record')} of {self.seen:,} refused, because their text is in a test set:"]
        for (name, part), n in sorted(self.reasons.items()):
            lines.append(f"{name}: {count(n, 'record')} by the {part}.")
        return lines + [f"for instance {example}" for example in self.examples[:3]]


class Guard:
    """Filter that refuses training records whose source, reference or hypothesis is in a guarded set."""

    def __init__(self, sets: Mapping[str, Hashes] | None = None) -> None:
        self.sets = shipped() if sets is None else sets
        self.report = RefusedRecords()

    def standing(self, texts: Sequence[str]) -> list[str | None]:
        """Return for each text the name of the first set that contains it, or None."""
        import numpy as np

        prints = [fingerprint(text) for text in texts]
        wanted = np.array([0 if one is None else one for one in prints], dtype=np.uint64)
        holders: list[str | None] = [None] * len(prints)
        for name, hashes in self.sets.items():
            if not len(hashes):
                continue
            places = np.minimum(np.searchsorted(hashes, wanted), len(hashes) - 1)
            for row in np.flatnonzero(hashes[places] == wanted).tolist():
                if prints[row] is not None and holders[row] is None:
                    holders[row] = name
        return holders

    def admit(self, rows: Sequence[Mapping[str, str]], names: Sequence[str]) -> list[bool]:
        """Return whether each row (field to text) may be used for training; count refusals under `names`."""
        cells = [(row, part, text) for row, fields in enumerate(rows) for part, text in fields.items() if text]
        allowed = [True] * len(rows)
        for (row, part, text), name in zip(cells, self.standing([text for _, _, text in cells]), strict=True):
            if name is None or not allowed[row]:
                continue
            allowed[row] = False
            self.report.refused += 1
            self.report.reasons[name, part] += 1
            if len(self.report.examples) < 20:
                self.report.examples.append(f"{names[row]}: the {part} {text[:60]!r} is in {name}.")
        self.report.seen += len(rows)
        return allowed
