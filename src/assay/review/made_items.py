"""Looking through a made set: a person accepts, rejects or edits each item; whoever stops goes on from there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import escape as glob_escape
from pathlib import Path
from typing import Any, TextIO

from assay.core.errors import InputError
from assay.core.question import Choice, ItemVerdict, Question
from assay.review.decisions import DecisionLog
from assay.review.screen import review_at

ACCEPT, REJECT, EDIT = Choice("a", "accept"), Choice("r", "reject"), Choice("e", "edit")
EDITED = "edit:"
"""How a decision begins that holds a corrected text."""


def annotate_items(
    path: str | os.PathLike[str],
    stream: TextIO,
    write: Callable[[str], Any],
    *,
    sample: int | None = None,
    seed: int = 12345,
    annotator: str | None = None,
) -> tuple[dict[str, int], Path]:
    """Ask about every item of the set at `path` that has no decision yet; write the accepted and edited ones.

    Decisions are kept in ``SET.decisions.jsonl``, the reviewed set in ``SET.reviewed.jsonl``; a decision belongs to the
    texts, so a set that is made anew keeps those that still fit. An `annotator` with a name has a decision file of their
    own; with `sample` so many items of each perturbation are asked about, those with the smallest
    hashes. How many items were accepted, edited, rejected and left
    comes back with the path of the reviewed set.
    """
    made = Path(path)
    items = list(_items(made))
    if sample is not None:
        items = _sampled(items, sample, seed)
    decisions = DecisionLog(decisions_path(made, annotator), annotator)
    questions = [_question(item) for item in items]
    texts = {question.id: item["incorrect-translation"] for question, item in zip(questions, items, strict=True)}
    review_at(stream, questions, decisions, write, ask=lambda question, line: _edited(question, line, texts))
    target = made.with_suffix(".reviewed.jsonl")
    return _write(target, items, questions, decisions), target


def decisions_path(made: Path, annotator: str | None) -> Path:
    """Where the decisions of an annotator lie, of the one without a name or of one with."""
    if annotator is not None and not annotator.replace("-", "").replace("_", "").isalnum():
        raise InputError(f"an annotator's name has letters, digits, - and _ only, not {annotator!r}.")
    return made.with_name(".".join(filter(None, [made.name, annotator, "decisions.jsonl"])))


def verdicts(path: str | os.PathLike[str]) -> list[ItemVerdict]:
    """What every annotator said about every item of the set; skipped items have no verdict."""
    made = Path(path)
    items = list(_items(made))
    identities = [_question(item).id for item in items]
    found = []
    for file in sorted(made.parent.glob(glob_escape(made.name) + "*.decisions.jsonl")):
        who = file.name.removeprefix(made.name).removesuffix("decisions.jsonl").strip(".")
        decisions = DecisionLog(file)
        for item, identity in zip(items, identities, strict=True):
            choice = decisions.get(identity, "")
            if choice == ACCEPT.name or choice == REJECT.name or choice.startswith(EDITED):
                name = str((item.get("meta") or {}).get("perturbation", item.get("phenomena", "")))
                found.append(ItemVerdict(who, identity, name, str(item.get("langpair", "")), choice != ACCEPT.name))
    return found


def _sampled(items: Sequence[dict[str, Any]], sample: int, seed: int) -> list[dict[str, Any]]:
    """So many items of each perturbation, in the order of the set."""
    groups: dict[str, list[tuple[bytes, int]]] = {}
    for number, item in enumerate(items):
        mark = hashlib.blake2b(f"{seed}\x1f{_question(item).id}".encode(), digest_size=8).digest()
        groups.setdefault(str(item.get("phenomena", "")), []).append((mark, number))
    return [
        items[number] for number in sorted(number for group in groups.values() for _, number in sorted(group)[:sample])
    ]


def _items(path: Path) -> Iterator[dict[str, Any]]:
    from assay.io.table.bad_rows import BadRows
    from assay.io.table.forms import objects

    for number, item in objects(path, BadRows()):
        if not isinstance(item.get("incorrect-translation"), str) or not isinstance(item.get("good-translation"), str):
            raise InputError(f"{path} line {number} is not an item of a made set: make one with assay make.")
        yield item


def _question(item: dict[str, Any]) -> Question:
    meta = item.get("meta") or {}
    texts = [str(item.get(name, "")) for name in ("id", "good-translation", "incorrect-translation")]
    identity = hashlib.blake2b("\x1f".join(texts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    body = [
        f"{label:<10}{item.get(name, '')}"
        for label, name in (
            ("source", "source"),
            ("reference", "reference"),
            ("good", "good-translation"),
            ("incorrect", "incorrect-translation"),
        )
        if item.get(name)
    ]
    title = f"{item.get('phenomena', '')} · {item.get('langpair', '')} · {meta.get('what', '')}"
    return Question(identity, title, tuple(body), (ACCEPT, REJECT, EDIT))


def _edited(question: Question, line: Callable[[str], str | None], texts: dict[str, str]) -> str | None:
    """The decision for a corrected text; None (the question comes again) when nothing was typed or nothing changed."""
    text = line("  incorrect: ")
    if text is None or not text.strip() or text == texts[question.id]:
        return None
    return EDITED + text


def _write(
    path: Path, items: Sequence[dict[str, Any]], questions: Sequence[Question], decisions: Mapping[str, str]
) -> dict[str, int]:
    from assay.io.files.atomic import atomic_write

    counts = {"accepted": 0, "edited": 0, "rejected": 0, "left": 0}
    with atomic_write(path, "w") as stream:
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
