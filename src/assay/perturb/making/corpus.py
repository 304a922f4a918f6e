"""The corpus from which a challenge set is made, read in two passes: one to count and sample segments, one to perturb them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from assay.core.batch import Batch, Segment
from assay.core.errors import InputError
from assay.io.table.open_table import Quoting
from assay.io.table.tables import columns_of, read_segments
from assay.io.table.vocabulary import ColumnChoice
from assay.perturb.language.texts import target_language
from assay.perturb.language.tools import load_resource

Corpus = Callable[[], Iterator[Segment]]
"""A function that opens the corpus from the start."""

POOL = 1000
"""Size of the pool from which unrelated and similar translations are drawn."""

Words = tuple[int, int]
"""Minimum and maximum number of words in a translation."""


@dataclass
class Survey:
    """Counts and samples from the first pass over the corpus."""

    rows: int = 0
    usable: dict[str, int] = field(default_factory=dict)
    """Number of usable segments (neither empty nor duplicate) for each language pair."""
    empty: int = 0
    duplicates: int = 0
    outside: int = 0
    """Number of segments outside the requested range of words."""
    without_reference: int = 0
    without_source: int = 0
    digest: str = ""
    others: list[Segment] = field(default_factory=list)
    """A random sample of segments of any length."""

    def problems(self) -> list[str]:
        """Return sentences that describe skipped segments and missing texts."""
        facts = (
            (self.empty, "without a translation: skipped"),
            (self.duplicates, "with the same source and translation as an earlier one: skipped"),
            (self.outside, "with fewer or more words than requested: skipped"),
            (self.without_reference, "without a reference: refused by perturbations that need one"),
            (self.without_source, "without a source: refused by perturbations that need one"),
        )
        return [f"{n:,} {'segment' if n == 1 else 'segments'} {what}." for n, what in facts if n]


def open_corpus(
    data: str | os.PathLike[str] | Batch,
    columns: ColumnChoice | None,
    further: Sequence[str],
    quoting: Quoting = "auto",
) -> tuple[Corpus, list[str]]:
    """Return a function that opens the corpus, and the additional columns in the corpus."""
    if isinstance(data, Batch):
        return lambda: (data[i] for i in range(len(data))), []
    if os.fspath(data) == "-":
        raise InputError("a corpus is read twice, so it cannot come from standard input. Write it to a file first.")
    present = [column for column in further if column in columns_of(data)] if further else []
    return lambda: read_segments(data, columns, present, quoting=quoting), present


def hash_segment(segment: Segment) -> bytes:
    """Return a hash of language pair, source, translation and additional columns; duplicate segments have the same hash."""
    further = [text for pair in sorted(segment.meta.items()) for text in pair]
    parts = (segment.langpair or "", segment.source or "", segment.hypothesis, *further)
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def read_usable_segments(
    corpus: Corpus, langpair: str | None, words: Words | None = None
) -> Iterator[tuple[int, Segment]]:
    """Yield row numbers (from 1) and segments with their language pairs; skip empty, duplicate, too short and too long segments."""
    fits = LengthFilter(words)
    seen: set[int] = set()
    for row, segment in _rows(corpus, langpair):
        if not segment.hypothesis.strip():
            continue
        mark = int.from_bytes(hash_segment(segment)[:8], "big")
        if mark not in seen:
            seen.add(mark)
            if fits(segment):
                yield row, segment


def survey_corpus(corpus: Corpus, langpair: str | None, words: Words | None = None) -> Survey:
    """Read the corpus once; count its segments and sample those with the smallest hashes as the pool."""
    import heapq

    result = Survey()
    digest = hashlib.blake2b(digest_size=16)
    seen: set[int] = set()
    sample: list[tuple[int, int, Segment]] = []
    fits = LengthFilter(words)
    for row, segment in _rows(corpus, langpair):
        result.rows += 1
        segment_key = hash_segment(segment)
        digest.update(segment_key)
        mark = int.from_bytes(segment_key[:8], "big")
        if not segment.hypothesis.strip():
            result.empty += 1
            continue
        if mark in seen:
            result.duplicates += 1
            continue
        seen.add(mark)
        if fits(segment):
            result.usable[segment.langpair or ""] = result.usable.get(segment.langpair or "", 0) + 1
            result.without_reference += not segment.references or not segment.references[0].strip()
            result.without_source += not (segment.source or "").strip()
        else:
            result.outside += 1
        entry = (-mark, row, segment)
        if len(sample) < POOL:
            heapq.heappush(sample, entry)
        elif entry > sample[0]:
            heapq.heapreplace(sample, entry)
    result.digest = digest.hexdigest()
    result.others = [segment for _, _, segment in sorted(sample, key=lambda entry: entry[1])]
    return result


class LengthFilter:
    """Filter for translations by number of words; it accepts everything if no range was requested."""

    def __init__(self, words: Words | None) -> None:
        self._words = words
        self._finders: dict[str, Callable[[str], list[tuple[int, int]]]] = {}

    def __call__(self, segment: Segment) -> bool:
        """Count the words with the language's tokenizer."""
        if self._words is None:
            return True
        language = target_language(segment)
        if language not in self._finders:
            self._finders[language] = load_resource("words", language)
        return self._words[0] <= len(self._finders[language](segment.hypothesis)) <= self._words[1]


def hash_pool(pool: Sequence[Segment]) -> str:
    """Return a hash of the segments in a pool, independent of their order."""
    return hashlib.blake2b(b"".join(sorted(map(hash_segment, pool))), digest_size=16).hexdigest()


def _rows(corpus: Corpus, langpair: str | None) -> Iterator[tuple[int, Segment]]:
    from dataclasses import replace

    for row, segment in enumerate(corpus(), 1):
        if not segment.langpair and langpair:
            segment = replace(segment, langpair=langpair)
        pair = segment.langpair or ""
        if not pair.rpartition("-")[2] or "-" not in pair:
            raise InputError(
                f"row {row:,} has no valid language pair ({pair!r}). Specify --langpair, for example de-en."
            )
        yield row, segment


def allocate_items(usable: dict[str, int], n: int) -> dict[str, int]:
    """Return each language pair's share of `n` items, in proportion to the corpus; the largest pairs get the remainders."""
    total = sum(usable.values())
    if total == 0:
        return {}
    exact = {pair: n * segments / total for pair, segments in usable.items()}
    items = {pair: int(share) for pair, share in exact.items()}
    order = sorted(exact, key=lambda pair: (items[pair] - exact[pair], pair))
    for pair in order[: n - sum(items.values())]:
        items[pair] += 1
    return items
