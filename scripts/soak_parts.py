"""Metric and suite of `soak.py`: a metric slow enough for the store, and a suite on a local server."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import random
import time
from pathlib import Path

import numpy as np

from assay.core import Batch, Card, Metric, Scores, Signature
from assay.core.item import Item
from assay.core.suite import Suite
from assay.suites.embedded import Embedded

BODY = random.Random(8).randbytes(3_000_000)
"""Content that the server sends."""


class Slow(Metric):
    """Length of the hypothesis divided by that of the reference, with a delay of a hundredth of a second per part."""

    card = Card("slow", "slow", "reference", True, (0, None), "length ratio", stored=True)

    @property
    def signature(self) -> Signature:
        """Return a signature that is the same in every run."""
        return Signature.of(self.card.name, 1)

    def score(self, batch: Batch) -> Scores:
        """Return scores after a delay."""
        time.sleep(0.01)
        references = (batch.references or ((),))[0]
        return Scores(
            np.array([len(h) / max(len(r or ""), 1) for h, r in zip(batch.hypotheses, references, strict=True)])
        )


class Remote(Suite):
    """A suite of one file at $SOAK_SERVER."""

    card = dataclasses.replace(
        Embedded.card,
        folders=("remote",),
        downloads={"remote.bin": os.environ.get("SOAK_SERVER", "")},
        checksums={"remote.bin": hashlib.sha256(BODY).hexdigest()},
    )

    def load(self, folder: Path | None) -> list[Item]:
        """Return nothing: the suite is only downloaded."""
        return []
