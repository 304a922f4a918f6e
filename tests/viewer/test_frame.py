"""Many rows in a frame give the answers that few rows in lists give: every expression, every search, every order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.core.errors import AssayError
from assay.viewer import reader
from assay.viewer.linear_patterns import Unlike, any_case, linear
from assay.viewer.rows import Query, Rows
from tests.viewer.conftest import keep

pl = pytest.importorskip("polars")
from assay.viewer.frame import FrameRows  # noqa: E402

VECTORS = json.loads((Path(__file__).parents[1] / "core" / "expression" / "vectors.json").read_text())
SIGNS = "abAB ssßẞﬁİıſ1٣\n\u0301Σσςkn"
texts = st.none() | st.text(SIGNS, max_size=5) | st.sampled_from(["nan", " NaN", "", "de"])
numbers = st.none() | st.sampled_from([0.0, -1.5, 3.0, 2.0**53, float("nan"), 1e308])
whole = st.none() | st.integers(-3, 3)
COLUMNS: dict[str, Any] = {
    "x": numbers, "y": numbers, "i": whole, "j": whole, "mt": texts, "ref": texts, "ok": st.none() | st.booleans(),
    "flags": st.none() | st.lists(st.sampled_from(["empty_hypothesis", "copied_source"]), max_size=2),
}  # fmt: skip
TYPES = {
    "x": pl.Float64, "y": pl.Float64, "i": pl.Int64, "j": pl.Int64, "mt": pl.String, "ref": pl.String, "ok": pl.Boolean,
    "flags": pl.List(pl.String),
}  # fmt: skip
columns = st.integers(1, 12).flatmap(
    lambda n: st.fixed_dictionaries(
        {name: st.lists(values, min_size=n, max_size=n) for name, values in COLUMNS.items()}
    )
)
_number = st.recursive(
    st.sampled_from(["x", "y", "i", "j", "0", "2.5", "-3", "length(mt)", "number(i)"]),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner) | st.builds("abs({})".format, inner)
    ),
    max_leaves=3,
)
_text = st.sampled_from(["mt", "ref", "lower(mt)", "'a'", "'ss'", "''"])
_truth = (
    st.builds("{} {} {}".format, _number, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), _number)
    | st.builds("{} {} {}".format, _text, st.sampled_from(["==", "!="]), _text)
    | st.builds("{} is {}missing".format, st.sampled_from(list(COLUMNS)), st.sampled_from(["", "not "]))
    | st.builds("{} in (0, 2.5, -1)".format, _number)
    | st.builds("{} in ('de', 'a')".format, _text)
    | st.builds("{} ~ '{}'".format, _text, st.sampled_from(["a", "^a|b$", "[^a].", r"\\d+", "(ab)*?s{1,2}$", "."]))
    | st.sampled_from(
        ["ok", "true", "copied_source", "'copied_source' in flags", "ok == true", "mt == ref", "i == j", "x == y"]
    )
)
expressions = st.recursive(
    _truth,
    lambda inner: (
        st.builds("({} and {})".format, inner, inner)
        | st.builds("({} or {} or {})".format, inner, inner, inner)
        | st.builds("not ({})".format, inner)
    ),
    max_leaves=4,
)


@pytest.fixture(scope="module", autouse=True)
def search_here() -> Iterator[None]:
    """Patterns of these tests end; a process for each would take longer than all the rest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "assay.core.expression.rows._search",
            lambda wanted: {p: {t: (0, 0) for t in found if re.search(p, t)} for p, found in wanted.items()},
        )
        yield


def both(found: dict[str, list[Any]]) -> tuple[Rows, FrameRows]:
    frame = pl.DataFrame({name: pl.Series(values, dtype=TYPES[name]) for name, values in found.items()})
    return Rows(found), FrameRows(frame=frame)


def answer(rows: Rows, asked: Query) -> Any:
    try:
        return rows.order(asked).tolist()
    except AssayError as error:
        return str(error)


@settings(max_examples=120, deadline=None)
@given(columns, expressions)
def test_every_expression_holds_in_the_same_rows_or_is_refused_in_the_same_words(
    found: dict[str, list[Any]], where: str
) -> None:
    few, many = both(found)
    assert answer(many, Query(where=where)) == answer(few, Query(where=where))


