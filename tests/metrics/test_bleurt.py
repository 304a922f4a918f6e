"""BLEURT: google-research/bleurt's own numbers under TensorFlow, from its checkpoints and from ports; and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("sentencepiece")

import assay  # noqa: E402
from assay.core.batch import Batch  # noqa: E402
from assay.core.errors import InputError, MissingPart  # noqa: E402
from assay.metrics import metric  # noqa: E402
from assay.models.heads.bleurt import shortened_lengths  # noqa: E402
from assay.testing import check_metric  # noqa: E402
from assay.testing.contract import Contract  # noqa: E402
from tests.models.bleurt_folders import FIXTURES, copied, ported, reference  # noqa: E402


def scored(spec: str) -> Any:
    texts = reference()
    return metric(spec).score(Batch(texts["candidates"], references=(texts["references"],)))


@pytest.mark.parametrize("kind", ["bert", "rembert"])
def test_the_numbers_of_the_original(kind: str) -> None:
    found = scored(str(FIXTURES / kind))
    assert np.abs(found.values - reference()["scores"][kind]).max() < 1e-4
    flagged = found.flags["truncated"][:12].tolist()
    assert (
        flagged == [False] * 9 + [True] * 3
    )  # the three pairs with all 64 words on one side, of a window of 48 tokens


@pytest.mark.parametrize(("kind", "safe"), [("bert", True), ("rembert", True), ("rembert", False)])
def test_a_port_has_the_same_numbers(kind: str, safe: bool, tmp_path: Path) -> None:
    found = scored(f"bleurt:path={ported(kind, tmp_path, safe=safe)}")
    assert np.abs(found.values - reference()["scores"][kind]).max() < 1e-4


def test_precisions_stay_near() -> None:
    """How far: bf16 keeps 8 bits and int8 7 of every number, and these weights are drawn wide. int8 is the same in any batch."""
    exact = np.array(reference()["scores"]["rembert"])
    for precision, most in (("fp16", 0.05), ("bf16", 0.2), ("int8", 0.4)):
        made = metric(f"bleurt:path={FIXTURES / 'rembert'},precision={precision}")
        found = made.score(Batch(reference()["candidates"], references=(reference()["references"],))).values
        assert 0 < np.abs(found - exact).max() < most and f"precision:{precision}" in str(made.signature)
        assert np.corrcoef(found, exact)[0, 1] > 0.99
    alone = made.score(Batch(reference()["candidates"][20:21], references=(reference()["references"][20:21],))).values
    assert abs(alone[0] - found[20]) < 1e-5


def test_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Contract, "direction", lambda self: None)  # random weights know no better
    check_metric(metric(str(FIXTURES / "rembert")))


def test_the_best_reference_counts() -> None:
    texts = reference()
    one, two = texts["references"][12:20], texts["references"][20:28]
    made = metric(str(FIXTURES / "rembert"))
    batch = Batch(texts["candidates"][12:20], references=([*one[:7], None], two))
    alone = [made.score(Batch(batch.hypotheses, references=(column,))).values for column in (one, two)]
    expected = np.maximum(*alone)
    expected[7] = alone[1][7]
    assert np.allclose(made.score(batch).values, expected, atol=1e-6)


def test_cutting_is_the_originals() -> None:
    """Their loop, token by token, beside ours."""
    for first in range(12):
        for second in range(12):
            a, b = first, second
            while a + b > 7:
                a, b = (a - 1, b) if a > b else (a, b - 1)
            assert shortened_lengths(first, second, 7) == (a, b)


def test_the_graph_says_which_gelu(tmp_path: Path) -> None:
    place = copied("bert", tmp_path)
    (place / "saved_model.pb").write_bytes(b"\0bert/encoder/layer_0/intermediate/dense/Erf\0")
    found = scored(str(place)).values
    expected = np.array(reference()["scores"]["bert"])
    assert 1e-5 < np.abs(found - expected).max() < 0.1


def test_memory_is_given_back() -> None:
    import gc
    import weakref

    made = metric(str(FIXTURES / "bert"))
    before = made.score(Batch(["a cat"], references=(["the cat"],))).values
    held = weakref.ref(made._loaded[0].model)  # type: ignore[attr-defined]
    made.release()
    gc.collect()
    assert held() is None
    assert made.score(Batch(["a cat"], references=(["the cat"],))).values == before


def test_several_networks_in_one_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.metrics.bleurt import Bleurt

    released = []
    monkeypatch.setattr(Bleurt, "release", lambda self: released.append(self.path.name))
    specs = [str(FIXTURES / "bert"), str(FIXTURES / "rembert")]
    found = assay.score(["a cat"], ["the cat"], metrics=specs, store=False)
    assert released[:2] == ["bert", "rembert"] and len(found.table().rows) == 1


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1000])


def index_cut(place: Path) -> None:
    cut(place / "variables/variables.index")


def data_cut(place: Path) -> None:
    cut(place / "variables/variables.data-00000-of-00001")


def without(name: str) -> Any:
    return lambda place: (place / name).unlink()


def described(file: str, **changes: Any) -> Any:
    def change(place: Path) -> None:
        known = json.loads((place / file).read_text())
        (place / file).write_text(json.dumps(known | changes))

    return change


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (index_cut, r"variables\.index is incomplete or is not the index of a TensorFlow checkpoint"),
        (data_cut, r"data-00000-of-00001 is incomplete: .* Download it again"),
        (without("variables/variables.index"), r"has no weights: variables/variables\.index"),
        (without("sent_piece.model"), r"names sent_piece\.model, which is not in"),
        (described("bleurt_config.json", sp_model="x" * 5000), r"names x{200}, which is not in"),
        (without("bleurt_config.json"), r"has neither bleurt_config\.json nor config\.json"),
        (described("bert_config.json", num_hidden_layers=4), r"lacks bert\.encoder\.layer\.3\..*it is incomplete, or not the bert"),
        (described("bert_config.json", intermediate_size=44), r"intermediate\.dense\.weight has the shape \(40, 24\)"),
        (described("bert_config.json", hidden_act="swish"), r"hidden_act is 'swish'; BLEURT's is gelu"),
        (described("bert_config.json", num_attention_heads=5), r"24 units cannot be split into 5 heads"),
        (described("bleurt_config.json", sp_model=None), r"names no vocabulary: sp_model or vocab_file is missing"),
        (lambda place: (place / "sent_piece.model").write_bytes(b"\x0a\xff"), r"not a sentencepiece model\. Download it again"),
    ],
)  # fmt: skip
def test_damaged_checkpoints(damage: Any, said: str, tmp_path: Path) -> None:
    place = copied("rembert", tmp_path)
    damage(place)
    with pytest.raises((InputError, MissingPart), match=said) as told:
        metric(f"bleurt:path={place}").score(Batch(["a"], references=(["b"],)))
    assert "\n" not in str(told.value)


def test_missing_and_foreign_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    with pytest.raises(
        MissingPart, match=r"bleurt-20 is not on this machine\. Get it \(2\.1 GB\): assay fetch bleurt-20"
    ):
        metric("bleurt-20")
    place = ported("bert", tmp_path)
    described("config.json", model_type="t5")(place)
    with pytest.raises(InputError, match=r"describes a 't5' model, not BLEURT"):
        metric(f"bleurt:path={place}")
    described("config.json", model_type="bert")(place)
    from safetensors.torch import load_file, save_file

    state = load_file(place / "model.safetensors")
    del state["classifier.weight"]
    save_file(state, place / "model.safetensors")
    with pytest.raises(InputError, match=r"lacks classifier\.weight: it is an encoder without BLEURT's head"):
        metric(f"bleurt:path={place}").score(Batch(["a"], references=(["b"],)))
