"""Flags of texts: what is raised, by row and by system, and when languages are identified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.core.flags import flag_notes, total_flags
from assay.core.metric import Card, Metric, Scores, Signature
from assay.engine import flags, language_id
from tests.data import ntrex

EN = "The government announced new measures for small businesses yesterday evening."
DE = "Die Regierung kündigte gestern Abend neue Maßnahmen für kleine Unternehmen an."
FR = "Le gouvernement a annoncé hier soir de nouvelles mesures pour les petites entreprises."


def raised(batch: Batch, **how: bool) -> dict[str, list[int]]:
    return {name: column.nonzero()[0].tolist() for name, column in flags.raise_flags(batch, **how).items()}


def test_what_the_texts_themselves_show() -> None:
    batch = Batch(
        hypotheses=["", EN, "x" * 400, "Ja.", DE, DE],
        sources=[EN] * 6,
        references=([DE] * 5 + [" "],),
    )
    assert raised(batch) == {
        "empty_hypothesis": [0],
        "copied_source": [1],
        "far_longer": [2],  # row 5 has an empty reference: anything is longer
        "far_shorter": [3],
        "empty_reference": [5],
    }


def test_without_a_reference_the_source_is_the_measure() -> None:
    assert raised(Batch(["Ja.", DE, "x" * 400], sources=[EN] * 3)) == {"far_longer": [2], "far_shorter": [0]}


def test_another_language_than_the_pair_or_the_reference_says() -> None:
    texts = [DE, EN, FR, DE.upper(), "OK", "1234567890 " * 9, "\x00" + EN]
    batch = Batch(texts, langpairs=["en-de_AT"] * 7)
    assert raised(batch, languages=True) == {"wrong_language": [1, 2]}
    referenced = Batch([DE, EN, FR], references=([None, DE, DE], [DE, DE, None]))
    assert raised(referenced, languages=True) == {"wrong_language": [1, 2]}
    assert raised(Batch([EN, FR], langpairs=["en-xx", ""]), languages=True) == {}  # nobody says which it should be
    assert raised(batch) == {}


def test_near_relatives_count_as_one() -> None:
    danish = "Regeringen præsenterede i går aftes nye tiltag for små virksomheder i hele landet."
    assert raised(Batch([danish, danish], langpairs=["en-no", "en-sv"]), languages=True) == {"wrong_language": [1]}


class Knows(Metric):
    """A metric for English and German that counts nothing."""

    card = Card("knows", "Knows", "source", True, (0, 1), "Nothing.", languages=("de", "en"))

    def __init__(self, kind: str = "string") -> None:
        self.card = replace(self.card, kind=kind)  # type: ignore[arg-type]

    @property
    def signature(self) -> Signature:
        return Signature.of("knows", 1)

    def score(self, batch: Batch) -> Scores:
        return Scores(np.zeros(len(batch)))


def test_a_language_that_the_metric_does_not_know_is_told() -> None:
    pairs = ["en-de", "en-qu", "deu-eng", "qu-en", "en-de-AT"]
    data = {"src": ["x"] * 5, "mt": ["y"] * 5, "lp": pairs}
    result = assay.score(data=data, metrics=[Knows()])
    assert result.flags == {"knows unknown_language": 2}
    assert result.to_polars()["flags"].to_list() == [[], ["knows unknown_language"], [], ["knows unknown_language"], []]
    assert "2 segments in languages that the model does not know (knows)" in repr(result)
    assert assay.score(data=data, metrics=[Knows()], flags="none").flags == {}
    both = assay.compare({"a": ["y"], "b": ["y"]}, sources=["x"], langpair="es-qu", metrics=[Knows()])
    assert "2 segments in languages that the model does not know (knows): a 1, b 1" in repr(both)


@pytest.mark.parametrize(
    ("asked", "kind", "rows", "installed", "identified"),
    [
        ("auto", "string", 2000, True, True),
        ("auto", "string", 2001, True, False),
        ("auto", "string", None, True, False),
        ("auto", "learned", None, True, True),
        ("auto", "learned", None, False, False),
        ("all", "string", None, True, True),
        ("none", "learned", 1, True, False),
    ],
)
def test_languages_are_identified_where_it_costs_little(
    monkeypatch: pytest.MonkeyPatch, asked: str, kind: str, rows: int | None, installed: bool, identified: bool
) -> None:
    monkeypatch.setattr(flags, "available", lambda: installed)
    assert flags.with_languages(asked, [Knows(kind)], rows) is identified  # type: ignore[arg-type]


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_id, "available", lambda: False)
    with pytest.raises(MissingPart, match=r"pip install 'mt-assay\[languages\]'"):
        assay.score([DE], [DE], metrics=["chrf"], flags="all")


def test_flags_are_counted_by_system() -> None:
    texts: dict[str, Sequence[str]] = {"a": ["", DE, EN], "b": [DE, DE, EN], "c": [DE, DE, DE]}
    result = assay.compare(texts, [DE] * 3, sources=[EN] * 3, metrics=["chrf"])
    assert result.system_flags == {
        "a": {"empty_hypothesis": 1, "copied_source": 1, "wrong_language": 1},
        "b": {"copied_source": 1, "wrong_language": 1},
        "c": {},
    }
    assert result.to_dict()["flags"] == result.system_flags
    assert result.flags == {"empty_hypothesis": 1, "copied_source": 2, "wrong_language": 2}


def test_a_line_for_people() -> None:
    systems = {"a": {"comet truncated": 2, "far_longer": 1}, "b": {"far_longer": 1200}, "c": {}}
    assert list(total_flags(systems)) == ["far_longer", "comet truncated"]
    assert flag_notes(systems) == [
        "⚠ 1,201 hypotheses far too long: a 1, b 1,200 · 2 segments longer than the model reads (comet): a"
    ]
    assert flag_notes({"": {"far_longer": 1}}) == ["⚠ 1 hypothesis far too long"]
    assert flag_notes({"a": {}}) == []


@pytest.mark.real
@pytest.mark.parametrize("code", ["deu", "fra", "rus", "zho-CN", "swa", "hin"])
def test_human_translations_are_hardly_ever_flagged(code: str) -> None:
    """NTREX: 1,997 translations of news by people. Far too long is at most one (a French one), another language at most three."""
    texts, sources = ntrex(code), ntrex("eng")
    pairs = [f"eng-{code}"] * len(texts)
    found = raised(Batch(texts, sources=sources, langpairs=pairs), languages=True)
    assert len(found.get("wrong_language", ())) <= 3
    assert len(found.get("far_longer", ())) <= 1 and "far_shorter" not in found
    left = raised(Batch(sources, sources=sources, langpairs=pairs), languages=True)  # nothing was translated
    assert len(left["copied_source"]) == 1997 and len(left["wrong_language"]) > 0.9 * 1997
