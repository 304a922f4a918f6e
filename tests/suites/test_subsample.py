from __future__ import annotations

from assay.suites.subsample import quotas, subsample
from assay.verbs.run import run
from tests.analyses.helpers import item


def test_a_subsample_keeps_the_proportions_of_the_language_pairs() -> None:
    # Shares of 10 for 60, 30 and 11 of 101: 5.94, 2.97 and 1.09, so 6, 3 and 1 (largest remainders first).
    assert quotas([60, 30, 11], 10) == [6, 3, 1]
    assert quotas([3, 4], 10) == [3, 4]
    sizes = {("a", "de-en"): 60, ("a", "fr-en"): 30, ("a", "zh-en"): 11, ("b", "de-en"): 4}
    items = [item(i, *key[:1], langpair=key[1]) for key, n in sizes.items() for i in range(n)]
    kept = subsample(items, 10, seed=1)
    counts = {key: sum((one.phenomenon, one.langpair) == key for one in kept) for key in sizes}
    assert list(counts.values()) == [6, 3, 1, 4]
    assert kept == subsample(items, 10, seed=1) != subsample(items, 10, seed=2)
    alone = [one for one in kept if one.phenomenon == "a"]
    assert alone == subsample([one for one in items if one.phenomenon == "a"], 10, seed=1)
    found = run("embedded", ["chrf"], samples=5, subsample=2)
    assert max(row["n"] for row in found.tables["phenomena"].rows) == 2
