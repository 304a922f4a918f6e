"""The reader of sentencepiece files beside the sentencepiece package."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")

SENTENCES = [
    "The contract was signed by both countries in 1997, and it still holds.",
    "Der Vertrag wurde 1997 von beiden Ländern unterzeichnet.",
    "Кошка сидит на тёплом ковре и смотрит в окно.",
    "ﬁne ligatures, ½ and full-width ＡＢＣ are normalised",
] * 20


def test_xlmr_numbering_and_pieces(tmp_path: Path) -> None:
    spm = pytest.importorskip("sentencepiece")
    from assay.models.encoders.tokenizer import Tokenizer

    (tmp_path / "text").write_text("\n".join(SENTENCES), encoding="utf-8")
    prefix = tmp_path / "sentencepiece.bpe"
    spm.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(prefix), vocab_size=150, hard_vocab_limit=False, minloglevel=2
    )
    oracle = spm.SentencePieceProcessor(model_file=f"{prefix}.model")
    ours = Tokenizer.load(Path(f"{prefix}.model"))
    for text in SENTENCES[:4]:
        # XLM-R: fairseq's <s>, <pad>, </s>, <unk> in front, every other piece one higher; sentencepiece's <unk> is 0.
        expected = [0, *(i + 1 if i else 3 for i in oracle.encode(text)), 2]
        assert ours.encode([text], 512)[0].ids == expected


def test_texts_are_cut_with_their_closing_token() -> None:
    from assay.models.encoders.tokenizer import Tokenizer
    from tests.models.official import tiny

    tokenizer = Tokenizer(tiny().xlmr_tokenizer(), "tiny")
    (whole,) = tokenizer.encode(["a long text of many letters"], 512, offsets=True)
    (cut,) = tokenizer.encode(["a long text of many letters"], 6, offsets=True)
    assert not whole.cut and cut.cut
    assert cut.ids == [*whole.ids[:5], tokenizer.last]
    assert cut.offsets is not None and len(cut.offsets) == 6
    joined, long = tokenizer.join(cut, cut, limit=512)
    assert joined == [0, *cut.ids[1:-1], 2, 2, *cut.ids[1:-1], 2] and not long
    assert tokenizer.join(cut, cut, limit=7) == (joined[:7], True)
