from __future__ import annotations

from assay.tasks import flights
from assay.tasks.dialogue import Dialogue
from assay.tasks.tracker import ONTOLOGY, DialogueTracker, mentions

TASK = Dialogue()
EXAMPLES = TASK.examples()


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
        from assay.tasks.tracker import _tokens

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
