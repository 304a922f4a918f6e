"""Review of a generated challenge set: annotators accept, reject or edit each item, and can resume later."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from glob import escape as glob_escape
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.review import AskQuestions, Choice, ItemVerdict, Passage, Question
from assay.io.files.atomic import atomic_write
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import objects
from assay.review.decisions import EDIT, EDITED, DecisionLog

ACCEPT, REJECT, CORRECT = Choice("a", "accept"), Choice("r", "reject"), Choice("e", EDIT)


def annotate_items(
    path: str | os.PathLike[str],
    decisions: DecisionLog,
    ask: AskQuestions,
    *,
    sample: int | None = None,
    seed: int = 12345,
) -> tuple[dict[str, int], Path]:
    """Ask about every undecided item in the set at `path`, and write the accepted and edited items.

    Decisions are stored in a file next to the set (`decisions_path`), the reviewed set in ``SET.reviewed.jsonl``. A decision
    belongs to the texts, so a set that is made again keeps the decisions that still fit. `ask` gets the questions. With
    `sample`, only that many items of each perturbation are asked about, those with the smallest hashes.

    Returns:
        The number of items accepted, edited, rejected and left, and the path of the reviewed set.
    """
    set_path = Path(path)
    items = list(_items(set_path))
    if sample is not None:
        items = _sampled(items, sample, seed)
    questions = [_question(item) for item in items]
    ask(questions)
    target = set_path.with_suffix(".reviewed.jsonl")
    return _write(target, items, questions, decisions), target


def decisions_path(set_path: Path, annotator: str | None) -> Path:
    """Return the path of an annotator's decisions; None is the annotator without a name."""
    if annotator is not None and not annotator.replace("-", "").replace("_", "").isalnum():
        raise InputError(f"an annotator's name may have only letters, digits, - and _, not {annotator!r}.")
    return set_path.with_name(".".join(filter(None, [set_path.name, annotator, "decisions.jsonl"])))


def read_all_logs(set_path: Path) -> dict[str, DecisionLog]:
    """Return the decisions of every annotator of a set by name; the annotator without a name has the empty name."""
    files = sorted(set_path.parent.glob(glob_escape(set_path.name) + "*.decisions.jsonl"))
    names = [file.name.removeprefix(set_path.name).removesuffix("decisions.jsonl").strip(".") for file in files]
    return {name: DecisionLog(file) for name, file in zip(names, files, strict=True)}


def read_verdicts(path: str | os.PathLike[str]) -> list[ItemVerdict]:
    """Return every annotator's verdict on every item of the set, except skipped items."""
    set_path = Path(path)
    items = list(_items(set_path))
    identities = [_question(item).id for item in items]
    verdicts = []
    for annotator, decisions in read_all_logs(set_path).items():
        for item, identity in zip(items, identities, strict=True):
            choice = decisions.get(identity, "")
            if choice == ACCEPT.name or choice == REJECT.name or choice.startswith(EDITED):
                name = str((item.get("meta") or {}).get("perturbation", item.get("phenomena", "")))
                verdicts.append(
                    ItemVerdict(annotator, identity, name, str(item.get("langpair", "")), choice != ACCEPT.name)
                )
    return verdicts


def _sampled(items: Sequence[dict[str, Any]], sample: int, seed: int) -> list[dict[str, Any]]:
    """Return `sample` items of each perturbation, in the order of the set."""
    groups: dict[str, list[tuple[bytes, int]]] = {}
    for number, item in enumerate(items):
        mark = hashlib.blake2b(f"{seed}\x1f{_question(item).id}".encode(), digest_size=8).digest()
        groups.setdefault(str(item.get("phenomena", "")), []).append((mark, number))
    return [
        items[number] for number in sorted(number for group in groups.values() for _, number in sorted(group)[:sample])
    ]


def _items(path: Path) -> Iterator[dict[str, Any]]:
    for number, item in objects(path, BadRows()):
        if not isinstance(item.get("incorrect-translation"), str) or not isinstance(item.get("good-translation"), str):
            raise InputError(f"{path} line {number} is not an item of a set written by assay make.")
        yield item


def _question(item: dict[str, Any]) -> Question:
    meta = item.get("meta") or {}
    texts = [str(item.get(name, "")) for name in ("id", "good-translation", "incorrect-translation")]
    identity = hashlib.blake2b("\x1f".join(texts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    source_language, _, language = str(item.get("langpair", "")).partition("-")
    passages = [
        Passage(label, str(item[name]), source_language if label == "source" else language, against=against)
        for label, name, against in (
            ("source", "source", ""),
            ("reference", "reference", ""),
            ("good", "good-translation", "incorrect"),
            ("incorrect", "incorrect-translation", "good"),
        )
        if item.get(name)
    ]
    title = f"{item.get('phenomena', '')} · {item.get('langpair', '')} · {meta.get('what', '')}"
    return Question(identity, title, tuple(passages), (ACCEPT, REJECT, CORRECT), texts[2])


def _write(
    path: Path, items: Sequence[dict[str, Any]], questions: Sequence[Question], decisions: Mapping[str, str]
) -> dict[str, int]:
    counts = {"accepted": 0, "edited": 0, "rejected": 0, "left": 0}
    with atomic_write(path, "w", typed=True) as stream:
        for item, question in zip(items, questions, strict=True):
            choice = decisions.get(question.id, "")
            if choice.startswith(EDITED):
                about = item.get("meta") or {}
                meta = {key: value for key, value in about.items() if key not in ("changes", "spans")}
                text = choice.removeprefix(EDITED)
                item = {**item, "incorrect-translation": text, "meta": {**meta, "edited": True}}
                counts["edited"] += 1
            elif choice == ACCEPT.name:
                counts["accepted"] += 1
            else:
                counts["rejected" if choice == REJECT.name else "left"] += 1
                continue
            stream.write(json.dumps(item, ensure_ascii=False) + "\n")
    return counts
