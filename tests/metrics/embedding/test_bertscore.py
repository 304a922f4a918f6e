"""BERTScore beside bert-score 0.3.13, on encoders and with numbers that scripts/make_bertscore_fixture.py made with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")

import assay
from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.metrics import metric
from assay.metrics.embedding.bertscore import Bertscore, best_layer
from assay.testing import check_metric

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "bertscore"
GIVEN: Any = json.loads((FIXTURES / "reference.json").read_text())
HYPOTHESES, FIRST, SECOND = (tuple(row[i] for row in GIVEN["texts"]) for i in range(3))


def scored(kind: str, case: str, tmp_path: Path, **options: Any) -> tuple[Any, Any]:
    """Ours and bert-score's (precision, recall, F1) of every text."""
    if case in ("idf", "rescaled"):
        lines = tmp_path / "references.txt"
        lines.write_text("\n".join(FIRST) + "\n", encoding="utf-8")
        options["idf"] = str(lines)
    if case == "rescaled":
        options["baseline"] = str(FIXTURES / "baseline.tsv")
    made = Bertscore(model=str(FIXTURES / kind), layer=GIVEN["layer"], **options)
    references = (FIRST, SECOND) if case == "several" else (FIRST,)
    found = made.score(Batch(HYPOTHESES, references=references))
    ours = np.column_stack([found.components[name] for name in ("precision", "recall", "f1")])
    assert np.array_equal(found.values, ours[:, 2])
    return ours, np.array(GIVEN["scores"][kind][case])


@pytest.mark.parametrize("case", ["plain", "idf", "rescaled", "several"])
@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "mpnet"])
def test_the_numbers_are_bert_scores(kind: str, case: str, tmp_path: Path) -> None:
    ours, theirs = scored(kind, case, tmp_path)
    assert np.abs(ours - theirs).max() < 1e-4
    assert theirs.std() > 0.05  # the encoders tell texts apart


@pytest.mark.parametrize(("precision", "most"), [("bf16", 0.03), ("fp16", 5e-3)])
def test_narrow_numbers_stay_near(precision: str, most: float, tmp_path: Path) -> None:
    ours, theirs = scored("xlm-roberta", "plain", tmp_path, precision=precision)
    assert 0 < np.abs(ours - theirs).max() < most


def test_an_empty_text_has_0() -> None:
    """bert-score says so on stderr and sets all three to 0."""
    made = Bertscore(model=str(FIXTURES / "bert"), layer=2)
    found = made.score(Batch(("", "cat", "  "), references=(("cat", "", "cat"),)))
    assert found.values.tolist() == [0.0, 0.0, 0.0]
    assert found.components["recall"].tolist() == [0.0, 0.0, 0.0]


def test_numbers_too_large_for_half_precision_are_told(tmp_path: Path) -> None:
    import shutil

    from safetensors.torch import load_file, save_file

    from assay.metrics.embedding.sentence import LabseSim

    folder = tmp_path / "large"
    shutil.copytree(FIXTURES / "bert", folder)
    state = load_file(folder / "model.safetensors")
    wide = {
        name: tensor.float() * (3e4 if "intermediate.dense.weight" in name else 1) for name, tensor in state.items()
    }
    save_file(wide, folder / "model.safetensors")
    batch = Batch(("the cat",), sources=("the cat",), references=(("the mat",),))
    assert np.isfinite(Bertscore(model=str(folder), layer=2, precision="fp32").score(batch).values).all()
    for made in (
        Bertscore(model=str(folder), layer=2, precision="fp16"),
        LabseSim(model=str(folder), precision="fp16"),
    ):
        with pytest.raises(InputError, match=r"too large for fp16. Use precision=bf16"):
            made.score(batch)


def test_the_contract() -> None:
    check_metric(Bertscore(model=str(FIXTURES / "bert"), layer=2))


def test_a_text_longer_than_the_encoder_reads_is_flagged() -> None:
    made = Bertscore(model=str(FIXTURES / "bert"), layer=2)
    found = made.score(Batch(("cat " * 60, "cat"), references=(("cat", "cat"),)))
    assert found.flags["truncated"].tolist() == [True, False]


def test_what_was_loaded_is_let_go() -> None:
    made = Bertscore(model=str(FIXTURES / "bert"), layer=2)
    batch = Batch(HYPOTHESES, references=(FIRST,))
    before = made.score(batch).values
    made.release()
    assert made._loaded is None
    assert made.score(batch).values.tolist() == before.tolist()


