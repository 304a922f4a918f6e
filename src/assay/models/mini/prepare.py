"""Training data preparation: reads judged translations, tokenizes, labels, joins documents, and computes features.

The two halves may run on different machines. `prepare_texts` needs the data and writes little. `prepare_features` needs
only these files, and resumes after the last complete shard.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError, count
from assay.io.documents import read_document
from assay.io.files.atomic import atomic_write
from assay.io.files.tensors import read_tensors, write_tensors
from assay.models.mini.config import MiniConfig, plain_preparation
from assay.models.mini.corpus import (
    CORPUS,
    FACTS,
    PIECES,
    PreparedCorpus,
    join_documents,
    pair_starts,
    shard_name,
    write_facts,
)
from assay.models.mini.features import PLACES, SOURCE_ORDER, Spelling, SubwordTexts, pair_features
from assay.models.mini.groups import KINDS, MAJOR, REFERENCES, SPLITS, JudgedGroup, JudgedTranslation, load_groups
from assay.models.mini.initial_encoder import initial_encoder
from assay.models.mini.subwords import LONGEST, Arrays, SubwordModel, inverse_frequency
from assay.models.mini.synthetic_errors import synthetic_groups
from assay.models.training.state import difference

CHUNK = 4096
"""Number of texts to tokenize at a time, and of rows whose features are one task."""
BLOCK = 128
"""Number of pairs whose features are computed at a time, chosen so that their hashes fit into the CPU cache."""
SHARD = 65_536
"""Number of rows per feature shard."""
Note = Callable[[str], None]


def prepare(config: MiniConfig, note: Note = lambda sentence: None) -> PreparedCorpus:
    """Return a configuration's prepared data, after preparing what is missing."""
    folder = config.prepared_folder
    if not (folder / FACTS).is_file():
        prepare_texts(config, folder, note)
    changed = difference(read_document(folder / FACTS)["preparation"], plain_preparation(config))
    if changed is not None:
        raise InputError(
            f"the data in {folder} were prepared with a different configuration: {changed} differs. Remove the folder."
        )
    corpus = PreparedCorpus.open(folder)
    prepare_features(corpus, folder, note)
    return corpus


def prepare_texts(config: MiniConfig, folder: Path, note: Note) -> None:
    """Prepare everything except the features."""
    groups, notes = load_groups(config)
    synthetic = synthetic_groups(groups, config.errors, config.seed)
    for sentence in notes:
        note(sentence)
    if synthetic:
        note(f"{count(len(synthetic), 'group')} of synthetic errors added.")
    groups += synthetic
    texts = _Numbering()
    for group in groups:
        texts.add(group.source)
        for text in (*group.references[:REFERENCES], *(one.text for one in group.hypotheses)):
            texts.add(text)
    encoder = initial_encoder(config.encoder, texts.numbers)
    table = _table(groups, texts)
    cut = _cut(list(texts.numbers), groups, encoder.subwords)
    if config.encoder.least_uses > 1:
        counts = np.bincount(cut.subwords, minlength=len(encoder.subwords.subwords))
        encoder = encoder.restricted(encoder.subwords.without_rare(counts, config.encoder.least_uses), recut=True)
        cut = _cut(list(texts.numbers), groups, encoder.subwords)
    table |= _labels(groups, texts, cut)
    used = np.unique(np.concatenate([cut.subwords, np.arange(4)]))
    encoder = encoder.restricted(used)
    table["pieces"] = np.searchsorted(used, cut.subwords).astype(np.uint32)
    table["text_starts"] = cut.starts
    collections = list(dict.fromkeys(group.collection for group in groups))
    if config.documents:
        table, added = join_documents(
            table, config.documents, len(collections), np.random.default_rng([config.seed, 0xD0C])
        )
        collections.append("documents")
        note(f"{count(added, 'group')} of consecutive segments added.")
    counts = np.bincount(cut.subwords, minlength=int(used[-1]) + 1)[used]
    folder.mkdir(parents=True, exist_ok=True)
    write_tensors(folder / CORPUS, table)
    write_tensors(folder / PIECES, encoder.subwords.tensors(inverse_frequency(counts)))
    encoder.write(folder)
    note(
        f"{count(len(table['row_text']), 'translation')} in {count(len(table['group_kind']), 'group')}, "
        f"{count(len(table['pieces']), 'token')}, {count(len(used), 'subword')} in use."
    )
    langpairs = list(dict.fromkeys(group.langpair for group in groups))
    facts = {"collections": collections, "langpairs": langpairs, "preparation": plain_preparation(config)}
    write_facts(folder, {**facts, "rows": len(table["row_text"]), "notes": notes})


