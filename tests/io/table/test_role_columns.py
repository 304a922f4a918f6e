"""Columns by number, several columns of translations, and a column called target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.options import column_map
from assay.core.errors import InputError, UnknownName
from assay.io.judgements.outcomes import read_outcomes
from assay.io.scores.precomputed import read_precomputed_scores
from assay.io.table.tables import read_segments, read_table
from assay.suites.contrastive import Contrastive


def rows(source: Any, columns: Any = None, chunk: int = 2) -> list[tuple[Any, ...]]:
    return [
        (b.systems[i] if b.systems else None, b[i].source, b[i].hypothesis, *b[i].references)
        for b in read_table(source, columns, chunk)
        for i in range(len(b))
    ]


@pytest.mark.parametrize(("name", "separator"), [("a.tsv", "\t"), ("a.csv", ","), ("b.csv", ";")])
@pytest.mark.parametrize("columns", [{"src": 1, "mt": 3, "ref": 2}, {"src": "1", "mt": "3", "ref": "2"}])
def test_a_table_without_a_header_is_chosen_by_number(tmp_path: Path, name: str, separator: str, columns: Any) -> None:
    path = tmp_path / name
    path.write_text(
        "".join(separator.join(row) + "\n" for row in (["s1", "r1", "m1"], ["s2", "r2", "m2"], ["s1", "r1", "m1"]))
    )
    # The first row comes again, and is no header that comes again.
    assert rows(path, columns) == [(None, "s1", "m1", "r1"), (None, "s2", "m2", "r2"), (None, "s1", "m1", "r1")]


def test_numbers_in_other_readers(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("good one\tbad one\tref one\ngood two\tbad two\tref two\n")
    items = Contrastive(path, {"good": 1, "incorrect": 2, "reference": 3}).load()
    assert [(item.good, item.incorrect, item.reference) for item in items] == [
        ("good one", "bad one", "ref one"),
        ("good two", "bad two", "ref two"),
    ]
    path.write_text("s\tt\tsuccess\ns2\tt2\tbreakdown\n")
    assert read_outcomes(path, columns={"source": 1, "translation": 2, "outcome": 3}).success.tolist() == [True, False]
    assert [s.meta for s in read_segments(path, {"mt": 2, "src": 1}, further=["3"])] == [
        {"3": "success"},
        {"3": "breakdown"},
    ]


def test_numbers_where_there_is_a_header_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("src\tmt\tref\na\tb\tc\n")
    with pytest.raises(InputError, match=r"has a header line \(src, mt, ref\)\. Choose columns by these names"):
        rows(path, {"mt": 2})
    with pytest.raises(InputError, match="selects 2 by number and src by name"):
        rows(path, {"mt": 2, "src": "src"})
    path.write_text("a\tb\n")
    with pytest.raises(UnknownName, match=r"unknown column '7' in .*a\.tsv"):
        rows(path, {"mt": 7})
    path.write_text("1\t2\na\tb\n")
    assert rows(path, {"mt": "2"}) == [(None, None, "b")]  # that is its name
    with pytest.raises(InputError, match="the table has column names; choose columns by name"):
        rows({"x": ["a"], "y": ["b"]}, {"mt": 2})


WIDE = "src\tref\tours\ttheirs\tid\ns1\tr1\to1\tt1\tx\ns2\tr2\to2\tt2\ty\ns3\tr3\to3\tt3\tz\n"


def test_a_column_a_system(tmp_path: Path) -> None:
    path = tmp_path / "wide.tsv"
    path.write_text(WIDE)
    found = rows(path, {"mt": ["ours", "theirs"]}, chunk=2)
    expected = [(name, f"s{i}", f"{name[0]}{i}", f"r{i}") for name in ("ours", "theirs") for i in (1, 2, 3)]
    assert sorted(found) == expected and [row for row in found if row[0] == "ours"] == expected[:3]
    assert [batch.ids for batch in read_table(path, {"mt": ["ours", "theirs"]})] == [["x", "y", "z"] * 2]
    assert [s.meta["ref"] for s in read_segments(path, {"mt": ["ours", "theirs"]}, ["ref"])] == ["r1", "r2", "r3"] * 2
    path.write_text(WIDE.partition("\n")[2])
    assert sorted((row[0], row[2]) for row in rows(path, {"mt": [3, 4]}))[:2] == [("3", "o1"), ("3", "o2")]


def test_wide_tables_are_compared_as_long_ones(tmp_path: Path) -> None:
    wide, long = tmp_path / "wide.tsv", tmp_path / "long.tsv"
    wide.write_text(
        "src\tref\tA\tB\n" + "".join(f"s\tthe dog {i} runs\tthe dog {i} runs\ta dog {i}\n" for i in range(30))
    )
    long.write_text(
        "src\tref\tmt\tsystem\n"
        + "".join(f"s\tthe dog {i} runs\tthe dog {i} runs\tA\n" for i in range(30))
        + "".join(f"s\tthe dog {i} runs\ta dog {i}\tB\n" for i in range(30))
    )
    first = assay.compare(data=wide, columns={"mt": ["A", "B"]}, metrics=["chrf"])
    assert first.to_dict() == assay.compare(data=long, metrics=["chrf"]).to_dict()
    assert assay.score(data=wide, columns={"mt": ["A", "B"]}, metrics=["chrf"]).systems["A"] == {"chrf": 100.0}


def test_several_columns_where_one_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(WIDE.replace("id", "system"))
    with pytest.raises(InputError, match=r"has a system column \('system'\), but --columns selects several"):
        rows(path, {"mt": ["ours", "theirs"]})
    with pytest.raises(InputError, match=r"--columns gives src 2 columns \(src, ref\). Specify only one"):
        rows(path, {"src": ["src", "ref"]})
    with pytest.raises(InputError, match="gives z 2 columns"):
        list(read_precomputed_scores(path, ["z"], {"z": ["ours", "theirs"]}))


def test_the_command_line_repeats_a_name() -> None:
    assert column_map("mt=A, mt=B,ref=R,mt=C") == {"mt": ["A", "B", "C"], "ref": "R"}


def test_target_is_a_translation_where_nothing_else_is(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("source\ttarget\treference\na\tb\tc\n")
    batches = read_table(path)
    assert [(b[0].source, b[0].hypothesis, b[0].references) for b in batches] == [("a", "b", ("c",))]
    assert batches.notes == [f"{path}: 'target' is read as the translations (choose another with --columns mt=COLUMN)."]
    path.write_text("source\ttarget\tmt\na\tb\tc\n")
    assert rows(path) == [(None, "a", "c")]
    chosen = read_table(path, {"mt": "target"})
    assert next(chosen)[0].hypothesis == "b" and chosen.notes == []


def test_the_missing_column_has_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("Hallo\tHello\n")
    with pytest.raises(InputError, match=r"--columns mt=COLUMN \(or its number\)"):
        rows(path)


@pytest.mark.parametrize(
    ("columns", "header"),
    [
        ({"mt": "ref"}, "src\tmt\tref"),
        ({"mt": ["mt", "ref"]}, "mt\tref"),
        ({"mt": "src"}, "src\tmt"),
        ({"mt": "ref2"}, "mt\tref\tref2"),
    ],
)
def test_a_column_of_translations_that_is_also_the_reference_or_the_source_is_refused(
    tmp_path: Path, columns: dict[str, Any], header: str
) -> None:
    (tmp_path / "x.tsv").write_text(f"{header}\n" + "\t".join("abc"[: header.count("\t") + 1]) + "\n")
    with pytest.raises(InputError, match=r"as the translations, but its name identifies it as the (reference|source)"):
        list(read_table(tmp_path / "x.tsv", columns))


def test_a_column_named_ref_may_hold_translations_if_another_is_the_reference(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("ref\tgold\na\tb\n")
    (batch,) = read_table(tmp_path / "x.tsv", {"mt": "ref", "ref": "gold"})
    assert (list(batch.hypotheses), batch.references) == (["a"], (["b"],))
