"""Placeholders, tags, links and code."""

from __future__ import annotations

import pytest

from tests.linting.checks import marked, run_check


@pytest.mark.parametrize(
    ("source", "translation", "wrong"),
    [
        ("Hello {name}, you have %d messages.", "Hallo {nome}, Sie haben %d Nachrichten.", ["{nome}"]),
        ("Click <b>here</b> now.", "Klicken Sie <b>hier jetzt.", [""]),
        ("Visit https://example.org/a today.", "Besuchen Sie heute https://example.org/b.", ["https://example.org/b"]),
        ("%1$s of %2$s", "%1$s von", [""]),
        ("Hi {{user}}", "Hallo {{ user }}", ["{{ user }}"]),
        ("Write to a@b.org.", "Schreiben Sie an c@b.org.", ["c@b.org"]),
        ("Run `ls -a`.", "Führen Sie `ls` aus.", ["`ls`"]),
        ("Hello.", "Hallo {name}.", ["{name}"]),
        (
            "{count, plural, one {# file} other {# files}}",
            "{anzahl, plural, one {# Datei} other {# Dateien}}",
            ["{anzahl"],
        ),
    ],
)
def test_changed_lost_and_added(source: str, translation: str, wrong: list[str]) -> None:
    assert marked("placeholders", source, translation)[: len(wrong)] == wrong


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Hello {name}, you have %d messages.", "%d Nachrichten für {name}."),
        ("About 25% of them agreed.", "Etwa 25 % davon stimmten zu."),
        ("See https://example.org.", "Siehe https://example.org!"),
        ("a < b and c > d", "a < b und c > d"),
        ("It costs $5.", "Es kostet 5 $."),
        ("Use <br/> here.", "Benutzen Sie <br /> hier."),
    ],
)
def test_kept(source: str, translation: str) -> None:
    assert run_check("placeholders", source, translation) == []


def test_a_missing_placeholder_has_no_width_and_the_other_is_suggested() -> None:
    (missing,) = run_check("placeholders", "Hello {name}", "Hallo")
    assert (missing.start, missing.end) == (5, 5)
    (changed,) = run_check("placeholders", "Hello {name}", "Hallo {nome}")
    assert changed.suggestion == "{name}"
