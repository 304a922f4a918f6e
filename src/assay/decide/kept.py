"""What a long run keeps of each chunk beside its scores, as arrays: the languages and the worst error spans.

Neither depends on the rule; labels are made when the chunks are read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Scores
from assay.decide.apply import Decisions, Spoken, decide, worst_spans
from assay.decide.rule import Rule

Arrays = Mapping[str, Any]


def keep(batch: Batch, scored: Mapping[str, Scores], language: str = "") -> Arrays:
    """The arrays of one chunk. `language` is that of every row; without it the batch's language pairs count."""
    spoken = Spoken.of(language if language or batch.langpairs is None else batch.langpairs, len(batch))
    arrays = {"language": spoken.codes, "languages": np.array(spoken.names, np.str_)}
    marks = worst_spans(scored)
    if marks is not None:
        encoded = [mark.encode("utf-8", "surrogatepass") for mark in marks]
        arrays |= {"marks": np.frombuffer(b"".join(encoded), np.uint8)}
        arrays |= {"mark_ends": np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))}
    return arrays


def labelled(rule: Rule, chunks: Iterable[Arrays]) -> Iterable[Decisions]:
    """The decisions about each chunk of a run that kept these arrays beside ``values METRIC``."""
    for arrays in chunks:
        scores = {member.name: arrays[f"values {member.name}"] for member in rule.members}
        spoken = Spoken(arrays["languages"].tolist(), arrays["language"])
        yield decide(rule, scores, spoken, _marks(arrays) if "marks" in arrays else None)


def _marks(arrays: Arrays) -> list[str]:
    joined, marks, start = arrays["marks"].tobytes(), [], 0
    for end in arrays["mark_ends"].tolist():
        marks.append(joined[start:end].decode("utf-8", "surrogatepass"))
        start = end
    return marks
