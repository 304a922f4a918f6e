from __future__ import annotations

from tests.perturb.texts import every, unexpected

MADE = {
    "negation": {
        "Комитет принял новый закон в понедельник.": {"Комитет не принял новый закон в понедельник."},
        "Он не пришёл на встречу.": {"Он пришёл на встречу."},
    },
    "tense": {
        "Комитет принял новый закон в понедельник.": {"Комитет примет новый закон в понедельник."},
        "Она пишет письмо.": {"Она писала письмо."},
        "Мы пригласили консультантов.": {"Мы пригласим консультантов."},
    },
    "gender-pronoun": {
        "Его жена говорила с ним о работе.": {
            "Ее жена говорила с ним о работе.",
            "Его жена говорила с ней о работе.",
        },
        "Врач пошёл к ней.": {"Врач пошёл к нему."},
    },
    "pronoun-case": {"Он купил новую машину.": {"Его купил новую машину.", "Ему купил новую машину."}},
}
"""Rule to sentences and what comes of them, each read by a person."""


REFUSED = [
    ("negation", "Никто не пришёл на встречу."),  # denied twice
    ("negation", "Врач не получил ответа."),  # the genitive needs the denial
    ("negation", "У него есть дом."),  # the opposite is нет
    ("tense", "Если бы он знал, он бы пришёл."),
    ("gender-pronoun", "Врач пошёл к ним."),  # them
    ("pronoun-case", "Машина стоит у дома."),
]


def test_made() -> None:
    cases = [(spec, text, expected) for spec, texts in MADE.items() for text, expected in texts.items()]
    assert unexpected(cases, "ru") == []


def test_refused() -> None:
    made = {case: every(*case, language="ru") for case in REFUSED}
    assert [case for case, texts in made.items() if len(texts) != 1 or not min(texts).startswith("refused: ")] == []
