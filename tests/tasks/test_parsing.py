from __future__ import annotations

import re

from assay.tasks import TASKS, flights
from assay.tasks.parsing import LANGUAGES, FlightParser, Parsing

TASK = Parsing()
EXAMPLES = TASK.examples()


def test_the_registry_knows_it() -> None:
    assert TASKS.resolve("parsing") is Parsing


def test_the_data_are_whole() -> None:
    assert len(EXAMPLES) >= 300
    assert len({example.id for example in EXAMPLES}) == len(EXAMPLES)
    assert len({example.inputs["utterance"] for example in EXAMPLES}) == len(EXAMPLES)
    assert {example.split for example in EXAMPLES} == {"dev", "test"}
    for example in EXAMPLES:
        assert set(example.translations) == set(LANGUAGES)
        for language, texts in example.translations.items():
            text = texts["utterance"]
            assert text.strip() == text and not re.search(r"[{}]|  ", text), text
            assert bool(re.search(r"[一-鿿]", text)) == (language == "zh"), text


def test_every_query_has_a_result_that_every_condition_shapes() -> None:
    for example in EXAMPLES:
        answer = flights.execute(example.expected)
        assert answer and answer != {(0,)}, example.id
        frame = example.meta["frame"]
        assert flights.frame_to_sql(frame) == example.expected
        for slot in set(frame) - {"intent"}:
            rest = {name: value for name, value in frame.items() if name != slot}
            assert flights.execute(flights.frame_to_sql(rest)) != answer, (example.id, slot)


def test_the_values_stand_in_every_language() -> None:
    """Numbers, flight numbers and airlines are the same in all languages."""
    names = {"NW": "Northwind", "MD": "Meridian", "SK": "Skylark", "AU": "Aurora"}
    for example in EXAMPLES:
        frame = example.meta["frame"]
        kept = [frame[slot] for slot in ("price", "number") if slot in frame]
        kept += [names[frame["airline"]]] if "airline" in frame else []
        for texts in example.translations.values():
            assert all(value in texts["utterance"] for value in kept), texts


def test_the_parser_never_saw_an_example() -> None:
    import json
    from importlib.resources import files

    text = (files("assay") / "data" / "tasks" / "flights_train.jsonl").read_text(encoding="utf-8")
    seen = {" ".join(json.loads(line)["words"]).lower() for line in text.splitlines()}
    asked = {" ".join(re.findall(r"\w+(?:[-:']\w+)*", example.inputs["utterance"])).lower() for example in EXAMPLES}
    assert not seen & asked


def test_the_parser_is_right_on_english() -> None:
    answers = TASK.model().answer([example.inputs for example in EXAMPLES])
    for split in ("dev", "test"):
        right = [
            TASK.succeeds(example, answer)
            for example, answer in zip(EXAMPLES, answers, strict=True)
            if example.split == split
        ]
        assert sum(right) / len(right) >= 0.9


def test_the_parser_reads_slots_by_their_words() -> None:
    parser = FlightParser()
    assert parser.frame("Show me flights from Prague to London on Monday evening after 7 pm.") == {
        "intent": "flights",
        "origin": "PRG",
        "destination": "LON",
        "day": "Monday",
        "period": "evening",
        "after": "19:00",
    }
    assert parser.answer([{"utterance": ""}])[0].startswith("SELECT")


def test_words_that_mean_nothing_to_the_database_find_nothing() -> None:
    for slot in ("origin", "airline", "day", "period", "after", "class", "number"):
        assert flights.execute(flights.frame_to_sql({"intent": "fare", slot: "?"})) in (frozenset(), None)
    assert flights.execute(flights.frame_to_sql({"intent": "flights", "price": "0"})) == frozenset()


def test_two_parsers_agree() -> None:
    from assay.tasks import parsing

    first = FlightParser().answer([example.inputs for example in EXAMPLES[:40]])
    parsing._trained.cache_clear()
    assert FlightParser().answer([example.inputs for example in EXAMPLES[:40]]) == first


def test_a_query_that_fails_is_a_breakdown() -> None:
    example = EXAMPLES[0]
    assert TASK.succeeds(example, example.expected)
    assert not TASK.succeeds(example, "SELECT nothing FROM nowhere")
    assert not TASK.succeeds(example, "DROP TABLE flight")
    assert not TASK.succeeds(example, None)
