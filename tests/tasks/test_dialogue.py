from __future__ import annotations

import re

from assay.tasks import TASKS
from assay.tasks.dialogue import LANGUAGES, Dialogue
from assay.tasks.tracker import ONTOLOGY, SLOTS

TASK = Dialogue()
EXAMPLES = TASK.examples()


def test_the_registry_knows_it() -> None:
    assert TASKS.resolve("dialogue") is Dialogue


def test_the_data_are_whole() -> None:
    dialogues = {example.id.rpartition("-")[0] for example in EXAMPLES}
    assert len(dialogues) >= 150 and len({example.id for example in EXAMPLES}) == len(EXAMPLES)
    assert {name.partition("-")[0] for name in dialogues} == {"restaurant", "taxi", "train"}
    for example in EXAMPLES:
        assert set(example.translations) == set(LANGUAGES)
        assert set(example.inputs) == {"utterance", "history"}
        for language, texts in example.translations.items():
            assert set(texts) == {"utterance"}
            text = texts["utterance"]
            assert text.strip() == text and not re.search(r"[{}]|  ", text), text
            assert bool(re.search(r"[一-鿿]", text)) == (language == "zh"), text


def test_a_dialogue_stays_in_one_part() -> None:
    parts: dict[str, set[str]] = {}
    for example in EXAMPLES:
        parts.setdefault(example.id.rpartition("-")[0], set()).add(example.split)
    assert all(len(splits) == 1 for splits in parts.values())
    assert {"dev", "test"} == set().union(*parts.values())


def test_states_are_in_the_ontology_and_grow() -> None:
    values = {value for table in ONTOLOGY.values() for value in table.values()}
    before: dict[str, str] = {}
    for example in EXAMPLES:
        if example.id.endswith("-0"):
            before = {}
        assert set(before) <= set(example.expected) and before != example.expected
        before = example.expected
        domain = example.id.partition("-")[0]
        for name, value in example.expected.items():
            assert name.partition("-")[0] == domain and name.partition("-")[2] in SLOTS[domain]
            assert value in values or re.fullmatch(r"\d\d:\d\d", value)
        assert example.expected.get(f"{domain}-from", 1) != example.expected.get(f"{domain}-to", 2)


def test_times_stand_in_every_language() -> None:
    """18:30 is 18h30 in Portuguese and 18 h 30 in French; a full hour loses its zeros there."""
    for example in EXAMPLES:
        for hour, minute in re.findall(r"(\d\d):(\d\d)", example.inputs["utterance"]):
            short = "" if minute == "00" else minute
            written = {"pt": f"{hour}h{short}", "fr": f"{hour} h {short}".rstrip()}
            for language, texts in example.translations.items():
                assert written.get(language, f"{hour}:{minute}") in texts["utterance"]


def test_joint_goal_is_all_or_nothing() -> None:
    example = EXAMPLES[0]
    assert TASK.succeeds(example, dict(example.expected))
    assert not TASK.succeeds(example, {**example.expected, "restaurant-day": "Monday"})
    assert not TASK.succeeds(example, {})
