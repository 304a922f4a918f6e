"""Tokenizers that the script of the translations chooses."""

from __future__ import annotations

import pytest

import assay
from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.engine.inputs import Inputs
from assay.engine.languages import settle_language
from assay.metrics.bleu import Bleu

CHINESE = ["我喜欢吃苹果和香蕉。", "他昨天去了北京大学图书馆。", "这本书是我去年在上海买的。"] * 4
JAPANESE = ["私は昨日図書館で本を読みました。", "彼女は東京に住んでいます。", "この映画はとても面白いです。"] * 4
KOREAN = ["나는 어제 도서관에서 책을 읽었다.", "그녀는 서울에 살고 있다.", "이 영화는 아주 재미있다."] * 4


@pytest.mark.parametrize(
    ("texts", "langpair", "name"),
    [(CHINESE, "en-zh", "Chinese"), (JAPANESE, "en-ja", "Japanese"), (KOREAN, "en-ko", "Korean")],
)
def test_the_script_chooses_the_tokenizer_of_the_language(texts: list[str], langpair: str, name: str) -> None:
    changed = [text[:-2] + text[-1:] for text in texts]
    told = assay.score(changed, texts, metrics=["bleu"], langpair=langpair)
    seen = assay.score(changed, texts, metrics=["bleu"])
    assert seen.system["bleu"] == told.system["bleu"]
    assert any(f"in {name}: BLEU uses tokenize=" in note for note in seen.notes)


def test_an_explicit_tokenizer_wins() -> None:
    result = assay.score(CHINESE, CHINESE[::-1], metrics=["bleu:tokenize=13a"])
    assert not any("Chinese" in note for note in result.notes)


def test_other_scripts_stay_as_they_are() -> None:
    for texts in (["Der Hund bellt laut."] * 3, ["Он читает книгу."] * 3, ["He said 你好 to them all."] * 3):
        assert not any("tokenize" in note for note in assay.score(texts, texts, metrics=["bleu"]).notes)


def test_mixed_texts_leave_a_doubt() -> None:
    texts = ["我喜欢吃 apples", "他昨天去 library"]
    assert any("Specify the language pair" in note for note in assay.score(texts, texts, metrics=["bleu"]).notes)


def test_languages_without_spaces_are_warned_about() -> None:
    texts = ["ฉันชอบกินแอปเปิ้ล"] * 3
    assert any("tok:13a" in note for note in assay.score(texts, texts, metrics=["bleu"]).notes)


def test_a_missing_tokenizer_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Bleu, language: str) -> Bleu:
        raise MissingPart("it needs the extra 'ja'.")

    monkeypatch.setattr(Bleu, "for_language", missing)
    inputs, metrics = Inputs(iter([Batch(hypotheses=JAPANESE)])), {"bleu": Bleu()}
    settled, notes = settle_language(inputs, metrics)
    assert settled["bleu"] is metrics["bleu"] and len(next(inputs.chunks).hypotheses) == len(JAPANESE)
    assert notes == ["the translations are in Japanese, but BLEU uses tokenize=13a: it needs the extra 'ja'."]
