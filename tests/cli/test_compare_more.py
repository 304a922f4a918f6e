"""compare and score by group, by segment and by pair, in every format, through the command line and Python."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
from pathlib import Path

import pytest
import sacrebleu

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from tests.viewer.in_page import embedded

WORDS = ["ab", "cd", "efg", "hi", "j", "klm"]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Three systems of 24 segments in 6 documents of 4 and 2 domains of 12."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    rng = random.Random(3)
    references = [" ".join(rng.choices(WORDS, k=6 + i % 5)) for i in range(24)]
    rows = []
    for system, errors in (("one", 3), ("two", 1), ("three", 3)):
        for i, reference in enumerate(references):
            words = reference.split()
            for place in rng.sample(range(len(words)), errors):
                words[place] = "xyz"
            row = {"system": system, "id": f"s{i}", "doc": f"d{i // 4}", "Domain": ("news", "chat")[i % 2]}
            rows.append({**row, "src": f"source {i}", "mt": " ".join(words), "ref": reference})
    write(rows)
    return rows


def write(rows: list[dict[str, str]], name: str = "t.tsv") -> None:
    lines = ["\t".join(rows[0]), *("\t".join(row.values()) for row in rows)]
    Path(name).write_text("\n".join(lines) + "\n")


def run(*arguments: str) -> int:
    return main(["compare", "-m", "chrf", "--data", "t.tsv", "--samples", "200", "--trials", "200", *arguments])


@pytest.mark.parametrize("format", ["table", "md", "latex", "html"])
def test_every_format_for_people_has_the_difference(
    table: object, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--format", format) == 0
    text = capsys.readouterr().out.replace("\\%", "%")
    if format == "html":
        text = json.dumps(embedded(text))
    for word in ("difference", "95% interval", "two is significantly better than one by chrF", "better", "worse"):
        assert word in text


def test_csv_and_json_have_it_too(table: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--format", "csv") == 0
    rows = {row["system"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert run("--format", "json") == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    for system in ("two", "three"):
        standing = found[system]["chrf"]
        for key in ("difference", "p", "p bootstrap", "difference low", "difference high"):
            assert float(rows[system][f"chrf {key}"]) == pytest.approx(standing[key.replace(" ", "_")])
        assert rows[system]["chrf sentence"] == standing["sentence"]
        assert standing["difference"] == pytest.approx(standing["score"] - found["one"]["chrf"]["score"])
    assert (rows["two"]["chrf mark"], found["two"]["chrf"]["better"]) == ("*", True)
    assert rows["two"]["chrf sentence"].startswith("two is better than one (+")
    assert run("--format", "json", "--baseline", "two") == 0
    assert json.loads(capsys.readouterr().out)["systems"]["one"]["chrf"]["worse"] is True


def test_one_segment_is_no_comparison(table: list[dict[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    write([row for row in table if row["id"] == "s0"])
    assert run() == 0
    text = capsys.readouterr().out
    assert "±" not in text and "*" not in text and "0.0" not in text
    assert "⚠ 1 segment: too few to tell systems apart; intervals and significance need at least 10" in text
    assert main(["score", "-m", "chrf", "--ci", "--data", "t.tsv"]) == 0
    text = capsys.readouterr().out
    assert "±" not in text and "too few" in text


def test_a_score_a_document_is_sacrebleus_of_its_lines(
    table: list[dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "-m", "chrf", "-m", "bleu", "--data", "t.tsv", "--by", "doc", "--format", "json"]) == 0
    groups = json.loads(capsys.readouterr().out)["groups"]
    assert len(groups) == 6 * 3
    for row in groups:
        mine = [r for r in table if (r["system"], r["doc"]) == (row["system"], row["doc"])]
        assert row["segments"] == len(mine) == 4
        texts = [r["mt"] for r in mine], [[r["ref"] for r in mine]]
        assert row["chrf"] == pytest.approx(sacrebleu.corpus_chrf(*texts).score)
        assert row["bleu"] == pytest.approx(sacrebleu.corpus_bleu(*texts).score)
    result = assay.score(data="t.tsv", metrics=["chrf", "bleu"], by="doc")
    assert result.to_dict()["groups"] == groups == result.groups()


def test_groups_are_compared_each_for_itself(table: list[dict[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--by", "domain", "--format", "json") == 0
    groups = json.loads(capsys.readouterr().out)["groups"]
    assert list(groups) == ["news", "chat"]
    for domain, systems in groups.items():
        write([row for row in table if row["Domain"] == domain], "part.tsv")
        alone = assay.compare(data="part.tsv", metrics=["chrf"], samples=200, trials=200)
        for system in ("two", "three"):
            standing = alone.standings[system]["chrf"]
            assert systems[system]["chrf"]["difference"] == pytest.approx(standing.difference)
            assert systems[system]["chrf"]["p_bootstrap"] == standing.p_bootstrap
    assert run("--by", "doc") == 0
    text = capsys.readouterr().out
    assert "6 groups with fewer than 10 segments have no interval or mark" in text
    assert "two is ahead of one, of 6 groups: in 6 by chrF" in text


def test_groups_by_length_are_about_the_same_size(table: object, capsys: pytest.CaptureFixture[str]) -> None:
    result = assay.compare(data="t.tsv", metrics=["chrf"], by="length", samples=20, trials=0)
    sizes = {row["length"]: row["segments"] for row in result.tables["groups"].rows}
    assert sum(sizes.values()) == 24 and len(sizes) == 4 and max(sizes.values()) <= 9
    ends = [[int(n) for n in name.split()[0].split("–")] for name in sizes]
    assert ends == sorted(ends) and all(one[-1] < other[0] for one, other in itertools.pairwise(ends))
    texts = {s: ["a b", "c d e f"] for s in ("x", "y")}
    found = assay.compare(texts, ["a b", "c d e f"], metrics=["chrf"], by=["left", "right"], samples=20, trials=0)
    assert list(found.groups) == ["left", "right"]
    with pytest.raises(InputError, match="by has 1 labels"):
        assay.compare(texts, ["a b", "c d e f"], metrics=["chrf"], by=["left"])


def test_worst_and_changed_segments(table: list[dict[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--worst", "2", "--changed", "3", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    scores = assay.score(data="t.tsv", metrics=["chrf"])
    values = {system: scores.scores_of(system)["chrf"].values for system in scores.run.systems}
    for system in ("two", "three"):
        mine = [row for row in found["worst"] if row["system"] == system]
        assert [row["segment"] - 1 for row in mine] == sorted(range(24), key=lambda i: values[system][i])[:2]
        moved = sorted(range(24), key=lambda i: -abs(values[system][i] - values["one"][i]))[:3]
        rows = [row for row in found["changed"] if row["system"] == system]
        assert [row["segment"] - 1 for row in rows] == moved
        for row in (*mine, *rows):
            there = {r["system"]: r for r in table if r["id"] == row["id"]}
            assert (row["translation"], row["baseline"]) == (there[system]["mt"], there["one"]["mt"])
            assert (row["source"], row["reference"], row["doc"]) == (
                *(there[system][k] for k in ("src", "ref", "doc")),
            )
            assert row["difference"] == pytest.approx(row["chrf"] - row["baseline score"])
    assert run("--worst", "1", "--sort-by", "bleu") == 2
    assert "unknown metric to sort by 'bleu'" in capsys.readouterr().err


def test_pairs_are_corrected_together(table: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--pairs", "--format", "json", "--correction", "none") == 0
    plain = json.loads(capsys.readouterr().out)["pairs"]
    assert run("--pairs", "--format", "json", "--correction", "bonferroni") == 0
    corrected = json.loads(capsys.readouterr().out)["pairs"]
    assert [(row["against"], row["system"]) for row in plain] == [("one", "two"), ("one", "three"), ("two", "three")]
    for one, other in zip(plain, corrected, strict=True):
        assert other["p"] == pytest.approx(min(1, 3 * one["p"]))
    assert run("--pairs") == 0
    assert "corrected for 3 comparisons (Holm)" in capsys.readouterr().out


def test_rows_in_another_order_are_paired_by_id_or_text(table: list[dict[str, str]]) -> None:
    expected = assay.compare(data="t.tsv", metrics=["chrf"], by="doc", worst=3, samples=100, trials=100)
    turned = [row for row in table if row["system"] == "one"]
    for system in ("two", "three"):
        mine = [row for row in table if row["system"] == system]
        random.Random(system).shuffle(mine)
        turned += mine
    write(turned)
    found = assay.compare(data="t.tsv", metrics=["chrf"], by="doc", worst=3, samples=100, trials=100)
    assert found.standings == expected.standings and found.groups == expected.groups
    assert found.tables["worst"].rows == expected.tables["worst"].rows
    assert any("paired by id" in note for note in found.table().notes)
    write([{key: value for key, value in row.items() if key != "id"} for row in turned])
    found = assay.compare(data="t.tsv", metrics=["chrf"], by="doc", worst=3, samples=100, trials=100)
    assert found.standings == expected.standings and found.groups == expected.groups


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "domian"], "Did you mean Domain"),
        (["--by", "system"], "systems are already reported separately"),
        (["--correction", "holmes"], "Did you mean holm"),
        (["--worst", "0"], "not a whole number above 0"),
    ],
)
def test_what_cannot_be_meant(
    table: object, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err


def test_by_needs_a_table(table: object, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a").write_text("a b c\nd e\n")
    assert main(["score", "-m", "chrf", "--mt", "a", "--ref", "a", "--by", "doc"]) == 2
    assert "requires a table with that column" in capsys.readouterr().err
    assert main(["score", "-m", "chrf", "--mt", "a", "--ref", "a", "--by", "length"]) == 0
    assert "5 characters" in capsys.readouterr().out
    assert main(["score", "-m", "chrf", "--data", "t.tsv", "--by", "doc", "--format", "tsv"]) == 2
    assert "--by cannot be combined with --format tsv" in capsys.readouterr().err


def test_groups_and_texts_come_through_a_spool(table: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = assay.compare(data="t.tsv", metrics=["chrf"], by="doc", worst=3, changed=2, samples=100, trials=100)
    monkeypatch.setattr("assay.engine.inputs.PIECE", 5)
    monkeypatch.setattr("assay.engine.inputs.regroup", lambda batches: batches)
    parts = assay.compare(data="t.tsv", metrics=["chrf"], by="doc", worst=3, changed=2, samples=100, trials=100)
    assert parts.run.progress_file is not None and parts.run.scored == 15
    assert parts.standings == whole.standings and parts.groups == whole.groups
    assert [parts.tables[name].rows for name in ("worst", "changed")] == [
        whole.tables[name].rows for name in ("worst", "changed")
    ]
    scored = assay.score(data="t.tsv", metrics=["chrf"], by="doc").tables["groups"].rows
    assert [row["chrf"] for row in scored] == [row["chrf"] for row in whole.tables["groups"].rows]


def test_a_bleu_for_each_language_is_grouped_by_its_own_rows(table: list[dict[str, str]]) -> None:
    rows = [{**row, "langpair": ("en-de", "en-zh")[int(row["id"][1:]) % 3 == 0]} for row in table]
    write(rows)
    result = assay.compare(data="t.tsv", metrics=["bleu"], by="doc", worst=2, samples=50, trials=20)
    scored = assay.score(data="t.tsv", metrics=["bleu"], by="doc").tables["groups"].rows
    found = result.tables["groups"].rows
    for row, alone in zip(found, scored, strict=True):
        for name, pair, tokenize in (("bleu de", "en-de", "13a"), ("bleu zh", "en-zh", "zh")):
            mine = [r for r in rows if (r["system"], r["doc"], r["langpair"]) == (row["system"], row["doc"], pair)]
            expected = sacrebleu.corpus_bleu(
                [r["mt"] for r in mine], [[r["ref"] for r in mine]], tokenize=tokenize
            ).score
            assert row[name] == alone[name] == pytest.approx(expected)
    assert [row["system"] for row in result.tables["worst"].rows] == ["two", "two", "three", "three"]
