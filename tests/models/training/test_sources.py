from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.io.resources.contamination import Guard, pack, unpack
from assay.io.table.bad_rows import BadRows
from assay.models.training.config import parse_config
from assay.models.training.data import hold_out, load_held_out, load_phase, read_all
from assay.models.training.records import Record
from assay.models.training.sources import read_assessments, read_corpus, read_google_mqm, read_mlqe, read_span_json
from tests.data import need


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def group(**changes: object) -> dict[str, object]:
    plain = {
        "ds": "mqm20",
        "kind": "mqm",
        "lp": "en-de",
        "doc": "d",
        "grp": "g",
        "split": "train",
        "src": "s",
        "refs": ["r1", "h1"],
    }
    hypotheses = [
        {"sys": "a", "text": "h1", "score": -5.0, "spans": [[0, 1, 5.0, 3], [1, 2, 25.0, 1]]},
        {"sys": "b", "text": "h2", "score": -30},
    ]
    return {**plain, "hyps": hypotheses, **changes}


def test_a_corpus_gives_a_record_a_hypothesis(tmp_path: Path) -> None:
    found = list(read_corpus(write(tmp_path / "c.jsonl", group()), BadRows()))
    assert [(r.source, r.hypothesis, r.reference, r.score, r.scale) for r in found] == [
        ("s", "h1", "r1", 0.8, "unit"),
        ("s", "h2", "r1", 0.0, "unit"),
    ]
    assert [s.severity for s in found[0].spans or ()] == ["major", "critical"]
    assert found[1].spans is None
    kinds = {"esa": 75.0, "qe": -0.4, "darr": 0.5}
    rows = [group(kind=kind, hyps=[{"text": "h", "score": score}]) for kind, score in kinds.items()]
    found = list(read_corpus(write(tmp_path / "k.jsonl", *rows), BadRows()))
    assert [(r.score, r.scale) for r in found] == [(0.75, "unit"), (-0.4, "z"), (0.75, "unit")]


def test_a_span_outside_its_text_is_named_and_skipped_on_request(tmp_path: Path) -> None:
    wrong = group(
        hyps=[{"text": "short", "score": 0, "spans": [[2, 9, 1.0, 1]]}, {"text": "good", "score": 0, "spans": []}]
    )
    path = write(tmp_path / "c.jsonl", group(), wrong)
    with pytest.raises(
        InputError, match=r"c.jsonl line 2: span 2:9 is outside the text, which has 5 characters \('short'\)"
    ):
        list(read_corpus(path, BadRows()))
    bad = BadRows(skip=True)
    assert [r.hypothesis for r in read_corpus(path, bad)] == ["h1", "h2", "good"]
    assert bad.found == ["c.jsonl line 2: span 2:9 is outside the text, which has 5 characters ('short')."]


def test_span_json_scores_by_its_errors(tmp_path: Path) -> None:
    errors = [
        {"start": 0, "end": 1, "severity": "Major"},
        {"startIndex": 99, "endIndex": 101, "term": "cd", "severity": "Minor "},
    ]
    rows = [
        {
            "source": "s",
            "target": "abcd",
            "target_errors": errors,
            "source_errors": [{"severity": "Critical"}],
            "DOC_ID": "d1",
        },
        {"src": "s", "mt": "abcd", "ref": "r", "spans": [], "score": 0.25},
    ]
    found = list(read_span_json(write(tmp_path / "s.jsonl", *rows), BadRows(), "de-en"))
    # 5 + 1 + 10 of 25
    assert [r.score for r in found] == pytest.approx([1 - 16 / 25, 0.25])
    assert [(s.start, s.end, s.severity, s.text) for s in found[0].spans or ()] == [
        (0, 1, "major", "a"),
        (2, 4, "minor", "cd"),
    ]
    path = write(tmp_path / "b.jsonl", {"mt": "ab", "spans": [{"start": 1, "end": 3, "severity": "minor"}]}, rows[1])
    with pytest.raises(InputError, match=r"b.jsonl line 1: span 1:3 is outside the text, which has 2 characters"):
        list(read_span_json(path, BadRows()))
    assert len(list(read_span_json(path, BadRows(skip=True)))) == 1
    path = write(tmp_path / "n.jsonl", {"mt": "ab", "spans": [], "score": 25})
    with pytest.raises(InputError, match=r"the score is 25, not on \[0, 1\]"):
        list(read_span_json(path, BadRows()))


