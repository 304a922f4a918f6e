"""A made-up language pair with judged translations in groups, on which the whole recipe runs in seconds, without any data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from assay.io.files.atomic import atomic_write
from assay.models.training.toy import vocabulary

CONFIG = """# A trial of the recipe of assay-mini on a made-up language pair: assay train mini.yaml
architecture: mini
name: toy-mini
output: run
seed: 1
encoder: {name: tiny, tiny_hidden: 64, tiny_layers: 3, tiny_heads: 2, tiny_vocabulary: 300}
width: 64
data: [{path: toy.jsonl}]
documents: 40
errors: {toy: 0.2}
checkpoint_every: 20
stages:
  - {name: teacher-1, steps: 40, batch_tokens: 400, learning_rate: 2.0e-3, head_learning_rate: 2.0e-3}
  - {name: teacher-2, steps: 40, batch_tokens: 400, learning_rate: 2.0e-3, head_learning_rate: 2.0e-3, ranking: 3}
  - name: student
    steps: 60
    batch_tokens: 400
    learning_rate: 2.0e-3
    head_learning_rate: 2.0e-3
    teachers: [teacher-1, teacher-2]
"""
SYSTEMS = 4
SEGMENTS = 5
"""Of a document."""
MAJOR_WEIGHT = 5.0


def toy_groups(n: int, seed: int = 1, words: int = 40) -> list[dict[str, Any]]:
    """`n` sources, word for word translated by several systems that put words of the source language in; every third is assessed
    instead of annotated, and every tenth document is held out."""
    rng = np.random.default_rng([seed, 0x70E])
    source, target = vocabulary("bdgkmz", "aou", words), vocabulary("flnprst", "eiy", words)
    groups = []
    for number in range(n):
        chosen = rng.choice(words, int(rng.integers(4, 8)), replace=False).tolist()
        translated = [target[word] for word in chosen]
        hypotheses: list[dict[str, Any]] = []
        for system in range(SYSTEMS):
            said, wrong = list(translated), []
            for _ in range(int(rng.integers(0, 3))):
                at = int(rng.integers(len(said)))
                said[at] = source[int(rng.integers(words))]
            text, place = " ".join(said), 0
            for word, right in zip(said, translated, strict=True):
                if word != right:
                    wrong.append([place, place + len(word), MAJOR_WEIGHT, 1])
                place += len(word) + 1
            hypotheses.append(
                {"sys": f"system {system}", "text": text, "score": -MAJOR_WEIGHT * len(wrong), "spans": wrong}
            )
        assessed = number % 3 == 2
        if assessed:
            for one in hypotheses:
                one["score"] = 0.5 + 0.1 * one["score"]
                del one["spans"]
        document = number // SEGMENTS
        groups.append(
            {
                "ds": "toy-da" if assessed else "toy",
                "kind": "da" if assessed else "mqm",
                "lp": "xx-yy",
                "doc": f"document {document}",
                "seg": number,
                "split": "dev" if document % 10 == 9 else "train",
                "src": " ".join(source[word] for word in chosen),
                "refs": [" ".join(translated)],
                "hyps": hypotheses,
            }
        )
    return groups


def write_mini_example(folder: Path, n: int = 300) -> Path:
    """Toy data and a configuration that runs on it; gives the configuration's path."""
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(folder / "toy.jsonl", "w") as out:
        for group in toy_groups(n):
            out.write(json.dumps(group) + "\n")
    with atomic_write(folder / "mini.yaml", "w") as out:
        out.write(CONFIG)
    return folder / "mini.yaml"
