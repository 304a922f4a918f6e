"""assay: the workbench for people who judge machine translation.

>>> import assay
>>> assay.score(hypotheses=["the cat sat"], references=["the cat sat down"], metrics=["chrf"]).system["chrf"]  # doctest: +SKIP
71.6

Importing assay is light; numpy and the rest are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.api.make import make as make
    from assay.api.scoring import compare as compare
    from assay.api.scoring import score as score
    from assay.api.suites import run as run

__version__ = "0.1.0"
__all__ = ["__version__", "compare", "make", "run", "score"]

_LAZY = {
    "score": "assay.api.scoring",
    "compare": "assay.api.scoring",
    "run": "assay.api.suites",
    "make": "assay.api.make",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
