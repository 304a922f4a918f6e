"""BLEU against sacrebleu 2.6."""

from __future__ import annotations

import hashlib
import io
import random
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from assay.core import Batch, InputError, MissingPart, Scores, UnknownName
from assay.core import statistics as statistics_of
from assay.metrics import metric
from assay.metrics.bleu import Bleu, SpBleu
from tests.corruption import corrupt
from tests.data import demetr_requests, ntrex

LANGUAGES = ["arb", "ces", "deu", "fra", "hin", "jpn", "kor", "rus", "tha", "zho-CN"]
LINES = ["The cat sat on the mat.", "It cost $3,000.50 - or so.", "Ein Satz.", "x", ""]
OTHERS = ["The cat is sitting on the mat.", "It costs 3,000.50 $.", "Ein anderer Satz.", "x y", "z"]


def theirs(hyps: Sequence[str], refs: Sequence[Sequence[str | None]], **options: object) -> tuple[list[float], float]:
    """sacrebleu's sentence and corpus scores. Its corpus score is the sum of its sentences' counts, tokenized once."""
    bleu = BLEU(effective_order=True, **options)
    sentences = [
        bleu.sentence_score(hyp, [r for r in row if r is not None]) for hyp, *row in zip(hyps, *refs, strict=True)
    ]
    corpus = BLEU.compute_bleu(
        np.sum([s.counts for s in sentences], axis=0).tolist(),
        np.sum([s.totals for s in sentences], axis=0).tolist(),
        sum(s.sys_len for s in sentences),
        sum(s.ref_len for s in sentences),
        smooth_method="exp",
    )
    return [s.score for s in sentences], corpus.score


def corpus_value(bleu: Bleu, scores: Scores) -> float:
    assert scores.stats is not None
    return float(bleu.combine(scores.stats.sum(axis=0)))


def assert_equal(bleu: Bleu, hyps: Sequence[str], refs: Sequence[Sequence[str | None]], **options: object) -> None:
    segments, corpus = theirs(hyps, refs, **options)
    scores = bleu.score(Batch(hyps, references=tuple(refs)))
    np.testing.assert_allclose(scores.values, segments, rtol=0, atol=1e-9)
    assert corpus_value(bleu, scores) == pytest.approx(corpus, abs=1e-9)


@pytest.mark.real
@pytest.mark.slow
def test_all_of_demetr() -> None:
    hyps, refs = map(list, zip(*demetr_requests(), strict=True))
    assert_equal(Bleu(), hyps, [refs])


@pytest.mark.real
@pytest.mark.slow
def test_all_of_demetr_with_the_other_translation_as_second_reference() -> None:
    rng, translations = random.Random(5), {}
    seconds = []
    for hyp, ref in demetr_requests():  # an item's mt_sent comes before its perturbation
        translation = translations.setdefault(ref, hyp)
        seconds.append(corrupt(hyp, rng) if translation == hyp else translation)
    hyps, refs = map(list, zip(*demetr_requests(), strict=True))
    assert_equal(Bleu(), hyps, [refs, seconds])


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("code", LANGUAGES)
def test_a_thousand_lines(code: str) -> None:
    rng, lines = random.Random(code), ntrex(code)[:1000]
    hyps = [corrupt(line, rng) for line in lines]
    neighbours: list[str | None] = [corrupt(line, rng) for line in lines[1:] + lines[:1]]
    neighbours[::7] = [None] * len(neighbours[::7])
    assert_equal(Bleu(), hyps, [lines, neighbours])
    bleu = Bleu()
    official = BLEU().corpus_score(hyps, [lines]).score
    assert corpus_value(bleu, bleu.score(Batch(hyps, references=(lines,)))) == pytest.approx(official, abs=1e-9)


@pytest.mark.real
@pytest.mark.parametrize(
    ("tokenize", "code"),
    [
        ("intl", "rus"),
        ("zh", "zho-CN"),
        ("char", "tha"),
        ("ja-mecab", "jpn"),
        ("ko-mecab", "kor"),
        ("none", "arb"),
        ("13a", "eng"),
    ],
)
def test_every_tokenizer(tokenize: str, code: str) -> None:
    rng, lines = random.Random(code), ntrex(code)[:200]
    hyps = [corrupt(line, rng) for line in lines]
    for lowercase in (False, True):
        ours = metric(f"bleu:tokenize={tokenize},lowercase={lowercase}")
        assert isinstance(ours, Bleu)
        assert_equal(ours, hyps, [lines], tokenize=tokenize, lowercase=lowercase)
    signature = BLEU(tokenize=tokenize).tokenizer_signature
    assert ("tok", signature) in ours.signature.parameters


