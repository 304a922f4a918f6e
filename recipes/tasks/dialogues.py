"""Writer of the dialogues: ``python -m recipes.tasks.dialogues FOLDER``.

Every sentence of every language is written by hand in ``dialogues.txt`` and ``dialogues_slots.json``. This module only fills the
slots and keeps the state.
"""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path
from typing import Any

from recipes.tasks.flights import HERE, LANGUAGES, write
from recipes.tasks.flights import SLOTS as FLIGHTS

SLOTS: dict[str, Any] = json.loads((HERE / "dialogues_slots.json").read_text(encoding="utf-8"))
EACH = 52
DOMAINS = ("restaurant", "taxi", "train")
FILLED = {
    "arestaurant": "food", "foodf": "food", "foodd": "food", "area": "area", "something": "price",
    "apricerestaurant": "price", "people": "people", "People": "people", "day": "day", "Day": "day", "time": "time",
    "leave": "leave", "after": "leave", "arrive": "arrive", "before": "arrive", "from": "from", "place1": "from",
    "place1d": "from", "inplace1": "from", "Inplace1": "from", "atplace1": "from", "to": "to", "arriveto": "to",
    "place2": "to", "o": "from", "d": "to",
}  # fmt: skip
"""The slot that each blank fills."""


def clock(value: str, language: str) -> str:
    """Return a time of day as written in running text."""
    hours, minutes = value.split(":")
    if minutes == "00":
        minutes = ""
    return {"pt": f"{hours}h{minutes}", "fr": f"{hours} h {minutes}".strip(), "de": f"{value} Uhr"}.get(language, value)


def at_time(kind: str, value: str, language: str) -> str:
    """Return "at 18:30", "after 18:30" or "by 18:30"."""
    said = clock(value, language)
    forms = {
        "at": {"en": "at ", "es": "a las ", "pt": "às ", "fr": "à ", "de": "um ", "zh": ""},
        "after": {
            "en": "after ",
            "es": "después de las ",
            "pt": "depois das ",
            "fr": "après ",
            "de": "nach ",
            "zh": "",
        },
        "by": {"en": "by ", "es": "antes de las ", "pt": "antes das ", "fr": "avant ", "de": "bis ", "zh": ""},
    }
    tail = {"after": "以后", "by": "之前"}.get(kind, "") if language == "zh" else ""
    return forms[kind][language] + said + tail


def place(form: str, value: str, language: str) -> str:
    """Return a place with the preposition and article that the language requires."""
    bare = str(SLOTS["place"][value][language])
    if form == "place":
        return bare
    if language == "en":
        return {"from": "from ", "to": "to "}[form] + bare
    if language == "zh":
        return {"from": "从", "to": "去", "arriveto": "到"}[form] + bare
    if language == "es":
        return (
            {"from": "de ", "to": "a "}[form].replace(" ", "l ") + bare[3:]
            if bare.startswith("el ")
            else ({"from": "de ", "to": "a "}[form] + bare)
        )
    noun, male = bare[2:], bare.startswith("o ")
    if language == "pt":
        heads = {"from": "do da", "to": "para~o para~a", "in": "no na", "at": "ao à", "arriveto": "ao à"}[form].split()
        return heads[0 if male else 1].replace("~", " ") + " " + noun
    if language == "fr":
        if bare.startswith("l'"):
            return {"from": "de ", "to": "à ", "in": "à "}[form] + bare
        article, noun = bare.split(" ", 1)
        if article == "la":
            return {"from": "de la ", "to": "à la ", "in": "à la "}[form] + noun
        return {"from": "du ", "to": "au ", "in": "au "}[form] + noun
    article, noun = bare.split(" ", 1)
    female = article == "die"
    heads = {"from": ("vom", "von der"), "to": ("zum", "zur"), "in": ("am", "an der"), "d": ("dem", "der")}[form]
    return f"{heads[female]} {noun}"


def say(name: str, value: str, language: str) -> str:
    """One blank with its value."""
    if name[0].isupper():
        said = say(name[0].lower() + name[1:], value, language)
        return said[0].upper() + said[1:]
    if name in ("o", "d"):
        return str(FLIGHTS["city"][value][language])
    if name in ("day", "oldday"):
        return str(FLIGHTS["day"][value][language])
    if name in ("time", "leave"):
        return at_time("at", value, language)
    if name in ("after", "arrive"):
        return at_time("after" if name == "after" else "by", value, language)
    if name == "before":
        return f"before {value}"
    if name == "foodd":
        return str(SLOTS["foodf"][value][language])[:-1] + "m"
    if name == "oldfood":
        return str(SLOTS["foodf"][value][language])
    forms = {"from": "from", "to": "to", "oldto": "to", "arriveto": "arriveto", "place1": "place", "place2": "place",
             "oldplace": "place", "place1d": "d", "inplace1": "in", "atplace1": "at"}  # fmt: skip
    if name in forms:
        return place(forms[name], value, language)
    return str(SLOTS[name][value][language])


