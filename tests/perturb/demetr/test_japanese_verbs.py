from __future__ import annotations

from tests.perturb.texts import every, unexpected

MADE = {
    "negation": {
        "委員会は新しい法律を可決した。": {"委員会は新しい法律を可決しなかった。"},
        "彼は会議に出席しなかった。": {"彼は会議に出席した。"},
        "私は毎日手紙を書く。": {"私は毎日手紙を書かない。"},
        "これは本です。": {"これは本ではありません。"},
        "部屋には机がある。": {"部屋には机がない。"},
    },
    "tense": {
        "委員会は新しい法律を可決した。": {"委員会は新しい法律を可決する。"},
        "子供たちは公園で遊びました。": {"子供たちは公園で遊びます。"},
        "彼女は昨日東京へ行った。": {"彼女は昨日東京へ行く。"},
    },
    "interrogative": {
        "子供たちは公園で遊びました。": {"子供たちは公園で遊びましたか。"},
        "彼は学生だ。": {"彼は学生なのか。"},
    },
}
"""Rule to sentences and what comes of them, each read by a person."""


REFUSED = [
    ("negation", "彼は何も言わなかった。"),  # nothing
    ("negation", "彼は来るという。"),  # hearsay
    ("tense", "彼は来ると述べた。"),  # a report
]


def test_made() -> None:
    cases = [(spec, text, expected) for spec, texts in MADE.items() for text, expected in texts.items()]
    assert unexpected(cases, "ja") == []


def test_refused() -> None:
    made = {case: every(*case, language="ja") for case in REFUSED}
    assert [case for case, texts in made.items() if len(texts) != 1 or not min(texts).startswith("refused: ")] == []
