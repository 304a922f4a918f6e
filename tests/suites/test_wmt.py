import csv
from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError, UnknownName
from assay.io.wmt.tree import read_eval_set
from assay.suites import SUITES
from assay.suites.wmt import Wmt, Wmt23, card_of, facts, judged_systems, pair_facts, years
from tests import wmt
from tests.data import need


def test_facts_of_the_years():
    assert years() == ["wmt22", "wmt23", "wmt24", "wmt24-news", "wmt25"]
    official = facts("wmt23")
    assert {pair: official.langpairs[pair].standard_reference for pair in ("en-de", "he-en", "zh-en")} == {
        "en-de": "refA",
        "he-en": "refB",
        "zh-en": "refA",
    }
    assert official.langpairs["zh-en"].outliers == ("synthetic_ref",)
    assert [official.kind(name) for name in ("chrF", "XCOMET-Ensemble", "XCOMET-XL")] == [
        "baseline",
        "primary",
        "contrastive",
    ]
    assert facts("wmt24").langpairs["en-de"].standard_reference == "refB"
    with pytest.raises(UnknownName, match=r"unknown WMT test set 'wmt32'. Did you mean"):
        facts("wmt32")


@pytest.mark.real
def test_primary_metrics_are_those_of_the_official_table():
    with need("expected", "wmt23_overall.csv").open(encoding="utf-8") as lines:
        assert set(facts("wmt23").primary) == {row["metric"] for row in csv.DictReader(lines)}


def test_cards_find_their_folder():
    assert card_of("wmt23") is Wmt23.card
    assert card_of("wmt22").folders == ("wmt22",)
    assert SUITES.resolve("wmt23") is Wmt23


def test_a_tree_without_facts(tmp_path: Path):
    wmt.make_pair(tmp_path, "xx-yy", metrics=("M-refA", "M-refB", "Q-src"))
    found = read_eval_set(tmp_path, "xx-yy")
    about = pair_facts(found, None)
    assert (about.standard_reference, about.gold["seg"]) == ("refA", "mqm")
    judged = judged_systems(found, about)
    assert list(judged.metrics) == ["M", "Q"]
    assert [system for system in judged.systems if system in judged.references] == ["refA", "refB"]
    assert np.array_equal(judged.metrics["M"].sys, found.metrics["M-refA"].sys, equal_nan=True)
    assert list(judged_systems(found, about, ["Q", "nothing"]).metrics) == ["Q"]


def test_the_judged_batch(tmp_path: Path):
    wmt.make_pair(tmp_path, "en-de", segments=4, unjudged=1)
    judged = Wmt(path=str(tmp_path)).load(None)
    assert len(judged.batch) == 5 * 3  # four systems and refB, three judged segments
    assert judged.batch[0].id == "en-de/A/1"
    assert judged.batch[0].references == ("reference refA 0",)
    assert judged.batch[14].system == "refB"
    assert not np.isnan(judged.scores["gold"]).any()
    with pytest.raises(InputError, match="wmt:path=FOLDER"):
        Wmt().load(None)
    with pytest.raises(UnknownName, match="unknown language pair 'en-fr'"):
        Wmt(path=str(tmp_path), langpair="en-fr").load(None)


@pytest.mark.real
def test_wmt23_batch():
    judged = Wmt23().load(need("data", "wmt23"))
    # systems with MQM less the standard reference: 12 x 460, 13 x 820, 15 x 1,177
    assert len(judged.batch) == 12 * 460 + 13 * 820 + 15 * 1177
