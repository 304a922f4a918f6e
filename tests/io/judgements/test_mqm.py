import lzma
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.io.judgements.mqm import carry_span, read_mqm, without_tags
from tests.data import need

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"


def file(tmp_path: Path, *rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def row(
    rater="r1", source="Hi there", target="Hallo", category="Style/Awkward", severity="Minor", segment="1", system="S"
):
    return f"{system}\td\t1\t{segment}\t{rater}\t{source}\t{target}\t{category}\t{severity}"


def test_scores_are_summed_by_rater_and_averaged_over_raters(tmp_path: Path):
    path = file(
        tmp_path,
        row(target="<v>Ha</v>llo"),
        row(category="Fluency/Punctuation"),
        row(rater="r2", category="Accuracy/Mistranslation", severity="Major"),
        row(rater="r2", category="Non-translation!", severity="Major"),
        row(rater="r2", severity="Neutral"),
        row(rater="r3", category="no-error", severity="no-error"),
        row(rater="r3", category="Found", severity="HOTW-test"),
    )
    # r1: 1 + 0.1; r2: 5 + 25 + 0; r3: 0 (the planted check does not count); mean of 1.1, 30 and 0
    assert {(found.system, found.segment): found.score for found in read_mqm(path)} == {
        ("S", "1"): pytest.approx(-31.1 / 3)
    }


def test_spans_on_both_sides_and_without_an_end(tmp_path: Path):
    path = file(
        tmp_path,
        row(target="<v>Ha</v>llo"),
        row(source="Hi <v>there</v>", severity="Major"),
        row(target="Ha<v>llo"),
        row(target="H<v>a</v>l</v>lo", severity="critical"),
    )
    (found,) = read_mqm(path)
    spans = found.judgements[0].spans
    assert [(s.side, s.start, s.end, s.text) for s in spans] == [
        ("target", 0, 2, "Ha"),
        ("source", 3, 8, "there"),
        ("target", 2, 5, "llo"),
        ("target", 1, 2, "a"),
    ]
    assert (found.source, found.target) == ("Hi there", "Hallo")


def test_leftover_quotes_are_undone_and_spans_follow(tmp_path: Path):
    path = file(tmp_path, row(source='He ""said"" it', target='"""Er"" <v>sagte ""das""</v>."'))
    (found,) = read_mqm(path)
    assert found.source == 'He "said" it'
    assert found.target == '"Er" sagte "das".'
    assert found.judgements[0].spans[0].text == 'sagte "das"'


def test_single_quotes_of_the_sentence_stay(tmp_path: Path):
    (found,) = read_mqm(file(tmp_path, row(source='"Hi" he said', target='"Hallo", sagte er, "du"')))
    assert (found.source, found.target) == ('"Hi" he said', '"Hallo", sagte er, "du"')


def test_post_edits_give_way_to_the_text_of_most_raters(tmp_path: Path):
    path = file(
        tmp_path,
        row(target="Das <v>ist</v> ein Text."),
        row(rater="r2", target="Das ist <v>kein</v> Text."),
        row(rater="r3", target="Das ist ein <v>Text</v>.", severity="Major"),
    )
    (found,) = read_mqm(path)
    assert (found.target, found.texts, found.settled) == ("Das ist ein Text.", 2, True)
    assert [j.spans[0].text for j in found.judgements] == ["ist", "ein", "Text"]


def test_a_tie_between_texts_is_said(tmp_path: Path):
    (found,) = read_mqm(file(tmp_path, row(target="eins"), row(rater="r2", target="zwei")))
    assert (found.target, found.settled) == ("eins", False)


@pytest.mark.parametrize(
    ("start", "end", "text", "onto", "expected"),
    [
        (0, 2, "ab cd ef", "ab XX ef", "ab"),
        (6, 8, "ab cd ef", "ab longer ef", "ef"),
        (3, 5, "ab cd ef", "ab longer ef", "longer"),
        (1, 4, "ab cd ef", "ab ef", "b "),
        (0, 8, "ab cd ef", "", ""),
    ],
)
def test_spans_are_carried_to_an_edited_text(start, end, text, onto, expected):
    begin, finish = carry_span(start, end, text, onto)
    assert onto[begin:finish] == expected


def test_untagged():
    assert without_tags("no marks") == ("no marks", None)
    assert without_tags("<v></v>x") == ("x", (0, 0))


def test_segments_without_an_id_and_other_headers(tmp_path: Path):
    (found,) = read_mqm(file(tmp_path, row(segment="-1")))
    assert found.segment == "d:1"
    other = HEADER.replace("doc_id", "docSegId").replace("seg_id", "globalSegId") + "\tcomment"
    assert len(read_mqm(file(tmp_path, row(), row() + "\tremark", header=other))[0].judgements[0].spans) == 0


def test_bad_files_are_named(tmp_path: Path):
    with pytest.raises(InputError, match="no column rater"):
        read_mqm(file(tmp_path, header="system\tdoc\tdoc_id\tseg_id\tsource\ttarget\tcategory\tseverity"))
    with pytest.raises(InputError, match="line 2: severity 'Huge' is unknown"):
        read_mqm(file(tmp_path, row(severity="Huge")))
    with pytest.raises(InputError, match="line 3: 2 columns, but the header has 9"):
        read_mqm(file(tmp_path, row(), "a\tb"))
    assert len(read_mqm(file(tmp_path, row(), "a\tb"), skip_bad=True)) == 1


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize(("pair", "several", "unsettled"), [("ende", 2656, 147), ("zhen", 7666, 1410)])
def test_newstest2020_equals_googles_averages(pair: str, several: int, unsettled: int):
    """All 14,180 and 20,000 averages, printed to six digits; counts of post-edited segments as in the data's README."""
    folder = need("data", "mqm", "newstest2020")
    segments = read_mqm(folder / f"mqm_newstest2020_{pair}.tsv.xz")
    assert sum(found.texts > 1 for found in segments) == several
    assert sum(not found.settled for found in segments) == unsettled
    scores = {(found.system, found.segment): found.score for found in segments}
    with lzma.open(folder / f"mqm_newstest2020_{pair}.avg_seg_scores.tsv.xz", "rt", encoding="utf-8") as lines:
        next(lines)
        published = {(system, segment): float(value) for system, value, segment in map(str.split, lines)}
    assert scores.keys() == published.keys()
    assert max(abs(scores[key] - value) for key, value in published.items()) < 5.1e-7
    for found in segments:
        for span in (span for judgement in found.judgements for span in judgement.spans):
            side = found.source if span.side == "source" else found.target
            assert side[span.start : span.end] == span.text
