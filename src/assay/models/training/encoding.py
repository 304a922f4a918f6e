"""Records as token sequences: the three unified inputs and the class of every subword of the translation (section 4.2).

Each input is ``<s> translation </s></s> source </s>``, with the reference in the source's place or behind it.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from assay.models.training.records import Record, tags

if TYPE_CHECKING:
    from assay.models.encoders.tokenizer import Tokenizer
    from assay.models.heads.comet import UnifiedModel
    from assay.models.runtime.packing import Packed

INPUTS = ("src", "ref", "src+ref")
IGNORE = -1
_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class EncodedRecord:
    """A record in token ids, without special tokens; `tags` is None where nobody marked errors, `score` NaN without a score.

    Arrays, since a corpus has a million of these: a tuple would need nine times the room.
    """

    hypothesis: array[int]
    source: array[int]
    reference: array[int]
    tags: array[int] | None
    score: float

    @property
    def tokens(self) -> int:
        """Tokens of the three texts."""
        return len(self.hypothesis) + len(self.source) + len(self.reference)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs that this record allows: all three with source and reference, one with either, its own text with neither."""
        if self.source and self.reference:
            return INPUTS
        return ("src",) if self.source else ("ref",) if self.reference else ("alone",)


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """One input of one example: token ids with special tokens, and a class (or -1) for every token."""

    ids: list[int]
    labels: list[int]
    first: int
    """Tokens up to the end of the translation: those of type 0, for BERT."""


class TextEncoder:
    """Texts to ids with the model's own tokenizer, in the sequences that the model will read when it scores."""

    def __init__(
        self, tokenizer: Tokenizer, max_tokens: int, reads: Literal["all", "candidate", "source"] = "all"
    ) -> None:
        self.tokenizer, self.max_tokens, self.reads = tokenizer, max_tokens, reads

    def examples(self, records: Sequence[Record]) -> list[EncodedRecord]:
        """One example a record."""
        made: list[EncodedRecord] = []
        for start in range(0, len(records), _BLOCK):
            block = self._read(records[start : start + _BLOCK])
            hypotheses = self._encode([record.hypothesis for record in block])
            sources = self._encode([record.source for record in block])
            references = self._encode([record.reference for record in block])
            for record, mt, src, ref in zip(block, hypotheses, sources, references, strict=True):
                found = None if record.spans is None else array("b", tags(mt[1], record.hypothesis, record.spans))
                made.append(EncodedRecord(mt[0], src[0], ref[0], found, record.score))
        return made

    def _read(self, records: Sequence[Record]) -> Sequence[Record]:
        """The records as the model sees them: a sentinel sees one text, in the translation's place."""
        if self.reads == "candidate":
            return [replace(one, source="", reference="") for one in records]
        if self.reads == "source":
            return [replace(one, hypothesis=one.source, source="", reference="", spans=None) for one in records]
        return records

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Where each subword of a text stands."""
        return self._encode([text])[0][1]

    def _encode(self, texts: Sequence[str]) -> list[tuple[array[int], list[tuple[int, int]]]]:
        """Ids and offsets of each text, without special tokens (also those that a text itself spells out as padding)."""
        found = []
        for encoding in self.tokenizer.backend.encode_batch(list(texts), add_special_tokens=False):
            pairs = [
                (i, place) for i, place in zip(encoding.ids, encoding.offsets, strict=True) if i != self.tokenizer.pad
            ]
            found.append((array("i", [i for i, _ in pairs]), [place for _, place in pairs]))
        return found

    def sequence(self, example: EncodedRecord, name: str) -> TokenSequence:
        """One of the example's inputs, cut to the encoder's window; what is cut has no label either."""
        others = {"src": (example.source,), "ref": (example.reference,), "src+ref": (example.source, example.reference)}
        others["alone"] = ()
        ids = [self.tokenizer.first, *example.hypothesis]
        classes = example.tags if example.tags is not None else (IGNORE,) * len(example.hypothesis)
        labels = [IGNORE, *classes]
        for other in others[name]:
            ids += [*self.tokenizer.between, *other]
        ids = [*ids, self.tokenizer.last][: self.max_tokens]
        return TokenSequence(ids, [*labels, *[IGNORE] * len(ids)][: len(ids)], min(len(labels) + 1, len(ids)))


def packed(sequences: Sequence[TokenSequence], model: UnifiedModel) -> Packed:
    """The sequences as the model reads them when it scores, on its device."""
    from assay.models.runtime.packing import pack

    types = [one.first for one in sequences] if model.config.encoder_model == "BERT" else None
    pad = model.encoder_config.pad
    return pack([one.ids for one in sequences], pad=pad, first_type=types, device=model.device)


def has_target(example: EncodedRecord, word_level: bool) -> bool:
    """Whether there is anything to learn from: a score, or spans where the tagger is trained."""
    return not math.isnan(example.score) or (word_level and example.tags is not None)