def choose(domain: str, state: dict[str, str], rng: random.Random) -> dict[str, str]:
    """Choose a value for every blank; a value is never the current value of its slot."""

    def new(slot: str, values: list[str]) -> str:
        taken = {state.get(f"{domain}-{slot}")} | {
            chosen.get(other) for other in ("from", "to") if slot in ("from", "to")
        }
        if slot in ("from", "to"):
            taken |= {state.get(f"{domain}-{other}") for other in ("from", "to")}
        return rng.choice(
            [value for value in values if value not in taken and canonical(slot, value, domain) not in taken]
        )

    chosen: dict[str, str] = {}
    places = list(FLIGHTS["city"]) if domain == "train" else list(SLOTS["place"])
    chosen["from"], chosen["food"] = new("from", places), new("food", list(SLOTS["foodf"]))
    chosen["to"], chosen["area"] = new("to", places), new("area", list(SLOTS["area"]))
    chosen["price"], chosen["people"] = new("price", list(SLOTS["something"])), new("people", list(SLOTS["people"]))
    chosen["day"] = new("day", list(FLIGHTS["day"]))
    # A second time of leaving is later than the first, and nobody arrives before leaving.
    leave = (14, 15) if f"{domain}-leave" in state else (10, 13)
    for slot, hours in (("time", (17, 21)), ("leave", leave), ("arrive", (16, 20))):
        chosen[slot] = f"{rng.randint(*hours)}:{rng.choice(['00', '15', '30', '45'])}"
    for slot, values in (("food", SLOTS["foodf"]), ("place", SLOTS["place"]), ("day", FLIGHTS["day"])):
        held = {chosen.get(slot), chosen["to"], chosen["from"]}
        chosen["old" + slot] = rng.choice([value for value in values if value not in held])
    chosen["oldto"] = state.get(f"{domain}-to", "")
    return chosen


def canonical(slot: str, value: str, domain: str) -> str:
    """Return the value in the state: cities by their English name."""
    return str(FLIGHTS["city"][value]["en"]) if domain == "train" and slot in ("from", "to") else value


def value_of(name: str, chosen: dict[str, str]) -> str:
    """Return the chosen value of a blank."""
    return chosen[name] if name.startswith("old") else chosen[FILLED[name]]


def blocks() -> list[dict[str, Any]]:
    """Return the templates in their order."""
    found = []
    for block in (HERE / "dialogues.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        head, *lines = block.split("\n")
        domain, turn = head.strip("[]").split()
        fixed = dict(line[2:].split("=") for line in lines if line.startswith("+ ") and "=" in line)
        when = next((line[2:] for line in lines if line in ("+ change", "+ any")), "new")
        texts = dict(line.split(": ", 1) for line in lines if not line.startswith("+"))
        found.append(
            {"domain": domain, "turn": int(turn), "fixed": fixed, "when": when, "system": texts.pop("sys", "")}
        )
        found[-1]["texts"] = texts
    return found


def render(text: str, chosen: dict[str, str], language: str) -> str:
    """Return a sentence with its blanks filled."""
    said = re.sub(r"\{(\w+)\}", lambda match: say(match[1], value_of(match[1], chosen), language), text)
    return re.sub(r"\b([dD])e (?=[AÉ])", r"\1'", said) if language == "fr" else said


def fits(block: dict[str, Any], state: dict[str, str]) -> bool:
    """Return whether a turn is possible now: it fills new slots, or (``+ change``) some that are filled, or (``+ any``)
    either.
    """
    names = re.findall(r"\{(\w+)\}", block["texts"]["en"])
    held = sum(f"{block['domain']}-{FILLED[name]}" in state for name in names if name in FILLED)
    return bool(block["when"] == "any" or (held > 0) == (block["when"] == "change"))


def dialogues(rng: random.Random) -> list[dict[str, Any]]:
    """Return `EACH` dialogues per domain, each of three turns."""
    rows = []
    for domain in DOMAINS:
        for number in range(EACH):
            state: dict[str, str] = {}
            turns = []
            for step in (1, 2, 3):
                options = [block for block in blocks() if block["domain"] == domain and block["turn"] == step]
                options = [block for block in options if fits(block, state)]
                block = options[(number + step * (number // len(options))) % len(options)]
                chosen = choose(domain, state, rng)
                names = re.findall(r"\{(\w+)\}", block["texts"]["en"])
                update = {FILLED[name]: value_of(name, chosen) for name in names if name in FILLED} | block["fixed"]
                state = state | {f"{domain}-{slot}": canonical(slot, value, domain) for slot, value in update.items()}
                said = {language: render(block["texts"][language], chosen, language) for language in LANGUAGES}
                turns.append({"system": block["system"], **said, "state": state})
            split = "dev" if number % 2 == 0 else "test"
            rows.append({"id": f"{domain}-{number:02d}", "split": split, "turns": turns})
    return rows


def training(rng: random.Random, each: int = 8) -> list[dict[str, Any]]:
    """Return English turns with the slots that they fill."""
    rows = []
    for line in (HERE / "dialogues_train.txt").read_text(encoding="utf-8").splitlines():
        domain, system, text = line.split("\t")
        for _ in range(each):
            chosen = choose(domain, {}, rng)
            names = re.findall(r"\{(\w+)\}", text)
            update = {
                FILLED[name]: canonical(FILLED[name], value_of(name, chosen), domain)
                for name in names
                if name in FILLED
            }
            rows.append({"domain": domain, "system": system, "text": render(text, chosen, "en"), "update": update})
    return rows


def main(folder: str) -> None:
    """Write ``dialogues.jsonl`` and ``dialogues_train.jsonl``."""
    rng = random.Random(20_032)
    write(Path(folder) / "dialogues.jsonl", dialogues(rng))
    write(Path(folder) / "dialogues_train.jsonl", training(rng))


if __name__ == "__main__":
    main(sys.argv[1])
