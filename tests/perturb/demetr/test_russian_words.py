from __future__ import annotations

from tests.perturb.texts import every, unexpected

MADE = {
    "omitted-adjective-adverb": {"Комитет принял новый закон.": {"Комитет принял закон."}},
    "omitted-name": {"Министр встретился в Лондоне с журналистами.": {"Министр встретился в с журналистами."}},
    "omitted-subject": {"Новый закон вступил в силу.": {"Новый вступил в силу."}},
    "omitted-noun": {"Комитет принял новый закон.": {"Комитет принял новый."}},
    "omitted-verb": {"Комитет принял новый закон.": {"Комитет новый закон."}},
    "omitted-prepositional-phrase": {
        "Комитет принял новый закон в понедельник.": {"Комитет принял новый закон."},
        "Он живёт в доме отца.": {"Он живёт."},
    },
    "omitted-conjunction": {
        "Он устал, но продолжил работу.": {"Он устал, продолжил работу."},
        "Он настаивает на том, что она уехала.": {"Он настаивает на том, она уехала."},
    },
}
"""Rule to sentences and what comes of them, each read by a person."""


REFUSED = [
    ("omitted-name", "Лондон ждал министра."),  # a subject
    ("omitted-subject", "Он принял новый закон."),  # may be left out
    ("omitted-verb", "Комитет не принял новый закон."),
    ("omitted-conjunction", "Говорят, что она уехала."),  # reads as well without
]


def test_made() -> None:
    cases = [(spec, text, expected) for spec, texts in MADE.items() for text, expected in texts.items()]
    assert unexpected(cases, "ru") == []


def test_refused() -> None:
    made = {case: every(*case, language="ru") for case in REFUSED}
    assert [case for case, texts in made.items() if len(texts) != 1 or not min(texts).startswith("refused: ")] == []
