"""Cosines of sentence vectors beside transformers' states pooled by hand, for every way of pooling that a folder may ask for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

from assay.core.batch import Batch  # noqa: E402
from assay.core.errors import InputError  # noqa: E402
from assay.metrics.embedding.sentence import LabseSim, TeacherSim  # noqa: E402
from assay.testing import check_metric  # noqa: E402

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "bertscore"
TEXTS: Any = json.loads((FIXTURES / "reference.json").read_text())["texts"]
HYPOTHESES, OTHERS = tuple(row[0] for row in TEXTS), tuple(row[1] for row in TEXTS)


def folder_with(place: Path, pooling: str, dense: bool = False) -> tuple[Path, Any]:
    """The fixture's encoder with a sentence-transformers head; the dense layer's weight comes back."""
    from safetensors.torch import save_file

    shutil.copytree(FIXTURES / "bert", place)
    modules = [{"path": "", "type": "sentence_transformers.models.Transformer"}]
    modules.append({"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})
    (place / "1_Pooling").mkdir()
    modes = {f"pooling_mode_{name}": name == pooling for name in ("cls_token", "mean_tokens", "max_tokens")}
    (place / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 24, **modes}))
    weight = torch.linspace(-1, 1, 10 * 24).view(10, 24).sin()
    if dense:
        modules.append({"path": "2_Dense", "type": "sentence_transformers.models.Dense"})
        (place / "2_Dense").mkdir()
        about = {"in_features": 24, "out_features": 10, "bias": True}
        about["activation_function"] = "torch.nn.modules.activation.Tanh"  # type: ignore[assignment]
        (place / "2_Dense" / "config.json").write_text(json.dumps(about))
        save_file({"linear.weight": weight, "linear.bias": torch.ones(10) / 7}, place / "2_Dense" / "model.safetensors")
    (place / "modules.json").write_text(json.dumps([*modules, {"path": "3_Normalize", "type": "x.models.Normalize"}]))
    return place, weight


def expected(pooling: str, weight: Any) -> list[float]:
    """By hand: states, pooled, through the dense layer where there is one, and the cosine."""
    from tokenizers import Tokenizer

    model = transformers.AutoModel.from_pretrained(FIXTURES / "bert").float().eval()
    tokenizer = Tokenizer.from_file(str(FIXTURES / "bert" / "tokenizer.json"))

    def vector(text: str) -> Any:
        ids = tokenizer.encode(text.strip()).ids
        ids = ids if len(ids) <= 40 else [*ids[:39], ids[-1]]  # the encoder has 40 positions
        with torch.no_grad():
            states = model(torch.tensor([ids])).last_hidden_state[0]
        pooled = {"cls_token": states[0], "mean_tokens": states.mean(0), "max_tokens": states.max(0).values}[pooling]
        return pooled if weight is None else torch.tanh(weight @ pooled + 1 / 7)

    pairs = zip(HYPOTHESES, OTHERS, strict=True)
    return [float(torch.cosine_similarity(vector(a), vector(b), dim=0)) for a, b in pairs]


@pytest.mark.parametrize(("pooling", "dense"), [("cls_token", True), ("mean_tokens", False), ("max_tokens", False)])
def test_the_cosines_of_transformers(pooling: str, dense: bool, tmp_path: Path) -> None:
    folder, weight = folder_with(tmp_path / "encoder", pooling, dense)
    found = LabseSim(model=str(folder)).score(Batch(HYPOTHESES, sources=OTHERS)).values
    assert found.tolist() == pytest.approx(expected(pooling, weight if dense else None), abs=1e-5)
    against = TeacherSim(model=str(folder), against="reference").score(Batch(HYPOTHESES, references=(OTHERS,))).values
    assert against.tolist() == pytest.approx(found.tolist(), abs=1e-6)


def test_without_a_head_the_mean_counts() -> None:
    made = LabseSim(model=str(FIXTURES / "bert"))
    found = made.score(Batch(HYPOTHESES, sources=OTHERS)).values
    assert found.tolist() == pytest.approx(expected("mean_tokens", None), abs=1e-5)
    assert np.std(found) > 0.01
    check_metric(LabseSim(model=str(FIXTURES / "bert"), against="reference"))


def test_what_is_refused(tmp_path: Path) -> None:
    folder, _ = folder_with(tmp_path / "encoder", "cls_token", dense=True)
    batch = Batch(("a",), sources=("b",))
    about = folder / "1_Pooling" / "config.json"
    about.write_text(json.dumps({"pooling_mode_lasttoken": True}))
    with pytest.raises(InputError, match=r"uses a pooling that assay does not support: pooling_mode_lasttoken"):
        LabseSim(model=str(folder)).score(batch)
    about.write_text(json.dumps({"pooling_mode_cls_token": True}))
    (folder / "2_Dense" / "config.json").write_text(json.dumps({"activation_function": "os.system"}))
    with pytest.raises(InputError, match=r"has an activation that assay does not support: system"):
        LabseSim(model=str(folder)).score(batch)
    listed = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([*listed, {"path": "../..", "type": "x.Dense"}]))
    (folder / "2_Dense" / "config.json").write_text(json.dumps({"activation_function": "x.Identity"}))
    with pytest.raises(InputError, match=r"modules.json refers to a path outside its folder"):
        LabseSim(model=str(folder)).score(batch)
