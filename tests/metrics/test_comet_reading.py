"""COMET's numbers without an option; and with one, the readings that the papers have rows for. All numbers are unbabel-comet's."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.metrics import metric
from tests.models.official import KINDS, reference, tiny, unpack

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
SOURCES, HYPOTHESES, REFERENCES = (list(column) for column in zip(*tiny().OWN, strict=True))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


def scored(
    place: Path, name: str, options: str, sources: object = SOURCES, references: object = REFERENCES
) -> assay.ScoreResult:
    spec = f"{unpack(name, place)}:device=cpu{options}"
    return assay.score(HYPOTHESES, references, sources=sources, metrics=[spec], store=False)


def values(result: assay.ScoreResult) -> list[float]:
    (found,) = result.segments.values()
    return found.tolist()


@pytest.mark.parametrize("name", KINDS)
def test_without_an_option_the_numbers_are_the_released_packages(place: Path, name: str) -> None:
    made = metric(f"{unpack(name, place)}:device=cpu")
    found = made.score(Batch(HYPOTHESES, sources=SOURCES, references=(REFERENCES,)))
    expected = reference()[name]["own"]
    assert found.values.tolist() == pytest.approx(expected["scores"], abs=1e-5)
    assert (found.spans is not None) == ("spans" in expected)
    for ours, theirs in zip(found.spans or (), expected.get("spans", ()), strict=True):
        assert [[span.start, span.end, span.severity] for span in ours] == [span[:3] for span in theirs]
    signature = made.signed(1)
    assert "precision:fp32" in signature and ("decoder:exact" in signature) == ("spans" in expected)


@pytest.mark.parametrize(
    ("name", "options", "row"),
    [
        ("xcomet", "value=mqm", ("own", "mqm_scores")),
        ("xcomet", "value=unified", ("own", "unified_scores")),
        ("xcomet", "inputs=src", ("own_source_only", "scores")),
        ("xcomet", "inputs=src,value=mqm", ("own_source_only", "mqm_scores")),
        ("xcomet", "value=src", ("own_source_only", "src_scores")),
        ("xcomet", "inputs=both", ("own", "scores")),
        ("unified", "inputs=src", ("own", "src_scores")),
        ("unified", "inputs=ref", ("own", "ref_scores")),
        ("unified", "value=ref", ("own", "ref_scores")),
        ("unified", "value=unified", ("own", "unified_scores")),
    ],
)
def test_a_reading_is_a_metric(place: Path, name: str, options: str, row: tuple[str, str]) -> None:
    result = scored(place, name, f",{options}")
    assert values(result) == pytest.approx(reference()[name][row[0]][row[1]], abs=1e-5)
    (signature,) = result.signatures.values()
    assert all(f"|{option.replace('=', ':')}|" in signature for option in options.split(","))


def test_the_score_beside_the_reference_alone(place: Path) -> None:
    """xCOMET with one reading gives it the weight of all three: 0.78 of it, at most 1, and 0.22 of the MQM it infers."""
    found = scored(place, "xcomet", ",inputs=ref")
    (scores,) = found.scores.values()
    capped = [min(1.0, value) for value in reference()["xcomet"]["own"]["ref_scores"]]
    assert scores.components["ref"].tolist() == pytest.approx(capped, abs=1e-5)
    expected = [0.78 * ref + 0.22 * mqm for ref, mqm in zip(capped, scores.components["mqm"], strict=True)]
    assert values(found) == pytest.approx(expected, abs=1e-5)


def test_a_reading_needs_its_texts_and_no_others(place: Path) -> None:
    assert values(scored(place, "unified", ",inputs=ref", sources=None)) == values(
        scored(place, "unified", ",inputs=ref")
    )
    assert values(scored(place, "xcomet", ",value=src", references=None)) == values(
        scored(place, "xcomet", ",value=src")
    )
    assert metric(f"{unpack('xcomet', place)}:value=src").card.needs == "source"
    for options, missing in ((",inputs=ref", {"references": None}), (",inputs=both", {"sources": None})):
        with pytest.raises(InputError, match="requires"):
            scored(place, "xcomet", options, **missing)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("xcomet", "value=src,inputs=ref", "value=src requires inputs=src, not inputs=ref"),
        ("unified", "value=mqm", "marks no errors, so it has no value=mqm"),
        ("regression", "inputs=src", "has fixed inputs and one score"),
        ("kiwi_bert", "value=src", "Only xCOMET and UniTE accept the options inputs and value"),
    ],
)
def test_readings_that_a_model_does_not_have(place: Path, name: str, options: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        metric(f"{unpack(name, place)}:{options}")


def test_what_is_faster_is_said_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.models.runtime import precision

    monkeypatch.setattr("assay.metrics.neural.SLOW", 1e9)
    monkeypatch.setattr(precision, "bf16_is_fast", lambda: True)
    made = metric(f"{unpack('xcomet', place)}:device=cpu")
    for _ in range(2):
        assay.score(HYPOTHESES, REFERENCES, sources=SOURCES, metrics=[made], store=False)
    (notice,) = made.notices
    assert "in fp32" in notice and "precision=bf16" in notice