def test_what_people_ask_of_many_rows_does_not_fall_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors of the grammar in a frame; those that must not be slow are answered by polars alone."""
    found = {name: list(values) for name, values in VECTORS["columns"].items()}
    frame = FrameRows(frame=pl.DataFrame(found, strict=False))
    for where, _, holds in VECTORS["holds"]:
        assert frame.order(Query(where=where)).tolist() == holds, where
    monkeypatch.setattr(Rows, "_where", None)
    for where in (
        "chrf < 30", 'chrf <= 30 and lang == "fr"', 'lang in ("de", "fr")', 'mt ~ "^Hallo"', r'mt !~ "\\d"', "copied_source",
        "comet is not missing and comet > 0.6", "length(mt) > 2 * length(src) - 12", "lower(lang) == 'de-ch'", "mt == src",
    ):  # fmt: skip
        FrameRows(frame=frame.frame).order(Query(where=where))


@settings(max_examples=50, deadline=None)
@given(st.lists(texts, min_size=1, max_size=20), st.text(SIGNS, min_size=1, max_size=4), st.sampled_from(["", "mt"]))
@example(["Straße", "STRASSE", "aß", "ßa", "ﬁn", "fiN", None], "s", "")
@example(["ßtrasse"], "strasse", "mt")
def test_letters_are_found_and_sorted_alike(found: list[Any], wanted: str, sort: str) -> None:
    few, many = both({"mt": found})
    for descending in (False, True):
        asked = Query(find=wanted, sort=sort, descending=descending)
        assert answer(many, asked) == answer(few, asked)


@settings(max_examples=80, deadline=None)
@given(
    st.text(SIGNS, max_size=6),
    st.sampled_from([r"a+?b*$", r"[\d\n]", "^(?:a|b|)ss", r"[^ab]\Z", ".k", r"(s)(ß)?", "a{2,}", "İ"]),
)
def test_a_translated_pattern_finds_what_python_finds(text: str, pattern: str) -> None:
    assert pl.Series([text]).str.contains(linear(pattern))[0] == (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    "pattern", [r"\w", r"\s", r"\bx", "(?i)a", "(?=a)b", r"(a)\1", "(?<!x)y", "(", "a{500}", r"\D"]
)
def test_patterns_of_which_the_engines_think_differently_stay_pythons(pattern: str) -> None:
    with pytest.raises(Unlike):
        linear(pattern)


def test_letters_without_a_small_form_of_their_own_stay_pythons() -> None:
    with pytest.raises(Unlike):
        any_case("\u13a0")  # Cherokee folds to its capitals


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MANY", 3)


ROWS = [
    {"segment": 1, "mt": "Haus", "chrf": 3.5, "flags": [], "odd": 1, "spans": {"m": []}},
    {"segment": 2, "mt": None, "chrf": None, "flags": ["copied_source"], "odd": "a",
     "spans": {"m": [
         {"side": "target", "start": 0, "end": 2, "text": "Ha", "severity": "major", "category": "", "confidence": None},
         {"side": "source", "start": 1, "end": 2, "text": "x", "severity": "minor", "category": "o", "confidence": .5},
     ]}},
    {"segment": 3, "mt": "Baum", "chrf": 7, "flags": [], "odd": None, "spans": {"m": []}},
    {"segment": 3, "mt": "", "chrf": 1.25, "flags": [], "odd": [1], "spans": {"m": []}},
]  # fmt: skip
MARKED = [{"metric": "m", **span} for span in ROWS[1]["spans"]["m"]]  # type: ignore[index]
SHOWN = [
    {**row, "spans": MARKED[:1] if i == 1 else [], "source_spans": MARKED[1:] if i == 1 else []}
    for i, row in enumerate(ROWS)
]
"""The same as the page has them: places in the source are none in the translation."""


def values(rows: Rows) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in rows.columns.items()}


def test_a_file_is_read_into_a_frame_as_into_lists(few_are_many: None, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    found = reader.read_rows(path, {})
    assert isinstance(found, FrameRows) and set(found.others) == {"odd", "spans", "source_spans"}
    assert values(found) == {name: [row[name] for row in SHOWN] for name in SHOWN[0]}
    assert found.window(found.order(Query(sort="chrf")), 0, 2) == [{"#": 3, **SHOWN[3]}, {"#": 0, **SHOWN[0]}]
    assert found.numbers("chrf").tolist()[2] == 7 and found.numbers("mt") is None and found.numbers("odd") is None
    table = tmp_path / "rows.tsv"
    table.write_text("mt\tchrf\tid\n" + "Haus\t31.5\t1\nBaum\t\t2\nx\t1e3\tb\n")
    assert values(reader.read_rows(table, {})) == {
        "mt": ["Haus", "Baum", "x"],
        "chrf": [31.5, None, 1000.0],
        "id": ["1", "2", "b"],
    }
    pl.DataFrame(
        {"mt": ["a", None, "b"], "kind": pl.Series(["u", "v", "u"], dtype=pl.Categorical), "at": [[1], [], None]}
    ).write_parquet(tmp_path / "rows.parquet")
    assert values(reader.read_rows(tmp_path / "rows.parquet", {})) == {
        "mt": ["a", None, "b"], "kind": ["u", "v", "u"], "at": [[1], [], None]
    }  # fmt: skip


def test_a_run_directory_says_the_types_of_its_columns(
    few_are_many: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.viewer.runs import find_runs

    rows = [{name: value for name, value in row.items() if name != "odd"} for row in ROWS]
    folder = keep(tmp_path / "run", rows)
    types = json.loads((folder / "view.json").read_text())["types"]
    assert types == {"segment": "integer", "mt": "text", "chrf": "number", "flags": "texts", "spans": "spans"}
    with monkeypatch.context() as patched:
        patched.setattr(reader, "_read_parts", None)  # polars reads it by itself
        (run,) = find_runs([folder])
        assert isinstance(run.rows, FrameRows) and values(run.rows) == {
            name: [row[name] for row in SHOWN] for name in SHOWN[0] if name != "odd"
        }
    broken = [*rows, {**rows[0], "mt": "half \ud800 a pair", "odd": 1}]
    (run,) = find_runs([keep(tmp_path / "broken", broken)])
    assert "types" not in run.about and run.rows.row(4)["mt"] == "half \ud800 a pair"
    assert run.rows.row(4)["odd"] == 1 and run.rows.row(0)["odd"] is None  # a column that the first row lacks
