"""Maker of items from segments: one `Maker` per process, one call per chunk, results independent of the caller.

Each segment and perturbation has its own random generator, derived from the seed, the perturbation's name and the texts. An
item therefore does not depend on the other items, the order, or the number of processes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from assay.core.batch import Segment
from assay.core.errors import InputError, MissingPart
from assay.core.perturbation import Perturbation, Perturbed, Refused, Rng
from assay.perturb.language.texts import target_language
from assay.perturb.language.tools import LinguisticTools
from assay.perturb.making.corpus import hash_segment
from assay.perturb.making.selection import choose_perturbations

_ENCODER = json.JSONEncoder(ensure_ascii=False)
CHUNK = 128
"""Segments per chunk: fixed, so parses do not depend on the number of workers."""


class Attempt(NamedTuple):
    """Result of one perturbation on one segment: a line of JSON, or the reason for its absence."""

    row: int
    langpair: str
    spec: str
    line: str
    reason: str
    failed: bool


class Maker:
    """The perturbations of a run with their tools, in one process; results with a confidence below `least` are refused."""

    def __init__(self, specs: Sequence[str], seed: int, others: Sequence[Segment], least: float = 0.0) -> None:
        self.least = least
        self.perturbations = {one.spec: one.perturbation for one in choose_perturbations(specs)}
        self.generators = Generators(seed)
        self.tools = LinguisticTools(others)

    def chunk(self, rows: Sequence[tuple[int, Segment]], able: Mapping[str, Sequence[str]]) -> list[Attempt]:
        """Return every attempt in a chunk by row and perturbation. `able` contains the specs for each language."""
        self._prepare(rows, able)
        attempts = []
        for row, segment in rows:
            language = target_language(segment)
            segment_key = hash_segment(segment)
            for spec in able.get(language, ()):
                attempts.append(self._attempt(row, segment, language, spec, segment_key))
        self.tools.forget()
        return attempts

    def _prepare(self, rows: Sequence[tuple[int, Segment]], able: Mapping[str, Sequence[str]]) -> None:
        for language, specs in able.items():
            if any("parse" in self.perturbations[spec].card.needs for spec in specs):
                self.tools.prepare((s.hypothesis for _, s in rows if target_language(s) == language), language)

    def _attempt(self, row: int, segment: Segment, language: str, spec: str, segment_key: bytes) -> Attempt:
        perturbation = self.perturbations[spec]
        rng = self.generators.of(perturbation.card.name, segment_key)
        result = perturb_segment(perturbation, segment, language, rng, self.tools)
        pair = segment.langpair or ""
        if isinstance(result, Refused):
            return Attempt(row, pair, spec, "", result.reason, False)
        if unsure := result.doubt(self.least):
            return Attempt(row, pair, spec, "", unsure, False)
        problems = perturbation.problems(segment, result, language, self.tools)
        if problems:
            return Attempt(row, pair, spec, "", problems[0], True)
        return Attempt(row, pair, spec, format_item(row, segment, perturbation, result), "", False)


def perturb_segment(
    perturbation: Perturbation, segment: Segment, language: str, rng: Rng, tools: LinguisticTools
) -> Perturbed | Refused:
    """Perturb a segment, or refuse it if it lacks what the perturbation needs."""
    for want in perturbation.card.wants:
        text = segment.source if want == "source" else next(iter(segment.references), None)
        if not (text or "").strip():
            return Refused(f"no {want}")
    for column in perturbation.card.columns:
        if not segment.meta.get(column, "").strip():
            return Refused(f"column {column} is empty")
    try:
        result: object = perturbation.perturb(segment, language, rng, tools)
    except MissingPart as error:
        return Refused(str(error))
    if not isinstance(result, (Perturbed, Refused)):
        kind = f"{type(perturbation).__module__}.{type(perturbation).__qualname__}"
        raise InputError(f"{kind}.perturb returned {type(result).__name__}; it must return Perturbed or Refused.")
    return result


class Generators:
    """Random generators of segments and perturbations.

    All share one PCG64 object whose state is set from a hash. This is ten times faster than a new object, but a generator is
    valid only until the next one is requested.
    """

    def __init__(self, seed: int) -> None:
        import numpy as np

        self._bits = np.random.PCG64(0)
        self._generator = np.random.Generator(self._bits)
        self._seed = seed

    def of(self, name: str, segment_key: bytes) -> Rng:
        """Return the generator for the perturbation `name` and the segment with this key."""
        digest = hashlib.blake2b(segment_key + f"{self._seed}\x1f{name}".encode(), digest_size=32).digest()
        state, increment = int.from_bytes(digest[:16], "big"), int.from_bytes(digest[16:], "big") | 1
        self._bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": increment},
            "has_uint32": 0,
            "uinteger": 0,
        }
        return self._generator


def format_item(row: int, segment: Segment, perturbation: Perturbation, result: Perturbed) -> str:
    """Return the item as a JSON line with the columns that ``assay run FILE`` reads."""
    card = perturbation.card
    good = result.good if result.good is not None else segment.hypothesis
    meta: dict[str, Any] = {
        "perturbation": card.name,
        "follows": list(card.follows),
        "what": result.what,
        "changes": [[change.start, change.end, change.text] for change in result.changes],
        "spans": [list(span) for span in result.spans()],
        **result.meta,
        "confidence": result.confidence,
    }
    if parts := result.confidence_by_part:
        meta["confidence by part"] = parts
    if result.base is not None and result.base != good:
        meta["changed text"] = result.base
    if segment.id:
        meta["segment"] = segment.id
    item = {
        "id": f"{card.name}-{row}",
        "source": result.source if result.source is not None else segment.source or "",
        "good-translation": good,
        "incorrect-translation": result.incorrect(segment),
        "reference": result.reference if result.reference is not None else next(iter(segment.references), None) or "",
        "phenomena": card.phenomenon,
        "category": card.category,
        "severity": card.severity,
        "langpair": segment.langpair or "",
        "meta": meta,
    }
    return _ENCODER.encode(item)


_maker: Maker | None = None


def start_worker(specs: Sequence[str], seed: int, others: Sequence[Segment], least: float) -> None:
    """Initialise a worker process."""
    global _maker  # noqa: PLW0603
    _maker = Maker(specs, seed, others, least)


def process_chunk(rows: Sequence[tuple[int, Segment]], able: Mapping[str, Sequence[str]]) -> list[Attempt]:
    """Process one chunk in a worker process."""
    assert _maker is not None
    return _maker.chunk(rows, able)


def split_chunks(rows: Iterable[tuple[int, Segment]]) -> Iterable[list[tuple[int, Segment]]]:
    """Split rows into chunks of `CHUNK`."""
    piece: list[tuple[int, Segment]] = []
    for row in rows:
        piece.append(row)
        if len(piece) == CHUNK:
            yield piece
            piece = []
    if piece:
        yield piece
