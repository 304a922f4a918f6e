"""What ``assay selfcheck`` measured on this machine: the largest drift of each signature, kept in the cache folder."""

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
"""Bytes of the file that are read; a longer one is not ours."""


@dataclass(frozen=True, slots=True)
class MeasuredDrift:
    """How far the numbers of a signature moved at most."""

    metric: str
    """The card's name."""
    signature: str
    drift: float
    """Infinite where a number appeared or vanished."""
    when: str

    def __str__(self) -> str:
        return f"{in_digits(self.drift)} ({self.signature}, {self.when[:10]})"


def in_digits(drift: float) -> str:
    """A drift with the digit it deserves: ``0``, ``3e-07``, ``inf``."""
    return f"{drift:.0e}" if drift and math.isfinite(drift) else f"{drift:g}"


def machine() -> str:
    """What a drift depends on besides the signature: system, processor and Python."""
    return f"{platform.system()} {platform.machine()}, {_processor()}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def drifts_file() -> Path:
    """Where the measurements lie."""
    return cache_dir() / "selfcheck.json"


def measured(metric: str) -> list[MeasuredDrift]:
    """What was measured on this machine of the metric with this name, one entry a signature; a damaged file is none."""
    return [found for found in _all().get(machine(), {}).values() if found.metric == metric]


def keep(metrics: Iterable[tuple[str, str, float]]) -> list[MeasuredDrift]:
    """Remember (metric, signature, drift) of this machine, each in the place of what was measured before."""
    fresh = [MeasuredDrift(*one, now()) for one in metrics]
    known = _all()
    known.setdefault(machine(), {}).update({found.signature: found for found in fresh})
    drifts_file().parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(drifts_file(), "w") as out:
        whole = {
            place: {signature: _plain(found) for signature, found in sorted(by_signature.items())}
            for place, by_signature in known.items()
        }
        json.dump(whole, out, ensure_ascii=False, indent=1, allow_nan=False)
        out.write("\n")
    return fresh


def _plain(found: MeasuredDrift) -> dict[str, Any]:
    return asdict(found) | {"drift": found.drift if math.isfinite(found.drift) else None}


def _all() -> dict[str, dict[str, MeasuredDrift]]:
    """All that is remembered, by machine and signature: what does not read as such is left out."""
    try:
        with drifts_file().open("rb") as file:
            whole = json.loads(file.read(MOST))
        return {
            str(place): {str(signature): _read(entry) for signature, entry in by_signature.items()}
            for place, by_signature in whole.items()
        }
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return {}


def _read(entry: Any) -> MeasuredDrift:
    drift = math.inf if entry["drift"] is None else float(entry["drift"])
    return MeasuredDrift(str(entry["metric"]), str(entry["signature"]), drift, str(entry["when"]))
