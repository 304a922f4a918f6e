"""assay: the workbench for people who judge machine translation.

>>> import assay
>>> assay.score(hypotheses=["the cat sat"], references=["the cat sat down"], metrics=["chrf"]).system["chrf"]
66.01764142221674

Importing assay is light; numpy and the rest are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay._version import __version__

if TYPE_CHECKING:
    from assay.core.analysis import requires as requires
    from assay.core.batch import Batch as Batch
    from assay.core.errors import AssayError as AssayError
    from assay.core.errors import AssayWarning as AssayWarning
    from assay.core.errors import InputError as InputError
    from assay.core.errors import MissingPart as MissingPart
    from assay.core.function_metric import metric as metric
    from assay.core.item import Item as Item
    from assay.core.metric import Card as Card
    from assay.core.metric import Metric as Metric
    from assay.core.metric import Scores as Scores
    from assay.core.metric import Signature as Signature
    from assay.core.perturbation import Perturbation as Perturbation
    from assay.core.spans import ErrorSpan as ErrorSpan
    from assay.core.suite import Suite as Suite
    from assay.core.table import Table as Table
    from assay.core.task import error as error
    from assay.verbs.breakdown import breakdown as breakdown
    from assay.verbs.breakdown import run_task as run_task
    from assay.verbs.campaign import campaign as campaign
    from assay.verbs.card import card as card
    from assay.verbs.check import check as check
    from assay.verbs.cite import cite as cite
    from assay.verbs.compare import compare as compare
    from assay.verbs.decide import apply_rule as apply_rule
    from assay.verbs.decide import fit_rule as fit_rule
    from assay.verbs.doctor import doctor as doctor
    from assay.verbs.estimate import estimate as estimate
    from assay.verbs.fetch import fetch as fetch
    from assay.verbs.filter import filter_rows as filter_rows
    from assay.verbs.lint import lint as lint
    from assay.verbs.list import list_analyses as list_analyses
    from assay.verbs.list import list_metrics as list_metrics
    from assay.verbs.list import list_perturbations as list_perturbations
    from assay.verbs.list import list_suites as list_suites
    from assay.verbs.list import list_tasks as list_tasks
    from assay.verbs.list import list_translators as list_translators
    from assay.verbs.llm import llm as llm
    from assay.verbs.make import make as make
    from assay.verbs.meta import meta as meta
    from assay.verbs.reproduce import reproduce as reproduce
    from assay.verbs.rerun import rerun as rerun
    from assay.verbs.result import Result as Result
    from assay.verbs.run import run as run
    from assay.verbs.score import score as score
    from assay.verbs.selfcheck import selfcheck as selfcheck
    from assay.verbs.spans import spans as spans
    from assay.verbs.train import train as train
    from assay.verbs.view import view as view

_HOMES = {
    "assay.core.analysis": ("requires",),
    "assay.core.batch": ("Batch",),
    "assay.core.errors": ("AssayError", "AssayWarning", "InputError", "MissingPart"),
    "assay.core.function_metric": ("metric",),
    "assay.core.item": ("Item",),
    "assay.core.metric": ("Card", "Metric", "Scores", "Signature"),
    "assay.core.perturbation": ("Perturbation",),
    "assay.core.spans": ("ErrorSpan",),
    "assay.core.suite": ("Suite",),
    "assay.core.table": ("Table",),
    "assay.core.task": ("error",),
    "assay.verbs.breakdown": ("breakdown", "run_task"),
    "assay.verbs.campaign": ("campaign",),
    "assay.verbs.card": ("card",),
    "assay.verbs.check": ("check",),
    "assay.verbs.cite": ("cite",),
    "assay.verbs.compare": ("compare",),
    "assay.verbs.decide": ("apply_rule", "fit_rule"),
    "assay.verbs.doctor": ("doctor",),
    "assay.verbs.estimate": ("estimate",),
    "assay.verbs.fetch": ("fetch",),
    "assay.verbs.filter": ("filter_rows",),
    "assay.verbs.lint": ("lint",),
    "assay.verbs.list": (
        "list_analyses",
        "list_metrics",
        "list_perturbations",
        "list_suites",
        "list_tasks",
        "list_translators",
    ),
    "assay.verbs.llm": ("llm",),
    "assay.verbs.make": ("make",),
    "assay.verbs.meta": ("meta",),
    "assay.verbs.reproduce": ("reproduce",),
    "assay.verbs.rerun": ("rerun",),
    "assay.verbs.result": ("Result",),
    "assay.verbs.run": ("run",),
    "assay.verbs.score": ("score",),
    "assay.verbs.selfcheck": ("selfcheck",),
    "assay.verbs.spans": ("spans",),
    "assay.verbs.train": ("train",),
    "assay.verbs.view": ("view",),
}
"""Where each public name lives; it is imported when it is first used."""
_LAZY = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_LAZY]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
