from __future__ import annotations

import subprocess
import sys

import pytest
import sacrebleu

import assay
from assay.core.errors import InputError, UnknownName

HYP = ["the cat sat on the mat", "", "a dog"]
REF = ["the cat is on the mat", "nothing", "a dog barks"]


def test_score_gives_system_segments_and_tables() -> None:
    result = assay.score(hypotheses=HYP, references=REF, metrics=["chrf", "bleu"])
    assert result.system["chrf"] == pytest.approx(sacrebleu.CHRF().corpus_score(HYP, [REF]).score, abs=1e-9)
    assert result.system["bleu"] == pytest.approx(sacrebleu.BLEU().corpus_score(HYP, [REF]).score, abs=1e-9)
    assert result.segments["chrf"][1] == 0
    assert result.signatures["chrf"] == "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|v:1"
    assert result.flags == {"empty_hypothesis": 1}
    assert "1 empty hypothesis" in repr(result)
    assert "<table>" in result._repr_html_()
    frame = result.to_polars()
    assert frame.columns == ["segment", "chrf", "bleu", "flags"]
    assert frame["flags"].to_list() == [[], ["empty_hypothesis"], []]
    assert "flags" not in assay.score(HYP, REF, metrics=["chrf"], flags="none").to_polars().columns


def test_several_references_are_columns() -> None:
    second = ["the cat sat there", "x", "a dog"]
    result = assay.score(HYP, [REF, second], metrics=["chrf"])
    expected = [sacrebleu.CHRF().sentence_score(h, [a, b]).score for h, a, b in zip(HYP, REF, second, strict=True)]
    assert result.segments["chrf"].tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"hypotheses": "text"}, "not one string"),
        ({"hypotheses": {"a", "b"}}, "a set is unordered"),
        ({"references": [["a", "b"], ["c", "d"], ["e", "f"]]}, "nested the wrong way round"),
        ({"references": ["a", "b"]}, "reference 1 has 2 segments, but hypotheses has 3"),
        ({"references": None}, "chrf requires a reference"),
        ({"hypotheses": ["a", None, "b"]}, r"hypotheses\[1\] is NoneType"),
        ({"metrics": []}, "no metric is specified"),
        ({"metrics": ["chrf:beat=3"]}, "Did you mean beta"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, object], words: str) -> None:
    with pytest.raises((InputError, UnknownName), match=words):
        assay.score(**{"hypotheses": HYP, "references": REF, "metrics": ["chrf"], **arguments})  # type: ignore[arg-type]


def test_workers_change_nothing() -> None:
    hypotheses, references = [f"{h} {i}" for i in range(900) for h in HYP], REF * 900
    one, three = (assay.score(hypotheses, references, metrics=["chrf", "bleu"], workers=n) for n in (1, 3))
    for name in ("chrf", "bleu"):
        assert one.segments[name].tobytes() == three.segments[name].tobytes()
        assert one.system[name] == three.system[name]


def test_importing_assay_is_light() -> None:
    heavy = ("numpy", "torch", "polars", "numba", "argparse", "sacrebleu")
    program = f"import sys, assay; print([m for m in {heavy!r} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
        == "[]"
    )


def test_compare_marks_the_better_system() -> None:
    references = [f"sentence number {i} of the test" for i in range(60)]
    worse = [line.replace("test", "toast") for line in references]
    result = assay.compare({"worse": worse, "better": references}, references, metrics=["chrf"], trials=500)
    assert result.baseline == "worse"
    assert result.standings["better"]["chrf"].better
    assert result.standings["better"]["chrf"].p_bootstrap == pytest.approx(1 / 1001)
    assert "*" in repr(result)
    assert result.to_polars().height == 2
