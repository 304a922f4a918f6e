"""MetricX, BARTScore and Prism beside the numbers of their own code, and what they say when something is missing."""

from __future__ import annotations

import importlib.util
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.core.batch import Batch
from assay.core.errors import AssayError
from assay.metrics import metric
from assay.testing import check_metric
from assay.testing.contract import Contract

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "seq2seq"
_spec = importlib.util.spec_from_file_location("seq2seq_tiny", FIXTURES / "tiny.py")
assert _spec is not None and _spec.loader is not None
tiny = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tiny)

EXPECTED = json.loads((FIXTURES / "reference.json").read_text())
BATCH = Batch(
    tiny.HYPOTHESES, sources=tiny.SOURCES, references=(tiny.REFERENCES,), langpairs=["de-en"] * len(tiny.ROWS)
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seq2seq")
    tiny.metricx(folder / "metricx")
    tiny.bart(folder / "bart")
    tiny.prism(folder / "prism")
    tiny.prism(folder / "prism-after", before=False, legacy=True)
    return folder


@pytest.mark.parametrize("name", ["metricx-23", "metricx-23-qe", "metricx-24", "metricx-24-qe"])
def test_metricx_gives_the_numbers_of_its_own_code(models: Path, name: str) -> None:
    found = metric(f"{name}-xl:path={models / 'metricx'}").score(BATCH)
    rows = [i for i in range(len(tiny.ROWS)) if i != tiny.WRITTEN_TOKENS]
    assert np.abs(found.values - EXPECTED[name])[rows].max() < 1e-4
    assert np.flatnonzero(found.flags["truncated"]).tolist() == [9]


@pytest.mark.parametrize("value", ["precision", "recall", "faithfulness"])
def test_bartscore_gives_the_numbers_of_its_own_code(models: Path, value: str) -> None:
    found = metric(f"bartscore:path={models / 'bart'},value={value}").score(BATCH)
    assert np.abs(found.values - EXPECTED[f"bartscore-{value}"]).max() < 1e-5
    assert found.flags["truncated"][9]


def test_bartscore_is_the_mean_of_both_directions(models: Path) -> None:
    found = metric(f"bartscore:path={models / 'bart'}").score(BATCH)
    both = np.array([EXPECTED["bartscore-precision"], EXPECTED["bartscore-recall"]])
    assert np.abs(found.values - both.mean(0)).max() < 1e-5
    assert np.abs(found.components["recall"] - both[1]).max() < 1e-5


@pytest.mark.parametrize("folder", ["prism", "prism-after"])
def test_prism_gives_fairseqs_numbers(models: Path, folder: str) -> None:
    for name, spec in (("", "prism:"), ("-qe", "prism-qe:"), ("-warm", "prism:temperature=2,")):
        found = metric(f"{spec}path={models / folder}").score(BATCH)
        assert np.abs(found.values - EXPECTED[folder + name]).max() < 1e-5


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision_is_near(models: Path, precision: str) -> None:
    for spec, name, near in (
        (f"bartscore:path={models / 'bart'},value=recall", "bartscore-recall", 0.02),
        (f"prism:path={models / 'prism'}", "prism", 0.02),
        (f"metricx-24-xl:path={models / 'metricx'}", "metricx-24", 0.5),
    ):
        found = metric(f"{spec},precision={precision}").score(BATCH).values
        rows = [i for i in range(len(tiny.ROWS)) if i != tiny.WRITTEN_TOKENS]
        assert np.abs(found - EXPECTED[name])[rows].max() < near


def test_the_best_reference_counts_and_their_mean_where_asked(models: Path) -> None:
    two = replace(BATCH, references=(tiny.REFERENCES, tiny.HYPOTHESES))
    own = replace(BATCH, references=(tiny.HYPOTHESES,))
    for spec, choose in (
        (f"metricx-23-xl:path={models / 'metricx'}", np.minimum),
        (f"prism:path={models / 'prism'}", np.maximum),
        (f"bartscore:path={models / 'bart'}", np.maximum),
        (f"bartscore:path={models / 'bart'},several=mean", lambda a, b: (a + b) / 2),
    ):
        made = metric(spec)
        one, other = made.score(BATCH).values, made.score(own).values
        np.testing.assert_allclose(made.score(two).values, choose(one, other), atol=1e-5)


def test_metricx_24_reads_what_there_is(models: Path) -> None:
    made = metric(f"metricx-24-xl:path={models / 'metricx'}")
    without = replace(BATCH, references=None)
    rows = [i for i in range(len(tiny.ROWS)) if i != tiny.WRITTEN_TOKENS]
    assert np.abs(made.score(without).values - EXPECTED["metricx-24-qe"])[rows].max() < 1e-4
    asked = metric(f"metricx-24-xl:path={models / 'metricx'},inputs=src")
    assert asked.card.needs == "source" and "inputs:src" in str(asked.signature)
    assert not made.card.higher_is_better and made.card.range == (0.0, 25.0)
    assert "wmt22-mqm" in made.card.trained_on


def test_metricx_22_reads_as_23_does_and_does_not_clip(models: Path) -> None:
    found = metric(f"metricx-22:path={models / 'metricx'}").score(BATCH).values
    rows = [i for i in range(len(tiny.ROWS)) if i != tiny.WRITTEN_TOKENS]
    clipped = np.array(EXPECTED["metricx-23"])
    inside = [i for i in rows if 0 < clipped[i] < 25]
    assert inside and np.abs(found - clipped)[inside].max() < 1e-4
    assert np.abs(np.clip(found, 0, 25) - clipped)[rows].max() < 1e-4


def test_a_language_without_a_tag_is_not_scored(models: Path) -> None:
    made = metric(f"prism:path={models / 'prism'}")
    pairs = ["de-en", "de-fi"] * (len(BATCH) // 2)
    found = made.score(replace(BATCH, langpairs=pairs)).values
    assert np.isnan(found[1::2]).all() and np.isfinite(found[::2]).all()
    with pytest.raises(AssayError, match="requires the languages"):
        made.score(replace(BATCH, langpairs=None))
    told = metric(f"prism:path={models / 'prism'},lang=en").score(replace(BATCH, langpairs=None)).values
    assert np.abs(told - EXPECTED["prism"]).max() < 1e-5


def test_they_keep_the_contract(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Contract, "direction", lambda self: None)  # random weights have none
    few = BATCH.select(list(range(8)))
    check_metric(metric(f"metricx-24-xl:path={models / 'metricx'}"), few)
    check_metric(metric(f"bartscore:path={models / 'bart'}"), few)
    check_metric(metric(f"prism-qe:path={models / 'prism'},lang=en"), few)


def test_what_was_loaded_is_let_go(models: Path) -> None:
    import gc
    import weakref

    made = metric(f"bartscore:path={models / 'bart'}")
    before = made.score(BATCH).values
    kept = weakref.ref(made._loaded.model)
    made.release()
    gc.collect()
    assert kept() is None
    np.testing.assert_array_equal(made.score(BATCH).values, before)


def test_one_clear_line_for_what_is_wrong(models: Path, tmp_path: Path) -> None:
    def said(spec: str) -> str:
        with pytest.raises(AssayError) as caught:
            metric(spec).score(BATCH)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def copied(name: str) -> Path:
        return shutil.copytree(models / name, tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}")

    assert "assay fetch metricx-24-xl" in said("metricx-24-qe-xl")
    assert "path=FOLDER" in said("metricx-22") and "path=FOLDER" in said("hwtsc-tlm")
    assert "the model folder /nowhere/at/all does not exist" in said("bartscore:path=/nowhere/at/all")
    assert "not an encoder-decoder that assay knows" in said(
        f"bartscore:path={_other(copied('bart'), model_type='bert')}"
    )
    assert "regression logit needs a T5" in said(f"metricx-23-xl:path={models / 'bart'}")
    assert "it is not a MetricX model" in said(f"metricx-23-xl:path={_small(copied('metricx'))}")
    assert "hwtsc-tlm needs a language model" in said(f"hwtsc-tlm:path={models / 'bart'}")

    bare = copied("bart")
    (bare / "vocab.json").unlink()
    assert "has no tokenizer" in said(f"bartscore:path={bare}")
    cut = copied("bart")
    (cut / "model.safetensors").write_bytes((cut / "model.safetensors").read_bytes()[:-1000])
    assert "is incomplete" in said(f"bartscore:path={cut}")
    half = copied("metricx")
    next(half.glob("*-00002-of-*.bin")).unlink()
    assert "1 of the 2 files" in said(f"metricx-23-xl:path={half}")
    assert "belongs to another model" in said(f"bartscore:path={_other(copied('bart'), d_model=32)}")
    assert "lacks" in said(f"bartscore:path={_other(copied('bart'), decoder_layers=4)}")

    torn = copied("prism")
    (torn / "checkpoint.pt").write_bytes((torn / "checkpoint.pt").read_bytes()[:5000])
    assert "is incomplete" in said(f"prism:path={torn}")
    lost = copied("prism")
    (lost / "spm.model").unlink()
    assert "has no spm.model" in said(f"prism:path={lost}")
    other = copied("prism")
    (other / "dict.src.txt").write_text("only_a_piece\n")
    assert "dict.src.txt line 1" in said(f"prism:path={other}")


def _other(folder: Path, **values: object) -> Path:
    about = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**about, **values}))
    return folder


def _small(folder: Path) -> Path:
    """A model of a few words, which has no word 250,089."""
    for path in folder.glob("*.bin"):
        state = torch.load(path, weights_only=True)
        torch.save(
            {name: one[:500].clone() if one.shape[0] == tiny.WORDS else one for name, one in state.items()}, path
        )
    return _other(folder, vocab_size=500)


class _Harm:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (open, ("/tmp/never-made-by-a-checkpoint", "w"))


def test_no_code_of_a_checkpoint_runs(models: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(models / "prism", tmp_path / "harm")
    content = {"args": _Harm(), "model": {}}
    torch.save(content, folder / "checkpoint.pt")
    with pytest.raises(AssayError, match="runs no code from a checkpoint"):
        metric(f"prism:path={folder}").score(BATCH)
    assert not Path("/tmp/never-made-by-a-checkpoint").exists()
