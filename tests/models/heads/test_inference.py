"""The same numbers whatever the batch, the precision within its tolerance, and what happens when memory runs out."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.official import tiny, unpack

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")


def columns() -> tuple[list[str], list[str], list[str]]:
    sources, hypotheses, references = zip(*tiny().OWN, strict=True)
    return list(hypotheses), list(sources), list(references)


def predictor(place: Path, name: str = "xcomet", **options: Any) -> Any:
    from assay.models.heads.checkpoint import load
    from assay.models.heads.inference import Predictor

    return Predictor(load(unpack(name, place)), **options)


@pytest.mark.parametrize("name", ["xcomet", "unified", "regression", "kiwi_bert"])
def test_the_batch_does_not_change_the_score(name: str, place: Path) -> None:
    whole = predictor(place, name).predict(*columns())
    small = predictor(place, name, budget=1).predict(*columns())  # every sequence by itself
    np.testing.assert_allclose(small.values, whole.values, atol=1e-5, rtol=0)
    alone = predictor(place, name).predict(*([column[4]] for column in columns()))
    assert alone.values[0] == pytest.approx(whole.values[4], abs=1e-5)


def test_windows_of_rows_are_joined(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.models.heads import inference

    whole = predictor(place).predict(*columns())
    monkeypatch.setattr(inference, "WINDOW", 3)
    parts = predictor(place).predict(*columns())
    np.testing.assert_allclose(parts.values, whole.values, atol=1e-5, rtol=0)
    assert [[s.start for s in row] for row in parts.spans] == [[s.start for s in row] for row in whole.spans]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("count", [0, 1, 128, 129, 300, 1024, 5000])
def test_windows_have_every_row_once_and_a_gpu_waits_for_short_ones_only(count: int, device: str) -> None:
    from assay.models.heads.inference import GPU_EDGE, GPU_WINDOW, WINDOW, _windows

    windows = list(_windows(count, torch.device(device)))
    assert [row for window in windows for row in range(window.start, window.stop)] == list(range(count))
    sizes = [window.stop - window.start for window in windows]
    assert max(sizes, default=0) <= (GPU_WINDOW if device == "cuda" else WINDOW)
    if device == "cuda" and windows:
        assert max(sizes[0], sizes[-1]) <= GPU_EDGE
        assert all(size <= 2 * before for before, size in itertools.pairwise(sizes) if before >= GPU_EDGE)


def test_equal_texts_are_embedded_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.models.heads.comet import RegressionModel

    made, embed = predictor(place, "regression"), RegressionModel.embed
    seen: list[int] = []

    def counted(model: Any, packed: Any) -> Any:
        seen.append(len(packed))
        return embed(model, packed)

    monkeypatch.setattr(RegressionModel, "embed", counted)
    made.predict(["a b", "a b", "c"], ["d", "d", "a b"], ["c", "a b", "d"])  # three texts in nine places
    assert sum(seen) == 3


def test_out_of_memory_halves_the_batch(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = predictor(place).predict(*columns()).values
    tight = predictor(place)
    forward, sizes = type(tight.model).forward, []

    def limited(model: Any, packed: Any) -> Any:
        sizes.append(len(packed.ids))
        if len(packed.ids) > 300:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return forward(model, packed)

    monkeypatch.setattr(type(tight.model), "forward", limited)
    np.testing.assert_allclose(tight.predict(*columns()).values, expected, atol=1e-5, rtol=0)
    assert max(sizes) > 300 and tight.runner.budget <= 300


def test_one_sequence_that_does_not_fit_is_an_error(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.core.errors import InputError

    tight = predictor(place)

    def never(model: Any, packed: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(type(tight.model), "forward", never)
    with pytest.raises(InputError, match="does not fit into the memory"):
        tight.predict(*columns())


def test_long_texts_are_flagged_and_scored_in_windows(place: Path) -> None:
    from assay.models.heads.prediction import predict_long

    plain = predictor(place)
    cut = plain.predict(*columns())
    assert cut.truncated.tolist() == [False] * 8 + [True] * 2
    whole = predict_long(plain.predict, *columns())
    np.testing.assert_allclose(whole.values[:8], cut.values[:8], atol=1e-5, rtol=0)
    assert whole.values[8] != pytest.approx(cut.values[8], abs=1e-6)
    text = columns()[0][8]
    assert all(span.text == text[span.start : span.end] for span in whole.spans[8])
    assert max(span.end for span in whole.spans[8]) > max(span.end for span in cut.spans[8])


def test_an_empty_translation_of_a_long_source_has_a_score_in_windows(place: Path) -> None:
    from assay.models.heads.prediction import cut, predict_long

    plain, source = predictor(place), "Das ist ein Satz. " * 10
    halves = [piece for _, piece in cut(source, 2)]
    parts, whole = plain.predict(["", ""], halves, None), predict_long(plain.predict, [""], [source], None)
    assert whole.truncated.tolist() == [True] and not parts.truncated.any()
    # Neither window has a share of an empty translation: both count alike.
    assert whole.values[0] == pytest.approx(parts.values.mean(), abs=1e-5)


def test_a_text_is_cut_into_windows_without_losing_a_character() -> None:
    from assay.models.heads.prediction import cut

    text = "One sentence. Another one! A third? " * 9
    for count in (1, 2, 5):
        pieces = cut(text, count)
        assert "".join(piece for _, piece in pieces) == text
        assert [start for start, _ in pieces] == [text.index(p, s) for s, p in pieces]
        assert all(piece.rstrip()[-1] in ".!?" for _, piece in pieces)


def test_papers_weights(place: Path) -> None:
    from assay.models.heads.prediction import PAPER

    found = predictor(place, weights=PAPER).predict(*columns())
    parts = found.components
    expected = (np.minimum(parts["src"], 1) + 3 * np.minimum(parts["ref"], 1) + 3 * np.minimum(parts["unified"], 1)) / 9
    np.testing.assert_allclose(found.values, expected + parts["mqm"] * 2 / 9, atol=1e-5, rtol=0)


def test_rows_may_lack_a_reference(place: Path) -> None:
    hypotheses, sources, references = columns()
    mixed: list[str | None] = [None if i % 2 else text for i, text in enumerate(references)]
    found = predictor(place).predict(hypotheses, sources, mixed)
    both = predictor(place).predict(hypotheses, sources, references)
    without = predictor(place).predict(hypotheses, sources, None)
    np.testing.assert_allclose(found.values[::2], both.values[::2], atol=1e-5, rtol=0)
    np.testing.assert_allclose(found.values[1::2], without.values[1::2], atol=1e-5, rtol=0)


def test_bf16_is_near_fp32_on_a_model_of_ordinary_weights() -> None:
    """Weights as encoders are initialised; the fixtures' coarse ones are far too large for a comparison of precisions."""
    from assay.models.encoders.config import EncoderConfig, ModelConfig
    from assay.models.heads.comet import build_model
    from assay.models.runtime.packing import pack

    torch.manual_seed(3)
    encoder = EncoderConfig("xlm-roberta-xl", 64, 6, 4, 256, 500)
    hparams = {"class_identifier": "xcomet_metric", "word_layer": 6, "hidden_sizes": [64, 32]}
    model = build_model(ModelConfig.from_hparams(hparams), encoder)
    packed = pack([list(range(4, 4 + n)) for n in (90, 40, 41, 7)], pad=1)
    with torch.inference_mode():
        model.prepare(torch.float32)
        wide = model(packed).scores
        model.prepare(torch.bfloat16)
        assert float((model(packed).scores - wide).abs().max()) < 2e-3


