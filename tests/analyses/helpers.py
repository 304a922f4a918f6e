"""Items and measurements made by hand, and small readers of the real data (independent of the suites' loaders)."""

from __future__ import annotations

import csv
import functools
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.core import Batch, Card, Item, Judged, Measured, Metric, Table
from tests.data import need


def card(name: str, **changes: Any) -> Card:
    fields: dict[str, Any] = {
        "name": name,
        "label": name,
        "needs": "reference",
        "higher_is_better": True,
        "range": (None, None),
        "meaning": "",
    }
    return Card(**fields | changes)


def measured(name: str, good: Iterable[float], incorrect: Iterable[float], **changes: Any) -> Measured:
    contaminated = changes.pop("contaminated", False)
    good, incorrect = np.array(list(good), float), np.array(list(incorrect), float)
    return Measured(name, card(name, **changes), good, incorrect, contaminated=contaminated)


def item(i: int, phenomenon: str = "x", **fields: Any) -> Item:
    given = {"source": f"s{i}", "reference": f"r{i}", "good": f"g{i}", "incorrect": f"b{i}"} | fields
    return Item(id=str(i), phenomenon=phenomenon, **given)


def measure(metric: Metric, items: Sequence[Item]) -> Measured:
    """Score every item's good and incorrect translation."""
    references = ([one.reference for one in items],)
    good = metric.score(Batch([one.good for one in items], references=references)).values
    incorrect = metric.score(Batch([one.incorrect for one in items], references=references)).values
    return Measured(metric.card.name, metric.card, good, incorrect)


def by(rows: Iterable[Mapping[str, Any]], *keys: str) -> dict[Any, Mapping[str, Any]]:
    """Rows by one key or by a tuple of keys, which must be unique."""
    rows = list(rows)
    found = {row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys): row for row in rows}
    assert len(found) == len(rows)
    return found


def only(table: Table, **wanted: Any) -> Mapping[str, Any]:
    """The one row of a table that has these values."""
    (row,) = (row for row in table.rows if all(row[key] == value for key, value in wanted.items()))
    return row


def expected(name: str) -> list[dict[str, str]]:
    with need("expected", name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def printed_equal(printed: str, value: float) -> bool:
    """Whether `value` rounds to what a paper printed."""
    if printed.startswith("<"):
        return value < float(printed[1:])
    decimals = len(printed.partition(".")[2])
    return abs(value - float(printed)) <= 0.5000001 * 10**-decimals


@functools.cache
def demetr_items() -> list[Item]:
    items = []
    for row in expected("demetr_perturbations.csv"):
        with gzip.open(need("data", "demetr", f"{row['file']}.jsonl.gz"), "rt", encoding="utf-8") as lines:
            for line in lines:
                raw = json.loads(line)
                if raw["pert_check"]:
                    items.append(
                        Item(
                            id=f"{row['perturbation']}-{raw['id']}",
                            source=raw["src_sent"],
                            reference=raw["eng_sent"],
                            good=raw["mt_sent"],
                            incorrect=raw["pert_sent"],
                            phenomenon=row["label"],
                            severity=row["severity"],
                            langpair=f"{raw['lang_tag'][:2]}-en",
                            meta={"perturbation": int(row["perturbation"])},
                        )
                    )
    return items


@functools.cache
def aces_items() -> list[Item]:
    with gzip.open(need("data", "aces_subset", "aces.tsv.gz"), "rt", encoding="utf-8", newline="\n") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines][1:]
    return [
        Item(
            str(i),
            *(_unquoted(field) for field in (row[0], row[3], row[1], row[2])),
            phenomenon=row[4],
            langpair=row[5],
        )
        for i, row in enumerate(rows)
    ]


def _unquoted(field: str) -> str:
    if len(field) > 1 and field[0] == field[-1] == '"':
        return field[1:-1].replace('""', '"')
    return field


@functools.cache
def hallucinations() -> Judged:
    path = need("data", "hallucinations", "guerreiro2022_corpus_w_annotations.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    batch = Batch(
        [row["mt"] for row in rows],
        sources=[row["src"] for row in rows],
        references=([row["ref"] for row in rows],),
    )
    names = {"correctness": "correct"} | {
        name: name for name in ("repetitions", "named-entities", "omission", "strong-unsupport", "full-unsupport")
    }
    labels = {label: np.array([row[name] == "1" for row in rows]) for name, label in names.items()}
    return Judged(batch, labels=labels)
