"""Test fixture: values of mt-metrics-eval on WMT23 under other settings, which ``assay meta wmt23`` with options must
reproduce.

    git clone https://github.com/google-research/mt-metrics-eval
    python scripts/make_wmt23_variants.py mt-metrics-eval FOLDER tests/fixtures/wmt23_variants.csv

FOLDER holds the tree, or one archive per language pair (``en-de.tar.xz``). The checkout is used with two changes: Apache Beam
and dacite, which are not needed, are replaced by stubs; and systems are in alphabetical order instead of the order of a set
(soft pairwise accuracy depends on the order by up to 5e-4). The table has one row per task and one column per metric, for all
submissions.
"""

from __future__ import annotations

import csv
import sys
import tarfile
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

PAIRS = ("en-de", "he-en", "zh-en")
OURS = {"accuracy": "pairwise_accuracy", "KendallWithTiesOpt": "acc_t", "pce": "soft_pairwise_accuracy"}
GROUPS = {"sys": "system"}
SETTINGS = ("langpairs", "level", "statistic", "grouping", "gold", "domain", "human")


def settings(domains: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Return the tasks: other human scores, every domain, other statistics and groupings, with and without human translations."""
    found: list[dict[str, Any]] = []

    def add(lang: str, level: str, corr_fcn: str, avg_by: str = "none", **more: Any) -> None:
        for human in (True, False) if "he-en" in lang and "domain" not in more else (False,):
            found.append({"lang": lang, "level": level, "corr_fcn": corr_fcn, "avg_by": avg_by, "human": human, **more})

    add(",".join(PAIRS), "sys", "accuracy", gold=["mqm"] * 3)
    add(",".join(PAIRS), "sys", "accuracy", gold=["mqm"] * 3, domain="news")
    add("en-de,zh-en", "sys", "accuracy", gold=["da-sqm"] * 2)
    for pair in PAIRS:
        for gold in ("mqm",) if pair == "he-en" else ("mqm", "da-sqm"):
            for statistic in ("pearson", "spearman", "kendall", "pce"):
                add(pair, "sys", statistic, gold=gold)
            for statistic in ("pearson", "spearman", "kendall"):
                add(pair, "seg", statistic, gold=gold)
            add(pair, "seg", "kendall", "item", gold=gold)
            add(pair, "seg", "pearson", "sys", gold=gold)
        for domain in domains[pair]:
            add(pair, "sys", "pearson", gold="mqm", domain=domain)
            add(pair, "seg", "pearson", gold="mqm", domain=domain)
    add("en-de", "seg", "kendall", "item", gold="mqm", domain="news")
    add("en-de", "seg", "KendallWithTiesOpt", "item", gold="da-sqm", corr_fcn_args={"sample_rate": 1.0})
    return found


def stand_in() -> None:
    """Install stubs for modules that mt-metrics-eval imports but does not call here."""
    for name in ("apache_beam", "dacite"):
        sys.modules[name] = ModuleType(name)


def in_order(data: Any, stats: Any) -> None:
    """Use systems in alphabetical order."""

    def correlation(self: Any, gold: Any, metric: Any, systems: Any) -> Any:
        names = sorted(systems)
        columns = ([score for name in names for score in scores[name]] for scores in (gold, metric))
        return stats.Correlation(len(names), *columns)

    data.EvalSet.Correlation = correlation


def main() -> None:
    """Run the tasks and write the table."""
    checkout, folder, out = (Path(argument).resolve() for argument in sys.argv[1:4])
    stand_in()
    sys.path.insert(0, str(checkout))
    from mt_metrics_eval import data, stats, tasks  # type: ignore[import-not-found]

    in_order(data, stats)
    with tempfile.TemporaryDirectory() as place:
        root = folder.parent
        if archives := sorted(folder.glob("??-??.tar.xz")):
            root = Path(place)
            for archive in archives:
                with tarfile.open(archive) as packed:
                    packed.extractall(root, filter="data")
        sets = {("wmt23", pair): data.EvalSet("wmt23", pair, True, path=str(root)) for pair in PAIRS}
    rows, metrics = [], set()
    for given in settings({pair: list(sets["wmt23", pair].domain_names) for pair in PAIRS}):
        result = tasks.Task("wmt23", primary=False, k=0, **given).Run(sets)
        values = {name.strip("*").removesuffix("[noref]"): corr for name, (corr, _) in result.corr_ranks.items()}
        gold = given["gold"]
        row = {
            "langpairs": given["lang"].replace(",", "+"),
            "level": given["level"],
            "statistic": OURS.get(given["corr_fcn"], given["corr_fcn"]),
            "grouping": GROUPS.get(given["avg_by"], given["avg_by"]),
            "gold": gold if isinstance(gold, str) else gold[0],
            "domain": given.get("domain", ""),
            "human": given["human"],
        }
        metrics |= set(values)
        rows.append({**row, **{name: f"{value:.12g}" for name, value in values.items()}})
        print(*row.values(), len(values), flush=True)
    with out.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*SETTINGS, *sorted(metrics)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