@pytest.mark.parametrize("family", ["xlm-roberta-xl", "xlm-roberta"])
def test_of_the_last_layer_only_what_is_read_is_computed(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores, and tags of the leading tokens, equal those of a pass that computes every token of every layer."""
    import assay.models.encoders.encoder
    from assay.models.encoders.config import EncoderConfig, ModelConfig
    from assay.models.encoders.encoder import Layer
    from assay.models.heads.comet import build_model
    from assay.models.runtime.packing import pack

    monkeypatch.setattr(assay.models.encoders.encoder, "PREPACK_LIMIT", 0)  # prepacked layers cannot be listened to
    torch.manual_seed(4)
    encoder = EncoderConfig(family, 64, 3, 4, 256, 500)
    sequences, leading = [list(range(4, 4 + n)) for n in (30, 12, 7)], [9, 1, 7]
    for further in ({"word_layer": 3}, {"word_layer": 2}, {"word_layer": 3, "layer_norm": True}):
        hparams = {"class_identifier": "xcomet_metric", "hidden_sizes": [64, 32], **further}
        model = build_model(ModelConfig.from_hparams(hparams), encoder)
        model.prepare()
        rows: list[int] = []
        hooks = [
            layer.up.register_forward_hook(lambda _, given, __, rows=rows: rows.append(len(given[0])))
            for layer in model.encoder.layers
            if isinstance(layer, Layer)
        ]
        with torch.inference_mode():
            whole = model(pack(sequences, pad=1))
            part = model(pack(sequences, pad=1, leading=leading))
        for hook in hooks:
            hook.remove()
        kept = torch.cat([whole.logits[start : start + n] for start, n in zip((0, 30, 42), leading, strict=True)])
        torch.testing.assert_close(part.scores, whole.scores, atol=1e-6, rtol=0)
        torch.testing.assert_close(part.logits, kept, atol=1e-6, rtol=0)
        assert rows == [49, 49, 49, 49, 49, 49 if "layer_norm" in further else sum(leading)]


def test_numbers_too_large_for_fp16_are_an_error_with_the_way_out(place: Path) -> None:
    from assay.core.errors import InputError

    narrow = predictor(place, dtype=torch.float16)
    for layer in narrow.model.encoder.layers:
        layer.up.bias.fill_(6.5e4)
        layer.up.weight.fill_(1e4)
    with pytest.raises(InputError, match="precision=bf16"):
        narrow.predict(*columns())


def test_auto_is_the_precision_nearest_to_fp32_that_is_fast() -> None:
    from assay.models.runtime.precision import choose_dtype

    assert choose_dtype("auto", torch.device("cuda")) == torch.float16
    assert choose_dtype("bf16", torch.device("cuda")) == torch.bfloat16
    assert choose_dtype("auto", torch.device("cpu")) in (torch.bfloat16, torch.float32)


@pytest.mark.slow
def test_several_devices_give_the_same_scores(place: Path) -> None:
    from assay.models.heads.workers import PredictorSpec, Workers

    workers = Workers(PredictorSpec(str(unpack("xcomet", place)), None, "fp32", {}), ["cpu", "cpu"])
    try:
        found = workers.predict(*columns())
    finally:
        workers.close()
    expected = predictor(place).predict(*columns())
    np.testing.assert_allclose(found.values, expected.values, atol=1e-5, rtol=0)
    assert [len(row) for row in found.spans or ()] == [len(row) for row in expected.spans]
