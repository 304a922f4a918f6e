"""Token sequences for records: the three unified inputs and the class of every translation subword (section 4.2).

Each input is ``<s> translation </s></s> source </s>``, with the reference in place of the source or after it.
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
    """Token ids of a record, without special tokens. `tags` is None if errors were not annotated, `score` is NaN if there is none.

    Arrays take a ninth of the memory of tuples, which matters for a million records.
    """

    hypothesis: array[int]
    source: array[int]
    reference: array[int]
    tags: array[int] | None
    score: float

    @property
    def tokens(self) -> int:
        """Total number of tokens in the three texts."""
        return len(self.hypothesis) + len(self.source) + len(self.reference)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Inputs that this record allows: all three with source and reference, one with either of them, or the text alone."""
        if self.source and self.reference:
            return INPUTS
        return ("src",) if self.source else ("ref",) if self.reference else ("alone",)


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """One input of one example: token ids with special tokens, and a class (or -1) for every token."""

    ids: list[int]
    labels: list[int]
    first: int
    """Number of tokens up to the end of the translation, which have type 0 in BERT."""


class TextEncoder:
    """Tokenizer for records; creates the same sequences that the model reads when scoring."""

    def __init__(
        self, tokenizer: Tokenizer, max_tokens: int, reads: Literal["all", "candidate", "source"] = "all"
    ) -> None:
        self.tokenizer, self.max_tokens, self.reads = tokenizer, max_tokens, reads

    def examples(self, records: Sequence[Record]) -> list[EncodedRecord]:
        """Return one example per record."""
        encoded: list[EncodedRecord] = []
        for start in range(0, len(records), _BLOCK):
            block = self._read(records[start : start + _BLOCK])
            hypotheses = self._encode([record.hypothesis for record in block])
            sources = self._encode([record.source for record in block])
            references = self._encode([record.reference for record in block])
            for record, mt, src, ref in zip(block, hypotheses, sources, references, strict=True):
                classes = None if record.spans is None else array("b", tags(mt[1], record.hypothesis, record.spans))
                encoded.append(EncodedRecord(mt[0], src[0], ref[0], classes, record.score))
        return encoded

    def _read(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return the records as the model reads them: a sentinel reads only one text, in place of the translation."""
        if self.reads == "candidate":
            return [replace(one, source="", reference="") for one in records]
        if self.reads == "source":
            return [replace(one, hypothesis=one.source, source="", reference="", spans=None) for one in records]
        return records

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the character offsets of each subword in a text."""
        return self._encode([text])[0][1]

    def _encode(self, texts: Sequence[str]) -> list[tuple[array[int], list[tuple[int, int]]]]:
        """Return ids and offsets for each text, without special tokens and without padding tokens spelled out in the text."""
        result = []
        for encoding in self.tokenizer.backend.encode_batch(list(texts), add_special_tokens=False):
            pairs = [
                (i, extent) for i, extent in zip(encoding.ids, encoding.offsets, strict=True) if i != self.tokenizer.pad
            ]
            result.append((array("i", [i for i, _ in pairs]), [extent for _, extent in pairs]))
        return result

    def sequence(self, example: EncodedRecord, name: str) -> TokenSequence:
        """Return one of the example's inputs, cut to the encoder's window together with its labels."""
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
    """Pack the sequences on the model's device, in the same way as for scoring."""
    from assay.models.runtime.packing import pack

    types = [one.first for one in sequences] if model.config.encoder_model == "BERT" else None
    pad = model.encoder_config.pad
    return pack([one.ids for one in sequences], pad=pad, first_type=types, device=model.device)


def has_target(example: EncodedRecord, word_level: bool) -> bool:
    """Return whether an example has a score or, if the tagger is trained, spans."""
    return not math.isnan(example.score) or (word_level and example.tags is not None)
