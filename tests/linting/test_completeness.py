"""Translations that are too short, too long, empty or unbalanced."""

from __future__ import annotations

from tests.linting.checks import run_check

LONG = "The committee met on Thursday and decided to postpone the vote until all members had read the report."


def test_lengths() -> None:
    assert [f.reason for f in run_check("completeness", LONG, "Ja.")] == [
        "the translation has 3% of the length of the source"
    ]
    assert len(run_check("completeness", "Yes, he did.", LONG)) == 1
    assert run_check("completeness", LONG, LONG) == []
    assert run_check("completeness", LONG, "委员会周四开会，决定推迟投票，直到所有成员都读完报告。", "en-zh") == []


def test_no_translation() -> None:
    (finding,) = run_check("completeness", "Hello.", "  ")
    assert (finding.reason, finding.severity, finding.start, finding.end) == (
        "there is no translation",
        "critical",
        0,
        0,
    )
    assert run_check("completeness", "", "") == []


def test_brackets() -> None:
    (finding,) = run_check("completeness", "It (the house) is old.", "Es (das Haus ist alt.")
    assert (finding.start, finding.end) == (3, 4)
    assert run_check("completeness", "It (the house is old.", "Es (das Haus ist alt.") == []
