"""Readers of documents that assay or a person wrote for assay, and of mt-metrics-eval trees."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.target import Target, comma, jsonl, keyed, tsv


def documents() -> list[Target]:
    """Rules, cards, receipts, manifests: what assay or a person wrote for assay."""
    import numpy as np

    from assay.core.metric import Card
    from assay.core.suite import Measured
    from assay.decide.apply import decide
    from assay.decide.fit import fit
    from assay.decide.goals import Catch
    from assay.decide.rule import Member
    from assay.engine.manifest import InputFile, Manifest
    from assay.receipts.published import load_publication, load_receipts
    from assay.verbs.check import _changes
    from assay.verbs.decide import read_rule
    from assay.verbs.shared.metric_card import read_card

    rng = np.random.default_rng(1)
    quality = rng.normal(50, 10, 60)
    card = Card("chrf", "chrF", "reference", True, (0, 100), "", decimals=1)
    measured = [Measured("chrf", card, values=quality), Measured("two", card, values=quality + rng.normal(0, 5, 60))]
    members = [Member.of(one, "s") for one in measured]
    good = quality + rng.normal(0, 8, 60) > 45
    scores = {"chrf": quality, "two": quality}
    rule = fit(members, scores, good, ["es"] * 30 + ["de"] * 30, Catch(0.8)).to_dict()

    def read_and_decide(path: Path) -> None:
        read = read_rule(path)
        new = {member.name: np.array([0.1, 50.0, np.nan]) for member in read.members}
        decide(read, new, ["es", "de-en", "x"])

    row = {"phenomenon": "addition", "category": "Addition", "accuracy": 0.5, "unscored": 0, "items": 4}
    results = {
        "embedded": {
            "phenomena": [row, {**row, "phenomenon": "omission", "accuracy": None}],
            "summary": [{"metric": "chrf"}],
        }
    }
    written = {"metric": "chrf", "signature": "s", "settings": {"seed": 1, "samples": 2}, "results": results}

    def held(path: Path) -> None:
        read = read_card(path)
        for suite, tables in read["results"].items():
            for change in _changes(suite, tables, results["embedded"], 0.0, {}):
                assert change.verdict

    receipts = [
        ["table", "row", "column", "published", "tolerance", "derivable", "reason"],
        ["Table 1", "chrF", "tau", "0.123", "", "yes", ""],
        ["Table 1", "BLEU", "tau", "<0.001", "0.01", "no", "not public"],
    ]

    def load(path: Path) -> None:
        load_publication(path.with_suffix(".csv"))
        for receipt in load_receipts(path.with_suffix(".csv")):
            receipt.verdict(0.5)
            receipt.difference(0.5)

    manifest = Manifest("score", {"chrf": "s"}, (InputFile("a", 1, "b"),), {"segments": 1}, 1).finish()
    publication = {"suite": "aces", "citation": "A 2022", "tables": {"Table 1": "x"}, "notes": ["n"]}
    return [
        Target("rule", "a.json", json.dumps(rule).encode(), read_and_decide, weight=0.5),
        Target("card", "a.json", json.dumps(written).encode(), held),
        Target("receipts", "a.csv", comma(receipts), load),
        Target("publication", "a.json", json.dumps(publication).encode(), load, (("a.csv", comma(receipts)),)),
        Target("manifest", "a.json", json.dumps(asdict(manifest)).encode(), Manifest.read),
    ]


TREE = {
    "sources/en-de.txt": b"one\ntwo\n",
    "references/en-de.refA.txt": b"eins\nzwei\n",
    "documents/en-de.docs": b"news\td1\nnews\td2\n",
    "system-outputs/en-de/A.txt": b"eins\nzwo\n",
    "system-outputs/en-de/B.txt": b"ein\nzwei\n",
    "system-outputs/en-de/refA.txt": b"eins\nzwei\n",
    "human-scores/en-de.mqm.seg.score": b"A\t0\nA\t-1\nB\tNone\nB\t-5\n",
    "human-scores/en-de.mqm.sys.score": b"A\t-1\nB\t-2\n",
    "metric-scores/en-de/chrF-refA.seg.score": b"A\t1.5\nA\t2\nB\t3\nB\t4\n",
    "metric-scores/en-de/chrF-refA.domain.score": b"news\tA\t1\nnews\tB\t2\n",
    "human-scores/en-de.mqm.merged.seg.rating": b"".join(
        system
        + b'\t{"errors": [{"start": 0, "end": 2, "category": "x", "severity": "major", "score": 5, "is_source_error": false}]}\n'
        for system in (b"A", b"A", b"B", b"B")
    ),
}


def trees() -> list[Target]:
    """mt-metrics-eval trees: every kind of file in one, archives, and new metrics for one."""
    from assay.io.wmt.files import langpairs
    from assay.io.wmt.metric_files import read_metric
    from assay.io.wmt.tree import read_eval_set
    from assay.suites.wmt import pair_facts

    def tree(folder: Path) -> None:
        langpairs(folder)
        found = read_eval_set(folder, "en-de")
        for scores in (found.human, found.metrics):
            for name in scores:
                scores[name]
        for rater in found.raters:
            found.ratings(rater)
        pair_facts(found, None)

    def archive(path: Path) -> None:
        tree(path.parent)

    def metric(path: Path) -> None:
        root = path.parent.parent / "whole"
        read_metric(str(path), {"en-de": read_eval_set(root, "en-de")})

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in TREE.items():
            entry = tarfile.TarInfo(f"wmt/{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    whole = tuple(TREE.items())
    found = [
        Target("tree.tar", "tar/en-de.tar", packed.getvalue(), archive),
        Target("tree.tar.gz", "tgz/en-de.tar.gz", gzip.compress(packed.getvalue()), archive),
    ]
    for name, content in whole:
        beside = tuple((f"tree/{other}", text) for other, text in whole if other != name)
        depth = len(Path(name).parts) - 1
        kind = ".ratings" if name.endswith("rating") else ".tsv"
        read = lambda path, up=depth: tree(path.parents[up])  # noqa: E731
        found.append(Target(f"tree.{name}", f"tree/{name}", content, read, beside, kind, 0.5))
    table = [["langpair", "system", "segment", "score"], ["en-de", "A", "1", "0.5"], ["en-de", "B", "2", "1.5"]]
    beside = tuple((f"whole/{name}", text) for name, text in whole)
    return [
        *found,
        Target("tree.metric.tsv", "m/new.tsv", tsv(table), metric, beside),
        Target("tree.metric.jsonl", "m/new.jsonl", jsonl(keyed(table)), metric, beside),
        Target(
            "tree.metric.score",
            "en-de/new-refA.seg.score",
            TREE["metric-scores/en-de/chrF-refA.seg.score"],
            metric,
            beside,
            ".tsv",
        ),
    ]
