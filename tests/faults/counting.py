"""A metric that notes each scoring call in a file and takes its time: for runs that are killed. Not a test."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from assay.core import Batch, Card, Metric, Scores, Signature


class Counting(Metric):
    """Length of the hypothesis over that of the reference, with a line in $COUNTING_LOG for each scored row."""

    card = Card("counting", "counting", "reference", True, (0, None), "length ratio", stored=False)

    @property
    def signature(self) -> Signature:
        return Signature.of(self.card.name, 1)

    def score(self, batch: Batch) -> Scores:
        time.sleep(float(os.environ.get("COUNTING_SLEEP", "0")))
        references = (batch.references or ((),))[0]
        values = np.array([len(h) / max(len(r or ""), 1) for h, r in zip(batch.hypotheses, references, strict=True)])
        with open(os.environ["COUNTING_LOG"], "a") as log:
            log.write("".join(f"{hypothesis}\n" for hypothesis in batch.hypotheses))
        _hold()
        return Scores(values)


def _hold() -> None:
    """With $COUNTING_HOLD (rows:file), once so many rows are in the log, wait for as long as the file is there."""
    if hold := os.environ.get("COUNTING_HOLD"):
        rows, file = hold.split(":", 1)
        while os.path.exists(file) and Path(os.environ["COUNTING_LOG"]).read_bytes().count(b"\n") >= int(rows):
            time.sleep(0.01)


class Stored(Counting):
    """The same, slow enough to be remembered."""

    card = Card("stored", "stored", "reference", True, (0, None), "length ratio", stored=True)
