"""How often annotators agree with a difference: counts from the WMT23 files, published curves, and when nothing is said."""

from __future__ import annotations

import csv
import tarfile
from itertools import combinations
from pathlib import Path

import pytest
import sacrebleu

import assay
from assay.data import rows
from assay.data.agreement import AgreementTable, Bin, Share, about, agreement, group_of, group_of_all
from tests.data import need


@pytest.mark.real
def test_counts_are_those_of_the_wmt23_files(tmp_path: Path) -> None:
    """BLEU by sacrebleu and MQM as the files have it, en-de: the bins of pairs from English."""
    with tarfile.open(need("data", "wmt23") / "en-de.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    root = tmp_path / "wmt23"
    with (root / "human-scores" / "en-de.mqm.sys.score").open(encoding="utf-8") as lines:
        people = {system: float(score) for system, score in csv.reader(lines, delimiter="\t") if score != "None"}

    def lines_of(path: Path) -> list[str]:
        return path.read_text(encoding="utf-8").rstrip("\n").split("\n")

    reference = lines_of(root / "references" / "en-de.refA.txt")
    systems = [name for name in people if name != "refA"]
    bleu = {
        name: sacrebleu.corpus_bleu(lines_of(root / "system-outputs" / "en-de" / f"{name}.txt"), [reference]).score
        for name in systems
    }
    better = sorted(systems, key=people.__getitem__, reverse=True)[: (len(systems) + 1) // 2]
    assert len(systems) == 12 and len(better) == 6  # 15 pairs of the better half: too few for a row
    found = [
        (abs(bleu[a] - bleu[b]), (bleu[a] > bleu[b]) == (people[a] > people[b]))
        for a, b in combinations(systems, 2)
        if people[a] != people[b]
    ]
    mine = [row for row in rows("agreement.csv") if (row["metric"], row["languages"]) == ("bleu", "from English")]
    assert {row["systems"] for row in mine} == {"all"}
    assert sum(int(row["pairs"]) for row in mine) == len(found)
    for row in mine:
        inside = [agree for size, agree in found if float(row["low"]) <= size <= float(row["high"]) * (1 + 1e-4)]
        assert (len(inside), sum(inside)) == (int(row["pairs"]), int(row["agree"]))


def test_no_share_rests_on_fewer_than_20_pairs() -> None:
    found = rows("agreement.csv")
    assert {"assay-mini", "bleu", "chrf", "ter"} <= {row["metric"] for row in found}
    for row in found:
        share = int(row["agree"]) / int(row["pairs"])
        assert int(row["pairs"]) >= 20
        assert float(row["agree_low"]) - 1e-3 <= share <= float(row["agree_high"]) + 1e-3
        assert float(row["agree_high"]) - float(row["agree_low"]) > 0.08  # no certainty from a few dozen pairs
    few = AgreementTable({("all", "all"): [Bin(0, 10, Share(0.9, 0.7, 1.0, 19))]})
    assert few.at(5) is None
    table = agreement("chrf")
    assert table is not None and table.at(1000) is None
    assert agreement("my-metric") is None


def certain(metric: str) -> AgreementTable:
    known = agreement(metric)
    assert known is not None
    return AgreementTable({("all", "all"): [Bin(0, 100, Share(1.0, 0.9, 1.0, 40))]}, known.curve)


@pytest.mark.parametrize(
    ("metric", "difference", "published"),
    [
        ("bleu", 1, 0.64), ("bleu", 2.34, 0.80), ("bleu", 8, 0.883), ("bleu", 50, 0.883),
        ("chrf", 1, 0.70), ("chrf", 1.63, 0.80), ("chrf", 2, 0.84), ("chrf", 3.05, 0.90), ("chrf", 6, 0.93),
    ],
)  # fmt: skip
def test_mt_thresholds_caps_the_share(metric: str, difference: float, published: float) -> None:
    """Printed by MT-Thresholds' own tool (Kocmi et al. 2024)."""
    found = certain(metric).at(-difference)
    assert found is not None
    assert found.published == pytest.approx(published, abs=0.006)
    assert found.share == found.published < found.wmt23.share == 1.0


def test_where_releases_are_decided_the_share_is_lower() -> None:
    """chrF differences of 2 to 5 between the better systems: 3 of 9 pairs agree for the six best systems of zh-en."""
    known = agreement("chrf")
    assert known is not None
    for difference in (2.5, 4.0):
        found = known.at(difference, "into English")
        assert found is not None and found.better is not None
        assert found.better.share < found.wmt23.share and found.better.low < 0.5


def test_the_curve_never_promises_more_than_larger_differences_had() -> None:
    known = agreement("bleu")
    assert known is not None and known.pairs == 237
    points = known.points()
    sizes, shares = [point[0] for point in points], [point[1] for point in points]
    assert sizes == sorted(sizes) and shares == sorted(shares) and max(shares) <= 0.884
    for size, share, low, high in points:
        assert low <= share <= high
        found = known.at(size)
        assert found is not None
    # 79% between 5.4 and 7.1, though 95% between 3.2 and 5.4.
    assert max(share for size, share, *_ in points if size < 5.3) <= 0.8


def test_groups_of_languages() -> None:
    assert [group_of(pair) for pair in ("en-de", "zh-en", "de-fr", "eng_Latn-zho_Hans", "de")] == [
        "from English", "into English", "all", "from English", "all",
    ]  # fmt: skip
    assert group_of_all(["en-de", "en-zh"]) == "from English"
    assert group_of_all(["en-de", "zh-en"]) == group_of_all([None]) == group_of_all([]) == "all"
    assert [about(share) for share in (0.33, 0.5, 0.97, 1.0)] == ["about 35%", "about 50%", "about 95%", "over 95%"]


REFS = [f"the {word} is in the old house number {i}" for i, word in enumerate(["dog", "cat", "man"] * 8)]
WORSE = [ref.replace("the", "a").replace("old", "ancient") for ref in REFS]


def test_agreement_is_reported_only_as_it_was_measured() -> None:
    def found(
        mt: list[str], references: object = REFS, metric: str = "chrf", **more: object
    ) -> assay.verbs.compare.Comparison:
        return assay.compare({"a": WORSE, "b": mt}, references, metrics=[metric], samples=200, trials=200, **more)  # type: ignore[arg-type]

    nearer = [ref.replace("the", "a") for ref in REFS]
    result = found(nearer, langpair="de-en")
    standing = result.standings["b"]["chrf"]
    assert standing.better and standing.agreement is not None and standing.difference is not None
    known = agreement("chrf")
    assert known is not None and standing.agreement == known.at(standing.difference, "into English")
    told = result.to_dict()["systems"]["b"]["chrf"]
    assert told["people_agree"] == standing.agreement.share and told["agreement"]["wmt23"]["pairs"] >= 20
    assert "annotators agree" in repr(result.tables["differences"]._repr_html_())
    for other in (
        found(nearer, [REFS, REFS]),  # two references
        found(nearer, metric="chrf:beta=1"),  # another chrF
        found([nearer[0], *WORSE[1:]]),  # not significant
    ):
        assert all(one.people_agree is None for one in other.standings["b"].values())
        assert "annotators" not in repr(other.tables["differences"]._repr_html_())
