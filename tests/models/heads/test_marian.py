"""COMET models of Marian NMT beside pymarian's numbers, on checkpoints that Marian itself made."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import InputError, MissingPart

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("sentencepiece", reason="sentencepiece is not installed (pip install 'mt-assay[neural]')")

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "cometoid"
KINDS = ("plain", "mixed")


def reference() -> Any:
    return json.loads((FIXTURES / "reference.json").read_text(encoding="utf-8"))


def folder(place: Path, kind: str = "plain") -> Path:
    """As the hub has it."""
    model = place / kind / "checkpoints" / "marian.model.bin"
    model.parent.mkdir(parents=True)
    model.write_bytes(gzip.decompress((FIXTURES / f"{kind}.bin.gz").read_bytes()))
    (place / kind / "vocab.spm").write_bytes((FIXTURES / "vocab.spm").read_bytes())
    return place / kind


def scored(spec: str) -> Any:
    sources, hypotheses = zip(*reference()["pairs"], strict=True)
    return assay.score(hypotheses, sources=sources, metrics=[spec])


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_marians(kind: str, tmp_path: Path) -> None:
    found = scored(str(folder(tmp_path, kind)))
    (scores,) = found.segments.values()
    assert scores.tolist() == pytest.approx(reference()["scores"][kind], abs=1e-5)
    assert next(iter(found.metrics.values())).card.name == kind  # that of the folder


def test_the_models_differ() -> None:
    plain, mixed = (reference()["scores"][kind] for kind in KINDS)
    assert max(abs(a - b) for a, b in zip(plain, mixed, strict=True)) > 0.1
    assert max(plain) - min(plain) > 0.3


def test_by_name_by_file_and_by_folder(tmp_path: Path) -> None:
    place = folder(tmp_path)
    specs = (
        f"cometoid22-wmt22:path={place}",
        str(place),
        f"{place}/checkpoints/marian.model.bin",
        f"cometoid22-wmt22:path={place},precision=bf16",
    )
    runs = [scored(spec) for spec in specs]
    first, *others = [next(iter(run.segments.values())) for run in runs]
    assert all((first == other).all() for other in others[:2])
    assert others[2].tolist() == pytest.approx(first.tolist(), abs=0.03)


def test_long_texts_are_cut_and_flagged(tmp_path: Path) -> None:
    from assay.core.batch import Batch
    from assay.metrics import metric

    sources, hypotheses = zip(*reference()["pairs"], strict=True)
    found = metric(str(folder(tmp_path))).score(Batch(list(hypotheses), sources=list(sources)))
    # of words with a piece each, more than 38 beside the two special ones
    assert [i for i, cut in enumerate(found.flags["truncated"]) if cut] == [6, 7, 8]


def test_a_damaged_file_gets_one_line(tmp_path: Path) -> None:
    place = folder(tmp_path)
    model = place / "checkpoints" / "marian.model.bin"
    whole = model.read_bytes()
    for length in (0, 7, 12, 500, 5_000, len(whole) - 300):
        model.write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"marian\.model\.bin is (incomplete or )?(is )?not a binary Marian model"):
            assay.score(["a"], sources=["b"], metrics=[str(place)])
    model.write_bytes(struct.pack("<Q", 2) + whole[8:])
    with pytest.raises(InputError, match="it is encrypted"):
        assay.score(["a"], sources=["b"], metrics=[str(place)])
    model.write_bytes(whole.replace(b"type: comet-qe", b"type: comet\n# "))
    with pytest.raises(InputError, match="is a Marian model of type comet, but assay supports only comet-qe"):
        assay.score(["a"], sources=["b"], metrics=[str(place)])
    model.write_bytes(whole.replace(b"activation: gelu", b"activation: relu"))
    with pytest.raises(
        InputError, match="has transformer-ffn-activation: 'relu', not 'gelu': assay does not support this encoder"
    ):
        assay.score(["a"], sources=["b"], metrics=[str(place)])
    model.write_bytes(whole)
    (place / "vocab.spm").unlink()
    with pytest.raises(MissingPart, match=r"vocab\.spm is missing next to .*tokenizer=FILE"):
        assay.score(["a"], sources=["b"], metrics=[str(place)])


def test_no_damage_is_more_than_a_line(tmp_path: Path) -> None:
    """Bytes of the header, the names and the shapes changed at random: read as they are, or refused."""
    import random

    from assay.models.files.comet import read_settings

    model = folder(tmp_path) / "checkpoints" / "marian.model.bin"
    whole, draw, refused = model.read_bytes(), random.Random(4), 0
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(draw.randrange(1, 4)):
            damaged[draw.randrange(7000)] = draw.randrange(256)
        model.write_bytes(bytes(damaged))
        try:
            read_settings(model)
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 100