def test_google_mqm_takes_human_translations_as_references(tmp_path: Path) -> None:
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = [
        "MT\td\t1\t1\tr1\tQuelle\tthe <v>wrong</v> word\tAccuracy\tMajor",
        "MT\td\t1\t1\tr2\tQuelle\tthe wrong word\tno-error\tno-error",
        "Bad\td\t1\t1\tr1\tQuelle\t<v>bla</v>\tNon-translation!\tMajor",
        "Human-A\td\t1\t1\tr1\tQuelle\tthe right word\tno-error\tno-error",
    ]
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    found = {r.hypothesis: r for r in read_google_mqm(path, BadRows(), "de-en")}
    assert found["the wrong word"].score == pytest.approx((0.8 + 1.0) / 2)
    assert found["the wrong word"].reference == "the right word"
    assert [s.text for s in found["the wrong word"].spans or ()] == ["wrong"]
    assert (found["bla"].score, [s.severity for s in found["bla"].spans or ()]) == (0.0, ["critical"])
    assert found["the right word"].reference == ""


def test_a_table_of_scores_beyond_0_and_1_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "da.csv"
    path.write_text("src,mt,ref,score\na,b,c,0.5\na,b,c,70\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 3: the score is 70.0, not on \[0, 1\]"):
        list(read_assessments(path, BadRows()))


@pytest.mark.real
def test_mlqe_takes_post_edits_as_references(tmp_path: Path) -> None:
    with tarfile.open(need("data", "mlqe_pe", "ro-en.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    found = list(read_mlqe(tmp_path / "mlqe_pe" / "ro-en", BadRows()))
    assert len(found) == 7000
    assert found[0].source.startswith("După doar 200 de metri")
    assert found[0].score == pytest.approx(-1.730964836559101)
    assert all(record.reference for record in found)


@pytest.mark.real
def test_bio_mqm_spans_stand_where_their_terms_say(tmp_path: Path) -> None:
    with tarfile.open(need("data", "bio_mqm", "bio_mqm_v2.tar.xz")) as archive:
        member = next(m for m in archive if m.name.endswith("de2en/HuaweiTSC_run1.json"))
        archive.extract(member, tmp_path, filter="data")
    path = tmp_path / member.name
    rows = json.loads(path.read_text(encoding="utf-8-sig"))
    bad = BadRows(skip=True)
    found = list(read_span_json(path, bad))
    assert len(found) + len(bad.found) == len(rows)
    # 23 segments carry spans of another sentence: their term stands nowhere in the text.
    lost = [row for row in rows if any(error["term"] not in row["target"] for error in row["target_errors"])]
    assert len(bad.found) == len(lost) == 23
    terms = [error["term"] for row in rows if row not in lost for error in row["target_errors"]]
    assert [s.text for record in found for s in record.spans or ()] == terms


def config(tmp_path: Path, **changes: object):  # type: ignore[no-untyped-def]
    phase = {"data": [{"path": "c.jsonl", "format": "corpus"}]}
    return parse_config({"output": "run", "phases": [phase], **changes}, "test", tmp_path)


def test_a_phase_refuses_test_sets_and_says_so(tmp_path: Path) -> None:
    write(tmp_path / "c.jsonl", group(), group(src="Gesperrt!", doc="e"))
    guard = Guard(unpack(pack({"DEMETR": ["gesperrt"]})))
    loaded = load_phase(config(tmp_path), 0, guard)
    assert [r.source for r in loaded.records] == ["s", "s"]
    assert loaded.notes[:2] == [
        "2 records of 4 refused, because their text is in a test set:",
        "DEMETR: 2 records by the source.",
    ]


def test_held_out_documents_share_nothing_with_training() -> None:
    records = [Record(f"s{i % 90}", f"h{i}", document=f"d{i // 5}") for i in range(200)]
    train, held = hold_out(records, 0.2, seed=1)
    assert held
    assert {r.document for r in train}.isdisjoint(r.document for r in held)
    assert {r.source for r in train}.isdisjoint(r.source for r in held)
    assert hold_out(records, 0.2, seed=1) == (train, held)
    assert hold_out(records, 0.0, seed=1) == (records, [])


def test_texts_of_held_out_files_are_left_out_of_training(tmp_path: Path) -> None:
    write(tmp_path / "c.jsonl", group(), group(src="other", refs=["r9"]))
    write(tmp_path / "dev.jsonl", group(src="other", refs=["r9"]))
    made = config(tmp_path, held_out={"data": [{"path": "dev.jsonl", "format": "corpus"}]})
    loaded = load_phase(made, 0, Guard({}))
    assert {r.source for r in loaded.records} == {"s"}
    assert {r.source for r in load_held_out(made, 0, loaded)} == {"other"}


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("open", 120), ("wmt", 120), ("wmt21da_fixed", 40)])
def test_the_prepared_corpus_has_hardly_anything_to_refuse(name: str, most: int) -> None:
    """Its makers removed what stands in the test sets; what is left are short phrases such as "Thank you."."""
    made = parse_config(
        {
            "output": "x",
            "phases": [{"data": [{"path": str(need("data", "mini_corpus", f"{name}.jsonl.xz")), "format": "corpus"}]}],
        }
    )
    guard = Guard()
    records = read_all(made.phases[0].data, guard, BadRows(), 1)
    assert guard.report.seen == len(records) + guard.report.refused
    assert 0 < guard.report.refused <= most
