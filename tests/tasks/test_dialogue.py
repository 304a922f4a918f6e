from __future__ import annotations

import re

from assay.tasks import TASKS, flights
from assay.tasks.dialogue import LANGUAGES, ONTOLOGY, SLOTS, Dialogue, DialogueTracker, _tokens, mentions

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


def test_the_tracker_is_right_on_english() -> None:
    answers = TASK.model().answer([example.inputs for example in EXAMPLES])
    for split in ("dev", "test"):
        right = [
            TASK.succeeds(example, answer)
            for example, answer in zip(EXAMPLES, answers, strict=True)
            if example.split == split
        ]
        assert sum(right) / len(right) >= 0.9


def test_mentions() -> None:
    def found(text: str) -> list[tuple[str, str]]:
        return [(mention.kind, mention.value) for mention in mentions(_tokens(text))]

    assert found("a Thai place in the center") == [("food", "thai"), ("area", "centre")]
    assert found("at 17:30, 17h45, 5:15 pm, 8pm or 6 p. m.") == [
        ("time", clock) for clock in ("17:30", "17:45", "17:15", "20:00", "18:00")
    ]
    assert found("5 of us at 25:30") == [("number", "5")]


def test_the_history_is_read() -> None:
    tracker = DialogueTracker()
    history = "user: I need a train from London to Prague.\nsystem: Shall I book it?"
    (state,) = tracker.answer([{"history": history, "utterance": "Yes, five tickets please."}])
    assert state == {"train-from": "London", "train-to": "Prague", "train-people": "5"}
    assert tracker.answer([{"utterance": ""}]) == [{}]


def test_cities_are_those_of_the_flights() -> None:
    assert set(ONTOLOGY["city"].values()) == set(flights.CITIES)
