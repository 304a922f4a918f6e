import gzip
import json
from collections import Counter

import pytest

from assay.core.errors import InputError
from assay.data.demetr import perturbations
from assay.suites.demetr import Demetr
from tests.data import need

ROW = {
    "id": 7,
    "src_sent": "Hallo.",
    "eng_sent": "Hello.",
    "mt_sent": "Hi.",
    "pert_sent": "Hi",
    "lang_tag": "german",
    "data_source": "WMT",
    "pert_check": True,
}


def write(folder, rows, name="minor_id28_final_punc_removed.jsonl"):
    (folder / name).write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows))


def test_one_item(tmp_path):
    write(tmp_path, [ROW, {**ROW, "id": 8, "pert_check": False}])
    suite = Demetr()
    (item,) = suite.load(tmp_path)
    # File 28 is number 27 in the paper's Table A3.
    assert (item.id, item.phenomenon, item.category, item.severity) == (
        "27:7",
        "punctuation - removed",
        "typography",
        "minor",
    )
    assert (item.source, item.reference, item.good, item.incorrect) == ("Hallo.", "Hello.", "Hi.", "Hi")
    assert item.langpair == "de-en" and dict(item.meta) == {"perturbation": 27, "data_source": "WMT"}
    assert suite.problems[0].startswith("34 of DEMETR's 35 files are not in")
    assert [one.id for one in Demetr(unchecked=True).load(tmp_path)] == ["27:7", "27:8"]


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.json.gz", "x.jsonl.gz"])
def test_the_official_array_and_json_lines_alike(tmp_path, name):
    text = json.dumps([ROW], indent=2) if ".json." in name or name.endswith(".json") else json.dumps(ROW) + "\n"
    folder = tmp_path / "dataset"
    folder.mkdir()
    path = folder / name.replace("x", "base_id33_empty", 1)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert [item.id for item in Demetr().load(tmp_path)] == ["32:7"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{not json\n", "line 2: not JSON"),
        ("[1]\n", "line 2: expected a JSON object"),
        ({k: v for k, v in ROW.items() if k != "mt_sent"}, "line 2: the key 'mt_sent' is missing"),
        ({**ROW, "pert_sent": None}, "line 2: 'pert_sent' must be text, not NoneType"),
        ({**ROW, "lang_tag": "klingon"}, "line 2: 'lang_tag' is 'klingon'"),
        ({**ROW, "pert_check": "yes"}, "line 2: 'pert_check' must be true or false"),
        (ROW, "line 2: id 7 was already on line 1"),
    ],
)
def test_a_bad_row_is_named_or_counted(tmp_path, row, said):
    write(tmp_path, [ROW, row, {**ROW, "id": 9}])
    with pytest.raises(InputError, match=f"punc_removed.jsonl {said}"):
        Demetr().load(tmp_path)
    suite = Demetr(skip_bad=True)
    assert [item.id for item in suite.load(tmp_path)] == ["27:7", "27:9"]
    assert suite.problems[0] == "1 bad row left out:" and said in suite.problems[1]


def test_a_bad_item_of_an_array_has_its_line(tmp_path):
    bad = {key: value for key, value in ROW.items() if key != "pert_sent"}
    (tmp_path / "base_id33_empty.json").write_text(json.dumps([ROW, bad], indent=2))
    # Each object takes a line for each key and two for its braces; the array opens on line 1.
    with pytest.raises(InputError, match=f"line {len(ROW) + 4}: the key 'pert_sent' is missing"):
        Demetr().load(tmp_path)


def test_a_folder_without_demetr(tmp_path):
    with pytest.raises(InputError, match="contains none of the DEMETR files"):
        Demetr().load(tmp_path)


def test_numbers_are_the_papers():
    assert [one.number for one in perturbations()] == list(range(1, 36))
    assert len({one.label for one in perturbations()}) == len({one.file for one in perturbations()}) == 35
    assert perturbations()[33].file == "critical_id20_shuffled"
    # Table 1 of the paper: 11 accuracy, 8 fluency, 5 mixed, 7 typography, 4 baseline.
    assert list(Counter(one.category for one in perturbations()).values()) == [11, 8, 5, 7, 4]


@pytest.mark.real
def test_the_real_set():
    suite = Demetr()
    items = suite.load(need("data", "demetr"))
    assert len(items) == 31_320 and len({item.id for item in items}) == 31_320 and suite.problems == []
    assert len({(text, item.reference) for item in items for text in (item.good, item.incorrect)}) == 31_918
    assert sum(item.good == item.incorrect for item in items) == 15
    assert Counter(item.meta["perturbation"] for item in items) == {
        one.number: one.items_checked for one in perturbations()
    }
    assert {item.langpair for item in items} == {
        f"{x}-en" for x in ["cs", "de", "es", "fr", "hi", "it", "ja", "pl", "ru", "zh"]
    }
    everything = Demetr(unchecked=True).load(need("data", "demetr"))
    assert len(everything) == 35_000
    assert len({(text, item.reference) for item in everything for text in (item.good, item.incorrect)}) == 32_043
