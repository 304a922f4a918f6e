"""A made-up language pair on which a small model learns to tag an inserted error in a minute, without any data.

Every word of the source language has one translation, word for word. A hypothesis is the translation, or the translation with one
word of the source language put in: a major error.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from assay.core.spans import ErrorSpan
from assay.io.files.atomic import atomic_write
from assay.models.training.records import Record, mqm_unit

CONFIG = """# A trial of assay train on a made-up language pair: assay train train.yaml
name: toy
output: run
seed: 1
model:
  encoder: tiny
  tiny_hidden: 64
  tiny_layers: 2
  tiny_vocabulary: 400
  encoder_dropout: 0.0
  dropout: 0.0
held_out:
  fraction: 0.1
  every: 100
checkpoint_every: 200
phases:
  - name: sentences
    curriculum: 1          # scores only
    data: [{path: toy.jsonl, format: spans, limit: 500}]
    batch_size: 32
    learning_rate: 1.0e-3
    encoder_learning_rate: 1.0e-3
    keep_embeddings_frozen: false
  - name: words
    curriculum: 2          # the tagger above all (lambda 0.983)
    data: [{path: toy.jsonl, format: spans}]
    epochs: 3
    batch_size: 32
    learning_rate: 2.0e-3
    encoder_learning_rate: 2.0e-3
    layerwise_decay: 1.0
    nr_frozen_epochs: 0.0
    warmup_steps: 50
    keep_embeddings_frozen: false
  - name: both
    curriculum: 3          # scores and tags (lambda 0.055)
    data: [{path: toy.jsonl, format: spans}]
    hallucinations: {random: 0.02, similar: 0.02, oscillatory: 0.02}
    batch_size: 32
    learning_rate: 5.0e-4
    encoder_learning_rate: 5.0e-4
    nr_frozen_epochs: 0.0
    keep_embeddings_frozen: false
"""


def toy_records(n: int, seed: int = 1, words: int = 40) -> list[Record]:
    """`n` records, half of them with an inserted error."""
    rng = np.random.default_rng([seed, 0x701])
    source, target = vocabulary("bdgkmz", "aou", words), vocabulary("flnprst", "eiy", words)
    records = []
    for i in range(n):
        chosen = rng.choice(words, int(rng.integers(3, 7)), replace=False).tolist()
        said = [target[word] for word in chosen]
        reference = " ".join(said)
        spans: tuple[ErrorSpan, ...] = ()
        if rng.random() < 0.5:
            wrong, at = source[int(rng.integers(words))], int(rng.integers(len(said) + 1))
            said = [*said[:at], wrong, *said[at:]]
            start = len(" ".join(said[:at])) + (at > 0)
            spans = (ErrorSpan.of(" ".join(said), start, start + len(wrong), "major"),)
        records.append(
            Record(
                " ".join(source[word] for word in chosen),
                " ".join(said),
                reference,
                mqm_unit(5.0 * len(spans)),
                spans,
                "xx-yy",
                "toy",
                f"toy|{i}",
            )
        )
    return records


def write_example(folder: Path, n: int = 1500) -> Path:
    """Toy data and a configuration that runs on it; gives the configuration's path."""
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(folder / "toy.jsonl", "w") as out:
        for record in toy_records(n):
            spans = [{"start": s.start, "end": s.end, "severity": s.severity} for s in record.spans or ()]
            row = {"src": record.source, "mt": record.hypothesis, "ref": record.reference, "lp": record.langpair}
            out.write(json.dumps({**row, "doc": record.document, "spans": spans}) + "\n")
    with atomic_write(folder / "train.yaml", "w") as out:
        out.write(CONFIG)
    return folder / "train.yaml"


def vocabulary(consonants: str, vowels: str, n: int) -> list[str]:
    """`n` different words of two syllables."""
    syllables = [c + v for c in consonants for v in vowels]
    return [syllables[i % len(syllables)] + syllables[(7 * i + i // len(syllables)) % len(syllables)] for i in range(n)]
