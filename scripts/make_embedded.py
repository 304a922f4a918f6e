"""Write src/assay/data/embedded/generated.jsonl: DEMETR's 35 perturbations of the embedded suite's base segments.

    python scripts/make_embedded.py

Needs the extra `make` and WordNet. The same seed gives the same bytes. Each perturbation gives at most `MOST` items, distributed
over the language pairs. Items have the papers' names and categories, so that they share tables with those written by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

from assay.core.batch import Batch
from assay.data import rows
from assay.suites.embedded import base_segments, items_of
from assay.verbs.make import make

SEED, MOST = 7, 54
OUT = Path(__file__).resolve().parents[1] / "src" / "assay" / "data" / "embedded" / "generated.jsonl"


def main() -> None:
    """Write the file and print the number of items per phenomenon."""
    base = base_segments()
    batch = Batch(
        hypotheses=[segment.good for segment in base],
        sources=[segment.source for segment in base],
        references=([segment.reference for segment in base],),
        langpairs=[segment.langpair for segment in base],
        ids=[segment.id for segment in base],
    )
    made = make(["demetr"], batch, n=MOST, seed=SEED)
    facts = {row["phenomenon"]: row for row in rows("demetr_perturbations.csv")}
    aces = {row["phenomenon"]: row["category"] for row in rows("aces_phenomena.csv")}
    by_hand = {
        (item.source, item.good, item.incorrect) for name in ("first.jsonl", "hand.jsonl") for item in items_of(name)
    }
    written: dict[str, int] = {}
    lines = []
    for item in made.items():
        if (item["source"], item["good-translation"], item["incorrect-translation"]) in by_hand:
            continue
        fact = facts[item["phenomena"]]
        number = written[item["phenomena"]] = written.get(item["phenomena"], 0) + 1
        lines.append(
            {
                "id": f"demetr-{int(fact['perturbation']):02}-{number:02}",
                "langpair": item["langpair"],
                "source": item["source"],
                "reference": item["reference"],
                "good": item["good-translation"],
                "incorrect": item["incorrect-translation"],
                "phenomenon": item["phenomena"],
                "category": aces.get(item["phenomena"], fact["category"]),
                "severity": fact["severity"],
                "meta": {"base": item["meta"]["segment"], "what": item["meta"]["what"]},
            }
        )
    OUT.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines):,} items of {len(written)} phenomena: {min(written.values())} to {max(written.values())} each")


if __name__ == "__main__":
    main()
