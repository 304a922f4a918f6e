"""Toy training data: an invented language pair on which a small model learns to tag inserted errors within a minute.

Every word of the source language has one translation. A hypothesis is the word-for-word translation, or that translation
with a word of the source language inserted, which is a major error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.spans import ErrorSpan
from assay.io.files.atomic import atomic_write
from assay.models.training.records import Record, mqm_unit

CONFIG = """# A trial of assay train on an invented language pair: assay train train.yaml
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
    curriculum: 2          # mainly the tagger (lambda 0.983)
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
MINI_CONFIG = """# A trial of assay-mini's recipe on an invented language pair: assay train mini.yaml
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
"""Number of segments per document."""
MAJOR_WEIGHT = 5.0


def toy_records(n: int, seed: int = 1, words: int = 40) -> list[Record]:
    """Return `n` records, half of them with an inserted error."""
    rng = np.random.default_rng([seed, 0x701])
    source, target = _vocabularies(words)
    records = []
    for i in range(n):
        drawn_words = rng.choice(words, int(rng.integers(3, 7)), replace=False).tolist()
        hypothesis = [target[word] for word in drawn_words]
        reference = " ".join(hypothesis)
        spans: tuple[ErrorSpan, ...] = ()
        if rng.random() < 0.5:
            wrong, at = source[int(rng.integers(words))], int(rng.integers(len(hypothesis) + 1))
            hypothesis = [*hypothesis[:at], wrong, *hypothesis[at:]]
            start = len(" ".join(hypothesis[:at])) + (at > 0)
            spans = (ErrorSpan.of(" ".join(hypothesis), start, start + len(wrong), "major"),)
        records.append(
            Record(
                " ".join(source[word] for word in drawn_words),
                " ".join(hypothesis),
                reference,
                mqm_unit(5.0 * len(spans)),
                spans,
                "xx-yy",
                "toy",
                f"toy|{i}",
            )
        )
    return records


def toy_groups(n: int, seed: int = 1, words: int = 40) -> list[dict[str, Any]]:
    """Return `n` sources, each translated word for word by several systems that insert source-language words.

    Every third source is assessed instead of annotated, and every tenth document is held out.
    """
    rng = np.random.default_rng([seed, 0x70E])
    source, target = _vocabularies(words)
    groups = []
    for number in range(n):
        drawn_words = rng.choice(words, int(rng.integers(4, 8)), replace=False).tolist()
        translated = [target[word] for word in drawn_words]
        hypotheses: list[dict[str, Any]] = []
        for system in range(SYSTEMS):
            hypothesis, wrong = list(translated), []
            for _ in range(int(rng.integers(0, 3))):
                at = int(rng.integers(len(hypothesis)))
                hypothesis[at] = source[int(rng.integers(words))]
            text, position = " ".join(hypothesis), 0
            for word, right in zip(hypothesis, translated, strict=True):
                if word != right:
                    wrong.append([position, position + len(word), MAJOR_WEIGHT, 1])
                position += len(word) + 1
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
                "src": " ".join(source[word] for word in drawn_words),
                "refs": [" ".join(translated)],
                "hyps": hypotheses,
            }
        )
    return groups


def write_example(folder: Path, n: int = 1500) -> Path:
    """Write toy data and a configuration that trains an xCOMET model on the data. Return the path of the configuration."""
    rows = []
    for record in toy_records(n):
        spans = [{"start": s.start, "end": s.end, "severity": s.severity} for s in record.spans or ()]
        row = {"src": record.source, "mt": record.hypothesis, "ref": record.reference, "lp": record.langpair}
        rows.append({**row, "doc": record.document, "spans": spans})
    return _written(folder, rows, "train.yaml", CONFIG)


def write_mini_example(folder: Path, n: int = 300) -> Path:
    """Write toy data and a configuration for assay-mini's recipe. Return the path of the configuration."""
    return _written(folder, toy_groups(n), "mini.yaml", MINI_CONFIG)


def _written(folder: Path, rows: Iterable[dict[str, Any]], name: str, config: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(folder / "toy.jsonl", "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    with atomic_write(folder / name, "w") as out:
        out.write(config)
    return folder / name


def _vocabularies(words: int) -> tuple[list[str], list[str]]:
    """Return `words` source-language words and their translations."""
    return vocabulary("bdgkmz", "aou", words), vocabulary("flnprst", "eiy", words)


def vocabulary(consonants: str, vowels: str, n: int) -> list[str]:
    """Return `n` different words of two syllables."""
    syllables = [c + v for c in consonants for v in vowels]
    return [syllables[i % len(syllables)] + syllables[(7 * i + i // len(syllables)) % len(syllables)] for i in range(n)]
