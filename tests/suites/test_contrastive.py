import json
import tracemalloc

import polars
import pytest

from assay.core.errors import InputError, UnknownName
from assay.suites.contrastive import Contrastive


def load(tmp_path, text, name="x.tsv", **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    suite = Contrastive(path, **options)
    return suite, suite.load()


def test_near_variants_of_the_names(tmp_path):
    head = "SRC\tGood\tBad\tref\tPhenomenon\tCategory\tseverity\tlp\tId\tnotes\n"
    _, (item,) = load(tmp_path, head + "s\tg\tb\tr\tp\tc\tminor\tde-en\tq1\tignored\n")
    assert (item.id, item.source, item.reference, item.good, item.incorrect) == ("q1", "s", "r", "g", "b")
    assert (item.phenomenon, item.category, item.severity, item.langpair) == ("p", "c", "minor", "de-en")
    for names in ("good_translation\tincorrect_translation", "correct\twrong", "Good-Translation\tIncorrect"):
        assert load(tmp_path, names + "\ng\tb\n")[1][0].incorrect == "b"


def test_the_least_a_file_can_have(tmp_path):
    _, items = load(tmp_path, "good\tbad\ng\tb\nh\tc\n", langpair="en-cs")
    assert [(item.id, item.phenomenon, item.source, item.reference) for item in items] == [
        ("1", "all", None, None),
        ("2", "all", None, None),
    ]
    assert items[0].langpair == "en-cs"


def test_aces_phenomena_bring_their_category(tmp_path):
    _, items = load(tmp_path, "good\tbad\tphenomena\ng\tb\thyponym-replacement\ng2\tb\tmine\n")
    assert [item.category for item in items] == ["overtranslation", ""]


def test_columns_are_mapped(tmp_path):
    columns = {"good": "hyp_a", "incorrect-translation": "hyp_b"}
    _, (item,) = load(tmp_path, "hyp_a\thyp_b\n1\t2\n", columns=columns)
    assert (item.good, item.incorrect) == ("1", "2")
    with pytest.raises(
        InputError, match=r"no column for the good translation and incorrect translation; .*hyp_a, hyp_b"
    ):
        load(tmp_path, "hyp_a\thyp_b\n1\t2\n")
    with pytest.raises(UnknownName, match=r"unknown column 'nope' in "):
        load(tmp_path, "hyp_a\thyp_b\n1\t2\n", columns={"good": "nope"})
    with pytest.raises(UnknownName, match="incorrect"):
        load(tmp_path, "hyp_a\thyp_b\n1\t2\n", columns={"incorect": "hyp_a"})


def test_quotes(tmp_path):
    rows = 'good\tbad\n"He said ""no"""\tlone " quote\n"Quoted."\t"a" and "b"\n'
    suite, (first, second) = load(tmp_path, rows)
    assert (first.good, first.incorrect) == ('He said "no"', 'lone " quote')
    assert (second.good, second.incorrect) == ('"Quoted."', '"a" and "b"')
    assert suite.problems == ["1 row had one level of leftover CSV quoting, which was removed."]
    _, (item,) = load(tmp_path, 'good,bad\n"""a ""b""""","x, y"\n', name="x.csv")
    assert (item.good, item.incorrect) == ('"a "b""', "x, y")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("g\tb", "line 3: 2 columns, but the header has 3: column 'id' is missing"),
        ("g\tb\t2\textra", "line 3: 4 columns, but the header has 3: column 4 has no name"),
        ("\tb\t2", "line 3: the good translation is missing"),
        ("g\tb\t1", "line 3: id '1' was already on line 2"),
    ],
)
def test_bad_rows_are_named_or_counted(tmp_path, row, said):
    text = f"good\tbad\tid\ng\tb\t1\n{row}\ng\tb\t9\n"
    with pytest.raises(InputError, match=f"{said}.*--skip-bad"):
        load(tmp_path, text)
    suite, items = load(tmp_path, text, skip_bad=True)
    assert [item.id for item in items] == ["1", "9"]
    assert suite.problems[0] == "1 bad row left out:" and said in suite.problems[1]


def test_bad_json_rows(tmp_path):
    rows = ['{"good": "g", "bad": "b"}', '{"good": "g"}', '{"good": 3, "bad": "b"}', '{"good": ']
    suite, items = load(tmp_path, "\n".join(rows), name="x.jsonl", skip_bad=True)
    assert [item.id for item in items] == ["1"]
    assert sorted(line.split(": ", 1)[0] for line in suite.problems[1:]) == [f"x.jsonl line {n}" for n in (2, 3, 4)]
    said = "\n".join(suite.problems)
    assert "the incorrect translation is missing" in said and "must be text, not int" in said


def test_ids_follow_the_rows_of_the_file_even_when_some_are_left_out(tmp_path):
    _, items = load(tmp_path, "good\tbad\na\tb\n\tb\nc\td\n", skip_bad=True)
    assert [item.id for item in items] == ["1", "3"]


def test_odd_but_usable_items_are_told(tmp_path):
    suite, items = load(tmp_path, "good\tbad\tref\nsame\tsame\tr\ngood\tbad\tref\ng\t\t\t\n")
    assert len(items) == 2 and items[1].incorrect == "" and items[1].reference is None
    assert suite.problems == [
        "1 repeated header row skipped.",
        "1 row had empty fields beyond the last column, which were dropped.",
        "1 item with equal good and incorrect translations, counted as ties: 1.",
        "1 item without a reference.",
    ]


def test_parquet_and_json_give_the_same_items(tmp_path):
    rows = [{"id": n, "good": f"g{n}", "bad": f"b{n}", "ref": "r"} for n in range(5)]
    polars.DataFrame(rows).write_parquet(tmp_path / "x.parquet")
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "x.json").write_text(json.dumps(rows))
    loaded = [Contrastive(path).load() for path in sorted(tmp_path.iterdir())]
    assert loaded[0] == loaded[1] == loaded[2] and loaded[0][4].id == "4"


def test_a_large_file_streams(tmp_path):
    path = tmp_path / "x.tsv"
    with path.open("w") as out:
        out.write("good\tbad\n")
        out.writelines(f"{n} {'g' * 2000}\t{'b' * 2000}\n" for n in range(5_000))
    tracemalloc.start()
    seen = sum(1 for _ in Contrastive(path).stream())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The file has 20 MB; what stays is the ids.
    assert seen == 5_000 and peak < 4_000_000


def test_the_place_of_a_made_error_is_kept(tmp_path):
    rows = [
        {"good": "a b", "incorrect": "a c", "meta": meta}
        for meta in ({"spans": [[2, 3]]}, {"spans": [[2, 9]]}, "x", None)
    ]
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [item.meta.get("spans") for item in Contrastive(path).load()] == [[(2, 3)], None, None, None]
