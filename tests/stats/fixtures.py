"""Stored outputs of mt-metrics-eval's and nlpstats' own functions on random data with ties and gaps."""

from __future__ import annotations

import functools
import gzip
import json
from typing import Any

import numpy as np

from tests.data import need

NAN = float("nan")
GROUPINGS = {"none": "none", "sys": "system", "item": "item"}
NAMES = [
    *("plain", "gold_ties", "both_ties", "missing", "ties_and_missing"),
    *("constant_rows", "constant_and_missing", "two_systems", "one_item", "many_systems"),
]


@functools.cache
def fixtures() -> dict[str, Any]:
    with gzip.open(need("expected", "mtme_fixtures", "fixtures.json.gz")) as stream:
        return json.load(stream)


class Case:
    """One case: gold and two metrics as matrices, and what the reference functions gave."""

    def __init__(self, name: str) -> None:
        found = next(case for case in fixtures()["cases"] if case["name"] == name)
        shape = found["num_sys"], found["num_items"]
        self.name, self.out = name, found["out"]
        self.gold, self.metric1, self.metric2 = (
            np.array([NAN if value is None else value for value in found[key]], dtype=float).reshape(shape)
            for key in ("gold", "metric1", "metric2")
        )

    def outputs(self):
        """(metric's scores, our grouping, name of the statistic, expected), without those that raised."""
        for key, metric in (("metric1", self.metric1), ("metric2", self.metric2)):
            for short, by in GROUPINGS.items():
                for name, expected in self.out[key][short].items():
                    if "error" not in expected:
                        yield metric, by, name, expected


def numbers(values) -> list[float]:
    return [NAN if value is None else value for value in values]
