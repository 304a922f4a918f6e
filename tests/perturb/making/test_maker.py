"""The same seed makes the same items, byte for byte, of every perturbation: they are compared with stored hashes.

After a change that is meant, ``python -m tests.perturb.making.test_maker`` writes the hashes again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from assay.core.batch import Segment
from assay.perturb import PERTURBATIONS
from assay.perturb.making.job import provenance
from assay.perturb.making.maker import Maker
from assay.perturb.making.selection import choose_perturbations, find_obstacle
from tests.perturb.texts import OTHERS, POOL

STORED = Path(__file__).with_name("items.json")
ENGLISH = [
    ("Green was born in 1946 to a working-class Jewish family in London's Bethnal Green.", "Grün wurde 1946 geboren."),
    (
        'However, Mr. Smith said on 5 May 2018 that "the victory" of 12 miles per hour might surprise him.',
        "5. Mai 2018",
    ),
    (
        "He liked the gel more than the spray because the spray ruined his hair.",
        "Il aimait le gel, car le spray abîmait.",
    ),
    ("They murdered the king, who saw the cat, the piano and two soldiers in the old house.", "Der König."),
    ("The manager fired the baker.", "Der Manager feuerte die Bäckerin."),
    ("The manager fired the baker.", "Der Manager feuerte den Bäcker."),
    ("The manager saw the driver.", "Il direttore vide la conducente; le directeur, la conductrice."),
    ("What does stock mean to the driver?", "Was heißt Brühe dem Fahrer?"),
    ("What does stock mean to the driver?", "Was heißt Aktie der Fahrerin?"),
    ("No test was done since we were elected.", "Kein Test, seitdem wir gewählt sind."),
    ("No test was done since we were elected.", "Kein Test, weil wir gewählt sind."),
    ("They grew by 8% while the debt increased.", "Elles ont augmenté."),
]
OTHER_LANGUAGES = [
    ("de", "Ich habe einen Beutel und er ist rot.", "I have a bag and it is red."),
    ("de", "Es regnet heute.", "It is raining today."),
    ("de", "Die Leser waren froh, weil sie Bücher mögen.", "The readers were glad because they like books."),
    (
        "de",
        "Ich trug den Beutel 12 Kilometer weit, da er rot war.",
        "I carried the bag for 12 kilometers because it was red.",
    ),
    ("de", "Das sagte Sky News heute: Sie müssen am 3. Mai „nicht“ gehen!", "Sky News said so on 3 May."),
    (
        "fr",
        "Il pleut en octobre, et elle peut partir ; Marie Curie a dit « non » 48 heures.",
        "It is raining in October.",
    ),
    ("es", "Volvió en 3 semanas, aunque no puede (según dicen) venir.", "He came back in 3 weeks."),
    (
        "ru",
        "Комитет принял новый закон в понедельник, потому что он не пришёл.",
        "The committee passed a law on Monday.",
    ),
    (
        "ja",
        "しかし、子供たちは公園で新しい法律を11月に可決した。",
        "However, the children passed a new law in November.",
    ),
    ("zh", "他们可能在2018年10月4日持续了3天。", "They may have gone on for 3 days on 4 October 2018."),
]
FUNCTIONS = (
    "anaphoric_intra_they",
    "anaphoric_singular_they",
    "anaphoric_group_it-they",
    "anaphoric_intra_non-subject_it",
    "",
)


def columns(n: int, text: str) -> dict[str, str]:
    """Columns that people fill in, other ones for each segment."""
    words = [word for word in text.split() if word.isalpha()] or [text]
    return {
        "partner": text + " Nobody knew.",
        "partner_is": ("premise", "hypothesis")[n % 2],
        "label": ("neutral", "contradiction")[n // 2 % 2],
        "similar": "Vine aviat.",
        "similar_language": ("ca", "en")[n % 2],
        "target_word": words[-1],
        "literal": "guilt",
        "idiom": words[-1],
        "explanation": words[-1],
        "hallucinated": "debate",
        "sense": ("contrast", "temporal", "causal")[n % 3],
        "pronoun_function": FUNCTIONS[n % len(FUNCTIONS)],
    }


def segments() -> list[Segment]:
    """Each text with a reference close to it, and with a reference of other words and the columns."""
    texts = [(text, source, "de-en") for text, source in ENGLISH]
    texts += [(text, source, f"en-{language}") for language, text, source in OTHER_LANGUAGES]
    close = [Segment(text, source, (text[:-1] + "!",), pair) for text, source, pair in texts]
    far = [
        Segment(text, source, (" ".join(text.split()[::-1]),), pair, meta=columns(n, text))
        for n, (text, source, pair) in enumerate(texts * 3)
    ]
    return close + far


def made() -> dict[str, tuple[int, str]]:
    """How many items each perturbation makes, and a hash of them."""
    names = [
        name for name in PERTURBATIONS.entries if name != "detached-similar"
    ]  # by an embedding, where one is installed
    names.append("detached-similar:embedding=ngrams")
    languages = ("en", *dict.fromkeys(language for language, *_ in OTHER_LANGUAGES))
    maker = Maker(names, 7, [*OTHERS, *POOL, *segments()])
    able = {
        language: [
            one.spec for one in choose_perturbations(names) if not find_obstacle(one.perturbation.card, language)
        ]
        for language in languages
    }
    lines: dict[str, list[str]] = {name: [] for name in names}
    for attempt in maker.chunk(list(enumerate(segments())), able):
        lines[attempt.spec].append(attempt.line or attempt.reason)
    items = {name: sum(line.startswith("{") for line in found) for name, found in lines.items()}
    return {
        name: (items[name], hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]) for name, found in lines.items()
    }


def tools() -> dict[str, str]:
    """Versions of what the items depend on."""
    needs = {need for name in PERTURBATIONS.entries for need in PERTURBATIONS.resolve(name).card.needs}
    versions = provenance(needs, ["en", *(language for language, *_ in OTHER_LANGUAGES)])["versions"]
    return {name: version for name, version in versions.items() if name not in ("mt-assay", "numpy", "WordNet")}


def test_the_same_items_are_made() -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    if stored["tools"] != tools():
        pytest.skip(f"the items were made with other tools: {stored['tools']}")
    now = made()
    assert set(now) == set(stored["items"])
    without = {name for name in now if find_obstacle(PERTURBATIONS.resolve(name.partition(":")[0]).card, "en")}
    without = {name for name in without if "wordnet" in PERTURBATIONS.resolve(name.partition(":")[0]).card.needs}
    assert {
        name: found for name, found in now.items() if name not in without and list(found) != stored["items"][name]
    } == {}


if __name__ == "__main__":
    STORED.write_text(json.dumps({"tools": tools(), "items": made()}, indent=1) + "\n", encoding="utf-8")
