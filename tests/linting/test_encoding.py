"""Mojibake, invisible characters, mixed scripts."""

from __future__ import annotations

import pytest

from tests.linting.checks import marked, run_check


@pytest.mark.parametrize(
    ("translation", "wrong"),
    [
        ("FÃ¼r alle", "Ã¼"),
        ("weâ€™re", "â€™"),
        ("a\ufffdb", "\ufffd"),
        ("ab\u200bcd", "\u200b"),
        ("Прив\x65т всем", "Прив\x65т"),
        ("a\x07b", "\x07"),
    ],
)
def test_broken_characters(translation: str, wrong: str) -> None:
    assert marked("encoding", "For all", translation) == [wrong]


@pytest.mark.parametrize("translation", ["Für alle", "naïve Ärzte", "Windows для всех", "İstanbul", "שלום", "e\u0301"])
def test_ordinary_text(translation: str) -> None:
    assert run_check("encoding", "For all", translation) == []


def test_what_the_source_has_may_stay() -> None:
    assert run_check("encoding", "a\u200bb", "c\u200bd") == []
