"""Small judged sets in the mt-metrics-eval layout, made up for tests."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

LEVELS = ("seg", "sys")


def make_pair(
    root: Path,
    langpair: str,
    *,
    systems: Sequence[str] = ("A", "B", "C", "D"),
    references: Sequence[str] = ("refA", "refB"),
    segments: int = 12,
    domains: Sequence[str] = ("news", "social"),
    metrics: Sequence[str] = ("BLEU-refA", "chrF-refA", "Kiwi-src"),
    gold: str = "mqm",
    seed: int = 0,
    unjudged: int = 3,
) -> None:
    """One language pair: every system and reference as output; the last `unjudged` segments have no human score."""
    rng = np.random.default_rng([seed, *langpair.encode()])
    outputs = [*systems, *references]
    of = [domains[i * len(domains) // segments] for i in range(segments)]
    write(root / "sources" / f"{langpair}.txt", [f"source {i}" for i in range(segments)])
    write(root / "documents" / f"{langpair}.docs", [f"{domain}\tdoc{i // 3}" for i, domain in enumerate(of)])
    for name in references:
        write(root / "references" / f"{langpair}.{name}.txt", [f"reference {name} {i}" for i in range(segments)])
    for name in outputs:
        write(root / "system-outputs" / langpair / f"{name}.txt", [f"output {name} {i}" for i in range(segments)])
    people = -rng.integers(0, 6, (len(outputs), segments)).astype(float)
    people[:, segments - unjudged :] = np.nan
    scores(root / "human-scores", f"{langpair}.{gold}", dict(zip(outputs, people, strict=True)), of)
    for metric in metrics:
        noisy = np.nan_to_num(people) + rng.normal(0, 2, people.shape)
        rows = {name: row for name, row in zip(outputs, noisy, strict=True) if name != metric.rpartition("-")[2]}
        scores(root / "metric-scores" / langpair, metric, rows, of)


def scores(folder: Path, stem: str, rows: Mapping[str, np.ndarray], domains: Sequence[str]) -> None:
    """Segment, system and domain files; system and domain scores are means."""
    where = np.array(domains)
    seg = [f"{name}\t{number(value)}" for name, row in rows.items() for value in row]
    sys = [f"{name}\t{number(np.nanmean(row))}" for name, row in rows.items()]
    dom = [
        f"{domain}\t{name}\t{number(mean(row[where == domain]))}"
        for domain in sorted(set(domains))
        for name, row in rows.items()
    ]
    for level, lines in (("seg", seg), ("sys", sys), ("domain", dom)):
        write(folder / f"{stem}.{level}.score", lines)


def mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def number(value: float) -> str:
    return "None" if np.isnan(value) else repr(float(value))


def write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def pack(root: Path, archive: Path, prefix: str = "wmt") -> None:
    """The tree as a tar.xz with a folder of its own on top, as archives in circulation have it."""
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(root, arcname=prefix)
