"""Copied text and wrong languages."""

from __future__ import annotations

import pytest

from tests.linting.checks import marked, run_check


@pytest.mark.parametrize(
    ("langpair", "source", "translation", "wrong"),
    [
        ("en-de", "He lives in a small village.", "He lives in a small village.", "He lives in a small village."),
        (
            "en-de",
            "He lives in a small village near the sea.",
            "Er lebt in a small village near the Meer.",
            "a small village near the",
        ),
        ("zh-en", "他住在一个小村庄。", "He lives in a 小村庄.", "小村庄"),
        ("ru-en", "Он живёт в деревне.", "He lives in a деревне now.", "деревне"),
    ],
)
def test_untranslated(langpair: str, source: str, translation: str, wrong: str) -> None:
    assert any(
        passage in wrong or wrong in passage for passage in marked("untranslated", source, translation, langpair)
    )
    assert marked("untranslated", source, translation, langpair)


@pytest.mark.parametrize(
    ("langpair", "source", "translation"),
    [
        (
            "en-de",
            "Barack Obama and Angela Merkel met in New York.",
            "Barack Obama und Angela Merkel trafen sich in New York.",
        ),
        ("en-de", "OK", "OK"),
        ("en-en", "He lives in a small village.", "He lives in a small village."),
        ("en-zh", "the iPhone of Apple Inc", "苹果公司的 iPhone"),
        ("en-de", 'He read "the old man and the sea" again.', 'Er las "the old man and the sea" noch einmal.'),
    ],
)
def test_names_and_quotations_may_stay(langpair: str, source: str, translation: str) -> None:
    assert run_check("untranslated", source, translation, langpair) == []


@pytest.mark.parametrize(
    ("langpair", "translation"),
    [
        ("en-ru", "Das Wetter war schön und wir gingen hinaus."),
        ("en-de", "Погода была хорошая, и мы вышли на улицу."),
        ("en-de", "Le temps était beau et nous avons décidé de sortir dans le jardin avec les enfants."),
        (
            "en-fr",
            "Das Wetter war schön und wir haben beschlossen, mit den Kindern in den Garten zu gehen, wo es nicht so heiß ist.",
        ),
        ("en-ja", "The weather was nice and we went out."),
    ],
)
def test_wrong_language(langpair: str, translation: str) -> None:
    (finding,) = run_check("language", "The weather was nice and we went out with the children.", translation, langpair)
    assert finding.severity == "critical"


@pytest.mark.parametrize(
    ("langpair", "translation"),
    [
        ("en-de", "Das Wetter war schön und wir gingen hinaus."),
        ("en-zh", "天气很好，我们出去了。"),
        ("en-de", "Microsoft Windows 11 Pro"),
        ("en-qq", "whatever this may be"),
    ],
)
def test_right_language(langpair: str, translation: str) -> None:
    assert run_check("language", "The weather was nice and we went out.", translation, langpair) == []
