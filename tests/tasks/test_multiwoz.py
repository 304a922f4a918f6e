from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.tasks import multiwoz
from assay.tasks.dialogue import ONTOLOGY, SLOTS, Dialogue


def turn(system: str, user: str, *slots: tuple[str, str]) -> dict[str, Any]:
    belief = [{"slots": [[name, value]], "act": "inform"} for name, value in slots]
    return {"system_transcript": system, "transcript": user, "belief_state": belief, "turn_idx": 0}


def dialogue(name: str, *turns: dict[str, Any]) -> dict[str, Any]:
    return {"dialogue_idx": name, "domains": ["hotel"], "dialogue": list(turns)}


ENGLISH = dialogue(
    "MUL1.json",
    turn("", "i want a hotel with free parking in the centre", ("hotel-area", "centre"), ("hotel-parking", "yes")),
    turn(
        "which price ?",
        "i do not mind . five nights",
        ("hotel-area", "centre"),
        ("hotel-parking", "yes"),
        ("hotel-price range", "do n't care"),
        ("hotel-book stay", "5"),
        ("hotel-name", "not mentioned"),
    ),
)
GERMAN = dialogue("MUL1.json", turn("", "Ein Hotel mit Parkplatz im Zentrum"), turn("Preis?", "Egal. Fünf Nächte"))
VALUES = {"hotel-area": ["centre", "north"], "hotel-price range": ["cheap"], "hotel-book stay": ["5", "3"]}


def write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def copy(folder: Path) -> Path:
    for part in ("train", "dev", "test"):
        write(folder / f"{part}_dials.json", [ENGLISH])
    for part in ("dev", "test"):
        write(folder / f"{part}_dials-de.json", [GERMAN])
    write(folder / "ontology.json", VALUES)
    return folder


def test_turns_with_the_state_before_and_after(tmp_path) -> None:
    examples = multiwoz.examples(copy(tmp_path))
    assert [(example.id, example.split) for example in examples] == [
        ("MUL1.json-0", "dev"), ("MUL1.json-1", "dev"), ("MUL1.json-0", "test"), ("MUL1.json-1", "test"),
    ]  # fmt: skip
    first, second = examples[:2]
    assert first.expected == {"hotel-area": "centre", "hotel-parking": "yes"}
    assert second.expected == {**first.expected, "hotel-pricerange": "dontcare", "hotel-bookstay": "5"}
    assert json.loads(second.inputs["state"]) == first.expected and json.loads(first.inputs["state"]) == {}
    assert second.inputs["system"] == "which price ?"
    assert second.translations == {"de": {"utterance": "Egal. Fünf Nächte"}}


def test_a_folder_that_holds_the_copy(tmp_path) -> None:
    (tmp_path / "MultiWOZ-2.1").mkdir()
    copy(tmp_path / "MultiWOZ-2.1")
    assert len(Dialogue(tmp_path).examples()) == 4


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("test_dials-de.json", [dialogue("MUL2.json")], r"does not belong to test_dials\.json: 1 dialogue .*MUL2\.json"),
        ("test_dials-de.json", [dialogue("MUL1.json", turn("", "a"))], r"dialogue MUL1\.json has 1 turn, but 2 in English"),
        ("test_dials.json", {"data": []}, "is not a list of dialogues"),
        ("test_dials.json", [{"dialogue": []}], "dialogue 1 has no 'dialogue_idx'"),
        ("test_dials.json", [dialogue("a", {"transcript": "", "system_transcript": ""})], "1 has no 'belief_state'"),
        ("test_dials.json", [dialogue("a", turn("", 7))], "dialogue 1 is not in Multi2WOZ's format"),
    ],
)  # fmt: skip
def test_broken_files(tmp_path, name, content, message) -> None:
    write(copy(tmp_path) / name, content)
    with pytest.raises(InputError, match=message):
        multiwoz.examples(tmp_path)


def test_a_file_that_is_cut_off(tmp_path) -> None:
    path = copy(tmp_path) / "dev_dials.json"
    path.write_text(path.read_text()[:-40])
    with pytest.raises(InputError, match=r"dev_dials\.json is not JSON: it is incomplete; copy it again"):
        multiwoz.examples(tmp_path)


def test_no_copy_and_no_ontology(tmp_path) -> None:
    with pytest.raises(InputError, match=r"has no dev_dials\.json\. Specify the folder of Multi2WOZ"):
        Dialogue(tmp_path).examples()
    write(copy(tmp_path) / "ontology.json", {"hotel-area": "centre"})
    with pytest.raises(InputError, match=r"ontology\.json is not an ontology"):
        Dialogue(tmp_path).model()


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> Path:
    """Our own dialogues in Multi2WOZ's format: the tracker's training turns, and the task's dialogues to be asked."""
    folder = tmp_path_factory.mktemp("multiwoz")
    data = files("assay") / "data" / "tasks"

    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (data / name).read_text(encoding="utf-8").splitlines()]

    def plain(state: dict[str, str]) -> list[tuple[str, str]]:
        return [(slot, value.replace("_", " ")) for slot, value in state.items()]

    learnt = [
        dialogue(f"{n}", turn(row["system"], row["text"], *plain({f"{row['domain']}-{s}": v for s, v in row["update"].items()})))
        for n, row in enumerate(rows("dialogues_train.jsonl"))
    ]  # fmt: skip
    write(folder / "train_dials.json", learnt)
    for part in ("dev", "test"):
        asked = [row for row in rows("dialogues.jsonl") if row["split"] == part]
        for ending, language in (("", "en"), ("-es", "es")):
            spoken = [
                dialogue(row["id"], *(turn(t["system"], t[language], *plain(t["state"])) for t in row["turns"]))
                for row in asked
            ]
            write(folder / f"{part}_dials{ending}.json", spoken)
    kinds = {"from": "place city", "to": "place city", "people": "number", "time": "", "leave": "", "arrive": ""}
    values = {
        f"{domain}-{slot}": [v.replace("_", " ") for kind in kinds.get(slot, slot).split() for v in ONTOLOGY[kind].values()]
        or ["18:30"]
        for domain, slots in SLOTS.items()
        for slot in slots
    }  # fmt: skip
    write(folder / "ontology.json", values)
    return folder


def test_the_tracker_learns_from_the_train_part_and_the_ontology(ours) -> None:
    task = Dialogue(ours)
    examples = task.examples()
    answers = task.model().answer([example.inputs for example in examples])
    right = sum(task.succeeds(example, answer) for example, answer in zip(examples, answers, strict=True))
    assert len(examples) == 3 * 156 and right / len(examples) >= 0.8


def test_the_state_before_is_kept_and_changed(ours) -> None:
    model = Dialogue(ours).model()
    before = {"train-to": "prague", "train-day": "monday"}
    row = {"utterance": "From London, leaving after 5:30 p.m.", "system": "From where?", "state": json.dumps(before)}
    assert model.answer([row]) == [{**before, "train-from": "london", "train-leave": "17:30"}]
    assert model.answer([{**row, "utterance": "Thank you, bye."}]) == [before]


def test_what_is_meant_but_not_named_is_learnt(tmp_path) -> None:
    model = Dialogue(copy(tmp_path)).model()
    assert model.answer([{"utterance": "a hotel", "system": "", "state": "{}"}]) == [{}], "one example is not enough"
    write(tmp_path / "train_dials.json", [{**ENGLISH, "dialogue_idx": str(number)} for number in range(2)])
    row = {"utterance": "a hotel with free parking in the center", "system": "", "state": "{}"}
    assert Dialogue(tmp_path).model().answer([row]) == [{"hotel-area": "centre", "hotel-parking": "yes"}]
