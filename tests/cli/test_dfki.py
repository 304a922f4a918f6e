"""``assay dfki`` on a made-up folder: judge, review, build, and back in through ``assay run``."""

import io
import json

import pytest

from assay.cli.main import main
from assay.suites.contrastive import Contrastive
from assay.suites.dfki import Dfki

ITEMS = [
    {
        "id": "00000001",
        "langpair": "deen",
        "category": "Ambiguity",
        "phenomenon": "Lexical ambiguity",
        "source_sentence": "Sie sah den Mann.",
        "positive_regex": "man",
        "negative_regex": "husband",
    },
    {
        "id": "00000002",
        "langpair": "deen",
        "category": "Verb tense",
        "phenomenon": "Perfect",
        "source_sentence": "Er ist gegangen.",
        "positive_regex": "left|gone",
        "negative_regex": "is going",
    },
]
OUTPUTS = [
    ("00000001", "2022", "A", "She saw the man."),
    ("00000001", "2022", "B", 'She noticed the "man".'),
    ("00000001", "2022", "C", "She saw her husband."),
    ("00000002", "2022", "A", "He has left."),
    ("00000002", "2022", "B", "He has gone away."),
    ("00000002", "2022", "C", "He went."),
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data" / "dfki"
    folder.mkdir(parents=True)
    (folder / "items.de-en.json").write_text(json.dumps({"items": ITEMS}))
    rows = "".join("\t".join(row) + "\n" for row in OUTPUTS)
    (folder / "outputs.de-en.tsv").write_text("id\tyear\tsystem\toutput\n" + rows)
    monkeypatch.chdir(tmp_path)
    return str(tmp_path / "data")


def dfki(data, action, *more):
    return main(["dfki", action, "--langpair", "de-en", "--data-dir", data, *more])


def test_judge_counts_pass_fail_and_open(data, capsys):
    assert dfki(data, "judge", "--format", "json") == 0
    row = json.loads(capsys.readouterr().out)["tables"]["judged"][0]
    assert [row[key] for key in ("system", "n", "pass", "fail", "unresolved", "neither")] == ["all", 6, 4, 1, 1, 1]
    assert dfki(data, "judge") == 0
    assert "de-en open: both kinds of rules matched 0, neither kind 1" in capsys.readouterr().out
    assert dfki(data, "judge", "--systems") == 0
    assert capsys.readouterr().out.count("2022") == 3


def test_review_keeps_a_decision_that_the_others_use(data, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", io.StringIO("f\n"))
    assert dfki(data, "review") == 0
    shown = capsys.readouterr()
    assert "He went." in shown.out
    assert "1 decided, 0 skipped, 0 left · saved in dfki-decisions.jsonl" in shown.err
    assert dfki(data, "judge", "--format", "json") == 0
    row = json.loads(capsys.readouterr().out)["tables"]["judged"][0]
    assert (row["fail"], row["unresolved"], row["person"]) == (2, 0, 1)
    # Both sentences now have two right translations and a wrong one: two items each.
    assert dfki(data, "build", "--n", "4", "--out", str(tmp_path / "items.jsonl")) == 0
    assert "4 items on 2 phenomena from 2 sentences" in capsys.readouterr().err


def test_built_items_come_back_as_they_were(data, tmp_path, capsys):
    out = tmp_path / "items.jsonl"
    assert dfki(data, "build", "--n", "2", "--seed", "7", "--out", str(out)) == 0
    again = Contrastive(out).load()
    built = Dfki(n=2, seed=7).load(tmp_path / "data" / "dfki")
    keys = ("id", "source", "reference", "good", "incorrect", "phenomenon", "category", "langpair")
    assert [[getattr(item, key) for key in keys] for item in again] == [
        [getattr(item, key) for key in keys] for item in built
    ]
    assert any('"man"' in text for item in again for text in (item.good, item.reference))
    capsys.readouterr()
    assert main(["run", str(out), "-m", "chrf", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]["phenomena"][0]["n"] == 2


def test_mistakes_leave_with_2(data, capsys):
    assert dfki(data, "build", "--n", "5") == 2
    assert "suffice for 1 to 2" in capsys.readouterr().err
    assert dfki(data, "judge", "--decisions", "none.jsonl") == 2
    assert "Create it with: assay dfki review --decisions none.jsonl" in capsys.readouterr().err
    assert dfki(data, "build", "--format", "csv") == 2
    assert main(["dfki", "judge", "--langpair", "en-de", "--data-dir", data]) == 2
    assert "outputs.LP.tsv" in capsys.readouterr().err


def test_judge_by_phenomenon_and_by_output(data, capsys):
    assert dfki(data, "judge", "--table", "phenomena", "--format", "json") == 0
    first, second = json.loads(capsys.readouterr().out)["tables"]["phenomena"]
    assert (first["phenomenon"], first["sentences"], first["pass"], first["fail"]) == ("Lexical ambiguity", 1, 2, 1)
    assert first["rate"] == pytest.approx(2 / 3)
    assert (second["pass"], second["fail"], second["unresolved"], second["rate"]) == (2, 0, 1, 1.0)
    assert dfki(data, "judge", "--table", "verdicts", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["verdicts"]
    assert [row["verdict"] for row in rows] == ["pass", "pass", "fail", "pass", "pass", "unresolved"]
    assert (rows[2]["system"], rows[2]["ground"], rows[2]["output"]) == ("C", "rules", "She saw her husband.")


def test_russian_with_items_of_ones_own(data, tmp_path, capsys):
    """Tables 3 and 6: the items of en-ru are not public, so a user brings both files."""
    folder = tmp_path / "data" / "dfki"
    assert main(["dfki", "judge", "--langpair", "en-ru", "--data-dir", data]) == 2
    assert "items.en-ru.json" in capsys.readouterr().err
    item = {**ITEMS[0], "langpair": "enru", "source_sentence": "She saw the man.", "positive_regex": "мужчин",
            "negative_regex": "муж[^ч]"}  # fmt: skip
    (folder / "items.en-ru.json").write_text(json.dumps({"items": [item]}))
    texts = ["Она увидела мужчину.", "Она видела мужчину.", "Она увидела мужа."]
    rows = "".join(f"00000001\t2022\t{system}\t{text}\n" for system, text in zip("ABC", texts, strict=True))
    (folder / "outputs.en-ru.tsv").write_text("id\tyear\tsystem\toutput\n" + rows)
    run = ["run", "dfki:n=2", "--langpair", "en-ru", "--data-dir", data, "-m", "chrf", "-m", "bleu", "--samples", "20"]
    assert main([*run, "--format", "json", "--quiet"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert {row["n"] for row in tables["categories"]} == {2} and len(tables["wins"]) == 2
    # Without n: all that there are, two orders of the two right translations; a number that was typed is kept to.
    run[1] = "dfki"
    assert main([*run, "--format", "json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]["categories"] == tables["categories"]
    assert main(run) == 0
    assert "2 items: all that the judged en-ru outputs allow" in capsys.readouterr().err
    run[1] = "dfki:n=10000"
    assert main(run) == 2
    assert "cannot build n=10,000 DFKI items: the judged en-ru outputs suffice for 1 to 2." in capsys.readouterr().err
    built = ["dfki", "build", "--langpair", "en-ru", "--data-dir", data, "--out", str(tmp_path / "built.jsonl")]
    assert main(built) == 0
    assert len((tmp_path / "built.jsonl").read_text("utf-8").splitlines()) == 2
