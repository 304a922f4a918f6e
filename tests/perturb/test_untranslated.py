from __future__ import annotations

from assay.core.batch import Batch, Segment
from assay.core.perturbation import SURE, Change, Perturbed
from assay.verbs.make import make
from tests.perturb.texts import IN_DOUBT, every, incorrect, perturbation, problems, reason, refusals


def test_one_answer() -> None:
    cases = [
        ("copy-source", "Guten Tag.", "Good day.", "en-de", "Good day."),
        (
            "do-not-translate",
            "Das sagte Sky News heute.",
            "Sky News said so.",
            "en-de",
            "Das sagte Himmel-Nachrichten heute.",
        ),
    ]
    made = {case: incorrect(case[0], Segment(case[1], case[2], (), case[3])) for case in cases}
    assert made == {case: case[4] for case in cases}


def test_a_refusal_says_why() -> None:
    assert reason("copy-source", Segment("Nichts.", None, (), "en-de")) == "no source"


def test_validators_catch_bad_results() -> None:
    assert "the text is not the source" in problems(
        "copy-source", Segment("Ja.", "Yes.", (), "en-de"), Perturbed((Change(0, 3, "No."),))
    )


def test_a_word_of_the_columns() -> None:
    word = {"source_word": "claws", "target_word": "Krallen"}
    untranslated = Segment("Er hat Krallen.", "He has claws.", ("Krallen hat er.",), "en-de", meta=word)
    assert incorrect("untranslated-versus-reference", untranslated) == "Er hat claws."


def test_the_untranslated_word_comes_from_the_source() -> None:
    source = "Der Minister eröffnete gestern feierlich die neue Brücke."
    for made in every("untranslated-word", "The minister solemnly opened the new bridge yesterday.", source=source):
        assert any(word.strip(".") in made for word in source.split()[1:])


def test_an_untranslated_word_needs_evidence() -> None:
    perturbation("untranslated-word")
    # One segment shows nothing of which word is which.
    alone = refusals("untranslated-word", "The farmer sold a horse.", source="Rolnik sprzedał konia.", langpair="pl-en")
    assert alone == {f"{IN_DOUBT}alignment": 1}
    verbs = {"sprzedał": "sold", "kupił": "bought", "znalazł": "found", "widział": "saw", "lubił": "liked"}
    things = {"konia": "horse", "traktor": "tractor", "klucz": "key", "parasol": "umbrella", "rower": "bicycle"}
    pairs = [(f"Rolnik {v} {t}.", f"The farmer {verbs[v]} the {things[t]}.") for v in verbs for t in things]
    sources, texts = zip(*pairs, strict=True)
    made = make(["untranslated-word"], Batch(list(texts), list(sources), None, ["pl-en"] * len(texts)))
    assert len(made) > 10
    known = {english: polish for words in (verbs, things) for polish, english in words.items()} | {"farmer": "Rolnik"}
    for item in made.items():
        old, _, new = item["meta"]["what"].partition(" -> ")
        assert known[old].lower() == new.lower()
        assert item["meta"]["confidence by part"]["alignment"] == item["meta"]["confidence"] >= SURE


def test_a_language_that_was_not_read_is_in_doubt() -> None:
    pairs = [(f"Die Fabrik produziert Elektrizität {n}.", f"The factory produces electricity {n}.") for n in range(9)]
    sources, texts = zip(*pairs, strict=True)
    for langpair, wanted in (("de-en", True), ("en-de", False)):
        batch = Batch(list(texts), list(sources), None, [langpair] * 9)
        if langpair == "en-de":
            batch = Batch(list(sources), list(texts), None, [langpair] * 9)
        assert bool(len(make(["untranslated-word"], batch))) == wanted
        assert len(make(["untranslated-word"], batch, min_confidence=0))