@dataclass
class _Numbering:
    """Numbers distinct texts in order of occurrence."""

    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers)) if text.strip() else -1


@dataclass(frozen=True)
class _Cut:
    subwords: NDArray[np.int64]
    starts: NDArray[np.int64]
    ranges: dict[str, list[tuple[int, int]]]
    """Characters of each subword, for texts with marked errors."""


def _table(groups: Sequence[JudgedGroup], texts: _Numbering) -> Arrays:
    collections = {name: i for i, name in enumerate(dict.fromkeys(group.collection for group in groups))}
    langpairs = {name: i for i, name in enumerate(dict.fromkeys(group.langpair for group in groups))}
    documents: dict[str, int] = {}
    systems: dict[str, int] = {}
    references = np.full((len(groups), REFERENCES), -1, np.int64)
    for number, group in enumerate(groups):
        numbers_of_references = [texts.add(text) for text in group.references[:REFERENCES] if text.strip()]
        references[number, : len(numbers_of_references)] = numbers_of_references
    rows = [(number, one) for number, group in enumerate(groups) for one in group.hypotheses]

    def column(values: Iterable[Any], dtype: Any = np.int64) -> NDArray[Any]:
        return np.array(list(values), dtype)

    return {
        "group_collection": column(collections[group.collection] for group in groups),
        "group_kind": column(KINDS.index(group.kind) for group in groups),
        "group_langpair": column(langpairs[group.langpair] for group in groups),
        "group_split": column(SPLITS.index(group.split) for group in groups),
        "group_source": column(texts.add(group.source) for group in groups),
        "group_references": references,
        "group_document": column(documents.setdefault(group.document, len(documents)) for group in groups),
        "group_segment": column(group.segment for group in groups),
        "group_rows": np.concatenate([[0], np.cumsum([len(group.hypotheses) for group in groups])]).astype(np.int64),
        "row_group": column(number for number, _ in rows),
        "row_text": column(texts.add(one.text) for _, one in rows),
        "row_score": column((one.score for _, one in rows), np.float32),
        "row_system": column(systems.setdefault(one.system, len(systems)) for _, one in rows),
    }


def _cut(texts: Sequence[str], groups: Sequence[JudgedGroup], model: SubwordModel) -> _Cut:
    marked = {one.text for group in groups for one in group.hypotheses if one.marks}
    subwords, lengths, ranges = [], [], {}
    for start in range(0, len(texts), CHUNK):
        part = texts[start : start + CHUNK]
        for text, encoding in zip(part, model.cut(part), strict=True):
            ids = np.array(encoding.ids[:LONGEST], np.int64)
            subwords.append(ids)
            lengths.append(len(ids))
            if text in marked:
                ranges[text] = model.ranges(text, encoding.offsets[:LONGEST])
    return _Cut(np.concatenate(subwords), np.cumsum([0, *lengths]), ranges)


def _labels(groups: Sequence[JudgedGroup], texts: _Numbering, cut: _Cut) -> Arrays:
    """Return the percentage of annotators who marked an error and a major error at each subword of annotated translations."""
    labels, starts, at = [], [], 0
    for group in groups:
        for one in group.hypotheses:
            if one.marks is None:
                starts.append(-1)
                continue
            number = texts.add(one.text)
            size = int(cut.starts[number + 1] - cut.starts[number])
            starts.append(at)
            labels.append(_shares(one, cut.ranges.get(one.text, []), size))
            at += size
    joined = np.concatenate(labels) if labels else np.zeros((0, 2), np.uint8)
    return {"labels": joined, "row_labels": np.array(starts, np.int64)}


