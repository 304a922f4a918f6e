from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.core.errors import InputError, UnknownName
from assay.tasks.answering import Answering
from assay.tasks.spans import Span, SpanFinder, normalise_answer
from tests.tasks import tiny

WORDS = ["[PAD]", "<unk>", "[CLS]", "[SEP]", *tiny.WORDS]


@pytest.mark.parametrize(
    ("answer", "compared"),
    [
        ("The Eiffel Tower.", "eiffel tower"),
        ("an apple, a pear", "apple pear"),  # "an apple a pear" without the comma, then without the articles
        ("U.S.", "us"),
        ("  two \t words\n", "two words"),
        ("Theatre", "theatre"),  # "the" is a word here, not a beginning
        ("twenty-one", "twentyone"),
        ("«Été» — 25 %", "«été» — 25"),  # only ASCII punctuation is taken out
        ("The", ""),
    ],
)  # fmt: skip
def test_squads_normalisation(answer: str, compared: str) -> None:
    assert normalise_answer(answer) == compared


def xquad(folder: Path) -> Path:
    context = "w1 w2 w3 . w4 the w5 w6"
    for code, text in (("en", context), ("es", "Una. Dos. Tres frases.")):
        answers = [{"answer_start": 11, "text": "w4 the w5"}]
        paragraph = {"context": text, "qas": [{"id": "q", "question": "w7 w8", "answers": answers}]}
        content = {"data": [{"title": "t", "paragraphs": [paragraph]}]}
        (folder / f"xquad.{code}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_by_span_every_question_and_language_takes_part(tmp_path) -> None:
    task = Answering(data_dir=xquad(tmp_path), span_model="a-model")
    (example,) = task.examples()
    assert example.expected == Span("w4 the w5") and set(example.translations) == {"es"}
    assert not Answering(data_dir=tmp_path).examples()[0].translations, "three sentences are not one"
    assert task.succeeds(example, Span("W4 w5!"))
    assert not task.succeeds(example, Span("w4 w5 w6"))
    assert not task.succeeds(example, Span(""))
    assert not task.succeeds(example, None)


def test_spans_need_a_copy_of_xquad_and_safe_weights(tmp_path) -> None:
    with pytest.raises(InputError, match="span_model requires data_dir"):
        Answering(span_model="a-model")
    with pytest.raises(InputError, match=r"has no config\.json"):
        SpanFinder(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(InputError, match=r"no safetensors weights\. Other formats can run code"):
        SpanFinder(str(tmp_path))


def test_the_option_has_a_name() -> None:
    from assay.tasks.running import find_task

    with pytest.raises(UnknownName, match="span_model"):
        find_task("answering:span_modell=x")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import torch
    from transformers import BertConfig, BertForQuestionAnswering

    folder = tmp_path_factory.mktemp("span-model")
    tiny.word_tokenizer(
        folder, WORDS, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1",
        pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=26, initializer_range=0.5,
    )  # fmt: skip
    BertForQuestionAnswering(config).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_the_best_span_of_a_short_context(folder) -> None:
    """The search by hand: every start, every end after it."""
    import torch

    finder = SpanFinder(str(folder))
    words = [f"w{(7 * number) % 40}" for number in range(12)]
    (answer,) = finder.answer([{"question": "w1 w2", "context": " ".join(words)}])
    ids = [WORDS.index(word) for word in ["[CLS]", "w1", "w2", "[SEP]", *words, "[SEP]"]]
    kinds = [0] * 4 + [1] * 13
    with torch.inference_mode():
        scores = finder._model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([kinds]))
    pairs = [(start, end) for start in range(12) for end in range(start, 12)]
    start, end = max(pairs, key=lambda pair: scores.start_logits[0, 4 + pair[0]] + scores.end_logits[0, 4 + pair[1]])
    assert answer.text == " ".join(words[start : end + 1])


@pytest.mark.slow
def test_a_long_context_is_read_in_windows_and_odd_input_gives_nothing(folder) -> None:
    finder = SpanFinder(str(folder))
    context = " ".join(f"w{(11 * number) % 40}" for number in range(200))
    answers = finder.answer(
        [
            {"question": "w1", "context": context},
            {"question": "w1", "context": " \n"},
            {"question": context, "context": "w1"},
        ]
    )
    assert answers[0].text and answers[0].text in context
    assert answers[1:] == [Span(""), Span("")]


@pytest.mark.slow
def test_a_model_that_never_learnt_to_answer_is_refused(folder, tmp_path) -> None:
    from transformers import BertConfig, BertForMaskedLM

    for path in folder.glob("tokenizer*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    BertForMaskedLM(BertConfig.from_pretrained(folder)).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="is not a question-answering model: it has no weights for qa_outputs"):
        SpanFinder(str(tmp_path))