text = st.lists(st.sampled_from([*"ab1.,-& \n\tİ", "日", "שלום", "&lt;", "\0", "\ud800"]), max_size=12).map("".join)
OPTIONS = [("exp", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 0.25), ("none", None)]


@given(
    st.lists(st.tuples(text, text), min_size=1, max_size=5), st.sampled_from(OPTIONS), st.booleans(), st.integers(1, 5)
)
def test_every_smoothing(
    rows: list[tuple[str, str]], smooth: tuple[str, float | None], effective: bool, order: int
) -> None:
    hyps, refs = map(list, zip(*rows, strict=True))
    method, value = smooth
    ours = Bleu(smooth_method=method, smooth_value=value, effective_order=effective, max_ngram_order=order)  # type: ignore[arg-type]
    options = {"smooth_method": method, "smooth_value": value, "max_ngram_order": order}
    corpus, sentence = BLEU(effective_order=effective, **options), BLEU(effective_order=True, **options)
    scores = ours.score(Batch(hyps, references=(refs,)))
    expected = [sentence.sentence_score(hyp, [ref]).score for hyp, ref in rows]
    np.testing.assert_allclose(scores.values, expected, rtol=0, atol=1e-9)
    assert corpus_value(ours, scores) == pytest.approx(corpus.corpus_score(hyps, [refs]).score, abs=1e-9)


statistics = st.lists(st.integers(0, 6), min_size=10, max_size=10)


@given(st.lists(statistics, min_size=1, max_size=6), st.sampled_from(OPTIONS), st.booleans())
def test_combine_over_leading_axes(rows: list[list[int]], smooth: tuple[str, float | None], effective: bool) -> None:
    method, value = smooth
    ours = Bleu(smooth_method=method, smooth_value=value, effective_order=effective)  # type: ignore[arg-type]
    rows = [[h, r, *(min(c, t) for c, t in zip(row[:4], row[4:], strict=True)), *row[4:]] for h, r, *row in rows]
    expected = [
        BLEU.compute_bleu(row[2:6], row[6:], row[0], row[1], method, value, effective_order=effective).score
        for row in rows
        if row[6]  # a corpus with matches has words
    ]
    stats = np.array([row for row in rows if row[6]], dtype=float).reshape(1, -1, 10)
    np.testing.assert_allclose(ours.combine(stats), [expected], rtol=0, atol=1e-9)


