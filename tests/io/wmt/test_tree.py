import json
from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError, UnknownName
from assay.io.wmt.tree import MetricName, langpairs, read_eval_set
from tests import wmt
from tests.data import need


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    wmt.make_pair(tmp_path / "wmt", "en-de")
    wmt.make_pair(tmp_path / "wmt", "he-en", segments=6)
    return tmp_path / "wmt"


def test_reads_texts_documents_scores_and_names(tree: Path):
    assert langpairs(tree) == ["en-de", "he-en"]
    found = read_eval_set(tree, "en-de")
    assert found.systems == ["A", "B", "C", "D", "refA", "refB"]
    assert found.sources[3] == "source 3"
    assert found.outputs["B"][11] == "output B 11"
    assert list(found.references) == ["refA", "refB"]
    assert found.domain_names == ["news", "social"]
    assert found.documents[4] == "doc1"
    assert found.human.at("mqm", "seg").shape == (6, 12)
    assert np.isnan(found.human.at("mqm", "seg")[:, 9:]).all()
    assert found.metrics["BLEU-refA"].domain.shape == (6, 2)
    assert np.isnan(found.metrics["BLEU-refA"].sys[4])  # a reference is not scored against itself
    assert [str(name) for name in found.metric_names("refA")] == ["BLEU-refA", "Kiwi-src", "chrF-refA"]
    assert [str(name) for name in found.metric_names("refB")] == ["Kiwi-src"]


def test_a_metrics_name_ends_at_its_last_hyphen():
    assert MetricName.parse("MetricX-23-QE-src") == MetricName("MetricX-23-QE", "src")
    with pytest.raises(InputError, match="'BLEU' is not METRIC-REFERENCE"):
        MetricName.parse("BLEU")


def test_archives_equal_the_folder(tree: Path, tmp_path: Path):
    packed = tmp_path / "packed"
    packed.mkdir()
    wmt.pack(tree, packed / "en-de.tar.xz", "any/wmt23")
    (packed / "en-de.more.tar.xz").write_bytes((packed / "en-de.tar.xz").read_bytes())
    assert langpairs(packed) == ["en-de"]
    for path in (packed, packed / "en-de.tar.xz"):
        one, other = read_eval_set(tree, "en-de"), read_eval_set(path, "en-de")
        assert one.outputs == other.outputs
        assert one.domains == other.domains
        assert np.array_equal(one.metrics["chrF-refA"].seg, other.metrics["chrF-refA"].seg, equal_nan=True)
    assert "mqm" in read_eval_set(packed, "en-de", more=["more"]).human
    with pytest.raises(InputError, match=r"no archive en-de.other.tar.xz"):
        read_eval_set(packed, "en-de", more=["other"])


def test_texts_as_json_lines(tree: Path):
    """WMT25's form: a text may have several paragraphs."""
    before = read_eval_set(tree, "en-de")
    fields = {"sources/en-de": "source", "references/en-de.refA": "target", "system-outputs/en-de/B": "hypothesis"}
    for name, key in fields.items():
        plain = tree / f"{name}.txt"
        lines = [json.dumps({key: f"{line}\n\nmore"}) for line in plain.read_text().splitlines()]
        (tree / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        plain.unlink()
    assert langpairs(tree) == ["en-de", "he-en"]
    found = read_eval_set(tree, "en-de")
    assert (found.systems, list(found.references)) == (before.systems, list(before.references))
    assert found.sources[3] == "source 3\n\nmore"
    assert found.references["refA"][0] == "reference refA 0\n\nmore"
    assert (found.outputs["B"][11], found.outputs["C"][11]) == ("output B 11\n\nmore", "output C 11")
    (tree / "sources" / "en-de.jsonl").write_text('{"source": "a"}\n{"text": "b"}\n')
    with pytest.raises(
        InputError, match=r"sources/en-de.jsonl line 2: expected an object with a string under 'source'"
    ):
        read_eval_set(tree, "en-de")


def test_byte_order_marks_and_odd_line_ends_are_text(tree: Path):
    path = tree / "system-outputs" / "en-de" / "A.txt"
    lines = path.read_text().split("\n")
    path.write_text("﻿first\u2028still first  \n" + "\n".join(lines[1:]), encoding="utf-8")
    assert read_eval_set(tree, "en-de").outputs["A"][0] == "﻿first\u2028still first"


def test_bad_trees_are_named(tree: Path, tmp_path: Path):
    with pytest.raises(UnknownName, match="unknown language pair 'de-en'"):
        read_eval_set(tree, "de-en")
    with pytest.raises(InputError, match=r"the folder .* does not exist"):
        read_eval_set(tmp_path / "nothing", "en-de")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is not an mt-metrics-eval tree"):
        langpairs(tmp_path / "empty")
    (tmp_path / "empty" / "en-de.tar.xz").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"en-de.tar.xz"):
        read_eval_set(tmp_path / "empty", "en-de")
    (tmp_path / "empty" / "en-fr.tar").write_bytes(b"nonsense" * 100)
    with pytest.raises(InputError, match=r"en-fr.tar is not a tar archive"):
        read_eval_set(tmp_path / "empty", "en-fr")


def test_wrong_lengths_are_named(tree: Path):
    short = tree / "system-outputs" / "en-de" / "B.txt"
    short.write_text("one\ntwo\n")
    with pytest.raises(InputError, match=r"B.txt has 2 lines, .*sources/en-de.txt has 12"):
        read_eval_set(tree, "en-de")


def test_wrong_score_files_are_named_when_they_are_read(tree: Path):
    file = tree / "metric-scores" / "en-de" / "BLEU-refA.seg.score"
    file.write_text("A\t1\nA\t2\n")
    found = read_eval_set(tree, "en-de")
    with pytest.raises(InputError, match=r"BLEU-refA.seg.score: system 'A' has 2 scores, expected 12"):
        found.metrics.at("BLEU-refA", "seg")
    with pytest.raises(UnknownName, match=r"unknown metric 'BLUE-refA' of en-de. Did you mean BLEU-refA"):
        found.metrics["BLUE-refA"]
    (tree / "documents" / "en-de.docs").write_text("news doc\nnews\n" + "news doc\n" * 10)
    with pytest.raises(InputError, match="line 2: expected DOMAIN<TAB>DOCUMENT"):
        read_eval_set(tree, "en-de")


@pytest.mark.real
def test_wmt23_as_its_readme_counts_it():
    folder = need("data", "wmt23")
    facts = {"en-de": (557, 14, 13, 460, 192), "he-en": (1910, 14, 13, 820, 94), "zh-en": (1976, 17, 16, 1177, 179)}
    for pair, (segments, systems, judged, rated, documents) in facts.items():
        found = read_eval_set(folder, pair)
        gold = found.human.at("mqm", "seg")
        assert (len(found.sources), len(found.systems), len(set(found.documents))) == (segments, systems, documents)
        assert int((~np.isnan(gold)).any(axis=1).sum()) == judged
        assert set((~np.isnan(gold)).sum(axis=1).tolist()) == {0, rated}
        assert sum("seg" in found.metrics.levels(name) for name in found.metrics) == 43
        assert sum("sys" in found.metrics.levels(name) for name in found.metrics) == 45
    extra = read_eval_set(folder, "en-de", more=["esa-campaign"])
    assert {"ESA-1", "ESA-2", "ESAAI-1", "ESAAI-2", "MQM-1", "LLM"} < set(extra.human)
    assert set((~np.isnan(extra.human.at("ESA-1", "seg"))).sum(axis=1).tolist()) == {0, 207}
