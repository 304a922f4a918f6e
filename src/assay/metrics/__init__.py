"""Metrics by name: one file a family, one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.registry import Registry

if TYPE_CHECKING:
    from assay.core.metric import Metric

METRICS = Registry(
    "metric",
    {
        "bleu": "assay.metrics.bleu:Bleu",
        "spbleu": "assay.metrics.bleu:SpBleu",
        "chrf": "assay.metrics.chrf:Chrf",
        "chrf++": "assay.metrics.chrf:ChrfPlusPlus",
        "ter": "assay.metrics.ter:Ter",
        "cer": "assay.metrics.edit:Cer",
        "wer": "assay.metrics.edit:Wer",
        "rouge1": "assay.metrics.rouge:Rouge1",
        "rouge2": "assay.metrics.rouge:Rouge2",
        "rougeL": "assay.metrics.rouge:RougeL",
        "meteor": "assay.metrics.meteor:Meteor",
    },
)


def metric(spec: str) -> Metric:
    """The metric that a spec such as ``bleu:tokenize=zh`` or ``my_module:MyMetric`` names."""
    from assay.core.errors import InputError
    from assay.core.metric import Metric
    from assay.core.spec import build, parse

    name, options = parse(spec)
    made = build(METRICS.resolve(name), name, options)
    if not isinstance(made, Metric):
        raise InputError(f"{name!r} is {type(made).__name__}, not a subclass of assay.core.Metric.")
    return made
