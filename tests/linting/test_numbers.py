"""Numbers, dates, weekdays and months that replace those of the source."""

from __future__ import annotations

import pytest

from tests.linting.checks import marked, run_check


@pytest.mark.parametrize(
    ("langpair", "source", "translation", "wrong"),
    [
        ("en-de", "The contract was signed in 1979.", "Der Vertrag wurde 1997 unterzeichnet.", "1997"),
        ("en-fr", "It costs 1,250.50 euros.", "Il coûte 1.250,05 euros.", "1.250,05"),
        ("en-de", "She bought twelve books.", "Sie kaufte zwanzig Bücher.", "zwanzig"),
        ("en-ru", "About 25% of them agreed.", "Около 52% из них согласились.", "52"),
        ("de-en", "Die Lieferung wog 12,5 Kilogramm.", "The delivery weighed 125 kilograms.", "125"),
        ("zh-en", "他买了三百本书。", "He bought 350 books.", "350"),
        ("hi-en", "उसने पांच किताबें खरीदीं।", "She bought seven books.", "seven"),
    ],
)
def test_wrong_numbers(langpair: str, source: str, translation: str, wrong: str) -> None:
    assert marked("numbers", source, translation, langpair) == [wrong]


@pytest.mark.parametrize(
    ("langpair", "source", "translation"),
    [
        ("en-de", "It costs 1,250.50 euros.", "Es kostet 1.250,50 Euro."),
        ("en-de", "3.5 million people", "3,5 Mio. Menschen"),
        ("en-zh", "35,000 people", "3.5万人"),
        ("en-fr", "The meeting is at 3:30 p.m.", "La réunion est à 15 h 30."),
        ("en-de", "It is 50 miles away.", "Es ist 80 Kilometer entfernt."),
        ("en-fr", "ninety-seven people", "97 personnes"),
        ("en-es", "in the 1990s", "en los años 90"),
        ("en-de", "the 19th century", "das XIX. Jahrhundert"),
        ("en-de", "Call 555 1234.", "Rufen Sie 5551234 an."),
        ("en-zh", "on 3 May 2024", "2024年5月3日"),
        ("en-de", "one of the first two attempts", "einer der beiden ersten Versuche"),
        ("en-ar", "25 people", "٢٥ شخصا"),
    ],
)
def test_numbers_written_in_another_way_are_right(langpair: str, source: str, translation: str) -> None:
    assert marked("numbers", source, translation, langpair) == []


def test_the_reason_has_both_values_and_places() -> None:
    (finding,) = run_check("numbers", "Signed in 1979.", "Unterzeichnet 1997.")
    assert finding.reason == "1979 in the source, 1997 in the translation"
    assert (finding.source_start, finding.source_end, finding.severity) == (10, 14, "major")


@pytest.mark.parametrize(
    ("langpair", "source", "translation", "wrong"),
    [
        ("en-de", "We met on Thursday.", "Wir trafen uns am Dienstag.", "Dienstag"),
        ("en-fr", "in February", "en septembre", "septembre"),
        ("en-zh", "The meeting is on 3 May 2024.", "会议于2024年3月5日举行。", "3月5日"),
        ("de-en", "am 5. März", "on 3 May", "May"),
        ("en-ru", "on Monday", "во вторник", "вторник"),
    ],
)
def test_wrong_dates(langpair: str, source: str, translation: str, wrong: str) -> None:
    assert wrong in marked("dates", source, translation, langpair)


@pytest.mark.parametrize(
    ("langpair", "source", "translation"),
    [
        ("en-de", "We met on Thursday.", "Wir trafen uns am Donnerstag."),
        ("en-ja", "on Monday, 3 May", "5月3日月曜日に"),
        ("en-de", "You may go on Monday.", "Sie dürfen am Montag gehen."),
        ("en-fr", "on 3 May 2024", "le 3 mai 2024"),
        ("xx-yy", "on Monday", "Dienstag"),
    ],
)
def test_right_dates(langpair: str, source: str, translation: str) -> None:
    assert marked("dates", source, translation, langpair) == []


def test_tables_of_numbers_are_left_alone() -> None:
    assert run_check("numbers", "5 " * 5000, "6 " * 5000) == []