def _shares(one: JudgedTranslation, ranges: Sequence[tuple[int, int]], size: int) -> NDArray[np.uint8]:
    shares = np.zeros((size, 2))
    if one.marks:
        begins, ends = np.array(ranges, np.int64).reshape(-1, 2).T
        for start, end, weight, share in one.marks:
            touched = (begins < max(end, start + 1)) & (ends > start)
            shares[touched, 0] += share
            if weight >= MAJOR:
                shares[touched, 1] += share
    return (np.minimum(shares, 1) * 100).astype(np.uint8)


def prepare_features(corpus: PreparedCorpus, folder: Path, note: Note) -> None:
    """Compute the missing feature shards on all cores."""
    if (folder / "features.json").is_file():
        return
    bounds = [*range(0, corpus.rows, SHARD), corpus.rows]
    missing = [i for i in range(len(bounds) - 1) if not (folder / shard_name(i)).is_file()]
    chunks = [
        (folder, start, min(start + CHUNK, bounds[i + 1]))
        for i in missing
        for start in range(bounds[i], bounds[i + 1], CHUNK)
    ]
    for number, features in zip(missing, _by_shard(_computed(chunks), missing, bounds), strict=True):
        write_tensors(folder / shard_name(number), features)
    with atomic_write(folder / "features.json", "w") as out:
        json.dump({"rows": bounds}, out)
    if missing:
        note(f"features of {count(int(pair_starts(corpus)[-1]), 'pair')} of texts computed.")


def _by_shard(parts: Iterator[Arrays], missing: Sequence[int], bounds: Sequence[int]) -> Iterator[Arrays]:
    for number in missing:
        parts_of_shard = [next(parts) for _ in range(bounds[number], bounds[number + 1], CHUNK)]
        sizes = np.concatenate([part["sizes"] for part in parts_of_shard])
        yield {
            "cells": np.concatenate([part["cells"] for part in parts_of_shard]),
            "cell_starts": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            "numbers": np.concatenate([part["numbers"] for part in parts_of_shard]),
        }


def _computed(chunks: Sequence[tuple[Path, int, int]]) -> Iterator[Arrays]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if len(chunks) < 2 or cores < 2:
        yield from map(_chunk, chunks)
        return
    with ProcessPoolExecutor(min(cores, len(chunks)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(_chunk, chunks)


def _chunk(job: tuple[Path, int, int]) -> Arrays:
    """Return features of the pairs for some rows, in pair order.

    The translation's features precede those of the other text.
    """
    folder, first, last = job
    corpus = PreparedCorpus.open(folder)
    spelling = Spelling.of(SubwordModel.of_tensors(read_tensors(folder / PIECES)).subwords)
    rows = np.arange(first, last)
    others = corpus.others(rows)
    row, places_of_pairs = np.nonzero(others >= 0)
    hypotheses, other = corpus.row_text[rows[row]], others[row, places_of_pairs]
    sizes = corpus.lengths(hypotheses) + corpus.lengths(other)
    starts = np.cumsum(sizes) - sizes
    cells = np.zeros((int(sizes.sum()), 4), np.uint8)
    numbers = np.zeros((len(row), 18), np.float32)
    for selected, order in ((places_of_pairs < REFERENCES, PLACES), (places_of_pairs == REFERENCES, SOURCE_ORDER)):
        every = np.flatnonzero(selected)
        for pairs in np.split(every, range(BLOCK, len(every), BLOCK)):
            left = SubwordTexts.of([corpus.text(text) for text in hypotheses[pairs].tolist()])
            right = SubwordTexts.of([corpus.text(text) for text in other[pairs].tolist()])
            own, others_cells, numbers[pairs] = pair_features(left, right, spelling, order)
            for i, pair in enumerate(pairs.tolist()):
                both = [own[left.starts[i] : left.starts[i + 1]], others_cells[right.starts[i] : right.starts[i + 1]]]
                cells[starts[pair] : starts[pair] + sizes[pair]] = np.concatenate(both)
    return {"cells": cells, "sizes": sizes, "numbers": numbers}
