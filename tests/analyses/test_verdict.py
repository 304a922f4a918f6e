"""The verdict over all metrics: one sentence, whatever they say."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import assay
from assay.analyses.verdict import Outcome, most_disputed, verdict
from assay.cli.main import main
from tests.viewer.in_page import embedded


@pytest.mark.parametrize(
    ("row", "kind", "sentence"),
    [
        ({"chrF": "better"}, "better", "B is significantly better than A by chrF."),
        (
            {"chrF": "worse", "BLEU": "worse", "TER": "worse"},
            "worse", "B is significantly worse than A by chrF, BLEU and TER.",
        ),
        (
            {"chrF": "better", "BLEU": "no difference"},
            "better", "B is significantly better than A by chrF; no significant difference by BLEU.",
        ),
        (
            {"chrF": "no difference", "TER": "no difference"},
            "no difference", "No significant difference between A and B by chrF and TER.",
        ),
        (
            {"chrF": "worse", "BLEU": "worse", "assay-mini": "better"},
            "mixed", "The metrics disagree on B against A: chrF and BLEU are worse, assay-mini is better.",
        ),
        (
            {"chrF": "worse", "BLEU": "no difference", "TER": "better"},
            "mixed",
            "The metrics disagree on B against A: chrF is worse, TER is better; no significant difference by BLEU.",
        ),
        ({"chrF": "identical", "TER": "identical"}, "identical", "B is identical to A by chrF and TER."),
        ({"chrF": "untested", "TER": "untested"}, "untested", "Too few segments to compare B with A."),
        (
            {"BLEU zh": "untested", "BLEU de": "better", "chrF": "identical"},
            "better", "B is significantly better than A by BLEU de; identical by chrF; too few segments for BLEU zh.",
        ),
    ],
)  # fmt: skip
def test_every_case_has_its_sentence(row: dict[str, Outcome], kind: str, sentence: str) -> None:
    found = verdict({"B": row}, "A")
    assert (found.systems[0].kind, found.sentence) == (kind, sentence)


def test_systems_of_which_the_same_holds_share_a_sentence() -> None:
    rows: dict[str, dict[str, Outcome]] = {
        "B": {"chrF": "better"}, "C": {"chrF": "no difference"}, "D": {"chrF": "better"}, "E": {"chrF": "better"},
    }  # fmt: skip
    assert verdict(rows, "A").sentence == (
        "B, D and E are significantly better than A by chrF. No significant difference between A and C by chrF."
    )
    assert verdict({}, "A").sentence == ""


def test_names_cannot_break_the_line() -> None:
    assert "\n" not in verdict({"B\nx": {"chr\nF": "better"}}, "A\n").sentence


def test_the_most_disputed_segments_by_hand() -> None:
    # Scaled by their standard deviations, segment 3 is disputed more than segment 1; elsewhere both groups agree, or one is silent.
    up, down = np.array([2.0, 2.0, -2.0, 4.0, 0.0, math.nan]), np.array([1.0, -1.0, 1.0, -1.0, 0.0, -3.0])
    up, down = up / np.nanstd(up) * 2, down / np.nanstd(down)
    assert most_disputed([up], [down]) == [3, 1]
    assert most_disputed([up], [down], 1) == [3]
    assert most_disputed([np.ones(3)], [-np.ones(3)]) == []  # nothing varies: no segment stands out


WORDS = ["dog", "cat", "house", "tree", "car", "man"]
REFS = [f"the {WORDS[i % 6]} was seen near the {WORDS[(i + 1) % 6]} on day {i}" for i in range(24)]
SHORTER = [" ".join(ref.split()[: 4 + i % 2]) for i, ref in enumerate(REFS)]
"""Half of the reference: fewer edits than in LONGER, and fewer of its characters."""
LONGER = [f"{ref} a b c d e f g{' h' * i}" for i, ref in enumerate(REFS)]


def rows(ids: bool) -> list[dict[str, str]]:
    """Segments 7 and 20 are equal in both systems, so that nothing is disputed there."""
    made = []
    for system, texts in (("A", SHORTER), ("B", LONGER)):
        for i, mt in enumerate(texts):
            row = {"system": system, "mt": SHORTER[i] if i in (7, 20) else mt, "ref": REFS[i]}
            made.append({**row, "doc": f"d{i // 12}", "id": str(i % 12)} if ids else row)
    return made


@pytest.mark.parametrize("ids", [True, False])
def test_metrics_that_disagree_name_segments_to_look_at(ids: bool) -> None:
    """chrF finds more of the reference in B, and TER, where lower is better, counts more edits."""
    found = assay.compare(data=rows(ids), metrics=["chrf", "ter"], samples=200, trials=200)
    (one,) = found.verdict.systems
    assert (one.kind, one.better, one.worse) == ("mixed", ("chrF",), ("TER",))
    assert 1 <= len(one.segments) <= 5
    places = [
        int(name.split("/")[0][1:]) * 12 + int(name.split("/")[1]) if ids else int(name) - 1 for name in one.segments
    ]
    assert not {7, 20} & set(places)
    values = {m: {s: np.concatenate(list(found.run.values(s, m))) for s in ("A", "B")} for m in ("chrf", "ter")}
    for place in places:
        assert values["chrf"]["B"][place] > values["chrf"]["A"][place]
        assert values["ter"]["B"][place] > values["ter"]["A"][place]
    assert found.verdict.sentence.startswith(
        "The metrics disagree on B against A: TER is worse, chrF is better; look at segments "
    )
    assert found.verdict.sentence in repr(found) and found.lead() == found.verdict.sentence


def test_segments_are_named_in_the_order_of_the_baseline() -> None:
    data = rows(True)
    turned = data[:24][::-1] + data[24:]
    one, other = (
        assay.compare(data=d, metrics=["chrf", "ter"], samples=100, trials=100).verdict for d in (data, turned)
    )
    assert set(one.systems[0].segments) == set(other.systems[0].segments)


def test_the_verdict_is_in_every_format(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    lines = ["system\tmt\tref", *("\t".join(row.values()) for row in rows(False))]
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    call = [
        "compare",
        "-m",
        "chrf",
        "-m",
        "ter",
        "--data",
        str(tmp_path / "t.tsv"),
        "--samples",
        "100",
        "--trials",
        "100",
        "--quiet",
    ]
    words = "The metrics disagree on B against A: TER is worse, chrF is better; look at segments "
    for form in ("table", "md", "html", "latex"):
        assert main([*call, "--format", form]) == 0
        text = capsys.readouterr().out
        assert words in (json.dumps(embedded(text)) if form == "html" else text)
    assert main([*call, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["verdict"]
    assert told["sentence"].startswith("The metrics disagree on B")
    one = told["systems"]["B"]
    assert (one["kind"], one["better"], one["worse"]) == ("mixed", ["chrF"], ["TER"]) and one["segments"]


def test_no_test_no_claim() -> None:
    found = assay.compare({"A": SHORTER[:6], "B": LONGER[:6]}, REFS[:6], metrics=["chrf", "ter"], samples=50, trials=50)
    assert found.verdict.sentence == "Too few segments to compare B with A."
    alone = assay.compare({"A": SHORTER}, REFS, metrics=["chrf"], samples=50, trials=50)
    assert alone.verdict.sentence == "" and alone.to_dict()["verdict"] == {"sentence": "", "systems": {}}
