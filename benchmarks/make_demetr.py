"""Benchmark: DEMETR's 35 perturbations made by rule, compared with those that its authors made and checked by hand.

    python benchmarks/make_demetr.py SHARED [--seed 7]

SHARED holds data/demetr and expected/demetr_perturbations.csv. The rules are applied to DEMETR's own 1,000 translations. For
each perturbation the script prints the number of sentences it applies to and the number required (DEMETR's checked items; 70%
of them if people wrote the change; DEMETR's own unchanged items do not count), the results that failed their check, and the
accuracy of chrF, BLEU and TER on assay's items and on DEMETR's. At the end it prints the time relative to one parse.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np

from assay.core.batch import Batch, Segment
from assay.core.metric import Metric
from assay.metrics import build_metrics
from assay.perturb import PERTURBATIONS
from assay.perturb.language.tools import LinguisticTools
from assay.perturb.making.maker import CHUNK, Attempt, Maker

Pairs = list[tuple[str, str, str]]

LANGUAGES = {
    "chinese_simple": "zh",
    "czech": "cs",
    "french": "fr",
    "german": "de",
    "hindi": "hi",
    "italian": "it",
    "japanese": "ja",
    "polish": "pl",
    "russian": "ru",
    "spanish": "es",
}
TOLERANCE = 8.0


def read(folder: Path, name: str) -> list[dict[str, str]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def segments(rows: list[dict[str, str]]) -> list[Segment]:
    return [
        Segment(
            hypothesis=row["mt_sent"],
            source=row["src_sent"],
            references=(row["eng_sent"],),
            langpair=f"{LANGUAGES[row['lang_tag']]}-en",
            id=str(row["id"]),
        )
        for row in rows
    ]


def accuracy(metric: Metric, pairs: Pairs, reverse: bool) -> float:
    references = ([reference for *_, reference in pairs],)
    good = metric.score(Batch([good for good, *_ in pairs], None, references)).values
    bad = metric.score(Batch([bad for _, bad, _ in pairs], None, references)).values
    sign = 1 if metric.card.higher_is_better else -1
    hits = sign * good > sign * bad
    return float(100 * np.mean(~hits if reverse else hits))


def made_pairs(outcomes: list[Attempt], spec: str) -> Pairs:
    items = [json.loads(outcome.line) for outcome in outcomes if outcome.spec == spec and outcome.line]
    return [(item["good-translation"], item["incorrect-translation"], item["reference"]) for item in items]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    folder = args.shared / "data" / "demetr"
    with (args.shared / "expected" / "demetr_perturbations.csv").open(encoding="utf-8") as lines:
        facts = list(csv.DictReader(lines))
    names = [name for name in PERTURBATIONS.entries if _follows_demetr(name)]
    corpus = segments(read(folder, facts[0]["file"]))

    tools = LinguisticTools()
    tools.get("parse", "en")
    started = time.process_time()
    tools.prepare([segment.hypothesis for segment in corpus], "en")
    parsing = time.process_time() - started

    maker = Maker(names, args.seed, corpus)
    maker.tools.get("parse", "en")
    rows = list(enumerate(corpus, 1))
    started = time.process_time()
    outcomes = [o for at in range(0, len(rows), CHUNK) for o in maker.chunk(rows[at : at + CHUNK], {"en": names})]
    making = time.process_time() - started

    metrics = build_metrics(["chrf", "bleu", "ter"])
    print(
        " n  perturbation                  applied  needed  failed   chrF assay/DEMETR  BLEU assay/DEMETR  TER assay/DEMETR"
    )
    close = enough = 0
    failed = Counter(outcome.spec for outcome in outcomes if outcome.failed)
    for number, (name, fact) in enumerate(zip(names, facts, strict=True), 1):
        theirs = [row for row in read(folder, fact["file"]) if row["pert_check"]]
        changed = sum(row["mt_sent"] != row["pert_sent"] for row in theirs)
        needed = -(-len(theirs) * 7 // 10) if fact["made"] == "manual" else changed
        ours = made_pairs(outcomes, name)
        pairs = [(row["mt_sent"], row["pert_sent"], row["eng_sent"]) for row in theirs]
        cells, within = [], True
        for metric in metrics.values():
            a, b = accuracy(metric, ours, False), accuracy(metric, pairs, number == len(names))
            within &= abs(a - b) <= TOLERANCE
            cells.append(f"{a:6.1f} / {b:5.1f}")
        close += within
        enough += len(ours) >= needed
        marks = ("" if len(ours) >= needed else " <- too few") + ("" if within else " <- too far")
        print(f"{number:2}  {name:<29} {len(ours):7} {needed:7} {failed[name]:7}   {'     '.join(cells)}{marks}")
    print(
        f"{enough} of {len(names)} apply often enough; {close} of {len(names)} within {TOLERANCE:g} points on all three"
    )
    print(
        f"processor time: parsing once {parsing:.1f} s, parsing and making all {making:.1f} s: {making / parsing:.2f} times"
    )


def _follows_demetr(name: str) -> bool:
    return any(entry.startswith("DEMETR") for entry in PERTURBATIONS.resolve(name).card.follows)


if __name__ == "__main__":
    main()
