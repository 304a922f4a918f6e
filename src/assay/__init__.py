"""assay: the workbench for people who judge machine translation.

>>> import assay
>>> assay.score(hypotheses=["the cat sat"], references=["the cat sat down"], metrics=["chrf"]).system["chrf"]
66.01764142221674

Importing assay is light; numpy and the rest are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.api.breakdown import breakdown as breakdown
    from assay.api.breakdown import run_task as run_task
    from assay.api.decide import apply_rule as apply_rule
    from assay.api.decide import apply_scores as apply_scores
    from assay.api.make import make as make
    from assay.api.reproduce import reproduce as reproduce
    from assay.api.rules import fit_rule as fit_rule
    from assay.api.scoring import compare as compare
    from assay.api.scoring import score as score
    from assay.verbs.card import card as card
    from assay.verbs.check import check as check
    from assay.verbs.meta import meta as meta
    from assay.verbs.run import run as run

from assay._version import __version__

__all__ = [
    "__version__",
    "apply_rule",
    "apply_scores",
    "breakdown",
    "card",
    "check",
    "compare",
    "fit_rule",
    "make",
    "meta",
    "reproduce",
    "run",
    "run_task",
    "score",
]

_LAZY = {
    "apply_rule": "assay.api.decide",
    "apply_scores": "assay.api.decide",
    "breakdown": "assay.api.breakdown",
    "card": "assay.verbs.card",
    "check": "assay.verbs.check",
    "compare": "assay.api.scoring",
    "make": "assay.api.make",
    "meta": "assay.verbs.meta",
    "fit_rule": "assay.api.rules",
    "reproduce": "assay.api.reproduce",
    "run": "assay.verbs.run",
    "run_task": "assay.api.breakdown",
    "score": "assay.api.scoring",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
