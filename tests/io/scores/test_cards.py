"""A score file says what its metric reads: by words after its name, or by a card beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.analyses.aces.study import group_of
from assay.analyses.dfki import metric_class
from assay.core.errors import AssayError, InputError
from assay.io.scores.cards import file_card, split
from assay.io.scores.metric_file import parse_spec, read_metric
from assay.verbs.run import run
from tests.analyses.helpers import by


def test_words_after_the_name(tmp_path: Path) -> None:
    path, words = split("runs/kiwi.tsv:lower,source,learned")
    card = file_card(path, words)
    assert (card.name, card.needs, card.higher_is_better, card.kind) == ("kiwi", "source", False, "learned")
    assert group_of(card) == "reference-free" and metric_class(card) == "QE"
    plain = file_card(*split("runs/theirs.tsv"))
    assert (plain.needs, plain.higher_is_better, plain.kind) == ("either", True, "file")
    baseline = file_card(*split("runs/ngrams.tsv:reference,string"))
    assert metric_class(baseline) == "baseline" and group_of(baseline) == "reference-based"
    assert parse_spec("ter.tsv:reference,lower") == (Path("ter.tsv"), False)
    assert parse_spec(".") == (Path("."), True)  # a folder of scores, for `assay meta`


def test_a_card_beside_the_file_and_words_that_overrule_it(tmp_path: Path) -> None:
    path = tmp_path / "kiwi.tsv"
    path.write_text("1\t2\n")
    said = {"needs": "source", "better": "lower", "family": "learned", "trained_on": ["embedded"], "languages": ["de"]}
    (tmp_path / "kiwi.card.json").write_text(json.dumps(said))
    measured = read_metric(str(path), ["a"], suite="embedded")
    assert measured.card.needs == "source" and not measured.card.higher_is_better and measured.contaminated
    assert measured.card.kind == "learned" and not measured.card.covers("de-fr")
    assert not read_metric(str(path), ["a"], suite="aces").contaminated
    assert read_metric(f"{path}:both,higher", ["a"]).card.needs == "both"


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ('{"needs": "sources"}', "kiwi.card.json: needs. Did you mean source?"),
        ('{"need": "source"}', "'need'"),
        ("[]", "kiwi.card.json"),
        ("{", "is not a card of a score file"),
    ],
)
def test_a_card_that_cannot_be_meant(tmp_path: Path, card: str, said: str) -> None:
    (tmp_path / "kiwi.card.json").write_text(card)
    with pytest.raises(AssayError) as caught:
        file_card(tmp_path / "kiwi.tsv")
    assert said in str(caught.value) and str(tmp_path / "kiwi.card.json") in str(caught.value)


def test_a_misspelt_word_is_named_where_the_file_is_there(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("1\t2\n")
    with pytest.raises(AssayError, match="sourc"):
        split(f"{path}:sourc")
    assert split("C:x.tsv") == (Path("C:x.tsv"), [])


def _scores(path: Path, rows: list[str]) -> Path:
    path.write_text("id\tgood\tincorrect\n" + "".join(f"{row}\t{i % 3}\t1\n" for i, row in enumerate(rows)))
    return path


def test_a_reference_free_file_is_in_its_group_and_silence_is_noted(tmp_path: Path) -> None:
    """Figure 3 of ACES and DFKI's classes read the card: the case of a QE metric that counted as reference-based."""
    pairs = tmp_path / "pairs.tsv"
    lines = ["id\tsource\tgood-translation\tincorrect-translation\treference\tphenomena\tcategory\tlangpair"]
    lines += [f"{i}\ts{i}\tg{i}\tb{i}\tr{i}\tcopy-source\tuntranslated\tde-en" for i in range(6)]
    pairs.write_text("\n".join(lines) + "\n")
    file = _scores(tmp_path / "kiwi.tsv", [str(i) for i in range(6)])
    for spec, group, notes in ((f"{file}", "reference-based", 1), (f"{file}:source", "reference-free", 0)):
        result = run(str(pairs), [], metric_files=[spec], analysis="aces", samples=5)
        assert by(result.tables["untranslated_sentence"].rows, "metric")["kiwi"]["group"] == group
        assert sum("does not declare what its metric reads" in note for note in result.notes) == notes
    classes = run(str(pairs), [], metric_files=[f"{file}:source"], analysis="dfki", samples=5).tables["categories"].rows
    assert {row["class"] for row in classes} == {"QE"}


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.tsv"):
        read_metric(f"{tmp_path}/gone.tsv:source", ["a"])