@pytest.fixture(scope="module")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentencepiece model of 400 pieces over four languages."""
    import sentencepiece

    model = io.BytesIO()
    lines = [line for code in ("eng", "deu", "rus", "hin") for line in ntrex(code)[:300]]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=400, minloglevel=2, num_threads=1
    )
    path = tmp_path_factory.mktemp("spm") / "small.model"
    path.write_bytes(model.getvalue())
    return path


@pytest.mark.real
def test_spbleu(small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # sacrebleu finds "its" flores200 model in its cache and fetches nothing
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "flores200sacrebleuspm").write_bytes(small_model.read_bytes())
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR", str(tmp_path))
    rng, lines = random.Random(1), [*ntrex("deu")[:150], *ntrex("hin")[300:450], *LINES]
    hyps = [corrupt(line, rng) for line in lines]
    assert_equal(SpBleu(model=str(small_model)), hyps, [lines], tokenize="flores200")
    assert_equal(Bleu(tokenize="spm", model=str(small_model)), hyps, [lines], tokenize="flores200")

    monkeypatch.setenv("SACREBLEU", str(tmp_path))  # the same file, found where sacrebleu keeps it
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "empty"))
    found = SpBleu()
    assert_equal(found, hyps, [lines], tokenize="flores200")
    hash_of_file = hashlib.sha256(small_model.read_bytes()).hexdigest()[:12]
    assert str(found.signature) == f"BLEU|case:mixed|eff:no|tok:flores200|smooth:exp|weights:{hash_of_file}|v:1"


def test_a_missing_model_is_an_instruction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path))
    with pytest.raises(MissingPart, match="assay fetch flores200, or specify a local file with model=PATH"):
        metric("spbleu")
    with pytest.raises(MissingPart, match="assay fetch flores101"):
        metric("bleu:tokenize=spm")
    with pytest.raises(InputError, match="cannot be read"):
        Bleu(tokenize="spm", model=str(tmp_path / "no.model"))
    (tmp_path / "bad.model").write_bytes(b"not a model")
    with pytest.raises(InputError, match=r"bad\.model is not a sentencepiece model"):
        Bleu(tokenize="spm", model=str(tmp_path / "bad.model"))


@pytest.mark.parametrize(("language", "extra"), [("ja", "ja"), ("ko", "ko")])
def test_a_missing_package_names_its_extra(language: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip(f"sacrebleu.tokenizers.tokenizer_{language}_mecab")
    monkeypatch.setattr(module, "MeCab", None)
    with pytest.raises(MissingPart, match=rf"pip install 'mt-assay\[{extra}\]'"):
        metric(f"bleu:tokenize={language}-mecab")


def test_missing_sentencepiece_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingPart, match=r"pip install 'mt-assay\[spm\]'"):
        metric("spbleu")


@pytest.mark.real
@pytest.mark.parametrize("spec", ["bleu", "bleu:tokenize=ja-mecab"])
def test_threads_and_splits_change_nothing(spec: str) -> None:
    lines = ntrex("jpn")[:400]
    batch = Batch([corrupt(line, random.Random(9)) for line in lines], references=(lines,))
    bleu = metric(spec)
    whole = bleu.score(batch)
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda start: bleu.score(batch.slice(start, start + 23)), range(0, 400, 23)))
    assert np.array_equal(Scores.concat(parts).values, whole.values)
    assert np.array_equal(statistics_of(Scores.concat(parts)), statistics_of(whole))


@pytest.mark.real
@pytest.mark.parametrize("tokenize", ["ja-mecab", "ko-mecab", "spm"])
def test_strings_that_c_cannot_take(tokenize: str, small_model: Path) -> None:
    # sacrebleu raises on a lone surrogate, and MeCab ends the text at a NUL: here both are an unknown character
    ours = Bleu(tokenize=tokenize, model=str(small_model) if tokenize == "spm" else None)  # type: ignore[arg-type]
    whole = ours.score(Batch(["今日 \ud800 雨", "今日 \0 雨"], references=(["今日 \ud800 雨", "今日 \0 雨"],)))
    assert whole.values == pytest.approx([100.0, 100.0])
    assert whole.stats is not None
    assert (whole.stats[:, 0] >= 3).all()


def test_signatures_tell_options_apart() -> None:
    specs = ["bleu", "bleu:lowercase=yes", "bleu:tokenize=none", "bleu:effective_order=yes", "bleu:max_ngram_order=3"]
    specs += [f"bleu:smooth_method={m}" for m in ("floor", "add-k", "none")]
    specs += ["bleu:smooth_method=floor,smooth_value=0.101", "bleu:smooth_method=floor,smooth_value=0.102"]
    signatures = [str(metric(spec).signature) for spec in specs]
    assert len(set(signatures)) == len(specs)
    assert signatures[0] == "BLEU|case:mixed|eff:no|tok:13a|smooth:exp|v:1"


def test_wrong_options_are_refused() -> None:
    with pytest.raises(UnknownName, match="Did you mean 13a"):
        metric("bleu:tokenize=13b")
    for wrong in ("max_ngram_order=0", "smooth_value=1", "smooth_method=floor,smooth_value=-1", "model=x.model"):
        with pytest.raises(InputError, match="bleu requires"):
            metric(f"bleu:{wrong}")


def test_empty_sides_and_missing_references() -> None:
    bleu = Bleu()
    scores = bleu.score(Batch(["", "", "a b", "   "], references=(["", "a b", "", "\n"],)))
    assert scores.values.tolist() == [0, 0, 0, 0]
    assert corpus_value(bleu, scores) == 0
    assert len(bleu.score(Batch([], references=([],)))) == 0
    with pytest.raises(InputError, match="requires a reference"):
        bleu.score(Batch(["a"]))


def test_several_references_by_hand() -> None:
    # "the the cat": the first reference has "the" twice, the second "cat"; lengths 2 and 4 are as near to 3: 2 counts.
    scores = Bleu().score(Batch(["the the cat"], references=(["the the"], ["a cat sat down"])))
    assert scores.stats is not None
    assert scores.stats.tolist() == [[3, 2, 3, 1, 0, 0, 3, 2, 1, 0]]
