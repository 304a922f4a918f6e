"""Labels written as they come: decisions chunk by chunk, in memory that does not grow with them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TextIO

from assay.decide.apply import Decisions
from assay.decide.rule import Rule
from assay.decide.tables import labels_frame, warnings
from assay.decide.tally import Tally

FORMATS = ("tsv", "csv", "jsonl", "json")


def write_labels(rule: Rule, parts: Iterable[Decisions], stream: TextIO | None = None, format: str = "jsonl") -> Tally:
    """Count every part of the decisions, and write its rows to `stream` where there is one, as one of `FORMATS`.

    Rows are ``segment``, ``label``, ``breakdown_probability``, ``language`` and ``reason``; JSON has them under ``segments``,
    with ``goal``, ``counts`` and ``warnings`` around them.
    """
    counted = Tally(rule)
    separator = f'{{"goal": {json.dumps(rule.goal)}, "segments": [\n'
    for part in parts:
        if stream is not None:
            rows = labels_frame(part, len(counted) + 1)
            if format == "json":
                stream.write(separator + rows.write_ndjson().rstrip("\n").replace("\n", ",\n"))
                separator = ",\n"
            elif format == "jsonl":
                stream.write(rows.write_ndjson())
            else:
                comma, first = "\t" if format == "tsv" else ",", len(counted) == 0
                stream.write(rows.write_csv(separator=comma, include_header=first, float_precision=4))
        counted.add(part)
    if stream is not None and format == "json":
        rest = json.dumps({"counts": counted.shares(), "warnings": warnings(counted)}, ensure_ascii=False)
        stream.write(f"],\n{rest[1:]}\n")
    return counted