def test_layers_by_name(tmp_path: Path) -> None:
    """Zhang et al. 2020, appendix B, as bert-score has it: 17 for XLM-R large, 9 for multilingual BERT."""
    assert best_layer(Path("/anywhere/xlm-roberta-large")) == 17
    assert best_layer(tmp_path / "models--google-bert--bert-base-multilingual-cased" / "snapshots" / ("0" * 40)) == 9
    assert best_layer(Path("/anywhere/else")) is None


def test_the_encoder_follows_the_target_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As bert-score has it: roberta-large for English, multilingual BERT for German. One that is not asked for need not be here."""
    import shutil

    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "none"))
    homes = tmp_path / "checkpoints"
    shutil.copytree(FIXTURES / "xlm-roberta", homes / "roberta-large")
    made = metric("bertscore:layer=2")
    english = made.for_language("en")
    assert (
        isinstance(english, Bertscore) and english.folder.name == "roberta-large" and english is made.for_language("en")
    )
    found = english.score(Batch(HYPOTHESES, references=(FIRST,)))
    assert found.values.tolist() == pytest.approx([row[2] for row in GIVEN["scores"]["xlm-roberta"]["plain"]], abs=1e-4)
    for ask in (lambda: made.for_language("de"), lambda: made.score(Batch(("a",), references=(("a",),)))):
        with pytest.raises(MissingPart, match=r"the encoder bert-base-multilingual-cased is not on this machine"):
            ask()
    systems = {"one": list(HYPOTHESES), "two": list(FIRST)}
    both = assay.compare(systems, list(FIRST), metrics=["bertscore:layer=2"], langpair="de-en")
    assert f"{np.mean([row[2] for row in GIVEN['scores']['xlm-roberta']['plain']]):.4f}" in str(both)
    shutil.copytree(FIXTURES / "bert", homes / "bert-base-multilingual-cased")
    made = metric("bertscore:layer=2")
    assert made.for_language("de") is made and made.by_language
    made.for_language("en").score(Batch(HYPOTHESES, references=(FIRST,)))
    made.release()
    assert made.for_language("en")._loaded is None  # type: ignore[attr-defined]
    assert not metric("bertscore:layer=2,model=roberta-large").by_language


def test_one_command(tmp_path: Path) -> None:
    for name, texts in (("a.txt", HYPOTHESES), ("r.txt", FIRST)):
        (tmp_path / name).write_text("\n".join(text or "-" for text in texts) + "\n", encoding="utf-8")
    spec = f"bertscore:model={FIXTURES / 'bert'},layer=2,value=recall"
    found = assay.score(mt=tmp_path / "a.txt", ref=tmp_path / "r.txt", metrics=[spec])
    (values,) = found.segments.values()
    expected = [row[1] for row in GIVEN["scores"]["bert"]["plain"]]
    assert [values[i] for i in (0, 1, 2)] == pytest.approx(expected[:3], abs=1e-4)


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    folder = str(FIXTURES / "bert")
    with pytest.raises(
        MissingPart, match=r"the encoder bert-base-multilingual-cased is not on this machine.*assay fetch bert-b"
    ):
        metric("bertscore")
    with pytest.raises(InputError, match=r"'?nosuch'? is neither a folder nor a known encoder \(.*model=PATH"):
        metric("bertscore:model=nosuch")
    with pytest.raises(InputError, match=r"the baseline xx does not exist. Specify a file in bert-score format"):
        metric(f"bertscore:model={folder},layer=2,baseline=xx")
    with pytest.raises(InputError, match=r"has no line for layer 9"):
        metric(f"bertscore:model={folder},layer=9,baseline={FIXTURES / 'baseline.tsv'}")
    with pytest.raises(InputError, match=r"has layers 0 to 3, but layer 7 was requested"):
        metric(f"bertscore:model={folder},layer=7").score(Batch(("a",), references=(("a",),)))
    with pytest.raises(InputError, match=r"bertscore requires a text file for counting tokens, but nosuch"):
        metric(f"bertscore:model={folder},idf=nosuch")
    (tmp_path / "odd.tsv").write_text("LAYER,P,R,F\n2,0.1,zero,0.1\n")
    with pytest.raises(InputError, match=r"odd.tsv, line 2: expected four numbers"):
        metric(f"bertscore:model={folder},layer=2,baseline={tmp_path / 'odd.tsv'}")
