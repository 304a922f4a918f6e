from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.core.errors import InputError, OutputError
from assay.core.spans import ErrorSpan
from assay.io.judgements.annotations import AnnotatedText, AnnotationFile
from assay.io.judgements.campaign import read_campaign
from assay.io.judgements.mqm import read_mqm

ODD = "a 👩‍👩‍👧 cafe\u0301 مرحبا 猫"
"""An emoji of five code points, a combining accent, Arabic and Chinese."""


def text(segment: str = "1", target: str = ODD, **more: str) -> AnnotatedText:
    return AnnotatedText("en-ar", "sys", "doc", segment, segment, "the source", target, more.get("reference", "ref"))


def error(
    own: str, start: int, end: int, severity: str = "major", category: str = "Accuracy/Mistranslation", **more: str
) -> ErrorSpan:
    return ErrorSpan.of(own, start, end, severity, category, more.get("side", "target"))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["out.tsv", "out.jsonl"])
def test_what_is_put_in_is_read_by_the_readers_of_judgements(tmp_path: Path, name: str) -> None:
    file = AnnotationFile(tmp_path / name)
    errors = (
        error(ODD, 2, 7),
        error(ODD, 8, 13, "minor", "Fluency/Punctuation"),
        error("the source", 4, 10, side="source"),
    )
    assert file.put(text(), "anna", errors, None)
    assert file.put(text(), "bob", (), None) and file.put(text("2", "fine"), "anna", (), None)
    people = read_campaign(tmp_path / name)
    first, second = people.judgements
    assert people.protocol == "MQM" and (first.segment, second.segment) == ("1", "2")
    anna, bob = people.judgements[first]
    assert anna.spans == errors and [span.text for span in anna.spans] == ["👩‍👩‍👧", "cafe\u0301", "source"]
    # A minor error of punctuation weighs 0.1, a major one 5 (Freitag et al. 2021): 5 + 0.1 + 5.
    assert anna.score == pytest.approx(-10.1) and (bob.rater, bob.spans, bob.score) == ("bob", (), 0)
    assert AnnotationFile(tmp_path / name).of(text(), "anna") == errors
    assert not list(tmp_path.glob(".*"))


def test_a_change_replaces_and_a_withdrawal_removes_one_judgement(tmp_path: Path) -> None:
    file = AnnotationFile(tmp_path / "out.tsv")
    one, two = (error(ODD, 0, 1),), (error(ODD, 0, 1, "minor"), error(ODD, 2, 7))
    file.put(text(), "anna", one, None)
    file.put(text(), "bob", one, None)
    assert file.put(text(), "anna", two, one) and file.of(text(), "anna") == two
    assert not file.put(text(), "anna", (), one), "the caller saw an older state"
    assert file.put(text(), "anna", None, two) and file.of(text(), "anna") is None
    (segment,) = read_mqm(tmp_path / "out.tsv")
    assert [judgement.rater for judgement in segment.judgements] == ["bob"]


def test_the_lines_of_others_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    header = "rater\tsystem\tdoc\tdoc_id\tseg_id\tsource\ttarget\tcategory\tseverity\tcomment"
    line = "rater1\tsys\tdoc\t1\t1\tthe source\ta <v>👩‍👩‍👧</v> cafe\u0301 مرحبا 猫\tOwn/Type\tMajor\ta comment"
    path.write_text(f"{header}\n{line}\n")
    file = AnnotationFile(path)
    assert file.raters() == ["rater1"] and file.of(text(), "rater1") == (error(ODD, 2, 7, category="Own/Type"),)
    file.put(text(), "anna", (), None)
    lines = path.read_text().splitlines()
    assert (
        lines[:2] == [header, line]
        and lines[2].startswith("anna\tsys\tdoc\t1\t1\t")
        and lines[2].endswith("\tNo-error\t")
    )


def test_what_a_form_cannot_hold_is_refused(tmp_path: Path) -> None:
    for target in ("a\tb", "a\nb", 'say ""x""', "a <v>b</v>"):
        with pytest.raises(InputError, match=r"Write the annotations to a \.jsonl file"):
            AnnotationFile(tmp_path / "out.tsv").put(text(target=target), "anna", (), None)
        file = AnnotationFile(tmp_path / "out.jsonl")
        file.put(text(target=target), "anna", (error(target, 0, 3),), None)
        assert AnnotationFile(tmp_path / "out.jsonl").of(text(target=target), "anna") == (error(target, 0, 3),)
        (tmp_path / "out.jsonl").unlink()
    with pytest.raises(InputError, match=r"must end in \.jsonl, which can hold any text, or in \.tsv"):
        AnnotationFile(tmp_path / "out.csv")
    with pytest.raises(OutputError, match=r"the folder .* does not exist\. Create it: mkdir -p"):
        AnnotationFile(tmp_path / "none" / "out.jsonl")
    (tmp_path / "other.jsonl").write_text('{"mt": "x"}\n')
    with pytest.raises(InputError, match="line 1 is not an annotation"):
        AnnotationFile(tmp_path / "other.jsonl")


WRITER = """
import sys
from pathlib import Path
from assay.io.judgements.annotations import AnnotatedText, AnnotationFile
file = AnnotationFile(Path(sys.argv[1]))
for number in range(25):
    assert file.put(AnnotatedText("", "sys", "", "1", str(number), "", "text", ""), sys.argv[2], (), None)
"""


def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("anna", "bob")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    found = AnnotationFile(path)
    assert len(path.read_text().splitlines()) == 50 and sorted(found.raters()) == ["anna", "bob"]


def test_a_short_line_is_named(tmp_path: Path) -> None:
    file = AnnotationFile(tmp_path / "out.tsv")
    file.put(text(), "anna", (), None)
    with (tmp_path / "out.tsv").open("a") as out:
        out.write("sys\tdoc\n")
    with pytest.raises(InputError, match=r"out\.tsv line 3 has 2 columns, fewer than the header"):
        AnnotationFile(tmp_path / "out.tsv").put(text(), "bob", (), None)
