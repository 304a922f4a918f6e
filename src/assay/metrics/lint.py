"""The checks of ``assay lint`` as a metric: the score is minus the weighted findings, and the findings are the error spans."""

from __future__ import annotations

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Card, Metric, Scores, Signature
from assay.core.spans import ErrorSpan
from assay.linting import lint_batch, select_checks
from assay.linting.finding import SEVERITY_WEIGHTS


class Lint(Metric):
    """Minus the points of the findings: minor 1, major 5, critical 10. A translation without findings scores 0."""

    card = Card(
        name="lint",
        label="lint",
        needs="source",
        higher_is_better=True,
        range=(None, 0.0),
        meaning="Minus the points of certain errors (minor 1, major 5, critical 10), such as wrong numbers; 0 if there are none.",
        stored=False,
        decimals=2,
        kind="checks",
    )

    def __init__(self, *, select: str = "", ignore: str = "") -> None:
        self.select, self.ignore = select, ignore
        self.checks = select_checks(select.split("+") if select else None, ignore.split("+") if ignore else ())

    @property
    def signature(self) -> Signature:
        """The checks that are run."""
        return Signature.of("lint", 1, checks="+".join(self.checks))

    def score(self, batch: Batch) -> Scores:
        """Check each translation."""
        self.card.check_needs(batch)
        found = list(lint_batch(batch, self.checks))
        values = np.array([-sum(SEVERITY_WEIGHTS[finding.severity] for finding in row) for row in found], np.float64)
        spans = [
            tuple(ErrorSpan.of(text, one.start, one.end, one.severity, one.category) for one in row)
            for text, row in zip(batch.hypotheses, found, strict=True)
        ]
        return Scores(values + 0.0, spans=spans)
