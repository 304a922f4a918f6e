"""Forms of Japanese verbs, as a school grammar has them."""

from __future__ import annotations

import pytest

from assay.perturb.language import japanese


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
    assert japanese.negative_stem(lemma, kind) == stem
    assert japanese.past(lemma, kind) == past


def test_the_negation_of_aru_is_no_form_of_it() -> None:
    assert japanese.negative_stem("ある", "五段-ラ行") is None
    assert japanese.past("ある", "五段-ラ行") == "あった"
