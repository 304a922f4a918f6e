from __future__ import annotations

from assay.core.batch import Segment
from assay.perturb.language.person_names import (
    FEMALE,
    MALE,
    SURNAMES,
    consonant_skeleton,
    find_gender,
    find_people,
    sounds_like,
)
from tests.perturb.texts import perturbation, tools


def test_names_that_sound_alike() -> None:
    # Трампа: t-r-m-p; Trump: t-r-m-p. トランプ: t-(o)-r-n-p, three of four consonants.
    assert consonant_skeleton("Трампа") == consonant_skeleton("Trump") == "trmp"
    assert consonant_skeleton("Schmidt") == "smdt"
    assert sounds_like("トランプ", "Trump") and sounds_like("Меркель", "Merkel")
    assert not sounds_like("Обама", "Trump") and not sounds_like("", "Trump")


def test_the_gender_of_a_given_name() -> None:
    assert find_gender("Alice", "latin") == "female" and find_gender("彼得", "han") == "male"
    assert find_gender("Kim", "latin") is None
    assert all(set(FEMALE[script]).isdisjoint(MALE[script]) for script in FEMALE)
    assert {len(names) >= 10 for lists in (FEMALE, MALE, SURNAMES) for names in lists.values()} == {True}


def test_copied_names_and_names_in_katakana() -> None:
    perturbation("name-level-1", "de")
    segment = Segment("Angela Merkel traf Anna-Lena.", "Angela Merkel met Anna.", (), "cs-de")
    assert [person.text for person in find_people(segment.hypothesis, "de", segment, tools())] == ["Angela Merkel"]
    japanese = Segment("ジョン・スミスが来た。", None, (), "de-ja")
    assert [person.parts for person in find_people(japanese.hypothesis, "ja", japanese, tools())] == [
        ["ジョン", "スミス"]
    ]
