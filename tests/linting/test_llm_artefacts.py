"""What language models write around translations."""

from __future__ import annotations

import pytest

from tests.linting.checks import marked, run_check

SOURCE = "The house is old."


@pytest.mark.parametrize(
    ("translation", "wrong"),
    [
        ("Here is the translation: Das Haus ist alt.", "Here is the translation:"),
        ("Sure! Here's the German translation:\n\nDas Haus ist alt.", "Here's the German translation:"),
        ("Übersetzung: Das Haus ist alt.", "Übersetzung:"),
        ("以下是翻译：房子很旧。", "以下是翻译："),
        ("Voici la traduction : La maison est vieille.", "Voici la traduction :"),
        ("Вот перевод: Дом старый.", "Вот перевод:"),
        ("I'm sorry, but I cannot translate this text.", "I'm sorry, but I cannot"),
        ("Es tut mir leid, aber ich kann diesen Text nicht übersetzen.", "Es tut mir leid"),
        ("申し訳ありませんが、翻訳できません。", "申し訳"),
        ("<think>The user wants…</think>Das Haus ist alt.", "<think>"),
        ("Das Haus ist alt.\n\nNote: I kept the tone.", "Note: I kept the tone."),
        ("```\nDas Haus ist alt.\n```", "```"),
    ],
)
def test_artefacts(translation: str, wrong: str) -> None:
    assert any(wrong in passage or passage in wrong for passage in marked("llm-artefacts", SOURCE, translation))


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        (SOURCE, "Das Haus ist alt."),
        ("Note: the house is old.", "Hinweis: Das Haus ist alt."),
        ("I'm sorry, but I can't come.", "Es tut mir leid, aber ich kann nicht kommen."),
        ("Translation: a short history", "Übersetzung: eine kurze Geschichte"),
        ("Use ``` for code.", "Verwenden Sie ``` für Code."),
        ("Output: 5 files", "Output: 5 Dateien"),
    ],
)
def test_what_the_source_says_itself(source: str, translation: str) -> None:
    assert run_check("llm-artefacts", source, translation) == []
