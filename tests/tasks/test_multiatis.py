from __future__ import annotations

import gzip
import itertools
import json
from importlib.resources import files
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.tasks import multiatis
from assay.tasks.parsing import Parsing
from assay.tasks.perceptron import Labelled
from assay.tasks.running import find_task, task_outcomes

HEADER = "id\tutterance\tslot_labels\tintent"
ENGLISH = [
    "7\tflights from boston to new york\tO O B-fromloc.city_name O B-toloc.city_name I-toloc.city_name\tatis_flight",
    "8\ton august twenty seventh\tO B-depart_date.month_name B-depart_date.day_number I-depart_date.day_number\tatis_flight",
]
GERMAN = ["7\tFlüge von Boston nach New York\tO O\tatis_flight", "8\tam 27. August\tO O O\tatis_flight"]


def write(path: Path, rows: list[str], header: str = HEADER) -> None:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def copy(folder: Path) -> Path:
    for part in ("train", "dev", "test"):
        write(folder / f"{part}_EN.tsv", ENGLISH)
        write(folder / f"{part}_DE.tsv", GERMAN)
    return folder


def test_examples_of_both_parts(tmp_path) -> None:
    examples = multiatis.examples(copy(tmp_path))
    assert [(example.id, example.split) for example in examples] == [
        ("dev-7", "dev"), ("dev-8", "dev"), ("test-7", "test"), ("test-8", "test"),
    ]  # fmt: skip
    assert examples[0].inputs == {"utterance": "flights from boston to new york"}
    assert examples[0].translations == {"de": {"utterance": "Flüge von Boston nach New York"}}
    slots = (("fromloc.city_name", "boston"), ("toloc.city_name", "new york"))
    assert examples[0].expected == multiatis.Frame("atis_flight", slots)
    assert examples[1].expected.slots == (("depart_date.day_number", "27"), ("depart_date.month_name", "august"))


def test_labels_of_other_languages_are_not_read(tmp_path) -> None:
    """The public files have rows there whose labels are too few; nothing here needs them."""
    assert len(multiatis.examples(copy(tmp_path))) == 4


def test_chinese_loses_the_spaces_of_its_labels(tmp_path) -> None:
    write(copy(tmp_path) / "test_ZH.tsv", ["7\t从 波士顿 飞往 NEW YORK 的 航班\tO\tx"])
    chinese = [example.translations.get("zh") for example in multiatis.examples(tmp_path)]
    assert chinese == [None, None, {"utterance": "从波士顿飞往 NEW YORK 的航班"}, None]


def test_without_dev_files_the_test_part_is_halved(tmp_path) -> None:
    for path in copy(tmp_path).glob("dev_*"):
        path.unlink()
    packed = tmp_path / "test_DE.tsv"
    (tmp_path / "test_de.tsv.gz").write_bytes(gzip.compress(packed.read_bytes()))
    packed.unlink()
    examples = multiatis.examples(tmp_path)
    assert [example.split for example in examples] == ["dev", "test"]
    assert all("de" in example.translations for example in examples)


@pytest.mark.parametrize(
    ("name", "rows", "header", "message"),
    [
        ("test_EN.tsv", ["7\ta b\tO\tx"], HEADER, r"test_EN\.tsv line 2: 2 words but 1 slot label"),
        ("test_EN.tsv", ["7\ta b"], "id\tutterance", r"test_EN\.tsv has no column slot_labels, intent"),
        ("test_EN.tsv", ["7\ta\tO"], HEADER, "line 2: 3 columns, but the header has 4: column 'intent' is missing"),
        ("test_EN.tsv", ["7\ta\tO\tx", "7\tb\tO\tx"], HEADER, "line 3: the id 7 occurs twice"),
        ("test_EN.tsv", [], HEADER, "has no utterances"),
        ("test_DE.tsv", ["9\ta\tO\tx"], HEADER, r"does not belong to test_EN\.tsv: 1 id not found there \(9\)"),
        ("test_DE.tsv", ["a"], "utterance", "has no column id"),
    ],
)  # fmt: skip
def test_broken_files(tmp_path, name, rows, header, message) -> None:
    write(copy(tmp_path) / name, rows, header)
    with pytest.raises(InputError, match=message):
        multiatis.examples(tmp_path)


def test_no_copy(tmp_path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        Parsing(tmp_path / "nowhere").examples()
    with pytest.raises(InputError, match=r"has no test_EN\.tsv\. Specify the folder of MultiATIS\+\+"):
        Parsing(tmp_path).examples()
    with pytest.raises(InputError, match=r"has no train_EN\.tsv"):
        Parsing(tmp_path).model()


def test_two_values_of_a_slot_and_a_label_without_its_beginning() -> None:
    labelled = Labelled(["boston", "denver", "or", "new", "york"], ["B-city", "B-city", "O", "I-city", "I-city"], "x")
    assert multiatis.frame_of_labels(labelled).slots == (("city", "boston"), ("city", "denver"), ("city", "new york"))


@pytest.fixture(scope="module")
def flights(tmp_path_factory) -> Path:
    """Our own labelled flights in MultiATIS++'s format: three quarters to learn from, the rest to be asked."""
    folder = tmp_path_factory.mktemp("multiatis")
    text = (files("assay") / "data" / "tasks" / "flights_train.jsonl").read_text(encoding="utf-8")
    rows = []
    for number, line in enumerate(text.splitlines()):
        row = json.loads(line)
        pairs = itertools.pairwise(["", *row["tags"]])
        labels = ["O" if not tag else ("I-" if before == tag else "B-") + tag for before, tag in pairs]
        rows.append(f"{number}\t{' '.join(row['words'])}\t{' '.join(labels)}\t{row['intent']}")
    write(folder / "train_EN.tsv", [row for number, row in enumerate(rows) if number % 4])
    write(folder / "test_EN.tsv", rows[::4])
    write(folder / "test_ES.tsv", rows[::4])
    return folder


def test_the_parser_learns_frames_from_the_train_part(flights) -> None:
    task = Parsing(flights)
    examples = task.examples()
    answers = task.model().answer([example.inputs for example in examples])
    right = sum(task.succeeds(example, answer) for example, answer in zip(examples, answers, strict=True))
    assert right / len(examples) >= 0.9


def test_how_a_translation_is_written_does_not_matter_and_what_it_says_does(flights) -> None:
    model = Parsing(flights).model()
    said, written, other = model.answer(
        [
            {"utterance": "flights from milan to athens on monday"},
            {"utterance": "Flights from Milan to Athens, on Monday."},
            {"utterance": "Flights from Milan to Prague on Monday."},
        ]
    )
    assert said == written != other
    assert dict(other.slots)["destination"] == "prague"
    assert model.answer([{"utterance": ""}])[0].slots == ()


class Mistaken:
    """Says everything again, but takes one city for another."""

    name = "mistaken"

    def translate(self, texts: list[str], source: str, target: str) -> list[str | None]:
        return [text.replace("Milan", "Prague") for text in texts]


def test_a_wrong_city_is_a_breakdown_and_nothing_else_is(flights) -> None:
    run = task_outcomes(find_task(f"parsing:data_dir={flights}"), Mistaken(), ["es"])
    sources = run.outcomes.batch.sources
    assert sources is not None and len(sources) == run.kept > 100
    assert [not good for good in run.outcomes.success] == ["Milan" in str(text) for text in sources]
