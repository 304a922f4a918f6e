"""The WMT23 metrics task as arrays, read straight from the archives: gold and 32 primary metrics for three pairs."""

from __future__ import annotations

import csv
import functools
import tarfile
from dataclasses import dataclass

import numpy as np

from tests.data import need

STANDARD_REFERENCE = {"en-de": "refA", "he-en": "refB", "zh-en": "refA"}
LEFT_OUT = {"en-de": {"refA", "synthetic_ref"}, "he-en": {"refB"}, "zh-en": {"refA", "synthetic_ref"}}


@dataclass(frozen=True)
class LanguagePair:
    """Systems by segments (NaN: not judged) and one score a system, for gold and for each metric."""

    gold: np.ndarray
    gold_system: np.ndarray
    metrics: np.ndarray
    metrics_system: np.ndarray


def metric_names() -> list[str]:
    with need("expected", "wmt23_overall.csv").open() as lines:
        return [row["metric"] for row in csv.DictReader(lines)]


@functools.cache
def language_pair(pair: str) -> LanguagePair:
    files: dict[str, dict[str, list[float]]] = {}
    with tarfile.open(need("data", "wmt23", f"{pair}.tar.xz")) as archive:
        for member in archive:
            if member.name.endswith((".seg.score", ".sys.score")):
                files[member.name.split("wmt23/")[-1]] = scores(archive.extractfile(member).read().decode())
    gold = files[f"human-scores/{pair}.mqm.seg.score"]
    judged = [name for name, row in gold.items() if not np.isnan(row).all() and name not in LEFT_OUT[pair]]

    def stack(level: str) -> np.ndarray:
        out = []
        for metric in metric_names():
            stem = f"metric-scores/{pair}/{metric}-"
            file = files.get(f"{stem}{STANDARD_REFERENCE[pair]}.{level}.score") or files[f"{stem}src.{level}.score"]
            out.append([file[name] for name in judged])
        return np.array(out)

    system = files[f"human-scores/{pair}.mqm.sys.score"]
    return LanguagePair(
        np.array([gold[name] for name in judged]),
        np.array([system[name][0] for name in judged]),
        stack("seg"),
        stack("sys")[..., 0],
    )


def scores(text: str) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for line in text.splitlines():
        name, value = line.split("\t")
        out.setdefault(name, []).append(np.nan if value == "None" else float(value))
    return out
