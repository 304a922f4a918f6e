"""A corpus in many files: the same bytes whoever scores it, and the numbers of a plain run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.core.errors import InputError
from assay.verbs.score import score
from tests.corpus.corpora import contents, corpus, read, write

SHARDS = 200


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[dict[str, str]]]:
    """200 shards of four forms, scored by one worker."""
    folder = tmp_path_factory.mktemp("corpus")
    whole = corpus(folder / "in", SHARDS)
    score(data=folder / "in", out=folder / "one", metrics=["chrf", "bleu"], workers=1)
    return folder / "in", folder / "one", whole


def test_two_workers_write_the_bytes_of_one(scored: tuple[Path, Path, list[dict[str, str]]], tmp_path: Path) -> None:
    source, one, _ = scored
    result = score(data=source, out=tmp_path / "two", metrics=["chrf", "bleu"], workers=2)
    assert contents(tmp_path / "two") == contents(one)
    assert result.counts == {"shards": 200, "failed": 0, "rows": 1600, "duplicates": 0, "rejected": 0, "kept": 1600}


def test_the_numbers_are_those_of_a_plain_run(scored: tuple[Path, Path, list[dict[str, str]]]) -> None:
    _, one, whole = scored
    texts = {name: [row[name] for row in whole] for name in ("mt", "ref", "src")}
    plain = assay.score(texts["mt"], texts["ref"], sources=texts["src"], metrics=["chrf", "bleu"])
    told = json.loads((one / "_manifest.json").read_bytes())
    assert told["scores"] == {"": plain.system}
    assert told["signatures"] == plain.signatures
    found = read(one)
    assert [row["id"] for row in found] == [row["id"] for row in whole]
    assert [{name: row[name] for name in ("src", "mt", "ref")} for row in found] == [
        {name: row[name] for name in ("src", "mt", "ref")} for row in whole
    ]
    for name, values in plain.segments.items():
        assert [row[name] for row in found] == values.tolist()
        counted = told["histograms"][name]
        assert sum(counted["bins"].values()) == 1600 and counted["unscored"] == 0
        assert counted["bins"].get("57", 0) == sum(57 <= value < 58 for value in values.tolist())


def test_every_shard_has_its_name_and_checksum(scored: tuple[Path, Path, list[dict[str, str]]]) -> None:
    import hashlib

    source, one, _ = scored
    told = json.loads((one / "_manifest.json").read_bytes())["shards"]
    assert sorted(told) == sorted(path.name for path in source.iterdir())
    for name, entry in told.items():
        content = (one / name).read_bytes()
        assert (entry["bytes"], entry["hash"]) == (len(content), hashlib.blake2b(content, digest_size=16).hexdigest())


def test_a_rerun_does_what_is_missing_or_changed(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 8)
    first = score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], workers=2)
    assert first.reused == 0
    before = contents(tmp_path / "out")
    (tmp_path / "out" / "part-0003.parquet").unlink()
    write(tmp_path / "in" / "part-0008.jsonl", [{"id": "n", "src": "s", "mt": "das Haus", "ref": "das Haus"}])
    (tmp_path / "in" / "part-0000.jsonl").write_text('{"id": "c", "src": "s", "mt": "a b c d", "ref": "a b c d"}\n')
    again = score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], workers=2)
    assert again.reused == 6 and again.counts["shards"] == 9 and again.counts["rows"] == 6 * 8 + 8 + 1 + 1
    after = contents(tmp_path / "out")
    assert after["part-0003.parquet"] == before["part-0003.parquet"]
    fresh = score(data=tmp_path / "in", out=tmp_path / "fresh", metrics=["chrf"], engine="inline")
    assert contents(tmp_path / "fresh") == after
    assert fresh.systems == again.systems


def test_columns_of_every_kind_stay(tmp_path: Path) -> None:
    import datetime

    import polars

    (tmp_path / "in").mkdir()
    frame = polars.DataFrame(
        {
            "mt": ["a b", "c"], "ref": ["a b", "d"], "day": [datetime.date(2026, 1, 2), None], "n": [1, 2],
            "kind": polars.Series(["x", "y"], dtype=polars.Categorical), "list": [[1, 2], []], "in": [{"k": 1}, {"k": 2}],
        }
    )  # fmt: skip
    frame.write_parquet(tmp_path / "in" / "a.parquet")
    score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")
    found = polars.read_parquet(tmp_path / "out" / "a.parquet")
    assert found.drop("chrf", "flags").equals(frame)
    assert found["chrf"].to_list() == [100.0, 0.0] and found["flags"].to_list() == [[], []]


def test_parallel_text_in_folders(tmp_path: Path) -> None:
    for side, lines in {
        "mt": "das Haus\nein Baum\n",
        "ref": "das Haus\nder Baum\n",
        "src": "the house\na tree\n",
    }.items():
        (tmp_path / side / "deep").mkdir(parents=True)
        ending = "en" if side == "src" else "de"
        (tmp_path / side / f"a.{ending}").write_text(lines)
        (tmp_path / side / "deep" / f"b.{ending}").write_text(lines * 2)
    result = score(
        mt=tmp_path / "mt",
        ref=[tmp_path / "ref"],
        src=tmp_path / "src",
        out=tmp_path / "out",
        metrics=["chrf"],
        engine="inline",
    )
    assert result.counts["rows"] == 6
    assert sorted(name for name in contents(tmp_path / "out")) == ["_manifest.json", "a.de.tsv", "deep/b.de.tsv"]
    plain = assay.score(["das Haus", "ein Baum"] * 3, ["das Haus", "der Baum"] * 3, metrics=["chrf"])
    assert result.system == plain.system
    first = (tmp_path / "out" / "a.de.tsv").read_text().split("\n")
    assert first[0] == "mt\tsrc\tref\tchrf\tflags" and first[1] == "das Haus\tthe house\tdas Haus\t100.0\t"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"ref/b.de": "x\n"}, r"mt/a\.de has no matching file in --ref"),
        ({"ref/a.en": "x\n", "ref/a.fr": "x\n"}, "differ only in their last suffix"),
    ],
)
def test_ambiguous_partners_are_refused(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, text in {"mt/a.de": "x\n", **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        score(mt=tmp_path / "mt", ref=[tmp_path / "ref"], out=tmp_path / "out", metrics=["chrf"])


def test_languages_of_their_own(tmp_path: Path) -> None:
    """BLEU goes by the target language of each row, also across shards."""
    (tmp_path / "in").mkdir()
    write(
        tmp_path / "in" / "a.jsonl",
        [{"mt": "das Haus ist blau", "ref": "das Haus ist blau heute", "langpair": "en-de"}],
    )
    write(tmp_path / "in" / "b.jsonl", [{"mt": "这是一只猫", "ref": "那是一只猫", "langpair": "en-zh"}])
    result = score(data=tmp_path / "in", out=tmp_path / "out", metrics=["bleu"], engine="inline")
    rows = [json.loads((tmp_path / "in" / name).read_text()) for name in ("a.jsonl", "b.jsonl")]
    plain = assay.score(data=rows, metrics=["bleu"])
    assert result.systems == {"": next(iter(plain.systems.values()))}
    assert set(result.system) == {"bleu de", "bleu zh"}


def test_spans_on_request(tmp_path: Path) -> None:
    from assay.io.resources.mini import mini_folder

    if mini_folder() is None:
        pytest.skip("assay-mini's weights are not installed")
    (tmp_path / "in").mkdir()
    write(tmp_path / "in" / "a.jsonl", [{"src": "It was in 1979.", "mt": "Es war 1997 blau.", "langpair": "en-de"}])
    write(tmp_path / "in" / "b.parquet", [{"src": "It was in 1979.", "mt": "Es war 1997 blau.", "langpair": "en-de"}])
    score(data=tmp_path / "in", out=tmp_path / "out", metrics=["assay-mini"], spans=True, engine="inline")
    one, other = read(tmp_path / "out")
    assert one["spans"] == other["spans"] and list(one["spans"]) == ["assay-mini"]
    fields = ["side", "start", "end", "text", "severity", "category", "confidence"]
    assert all(list(span) == fields for span in one["spans"]["assay-mini"]) and one["spans"]["assay-mini"]
    single = tmp_path / "one.jsonl"
    assay.score(data=tmp_path / "in" / "a.jsonl", metrics=["assay-mini"], spans=True, texts=True).write_rows(single)
    assert single.read_bytes() == (tmp_path / "out" / "a.jsonl").read_bytes()


@pytest.mark.parametrize("form", ["jsonl", "tsv", "csv", "parquet"])
def test_a_shard_is_what_one_file_gives(tmp_path: Path, form: str) -> None:
    """The same columns under the same names, whichever way the rows went; none of the input is overwritten."""
    import polars

    own = {"src": "a", "mt": "das Haus", "ref": "das Haus", "flags": "mine", "domain": "news", "chrf": "7"}
    source, one = tmp_path / "in" / f"a.{form}", tmp_path / f"one.{form}"
    source.parent.mkdir()
    frame = polars.DataFrame([own])
    write_in = {"jsonl": frame.write_ndjson, "parquet": frame.write_parquet, "csv": frame.write_csv}
    write_in.get(form, lambda path: frame.write_csv(path, separator="\t"))(source)
    result = score(data=source.parent, out=tmp_path / "out", metrics=["chrf"], engine="inline", keep="input_chrf > 1")
    single = assay.score(data=source, metrics=["chrf"], texts=True)
    single.write_rows(one)
    if form == "parquet":
        assert polars.read_parquet(one).equals(polars.read_parquet(tmp_path / "out" / "a.parquet"))
    else:
        assert one.read_bytes() == (tmp_path / "out" / source.name).read_bytes()
    rows = assay.filter_rows("chrf == 100", one).columns()
    assert list(rows) == ["src", "mt", "ref", "input_flags", "domain", "input_chrf", "chrf", "flags"]
    assert list(rows["input_chrf"]) == ["7"] and list(rows["input_flags"]) == ["mine"]
    for notes in (result.notes, single.notes):
        assert "the input column 'chrf' is written as 'input_chrf', because assay adds a column 'chrf'." in notes


def test_spans_of_metrics_that_mark_none_are_refused(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 2)
    for names, said in (
        (["chrf"], "chrf does not mark error spans"),
        (["chrf", "bleu"], "chrf, bleu do not mark error spans"),
    ):
        with pytest.raises(InputError, match=said):
            score(data=tmp_path / "in", out=tmp_path / "out", metrics=names, spans=True, engine="inline")
        assert not [name for name in contents(tmp_path / "out") if name[0] not in "._"]
