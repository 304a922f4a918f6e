"""Challenge items of a corpus in many files: a shard gives what `assay make` gives of it alone, whoever makes it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from tests.corpus.corpora import contents, corpus, write

WANTED = ["number-replaced", "word-swap", "unrelated"]


def test_a_shard_gives_what_it_gives_alone(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 8, 30)
    given = {"langpair": "en-de", "n": 7, "seed": 3}
    result = assay.make(WANTED, tmp_path / "in", out=tmp_path / "two", workers=2, **given)  # type: ignore[arg-type]
    assay.make(WANTED, tmp_path / "in", out=tmp_path / "one", engine="inline", **given)  # type: ignore[arg-type]
    found = contents(tmp_path / "two")
    assert found == contents(tmp_path / "one")
    made, refused, items = dict.fromkeys(WANTED, 0), 0, 0
    for path in sorted((tmp_path / "in").iterdir()):
        alone = assay.make(WANTED, path, out=tmp_path / "alone.jsonl", **given)  # type: ignore[arg-type]
        name = path.name if ".jsonl" in path.name else f"{path.name}.jsonl"
        mine = gzip.decompress(found[name]) if name.endswith(".gz") else found[name]
        assert mine == (tmp_path / "alone.jsonl").read_bytes() and mine
        items += len(alone)
        for spec in WANTED:
            made[spec] += alone.card["perturbations"][spec]["made"]
            refused += sum(alone.card["perturbations"][spec]["refused"].values())
    card = json.loads(found["_card.json"])
    assert card == result.card and len(result) == card["items"] == items
    assert {spec: card["perturbations"][spec]["made"] for spec in WANTED} == made
    assert sum(sum(entry["refused"].values()) for entry in card["perturbations"].values()) == refused > 0
    assert card["segments"] == 240 and card["shards"] == 8 and card["versions"] == alone.card["versions"]
    (tmp_path / "two" / "part-0003.parquet.jsonl").unlink()
    again = assay.make(WANTED, tmp_path / "in", out=tmp_path / "two", workers=1, **given)  # type: ignore[arg-type]
    assert again.reused == 7 and contents(tmp_path / "two") == found


def test_what_was_made_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus(tmp_path / "in", 4, 30)
    words = ["-p", "word-swap", "--data", f"{tmp_path}/in", "-q", "--langpair", "en-de", "--n", "5", "--workers", "1"]
    assert main(["make", *words, "--out", f"{tmp_path}/set/", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["kept"] == 20
    result = assay.run(tmp_path / "set", ["chrf"], out=tmp_path / "scored", engine="inline")
    assert len(result) == 20 and len({item.id for item in result.content}) == 20  # type: ignore[union-attr]


def test_a_set_that_is_not_whole_is_told(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 3)
    (tmp_path / "in" / "part-0001.jsonl.gz").write_bytes(b"\x1f\x8bnothing")
    given = {"langpair": "en-de", "engine": "inline"}
    with pytest.raises(assay.AssayError, match="part-0001"):
        assay.make(["word-swap"], tmp_path / "in", out=tmp_path / "set", **given)  # type: ignore[arg-type]
    for whole in (False, True):
        told = assay.run(tmp_path / "set", ["chrf"], out=tmp_path / f"{whole}", engine="inline")
        assert any("is incomplete" in note for note in told.notes) == (not whole)
        assay.make(["word-swap"], tmp_path / "in", out=tmp_path / "set", on_error="skip", **given)  # type: ignore[arg-type]


def test_what_cannot_be_meant_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus(tmp_path / "in", 2)
    write(tmp_path / "in" / "part-0002.jsonl", [{"mt": "a b", "src": "c"}])
    write(tmp_path / "in" / "part-0002.tsv", [{"mt": "a b", "src": "c"}])
    words = ["make", "-p", "word-swap", "--data", f"{tmp_path}/in", "--workers", "1"]
    for given, said in (
        ([*words, "--out", f"{tmp_path}/o/"], "part-000"),  # and no language pair
        ([*words, "--out", f"{tmp_path}/o/", "--annotate"], "--annotate cannot be used with a sharded corpus"),
        ([*words, "--out", f"{tmp_path}/o/", "--pool", "nowhere"], "--pool nowhere cannot be read"),
        (["make", "--data", f"{tmp_path}/in", "--out", f"{tmp_path}/o/"], "no perturbation is selected"),
        (["make", "-p", "word-swp", "--data", f"{tmp_path}/in", "--out", f"{tmp_path}/o/"], "word-swap"),
        (["make", "-p", "word-swap", "--out", f"{tmp_path}/o/"], "assay make requires an input"),
        (["make", "-p", "word-swap", "--data", "demo", "--out", "x.jsonl", "--on-error", "skip"], "requires a corpus"),
    ):
        assert main(given) == 2
        assert said in (told := capsys.readouterr().err) and told.count("\n") == 1
    (tmp_path / "in" / "part-0002.tsv.jsonl").write_text("")
    with pytest.raises(InputError, match=r"would both be written as part-0002\.tsv\.jsonl"):
        assay.make(["word-swap"], tmp_path / "in", out=tmp_path / "o", langpair="en-de")


def test_a_shard_without_sentences_stops_or_is_left_out(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 3)
    write(tmp_path / "in" / "part-0001.jsonl", [{"mt": "", "src": "c"}])
    given = {"langpair": "en-de", "engine": "inline"}
    with pytest.raises(assay.AssayError, match=r"part-0001\.jsonl: there is nothing to change.*--on-error skip"):
        assay.make(["word-swap"], tmp_path / "in", out=tmp_path / "o", **given)  # type: ignore[arg-type]
    result = assay.make(["word-swap"], tmp_path / "in", out=tmp_path / "o", on_error="skip", **given)  # type: ignore[arg-type]
    assert list(result.failed) == ["part-0001.jsonl"] and result.counts["shards"] == 3


def test_shards_without_rows_and_without_items_hold_nothing_up(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 3)
    (tmp_path / "in" / "a-empty.jsonl").write_text("")
    (tmp_path / "in" / "b-header.csv").write_text("mt,src,ref\n")
    write(tmp_path / "in" / "c-without.jsonl", [{"mt": "Das Haus", "src": "The house", "ref": "Das Haus"}])
    result = assay.make(["number-replaced"], tmp_path / "in", out=tmp_path / "set", langpair="en-de", engine="inline")
    assert result.counts["shards"] == 6 and result.counts["rows"] == 25 and len(result) > 0
    found = contents(tmp_path / "set")
    assert [name for name, told in found.items() if not told] == [
        "a-empty.jsonl", "b-header.csv.jsonl", "c-without.jsonl",
    ]  # fmt: skip
    run = assay.run(tmp_path / "set", ["chrf"], out=tmp_path / "scored", engine="inline")
    assert len(run) == len(result)
    for name in found:
        if found[name]:
            (tmp_path / "set" / name).unlink()
    with pytest.raises(InputError, match="these shards contain no items"):
        assay.run(tmp_path / "set", ["chrf"], out=tmp_path / "none", engine="inline")
