"""Rows of several systems are paired only if they are the same segment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import InputError

WORDS = ("dog", "cat", "house", "tree", "car", "man")
Row = tuple[str, ...]
HEAD = ("system", "doc", "id", "src", "mt", "ref")


def rows(system: str, docs: Sequence[str] = ("d1", "d2")) -> list[Row]:
    """Twelve segments a document; system B gets some of them wrong."""
    made = []
    for doc in docs:
        for i in range(12):
            ref = f"the {WORDS[i % 6]} of {doc} number {i}"
            mt = ref.replace("the", "a") if system == "B" and i % 3 else ref
            made.append((system, doc, str(i), f"source {doc} {i}", mt, ref))
    return made


def compare(path: Path, table: Sequence[Row], leave: Sequence[str] = ()) -> Any:
    keep = [i for i, name in enumerate(HEAD) if name not in leave]
    lines = ["\t".join(row[i] for i in keep) for row in (HEAD, *table)]
    (path / "t.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return assay.compare(data=path / "t.tsv", metrics=["chrf"], samples=50, trials=100).to_dict()["systems"]


LEFT_OUT: list[tuple[str, ...]] = [(), ("doc",), ("id",), ("doc", "id"), ("doc", "id", "src"), ("src",), ("doc", "src")]


@pytest.mark.parametrize("leave", LEFT_OUT)
def test_shuffled_rows_give_the_numbers_of_sorted_rows(tmp_path: Path, leave: tuple[str, ...]) -> None:
    one, other = rows("A"), rows("B")
    assert compare(tmp_path, one + other[::-1], leave) == compare(tmp_path, one + other, leave)


def test_repeated_segments_keep_their_order(tmp_path: Path) -> None:
    leave = ("doc", "id")
    one, other = rows("A") * 2, rows("B") * 2
    assert compare(tmp_path, one + other, leave)["B"]["chrf"]["difference"] < 0


@pytest.mark.parametrize("leave", [(), ("id",), ("doc", "id"), ("doc", "id", "src")])
def test_disjoint_documents_are_refused(tmp_path: Path, leave: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"do not have the same segments: .*\bA\b.*\bB\b"):
        compare(tmp_path, rows("A", ["d1"]) + rows("B", ["d2"]), leave)


def test_overlapping_ids_are_refused_with_the_first_that_is_missing(tmp_path: Path) -> None:
    moved = [(s, d, str(int(i) + 3), src, mt, ref) for s, d, i, src, mt, ref in rows("B")]
    with pytest.raises(InputError, match=r"segment '0' of document 'd1' \(row 1 of A\) is not in B"):
        compare(tmp_path, rows("A") + moved)


@pytest.mark.parametrize(("column", "name"), [(3, "source"), (5, "reference")])
def test_texts_that_differ_under_one_id_are_refused(tmp_path: Path, column: int, name: str) -> None:
    other = rows("B")
    other[4] = (*other[4][:column], "something else", *other[4][column + 1 :])
    with pytest.raises(InputError, match=rf"segment '4' of document 'd1' has different {name}s in A and B"):
        compare(tmp_path, rows("A") + other)
    with pytest.raises(InputError, match=rf"row 5 of A and of B differ in the {name}"):
        compare(tmp_path, rows("A") + other, ("doc", "id"))


def test_repeated_ids_in_another_order_without_documents_pair_by_text(tmp_path: Path) -> None:
    one, other = rows("A"), rows("B")
    assert compare(tmp_path, one + other[12:] + other[:12], ("doc",)) == compare(tmp_path, one + other, ("doc",))


def test_segments_of_several_language_pairs_are_paired_within_their_pair() -> None:
    texts = [(pair, str(i), f"source {i}") for pair in ("en-de", "en-fr") for i in range(12)]
    keys = ("langpair", "id", "src", "mt", "ref")

    def table(system: str, order: Sequence[Row], leave: Sequence[str]) -> list[dict[str, str]]:
        rows = [(pair, i, src, f"{WORDS[int(i) % 6]} {pair}", WORDS[int(i) % 5]) for pair, i, src in order]
        return [{"system": system, **{k: v for k, v in zip(keys, row, strict=True) if k not in leave}} for row in rows]

    for leave in ((), ("id",)):
        data = table("A", texts, leave) + table("B", texts[::-1], leave)
        found = assay.compare(data=data, metrics=["chrf"], samples=50, trials=100).standings["B"]["chrf"]
        assert found.identical
    other = [(pair.replace("fr", "es"), *rest) for pair, *rest in texts]
    with pytest.raises(InputError, match=r"segment '0' \(en-fr\) \(row 13 of A\) is not in B"):
        assay.compare(data=table("A", texts, ()) + table("B", other, ()), metrics=["chrf"], samples=50)


def test_lists_are_paired_by_place_and_must_be_equally_long() -> None:
    refs = [f"the {word} is here" for word in WORDS] * 2
    systems = {"A": refs, "B": refs[:-1]}
    with pytest.raises(InputError, match="must match"):
        assay.compare(systems, refs, metrics=["chrf"])
    with pytest.raises(InputError, match="unordered"):
        assay.compare({"A": refs, "B": set(refs)}, refs, metrics=["chrf"])  # type: ignore[dict-item]
    assert assay.compare({"A": refs, "B": list(refs)}, refs, metrics=["chrf"]).standings["B"]["chrf"].identical


def test_sgml_files_of_other_documents_are_refused(tmp_path: Path) -> None:
    def write(name: str, tag: str, docs: Sequence[str]) -> Path:
        head = f'<{tag} setid="x" srclang="en" trglang="de">'
        body = "".join(
            f'<doc docid="{doc}"><seg id="1">Satz {doc}.</seg><seg id="2">Noch {doc}.</seg></doc>' for doc in docs
        )
        (tmp_path / name).write_text(f"{head}{body}</{tag}>", encoding="utf-8")
        return tmp_path / name

    ref, a = write("r.sgm", "refset", ["d1", "d2"]), write("a.sgm", "tstset", ["d1", "d2"])
    turned, others = write("b.sgm", "tstset", ["d2", "d1"]), write("c.sgm", "tstset", ["d1", "d3"])
    assert assay.compare(mt=[a, turned], ref=ref, metrics=["chrf"]).standings["b.sgm"]["chrf"].identical
    with pytest.raises(InputError, match="Both files must have the same documents and segments"):
        assay.compare(mt=[a, others], ref=ref, metrics=["chrf"])
