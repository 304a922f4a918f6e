from __future__ import annotations

from tests.perturb.texts import every, unexpected

MADE = {
    "gender-pronoun": {"彼は医者です。": {"彼女は医者です。"}},
    "omitted-adjective-adverb": {
        "委員会は新しい法律を可決した。": {"委員会は法律を可決した。"},
        "彼は重要な役割を果たした。": {"彼は役割を果たした。"},
    },
    "omitted-name": {
        "大臣はロンドンで記者団と会った。": {"大臣は記者団と会った。"},
        "ドイツの首相は会見を開いた。": {"首相は会見を開いた。"},
    },
    "omitted-prepositional-phrase": {"大臣は土曜日に新しい法律を発表した。": {"大臣は新しい法律を発表した。"}},
    "omitted-conjunction": {"しかし、彼は来なかった。": {"彼は来なかった。"}},
}
"""Rule to sentences and what comes of them, each read by a person."""


REFUSED = [
    ("gender-pronoun", "彼らは医者です。"),  # they
    ("omitted-prepositional-phrase", "計画によって費用が増えた。"),
    ("omitted-conjunction", "しかしながら彼は来なかった。"),
]


def test_made() -> None:
    cases = [(spec, text, expected) for spec, texts in MADE.items() for text, expected in texts.items()]
    assert unexpected(cases, "ja") == []


def test_refused() -> None:
    made = {case: every(*case, language="ja") for case in REFUSED}
    assert [case for case, texts in made.items() if len(texts) != 1 or not min(texts).startswith("refused: ")] == []
