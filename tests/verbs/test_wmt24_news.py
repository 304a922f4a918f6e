"""WMT24 news: every value that mt-metrics-eval computes on it, in three settings."""

from __future__ import annotations

import csv
from collections import defaultdict

import pytest

import assay
from tests.data import SHARED, need

EXPECTED = SHARED / "expected" / "wmt24_news.csv"
SETTINGS = {
    "no_mslc": {},
    "with_mslc": {"systems": ["*"]},
    "no_mslc_human": {"humans": True},
}
COMPARED = {"no_mslc": 738, "with_mslc": 738, "no_mslc_human": 238}
SOFT = 1e-3
"""mt-metrics-eval sums in single precision, so tied draws are counted by chance (docs/meta.md)."""
CONSTANT = ("sentinel-src", "sentinel-ref")
"""Soft pairwise accuracy of a metric that gives all systems one score depends on the order of the systems."""


@pytest.mark.real
@pytest.mark.parametrize("setting", SETTINGS)
def test_every_value_of_mt_metrics_eval(setting: str) -> None:
    need("data", "wmt24_news")
    need("expected", "wmt24_news.csv")
    wanted: dict[tuple[str, str, str], dict[tuple[str, str], float]] = defaultdict(dict)
    with EXPECTED.open() as rows:
        for row in csv.DictReader(rows):
            if row["systems"] == setting:
                statistic = row["statistic"].removesuffix("_item")
                group = "item" if row["statistic"].endswith("_item") else "none"
                wanted[statistic, row["level"], group][row["langpair"], row["metric"]] = float(row["value"])
    different, compared = [], 0
    pairs = sorted({langpair for values in wanted.values() for langpair, _ in values} - {"all"})
    for (statistic, level, group), values in wanted.items():
        # Pairwise accuracy pools the language pairs that it is given.
        pooled = statistic == "pairwise_accuracy" and len(pairs) > 1
        for chosen in [pairs, *([pair] for pair in pairs if pooled)]:
            result = assay.meta(
                "wmt24-news", data_dir=SHARED / "data", langpairs=chosen, statistics=[statistic], levels=[level], groups=[group],
                contrastive=True, **SETTINGS[setting],
            )  # fmt: skip
            for row in result.table("tasks").rows:
                langpair = "all" if "+" in row["langpair"] else row["langpair"]
                if statistic == "soft_pairwise_accuracy" and row["metric"] in CONSTANT:
                    continue
                compared += 1
                tolerance = SOFT if statistic == "soft_pairwise_accuracy" else 1e-9
                if row["value"] != pytest.approx(values[langpair, row["metric"]], abs=tolerance, rel=0, nan_ok=True):
                    different.append(
                        (statistic, level, langpair, row["metric"], values[langpair, row["metric"]], row["value"])
                    )
    assert not different, different[:10]
    assert compared == COMPARED[setting]
