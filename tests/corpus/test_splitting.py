"""Large files are cut into pieces, and come out as one: the same bytes however they were cut."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.corpus import splitting
from assay.corpus.job import ShardPart
from assay.corpus.part_scoring import read_ahead, write_behind
from assay.metrics.chrf import Chrf
from assay.verbs.score import score
from tests.corpus.corpora import contents, corpus, rows, write


@pytest.mark.parametrize("form", ["jsonl", "tsv", "parquet", "txt"])
def test_a_shard_is_the_same_however_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    found = rows(0, 500, random.Random(5))
    given: dict[str, object] = {"metrics": ["chrf", "bleu"]}
    if form == "txt":
        for side in ("mt", "ref"):
            (tmp_path / side).mkdir()
            (tmp_path / side / "a.txt").write_text("".join(row[side] + "\n" for row in found), encoding="utf-8")
        given |= {"mt": tmp_path / "mt", "ref": [tmp_path / "ref"]}
    else:
        (tmp_path / "in").mkdir()
        write(tmp_path / "in" / f"a.{form}", found)
        given["data"] = tmp_path / "in"
    score(out=tmp_path / "whole", engine="inline", **given)  # type: ignore[arg-type]
    cut = splitting.split
    made: list[int] = []

    def small(shard: object, quoting: str = "auto") -> list[ShardPart]:
        pieces = cut(shard, quoting, size=4096, rows=70)  # type: ignore[arg-type]
        made.append(len(pieces))
        return pieces

    monkeypatch.setattr(splitting, "split", small)
    score(out=tmp_path / "cut", engine="inline", **given)  # type: ignore[arg-type]
    assert made[0] > 3
    assert {**contents(tmp_path / "whole"), "_manifest.json": b""} == {
        **contents(tmp_path / "cut"),
        "_manifest.json": b"",
    }


def test_where_lines_are_cut(tmp_path: Path) -> None:
    """Every line is in one piece, whatever the place of the cut: at a line's end, behind it, or in a line longer than a piece."""
    from assay.corpus.shard_reader import _Ranged

    text = b"a\nbb\n\nccc ccc ccc ccc\nd\r\ne"
    path = tmp_path / "lines"
    path.write_bytes(text)
    for size in range(1, len(text) + 2):
        cuts = [*range(0, len(text), size), len(text)]
        parts = []
        for start, stop in pairwise(cuts):
            with _Ranged(str(path), start, stop) as file:
                parts.append(file.readall())
                assert file.lines == (parts[-1] or b"").count(b"\n")
        assert b"".join(part or b"" for part in parts) == text
        assert all((part or b"\n").endswith(b"\n") for part in parts[:-1] if b"e" not in (part or b""))


def test_what_is_never_cut(tmp_path: Path) -> None:
    """A TSV whose cells hold line ends, a JSON array and whatever is packed is one piece."""
    from assay.corpus.discovery import table_shards
    from assay.corpus.splitting import split

    (tmp_path / "across.tsv").write_text('mt\tref\n"a\nb"\t"c"\n' * 50)
    (tmp_path / "array.jsonl").write_text("[" + ",\n".join(['{"mt": "a", "ref": "b"}'] * 50) + "]")
    write(tmp_path / "packed.jsonl.gz", rows(0, 100, random.Random(1)))
    (tmp_path / "quoted.tsv").write_text('mt\tref\n"a"\t"b ""c"""\n' * 50)
    found = {shard.name: split(shard, size=100) for shard in table_shards(tmp_path)[0]}
    assert {name for name, made in found.items() if len(made) == 1} == {"across.tsv", "array.jsonl", "packed.jsonl.gz"}
    assert {piece.quoting for piece in found["quoted.tsv"]} == {"csv"}


def test_a_wrong_line_of_a_later_piece_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    from assay.core.errors import AssayError

    (tmp_path / "in").mkdir()
    lines = [json.dumps({"mt": f"a {i}", "ref": "b"}) for i in range(300)]
    lines[250] = '{"mt": 7, "ref": "b"}'
    (tmp_path / "in" / "a.jsonl").write_text("\n".join(lines) + "\n")
    cut = splitting.split
    monkeypatch.setattr(splitting, "split", lambda shard, quoting="auto": cut(shard, quoting, size=1000))
    with pytest.raises(AssayError, match=r"a\.jsonl line 251: 'mt' is a number"):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")


@pytest.mark.parametrize("beside", [False, True])
def test_what_is_made_ahead_and_written_behind_keeps_its_order_and_its_errors(beside: bool) -> None:

    def items(fail: int) -> Iterator[int]:
        for i in range(20):
            if i == fail:
                raise InputError("a bad row")
            yield i

    found: list[int] = []
    with read_ahead(items(99), beside) as read, write_behind(beside) as later:
        for i in read:
            later(found.append, i)
    assert found == list(range(20))
    found.clear()
    with (
        pytest.raises(InputError, match="a bad row"),
        read_ahead(items(7), beside) as read,
        write_behind(beside) as later,
    ):
        for i in read:
            later(found.append, i)
    assert found == list(range(7))

    def full(i: int) -> None:
        if i == 19:
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"), read_ahead(items(99), beside) as read, write_behind(beside) as later:
        for i in read:
            later(full, i)


def test_a_network_that_is_read_for_ahead_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus(tmp_path / "in", 8, 50)
    given = {"metrics": ["chrf"], "batch": 7, "keep": "chrf > 40", "dedup": "mt", "flags": "none", "engine": "inline"}
    score(data=tmp_path / "in", out=tmp_path / "one", **given)  # type: ignore[arg-type]
    monkeypatch.setattr("assay.metrics.chrf.Chrf.card", replace(Chrf.card, kind="learned"))
    assert Chrf.card.neural
    score(data=tmp_path / "in", out=tmp_path / "beside", **given)  # type: ignore[arg-type]
    assert contents(tmp_path / "one") == contents(tmp_path / "beside")
