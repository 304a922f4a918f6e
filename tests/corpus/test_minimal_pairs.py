"""Minimal pairs in many files: the tables of one file with all rows."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from assay.corpus import discovery, splitting
from tests.corpus.corpora import WORDS, contents, write

FORMS = ("jsonl", "tsv", "parquet", "jsonl.gz")


def pairs(n: int, seed: int = 1) -> list[dict[str, Any]]:
    """Pairs of three phenomena in two languages, some without a reference, some of equal texts, some in quotes."""
    rng, made = random.Random(seed), []
    for i in range(n):
        ref = [rng.choice(WORDS) for _ in range(rng.randrange(4, 12))]
        good = [word for word in ref if rng.random() < 0.9] or ["x"]
        bad = [word for word in good if rng.random() < 0.8] or ["y"]
        made.append(
            {
                "id": f"p{i}", "source": f"line {i}", "good-translation": " ".join(good),
                "incorrect-translation": " ".join(good if i % 17 == 0 else bad), "reference": "" if i % 13 == 5 else " ".join(ref),
                "phenomena": ("number", "omission", "order")[i % 3], "langpair": ("en-de", "en-zh")[i % 2],
            }
        )  # fmt: skip
    made[3]["good-translation"] = '"Ja", sagte er'
    return made


@pytest.fixture
def whole(tmp_path: Path) -> list[dict[str, Any]]:
    """240 pairs, in eight shards of four forms and in one file."""
    made = pairs(240)
    (tmp_path / "in").mkdir()
    for shard in range(8):
        write(tmp_path / "in" / f"part-{shard}.{FORMS[shard % 4]}", made[30 * shard : 30 * (shard + 1)])
    write(tmp_path / "whole.jsonl", made)
    return made


def test_the_tables_are_those_of_one_file(whole: list[dict[str, Any]], tmp_path: Path) -> None:
    names = ["chrf", "bleu", "ter"]
    plain = assay.run(str(tmp_path / "whole.jsonl"), names)
    result = assay.run(tmp_path / "in", names, out=tmp_path / "two", workers=2)
    assert result.to_dict() == plain.to_dict() and result.signatures == plain.signatures
    for mine, wanted in zip(result.measured, plain.measured, strict=True):
        for side in ("good", "incorrect"):
            assert repr(getattr(mine, side).tolist()) == repr(getattr(wanted, side).tolist())
    assert result.tables == plain.tables, "what stands under the tables"
    assert [item.id for item in result.content] == [row["id"] for row in whole]  # type: ignore[union-attr]
    assay.run(tmp_path / "in", names, out=tmp_path / "one", engine="inline")
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    first = json.loads(contents(tmp_path / "one")["part-0.jsonl"].splitlines()[5])
    assert first["phenomena"] == "order" and first["scores"]["chrf good"] is None, "it has no reference"
    told = json.loads(contents(tmp_path / "one")["_manifest.json"])
    assert sum(told["pairs"]["chrf"].values()) == 240 and told["pairs"]["chrf"]["unscored"] == 19  # 5, 18 … 239


def test_one_language_pair_and_one_large_file(
    whole: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = assay.run(str(tmp_path / "whole.jsonl"), ["bleu"], langpair="en-zh")
    real = splitting.split
    monkeypatch.setattr(splitting, "split", lambda shard, quoting: real(shard, quoting, size=9000))
    assert len(real(discovery.table_shards(tmp_path / "whole.jsonl")[0][0], size=9000)) > 4
    given = {"langpair": "en-zh", "engine": "inline"}
    result = assay.run(tmp_path / "whole.jsonl", ["bleu"], out=tmp_path / "o", **given)  # type: ignore[arg-type]
    assert result.to_dict() == plain.to_dict() and len(result) == 120
    assert [item.id for item in result.content] == [item.id for item in plain.content]  # type: ignore[union-attr]


def test_an_analysis_of_spans_has_those_of_one_file(whole: list[dict[str, Any]], tmp_path: Path) -> None:
    names, given = ["tests.corpus.odd_metrics:Marks", "chrf"], {"analysis": "localized", "langpair": "en-de"}
    plain = assay.run(str(tmp_path / "whole.jsonl"), names, **given)  # type: ignore[arg-type]
    result = assay.run(tmp_path / "in", names, out=tmp_path / "o", engine="inline", **given)  # type: ignore[arg-type]
    assert set(plain.tables) == {"summary", "severities", "drops"} and result.tables == plain.tables
    for mine, wanted in zip(result.measured, plain.measured, strict=True):
        assert mine.good_spans == wanted.good_spans and mine.incorrect_spans == wanted.incorrect_spans
    assert {span.side for spans in result.measured[0].good_spans or () for span in spans} == {"target", "source"}
    with pytest.raises(assay.AssayError, match="unknown analysis 'localised'"):
        assay.run(tmp_path / "in", names, out=tmp_path / "p", analysis="localised")
    assert not (tmp_path / "p").exists(), "refused before anything is scored"


def test_ids_that_come_again_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for shard in "ab":
        write(tmp_path / "in" / f"{shard}.jsonl", [{"good": "x y", "incorrect": "x", "reference": "x y"}] * 2)
    result = assay.run(tmp_path / "in", ["chrf"], out=tmp_path / "o", engine="inline")
    assert [item.id for item in result.content] == ["a.jsonl:1", "a.jsonl:2", "b.jsonl:1", "b.jsonl:2"]  # type: ignore[union-attr]


def test_on_the_command_line(whole: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(tmp_path / "whole.jsonl"), "-m", "chrf", "-q", "--format", "json"]) == 0
    wanted = capsys.readouterr().out
    words = ["run", f"{tmp_path}/in/*", "-m", "chrf", "-q", "--format", "json", "--workers", "1"]
    assert main([*words, "--out", f"{tmp_path}/o/", "--run-dir", f"{tmp_path}/kept", "--figures", "none"]) == 0
    assert capsys.readouterr().out == wanted
    assert main([word for word in [*words, "--out", f"{tmp_path}/o/"] if word != "-q"]) == 0
    assert f"wrote {tmp_path}/o/" in (told := capsys.readouterr().err) and " · 8 from an earlier run" in told
    assert (tmp_path / "kept" / "tables.json").is_file() and (tmp_path / "o" / "part-0.jsonl").is_file()


def test_a_pair_that_cannot_be_scored_has_no_score(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = pairs(30)
    rows[8]["incorrect-translation"] = "POISON"
    write(tmp_path / "in" / "a.jsonl", rows)
    metric = "tests.corpus.odd_metrics:Raises"
    result = assay.run(tmp_path / "in", [metric], out=tmp_path / "o", engine="inline")
    good = result.measured[0].good
    assert good is not None and [i for i, value in enumerate(good.tolist()) if value != value] == [8]
    assert any("1 rejected" in note for note in result.notes)
    assert json.loads((tmp_path / "o" / "_rejected.jsonl").read_text())["row"]["id"] == "p8"


def test_what_cannot_be_meant_is_refused(
    whole: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("demetr").mkdir()  # a folder of a suite's name is no corpus
    for given, said in (
        (["run", "in"], "in is a sharded corpus. Add --out FOLDER/"),
        (["run", "whole.jsonl", "-m", "chrf", "--engine", "ray"], "--engine requires a corpus"),
        (["run", "embedded", "--out", "o/"], "embedded is a registered suite"),
        (["run", "in", "--out", "o/", "--subsample", "3"], "--subsample cannot be used with a sharded corpus"),
        (["run", "in", "--out", "o/", "--columns", "good=nothing"], "nothing"),
        (["run", "demetr"], "demetr"),
    ):
        assert main(given) == 2
        assert said in (told := capsys.readouterr().err) and told.count("\n") == 1
    assert "many files" not in told
    write(Path("in") / "part-3.jsonl.gz", [{**whole[0], "good-translation": " "}, whole[1]])
    with pytest.raises(assay.AssayError, match=r"part-3\.jsonl\.gz line 1: the good translation is missing\."):
        assay.run("in", ["chrf"], out="o", engine="inline")
    result = assay.run("in", ["chrf"], out="o", engine="inline", on_error="skip")
    assert len(result) == 210
    with pytest.raises(InputError, match="metrics of a corpus by name"):
        assay.run("in", [assay.metrics.build_metrics("chrf")["chrf"]], out="o")  # type: ignore[list-item]
