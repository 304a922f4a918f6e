"""Results of ``assay selfcheck`` on this machine: the largest drift of each signature, saved in the cache folder."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.core.call import now
from assay.io.files.atomic import atomic_write
from assay.io.files.paths import cache_dir

MOST = 1 << 20
"""Largest size in bytes; assay does not write larger files."""


@dataclass(frozen=True, slots=True)
class MeasuredDrift:
    """The largest difference between scores of one signature."""

    metric: str
    """The name on the card."""
    signature: str
    drift: float
    """Infinite if a score was missing on one side only."""
    when: str

    def __str__(self) -> str:
        return f"{in_digits(self.drift)} ({self.signature}, {self.when[:10]})"


def in_digits(drift: float) -> str:
    """Return a drift with one significant digit: ``0``, ``3e-07``, ``inf``."""
    return f"{drift:.0e}" if drift and math.isfinite(drift) else f"{drift:g}"


def machine() -> str:
    """Return the environment that a drift depends on: system, processor and Python version."""
    return f"{platform.system()} {platform.machine()}, {_processor()}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def drifts_file() -> Path:
    """Return the path of the file with the measurements."""
    return cache_dir() / "selfcheck.json"


def measured(metric: str) -> list[MeasuredDrift]:
    """Return a metric's drifts on this machine, one per signature; a damaged file counts as empty."""
    return [drift for drift in _all().get(machine(), {}).values() if drift.metric == metric]


def save_drifts(metrics: Iterable[tuple[str, str, float]]) -> list[MeasuredDrift]:
    """Save (metric, signature, drift) tuples for this machine, replacing earlier measurements."""
    fresh = [MeasuredDrift(*measurement, now()) for measurement in metrics]
    drifts = _all()
    drifts.setdefault(machine(), {}).update({drift.signature: drift for drift in fresh})
    drifts_file().parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(drifts_file(), "w") as out:
        content = {
            name: {signature: _plain(drift) for signature, drift in sorted(by_signature.items())}
            for name, by_signature in drifts.items()
        }
        json.dump(content, out, ensure_ascii=False, indent=1, allow_nan=False)
        out.write("\n")
    return fresh


def _plain(measured: MeasuredDrift) -> dict[str, Any]:
    return asdict(measured) | {"drift": measured.drift if math.isfinite(measured.drift) else None}


def _all() -> dict[str, dict[str, MeasuredDrift]]:
    """Return all measurements by machine and signature; a damaged file counts as empty."""
    try:
        with drifts_file().open("rb") as file:
            content = json.loads(file.read(MOST))
        return {
            str(name): {str(signature): _read(entry) for signature, entry in by_signature.items()}
            for name, by_signature in content.items()
        }
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return {}


def _read(entry: Any) -> MeasuredDrift:
    drift = math.inf if entry["drift"] is None else float(entry["drift"])
    return MeasuredDrift(str(entry["metric"]), str(entry["signature"]), drift, str(entry["when"]))
