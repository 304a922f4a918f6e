from __future__ import annotations

import csv
import gzip
import io
import json
import tarfile
from collections.abc import Iterator

import pytest

from assay.core.errors import InputError
from assay.io.resources.contamination import Guard, fingerprint, normalised, pack, shipped, unpack
from tests.data import need


def test_a_tokenised_lower_cased_copy_is_the_same_text() -> None:
    assert normalised('"Hello," she said.') == normalised("&quot; hello , &quot; she said .") == "helloshesaid"
    assert fingerprint("Ｈｅｌｌｏ") == fingerprint("hello!")
    assert fingerprint("hello") != fingerprint("hullo")
    assert fingerprint(" ... ") is None


def test_packed_sets_come_back_whole() -> None:
    texts = {"one": [f"sentence {i}" for i in range(5000)], "two": ["sentence 7", "another"], "none": ["."]}
    sets = unpack(pack(texts))
    assert {name: len(found) for name, found in sets.items()} == {"one": 5000, "two": 2, "none": 0}
    assert sets["one"].tolist() == sorted(fingerprint(text) for text in texts["one"])
    with pytest.raises(InputError, match="damaged"):
        unpack(pack(texts)[:-40])


def test_a_guard_names_and_counts_what_it_refuses() -> None:
    guard = Guard(unpack(pack({"SET": ["Der Hund bellt.", "The dog barks."]})))
    rows = [
        {"source": "der hund bellt !", "reference": "", "hypothesis": "x"},
        {"source": "neu", "reference": "The dog barks", "hypothesis": "The dog barks."},
        {"source": "neu", "reference": "new", "hypothesis": "..."},
    ]
    assert guard.admit(rows, ["a", "b", "c"]) == [False, False, True]
    assert guard.report.sentences() == [
        "2 records of 3 refused, because their text is in a test set:",
        "SET: 1 record by the reference.",
        "SET: 1 record by the source.",
        "for instance a: the source 'der hund bellt !' is in SET.",
        "for instance b: the reference 'The dog barks' is in SET.",
    ]


def demetr() -> Iterator[str]:
    for path in sorted(need("data", "demetr").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield from (row["src_sent"], row["eng_sent"], row["mt_sent"], row["pert_sent"])


def aces() -> Iterator[str]:
    with gzip.open(need("data", "aces_subset", "aces.tsv.gz"), "rt", encoding="utf-8", newline="\n") as lines:
        next(lines)
        for line in lines:
            yield from line.rstrip("\n").split("\t")[:4]


def hallucinations() -> Iterator[str]:
    path = need("data", "hallucinations", "guerreiro2022_corpus_w_annotations.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            yield from (row["src"], row["mt"], row["ref"])


def wmt23() -> Iterator[str]:
    for pair in ("en-de", "he-en", "zh-en"):
        with tarfile.open(need("data", "wmt23", f"{pair}.tar.xz")) as archive:
            for member in archive:
                if any(part in member.name for part in ("/sources/", "/references/", "/system-outputs/")):
                    file = archive.extractfile(member)
                    if file is not None:
                        yield from io.TextIOWrapper(file, encoding="utf-8", newline="\n").read().split("\n")


@pytest.mark.real
@pytest.mark.parametrize("texts", [demetr, aces, hallucinations, wmt23])
def test_every_text_of_the_test_sets_is_known(texts) -> None:  # type: ignore[no-untyped-def]
    distinct = [text for text in dict.fromkeys(texts()) if normalised(text)]
    assert len(distinct) > 9000
    assert [text for text, name in zip(distinct, Guard().standing(distinct), strict=True) if name is None] == []


def test_the_shipped_sets_are_those_that_metrics_are_judged_by() -> None:
    sizes = {name: len(hashes) for name, hashes in shipped().items()}
    assert list(sizes) == ["DEMETR", "ACES", "the hallucination benchmark", "WMT22", "WMT23"]
    assert min(sizes.values()) > 9000
    assert Guard().standing(["a sentence that nobody ever wrote for a test set, 8461"]) == [None]
