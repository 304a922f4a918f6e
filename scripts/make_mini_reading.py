"""Write the table of assay-mini.unit, and print the thresholds that mark errors best.

    python scripts/make_mini_reading.py FOLDER > src/assay/data/mini_quantiles.csv

FOLDER holds the prepared training corpus (``open.jsonl.xz``, ``wmt.jsonl.xz``). Only its held-out documents are read, whose
sources and references occur in no training row. Results for readers go to standard error.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from assay.metrics.mini.constants import THRESHOLD, columns, compared_texts, ranking
from assay.metrics.mini.model import ModelOutput, Triple, model_of

MAJOR_WEIGHT = 5
COLLECTIONS = ("mqm21", "ted21", "esa24")


def held_out(folder: Path) -> Iterator[tuple[Triple, list[list[float]] | None]]:
    """Return translations of held-out documents with their first reference and, if annotated, the annotators' spans."""
    for name in ("open.jsonl.xz", "wmt.jsonl.xz"):
        with lzma.open(folder / name, "rt", encoding="utf-8") as lines:
            for group in map(json.loads, lines):
                if group["split"] != "dev" or group["ds"] not in COLLECTIONS:
                    continue
                for hypothesis in group["hyps"]:
                    triple = Triple(hypothesis["text"], (group["refs"] or [None])[0], group["src"])
                    yield triple, hypothesis.get("spans")


def character_f1(rows: list[tuple[str, ModelOutput, Any]], column: int, least: float, threshold: float) -> float:
    """Return F1 over characters of tokens above the threshold, with gold spans of at least the weight `least`."""
    right = marked = true = 0
    for text, judgement, spans in rows:
        mine, theirs = np.zeros(len(text) + 1, bool), np.zeros(len(text) + 1, bool)
        for start, end in judgement.ranges[judgement.tags[:, column] > threshold]:
            mine[start:end] = True
        for start, end, weight, _ in spans:
            if weight >= least:
                theirs[start:end] = True
        right, marked, true = right + (mine & theirs).sum(), marked + mine.sum(), true + theirs.sum()
    return float(2 * right / max(marked + true, 1))


def main(folder: str) -> None:
    """Print the table and the best thresholds."""
    rows = list(held_out(Path(folder)))
    model = model_of(None, False)
    triples = [triple for triple, _ in rows]
    judgements = model.judge(triples, True, "reading")
    scores = np.quantile(ranking(columns(judgements), compared_texts(triples)), np.linspace(0, 1, 101))
    print(
        f"# Ranking scores (int8, source and reference) below which this percentage of {len(rows):,} translations lie:"
    )
    print(
        f"# the held-out documents of {', '.join(COLLECTIONS)}. Weights {model.weights.identity}; scripts/make_mini_reading.py."
    )
    print("percent,score")
    for percent, score in enumerate(scores):
        print(f"{percent},{score:.4f}")
    spanned = [
        (triple.hypothesis, judgement, spans)
        for (triple, spans), judgement in zip(rows, judgements, strict=True)
        if spans is not None
    ]
    for name, column, least in (("any", 0, 0), ("major", 1, MAJOR_WEIGHT)):
        found = {t: character_f1(spanned, column, least, t) for t in np.arange(0.04, 0.9, 0.04).round(2).tolist()}
        best = max(found, key=found.__getitem__)
        print(
            f"{name}: best {best} F1 {found[best]:.3f}, at {THRESHOLD} {found[THRESHOLD]:.3f}: {found}", file=sys.stderr
        )


if __name__ == "__main__":
    main(sys.argv[1])
