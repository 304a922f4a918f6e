from __future__ import annotations

import pytest

from assay.perturb.demetr.japanese_verbs import negative_stem, past_form
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


@pytest.mark.parametrize(
    ("lemma", "kind", "stem", "past"),
    [
        ("書く", "五段-カ行", "書か", "書いた"),
        ("泳ぐ", "五段-ガ行", "泳が", "泳いだ"),
        ("話す", "五段-サ行", "話さ", "話した"),
        ("待つ", "五段-タ行", "待た", "待った"),
        ("死ぬ", "五段-ナ行", "死な", "死んだ"),
        ("遊ぶ", "五段-バ行", "遊ば", "遊んだ"),
        ("読む", "五段-マ行", "読ま", "読んだ"),
        ("走る", "五段-ラ行", "走ら", "走った"),
        ("買う", "五段-ワア行", "買わ", "買った"),
        ("行く", "五段-カ行", "行か", "行った"),
        ("見る", "上一段-マ行", "見", "見た"),
        ("食べる", "下一段-バ行", "食べ", "食べた"),
        ("反する", "サ行変格", "反し", "反した"),
        ("来る", "カ行変格", "来", "来た"),
        ("くる", "カ行変格", "こ", "きた"),
        ("問う", "五段-ワア行", None, None),
        ("有り", "文語ラ行変格", None, None),
    ],
)
def test_forms(lemma: str, kind: str, stem: str | None, past: str | None) -> None:
    assert negative_stem(lemma, kind) == stem
    assert past_form(lemma, kind) == past


def test_the_negation_of_aru_is_no_form_of_it() -> None:
    assert negative_stem("ある", "五段-ラ行") is None
    assert past_form("ある", "五段-ラ行") == "あった"
