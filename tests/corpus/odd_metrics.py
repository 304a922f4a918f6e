"""Metrics that do not take every row, by name for workers: tests.corpus.odd_metrics:Raises …"""

from __future__ import annotations

import os
import re
import signal
import time
from dataclasses import replace

import numpy as np

from assay.core import Batch, Card, Metric, Scores, Signature
from assay.core.spans import ErrorSpan


class Length(Metric):
    """The length of the translation."""

    card = Card("length", "length", "source", True, (0, None), "characters", decimals=1)

    @property
    def signature(self) -> Signature:
        """The same for all of them."""
        return Signature.of(self.card.name, 1)

    def score(self, batch: Batch) -> Scores:
        """Lengths, after a look at the texts."""
        self.look(batch)
        return Scores(np.array([float(len(text)) for text in batch.hypotheses]))

    def look(self, batch: Batch) -> None:
        """Nothing is wrong."""


class Marks(Length):
    """Marks every second word, and of long texts the first word of the source."""

    card = replace(Length.card, name="marks", label="marks")

    def score(self, batch: Batch) -> Scores:
        """Lengths, with the words that are wrong."""
        spans = []
        for text, source in zip(batch.hypotheses, batch.sources or (), strict=True):
            words = list(re.finditer(r"\S+", text))[1::2]
            marked = [
                ErrorSpan.of(text, *word.span(), ("minor", "critical")[i % 2], confidence=1 / (i + 3))
                for i, word in enumerate(words)
            ]
            marked += [ErrorSpan.of(source, 0, 4, "major", "odd", "source")] if len(text) > 40 else []
            spans.append(tuple(marked))
        return replace(super().score(batch), spans=spans)


class Raises(Length):
    """Raises at the word POISON."""

    def look(self, batch: Batch) -> None:
        """Raise, as a library would."""
        for text in batch.hypotheses:
            if "POISON" in text:
                raise ZeroDivisionError("a word of no weight")


class Hungry(Length):
    """Takes no more than seven rows at a time."""

    def look(self, batch: Batch) -> None:
        """As a GPU of little memory."""
        if len(batch) > 7:
            raise MemoryError


class Lethal(Length):
    """Ends its process at the word POISON."""

    def look(self, batch: Batch) -> None:
        """As a fault in native code would."""
        if any("POISON" in text for text in batch.hypotheses):
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


class Slow(Length):
    """Takes a while for each batch."""

    def look(self, batch: Batch) -> None:
        """Long enough to be killed meanwhile."""
        time.sleep(0.03)
