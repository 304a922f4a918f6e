"""The data inside the package are what their recipes write: nobody corrected a sentence in one place only."""

from __future__ import annotations

from importlib.resources import files

from recipes.tasks import dialogues, flights


def committed(name: str) -> str:
    return (files("assay") / "data" / "tasks" / name).read_text(encoding="utf-8")


def test_flights(tmp_path) -> None:
    flights.main(str(tmp_path))
    for name in ("flights.tsv", "flights.jsonl", "flights_train.jsonl"):
        assert (tmp_path / name).read_text(encoding="utf-8") == committed(name)


def test_dialogues(tmp_path) -> None:
    dialogues.main(str(tmp_path))
    for name in ("dialogues.jsonl", "dialogues_train.jsonl"):
        assert (tmp_path / name).read_text(encoding="utf-8") == committed(name)
