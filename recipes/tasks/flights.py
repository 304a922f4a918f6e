"""Writer of the flights database and its utterances: ``python -m recipes.tasks.flights FOLDER``.

The sentences of every language are written by hand in ``flights.txt`` and ``flights_slots.json``. This module only fills the
blanks. It keeps values whose query has a result that every condition changes, so that a parser that misses a condition fails.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LANGUAGES = ("en", "es", "pt", "fr", "de", "zh")
SLOTS: dict[str, Any] = json.loads((HERE / "flights_slots.json").read_text(encoding="utf-8"))
EACH = 6
HOURS = (7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20)
AIRCRAFT = ("Airbus A320", "Boeing 737", "Embraer 190", "Dash 8")


def schedule(rng: random.Random) -> list[list[str]]:
    """Return the rows of the flights table: three to seven flights on every route between two cities."""
    numbers = {airline: iter(rng.sample(range(101, 999), 400)) for airline in SLOTS["airline"]}
    rows = []
    for origin in SLOTS["city"]:
        for destination in SLOTS["city"]:
            if origin == destination:
                continue
            base = rng.randrange(75, 200, 5)
            for _ in range(rng.randint(4, 8)):
                airline = rng.choice(list(SLOTS["airline"]))
                stops = int(rng.random() < 0.35)
                clock = f"{rng.randint(6, 21):02d}:{rng.randrange(0, 60, 5):02d}"
                minutes = base + rng.randrange(-10, 15, 5) + stops * rng.randrange(60, 150, 5)
                days = "".join(sorted(rng.sample("1234567", rng.randint(2, 6))))
                economy = rng.randrange(60, 320, 5) - stops * 20
                business = economy * 2 + rng.randrange(20, 200, 10)
                row = [f"{airline}{next(numbers[airline])}", airline, origin, destination, clock, minutes, stops]
                rows.append([*map(str, row), rng.choice(AIRCRAFT), days, str(economy), str(business)])
    return rows


def templates(name: str) -> Iterator[tuple[str, dict[str, str], bool]]:
    """Return (intent, language to sentence, nonstop) of each block."""
    for block in (HERE / name).read_text(encoding="utf-8").strip().split("\n\n"):
        head, *lines = block.split("\n")
        texts = dict(line.split(": ", 1) for line in lines if not line.startswith("+"))
        yield head.strip("[]"), texts, "+ nonstop" in lines


def hour(value: int, language: str) -> str:
    """Return a full hour as said after "between"."""
    twelve = value if value <= 12 else value - 12
    part = 0 if value < 12 else 1 if value < 20 else 2
    return {
        "en": f"{twelve} {'am' if value < 12 else 'pm'}",
        "es": f"las {twelve} {('de la mañana', 'de la tarde', 'de la noche')[part]}",
        "pt": f"as {twelve} {('da manhã', 'da tarde', 'da noite')[0 if value < 12 else 1 if value < 18 else 2]}",
        "fr": f"{value} heures",
        "de": f"{value} Uhr",
        "zh": f"{('上午', '下午', '晚上')[0 if value < 12 else 1 if value < 18 else 2]}{twelve}点",
    }[language]


def limit(kind: str, value: int, language: str) -> str:
    """Return "after 5 pm" or "before 9 am"."""
    said = hour(value, language)
    after = kind == "after"
    return {
        "en": f"{kind} {said}",
        "es": f"{'después' if after else 'antes'} de {said}",
        "pt": f"{'depois' if after else 'antes'} d{said}",
        "fr": f"{'après' if after else 'avant'} {said}",
        "de": f"{'nach' if after else 'vor'} {said}",
        "zh": f"{said}{'以后' if after else '以前'}",
    }[language]


def choose(names: set[str], numbers: list[str], rng: random.Random) -> tuple[dict[str, str], dict[str, Any]]:
    """A frame without its intent, and the chosen value of every blank."""
    origin, destination = rng.sample(list(SLOTS["city"]), 2)
    day, period = rng.choice(list(SLOTS["day"])), rng.choice(list(SLOTS["per"]))
    first, second = sorted(rng.sample(HOURS, 2))
    chosen: dict[str, Any] = {
        "o": origin, "d": destination, "day": day, "Day": day, "per": period, "dayper": (day, period),
        "al": rng.choice(list(SLOTS["airline"])), "fn": rng.choice(numbers), "price": str(rng.randrange(90, 300, 10)),
        "cls": rng.choice(["economy", "business"]), "after": first, "before": second, "hour1": first, "hour2": second,
    }  # fmt: skip
    chosen["clsadj"] = chosen["cls"]
    frame: dict[str, str] = {}
    keys = {"o": "origin", "d": "destination", "al": "airline", "fn": "number", "price": "price", "cls": "class",
            "clsadj": "class", "day": "day", "Day": "day", "per": "period"}  # fmt: skip
    for name in sorted(names):
        if name in keys:
            frame[keys[name]] = chosen[name]
        elif name == "dayper":
            frame["day"], frame["period"] = day, period
        else:
            frame["after" if name in ("after", "hour1") else "before"] = f"{chosen[name]:02d}:00"
    return frame, chosen


def render(text: str, chosen: dict[str, Any], language: str) -> str:
    """Return a sentence with its blanks filled."""

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        value = chosen[name]
        if name in ("o", "d"):
            return str(SLOTS["city"][value][language])
        if name == "al":
            return str(SLOTS["airline"][value])
        if name in ("day", "per", "cls", "clsadj"):
            return str(SLOTS[name][value][language])
        if name == "Day":
            said = str(SLOTS["day"][value][language])
            return said[0].upper() + said[1:]
        if name == "dayper":
            return str(SLOTS["day"][value[0]][language]) + str(SLOTS["after_day"][value[1]][language])
        if name.startswith("hour"):
            return hour(value, language)
        return limit(name, value, language) if name in ("after", "before") else str(value)

    said = re.sub(r"\{(\w+)\}", fill, text)
    if language == "fr":
        said = re.sub(r"\b([dD])e (?=[AÉ])", r"\1'", said)
    return said


def telling(frame: dict[str, str]) -> bool:
    """Return whether the query has a result that every condition changes."""
    from assay.tasks import flights

    answer = flights.execute(flights.frame_to_sql(frame))
    if not answer or answer == {(0,)}:
        return False
    return all(
        flights.execute(flights.frame_to_sql({key: value for key, value in frame.items() if key != slot})) != answer
        for slot in frame
        if slot != "intent"
    )


def utterances(rng: random.Random, numbers: list[str]) -> list[dict[str, Any]]:
    """Return the examples in all languages."""
    rows = []
    for index, (intent, texts, nonstop) in enumerate(templates("flights.txt")):
        names = set(re.findall(r"\{(\w+)\}", texts["en"]))
        seen: set[str] = set()
        while len(seen) < EACH:
            frame, chosen = choose(names, numbers, rng)
            frame = {"intent": intent, **frame, **({"stops": "0"} if nonstop else {})}
            said = {language: render(texts[language], chosen, language) for language in LANGUAGES}
            if said["en"] in seen or not telling(frame):
                continue
            split = "dev" if len(seen) % 2 == 0 else "test"
            rows.append({"id": f"flight-{index:02d}-{len(seen)}", "split": split, "frame": frame, **said})
            seen.add(said["en"])
    return rows


_WORDS = re.compile(r"\w+(?:[-:']\w+)*")
_UNTAGGED = {"on", "in", "the", "class", "between", "and"}
_TAGS = {"o": "origin", "d": "destination", "al": "airline", "fn": "number", "day": "day", "Day": "day", "per": "period",
         "cls": "class", "clsadj": "class", "price": "price", "after": "after", "before": "before", "hour1": "after",
         "hour2": "before", "ns": "stops"}  # fmt: skip


def training(rng: random.Random, numbers: list[str], each: int = 6) -> list[dict[str, Any]]:
    """Return English sentences with their intent and a slot (or nothing) for every word."""
    rows = []
    for line in (HERE / "flights_train.txt").read_text(encoding="utf-8").splitlines():
        intent, text = line.split("\t")
        for turn in range(each):
            _, chosen = choose(set(), numbers, rng)
            words: list[str] = []
            tags: list[str] = []
            for piece in re.split(r"(\{[^}]+\})", text):
                name, _, fixed = piece.strip("{}").partition(":")
                is_slot = piece.startswith("{")
                said = fixed or render(piece, chosen, "en")
                if is_slot and turn % 3 == 0 and chosen.get(name) == "evening":
                    said = "at night"
                for word in _WORDS.findall(said):
                    tag = _tag(name, word) if is_slot and word.lower() not in _UNTAGGED else ""
                    words.append(word)
                    tags.append(tag)
            rows.append({"intent": intent, "words": words, "tags": tags})
    return rows


def _tag(name: str, word: str) -> str:
    if name == "dayper":
        return "day" if word[0].isupper() else "period"
    return "" if word == "at" else _TAGS[name]


def main(folder: str) -> None:
    """Write ``flights.tsv`` first (the queries below need it), then ``flights.jsonl``."""
    from assay.tasks import flights

    rng = random.Random(20_031)
    header = "number\tairline\torigin\tdestination\tdeparture\tminutes\tstops\taircraft\tdays\teconomy\tbusiness"
    table = schedule(rng)
    target = Path(folder)
    text = "".join("\t".join(row) + "\n" for row in [[header], *table])
    (target / "flights.tsv").write_text(text, encoding="utf-8")
    rows = utterances(rng, [row[0] for row in table])
    for row in rows:
        row["sql"] = flights.frame_to_sql(row["frame"])
    write(target / "flights.jsonl", rows)
    write(target / "flights_train.jsonl", training(rng, [row[0] for row in table]))


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write one JSON object per line."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
