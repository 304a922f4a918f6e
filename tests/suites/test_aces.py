import gzip
import json
from collections import Counter, defaultdict
from statistics import fmean

import polars
import pytest

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.data.aces import phenomena
from assay.suites.aces import OTHER, Aces
from tests.data import need

NAMES = ("source", "good-translation", "incorrect-translation", "reference", "phenomena", "langpair")
ROWS = [
    ("s1", "g1", "i1", "r1", "addition", "de-en"),
    ("s2", '"He said ""no"""', '"He said ""yes"""', 'a "lone quote', "anaphoric_intra_they:deletion", "en-de"),
    ("s3", "same", "same", "r3", "a-new-phenomenon", "fr-ja"),
]


def as_tsv(rows=ROWS):
    return "".join("\t".join(row) + "\n" for row in [NAMES, *rows])


def test_the_official_tsv(tmp_path):
    (tmp_path / "aces.tsv").write_text(as_tsv([ROWS[0], NAMES, *ROWS[1:]]))
    suite = Aces()
    first, second, third = suite.load(tmp_path)
    assert (first.id, first.source, first.good, first.incorrect, first.reference) == ("1", "s1", "g1", "i1", "r1")
    assert (first.phenomenon, first.category, first.langpair, first.meta["sub_level"]) == (
        "addition",
        "addition",
        "de-en",
        "",
    )
    assert (second.good, second.incorrect, second.reference) == ('He said "no"', 'He said "yes"', 'a "lone quote')
    assert (second.category, second.meta["sub_level"]) == ("mistranslation", "discourse")
    assert third.category == OTHER and third.meta["known"] is False
    assert suite.problems == [
        "1 repeated header row skipped.",
        "1 row had one level of leftover CSV quoting, which was removed.",
        "1 item with equal good and incorrect translations, counted as ties: 3.",
        "1 item with names outside the 68 phenomena, shown separately: a-new-phenomenon (1).",
    ]


def test_hugging_face_formats_give_the_same_items(tmp_path):
    for kind in ("tsv", "gz", "jsonl", "parquet"):
        (tmp_path / kind).mkdir()
    (tmp_path / "tsv/aces.tsv").write_text(as_tsv())
    (tmp_path / "gz/aces.tsv.gz").write_bytes(gzip.compress(as_tsv().encode()))
    rows = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    (tmp_path / "jsonl/challenge_set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    polars.DataFrame(rows).write_parquet(tmp_path / "parquet/anything.parquet")
    loaded = [Aces().load(folder) for folder in tmp_path.iterdir()]
    assert len(loaded) == 4 and all(items == loaded[0] for items in loaded)


def test_which_file_is_meant(tmp_path):
    with pytest.raises(InputError, match=r"must contain one ACES file.*; it has none"):
        Aces().load(tmp_path)
    (tmp_path / "a.tsv").write_text(as_tsv())
    (tmp_path / "span_aces.jsonl").write_text("{}")
    assert len(Aces().load(tmp_path)) == len(Aces().load(tmp_path / "a.tsv")) == 3
    (tmp_path / "b.tsv").write_text(as_tsv())
    with pytest.raises(InputError, match=r"several \(a\.tsv, b\.tsv\)"):
        Aces().load(tmp_path)


def test_the_68_phenomena():
    # Counts by hand from Section 5 of the paper, as Tables 1 and 2 group them.
    assert len(phenomena()) == 68
    levels = Counter(one.sub_level for one in phenomena().values() if one.category == "mistranslation")
    assert levels == {"other": 20, "discourse": 15, "hallucination": 12}
    weights = {one.category: one.category_weight for one in phenomena().values()}
    assert sorted(weights.values()) == [0.1, 1, 1, 1, 1, 5, 5, 5, 5, 5]


@pytest.mark.real
def test_the_real_rows():
    suite = Aces()
    items = suite.load(need("data", "aces_subset"))
    assert len(items) == 28_052
    assert len({item.phenomenon for item in items}) == 58 and len({item.langpair for item in items}) == 129
    assert sum(item.good == item.incorrect for item in items) == 10
    assert sum(item.category == OTHER for item in items) == 1_776
    assert any("1,776 items with names outside the 68" in line for line in suite.problems)


@pytest.mark.real
def test_undone_quoting_gives_table_1_for_chrf():
    """The nine complete categories of Table 1, row chrF; seven of eighteen cells are off when the quoting stays."""
    from assay.metrics.chrf import Chrf

    items = [
        item for item in Aces().load(need("data", "aces_subset")) if item.category not in (OTHER, "mistranslation")
    ]
    references = ([item.reference for item in items],)
    good = Chrf().score(Batch([item.good for item in items], references=references)).values
    incorrect = Chrf().score(Batch([item.incorrect for item in items], references=references)).values
    wins = defaultdict(list)
    for item, won in zip(items, good > incorrect, strict=True):
        wins[item.category, item.phenomenon].append(1.0 if won else -1.0)
    taus = defaultdict(list)
    for (category, _), values in wins.items():
        taus[category].append(fmean(values))
    assert {category: f"{fmean(values):.3f}" for category, values in taus.items()} == {
        "addition": "0.642",
        "omission": "0.784",
        "untranslated": "0.781",
        "do not translate": "0.960",
        "overtranslation": "-0.696",
        "undertranslation": "-0.592",
        "real-world knowledge": "-0.294",
        "wrong language": "0.691",
        "punctuation": "0.743",
    }
