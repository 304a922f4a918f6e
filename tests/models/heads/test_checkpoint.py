"""Checkpoints that are damaged, foreign or put together wrongly: each is named, none is unpickled."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.errors import InputError, MissingPart, UnknownName
from tests.models.official import reference, tiny, unpack

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")


@pytest.fixture
def folder(place: Path, tmp_path: Path) -> Path:
    """A copy of a good checkpoint, to be spoiled."""
    return Path(shutil.copytree(unpack("xcomet", place), tmp_path / "model"))


def load(path: Path, **options: Any) -> Any:
    from assay.models.heads.checkpoint import load as read

    return read(path, **options)


def rewrite(folder: Path, change: Any) -> None:
    path = folder / "checkpoints" / "model.ckpt"
    content = torch.load(path, weights_only=True)
    change(content)
    torch.save(content, path)


def test_a_truncated_file(folder: Path) -> None:
    path = folder / "checkpoints" / "model.ckpt"
    path.write_bytes(path.read_bytes()[:30_000])
    with pytest.raises(InputError, match="is incomplete"):
        load(folder)


def test_something_else_entirely(folder: Path) -> None:
    (folder / "checkpoints" / "model.ckpt").write_text("hello")
    with pytest.raises(InputError, match="not a torch checkpoint"):
        load(folder)


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("this must never run",))


def test_code_in_a_checkpoint_is_not_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"state_dict": {}, "callbacks": Evil()}, folder / "checkpoints" / "model.ckpt")
    with pytest.raises(InputError, match="runs no code"):
        load(folder)
    assert "never" not in capsys.readouterr().out


def test_missing_weights_are_named(folder: Path) -> None:
    rewrite(folder, lambda content: content["state_dict"].pop("hidden2tag.bias"))
    with pytest.raises(InputError, match=r"lacks 1 weight .* hidden2tag\.bias"):
        load(folder)


def test_a_foreign_checkpoint(folder: Path) -> None:
    torch.save({"state_dict": {"layer.weight": torch.zeros(2)}}, folder / "checkpoints" / "model.ckpt")
    with pytest.raises(InputError, match="another kind of checkpoint"):
        load(folder)
    torch.save([1, 2], folder / "checkpoints" / "model.ckpt")
    with pytest.raises(InputError, match="no state_dict"):
        load(folder)


def test_nan_in_the_weights(folder: Path) -> None:
    def spoil(content: Any) -> None:
        content["state_dict"]["encoder.model.encoder.layer.1.output.dense.weight"][3, 4] = float("nan")

    rewrite(folder, spoil)
    with pytest.raises(InputError, match=r"layer\.1\.output\.dense\.weight contains NaN"):
        load(folder)


def test_hyperparameters_of_another_checkpoint(folder: Path, place: Path) -> None:
    rewrite(folder, lambda content: content.pop("hyper_parameters"))
    shutil.copy(unpack("regression", place) / "hparams.yaml", folder / "hparams.yaml")
    with pytest.raises(InputError, match="belongs to another checkpoint"):
        load(folder)


def test_an_unknown_class(folder: Path) -> None:
    (folder / "hparams.yaml").write_text("class_identifier: listwise_metric\n")
    with pytest.raises(UnknownName, match="listwise_metric"):
        load(folder)


def test_the_tokenizer_of_another_encoder(folder: Path, place: Path) -> None:
    with pytest.raises(InputError, match="tokenizer of another encoder"):
        load(folder, tokenizer=unpack("kiwi_bert", place) / "tokenizer.json")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="not a readable tokenizer"):
        load(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(MissingPart, match="has no tokenizer"):
        load(folder)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(MissingPart, match=r"the checkpoint folder .* does not exist"):
        load(tmp_path / "nowhere")
    with pytest.raises(MissingPart, match=r"no hparams\.yaml"):
        load(tmp_path)
    (tmp_path / "hparams.yaml").write_text("class_identifier: xcomet_metric\n")
    with pytest.raises(MissingPart, match="no weights"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["xcomet", "regression", "kiwi_bert"])
def test_what_is_saved_loads_again(name: str, place: Path, tmp_path: Path) -> None:
    from assay.models.heads.checkpoint import save
    from assay.models.heads.inference import Predictor

    source = unpack(name, place)
    saved = save(load(source).model, tmp_path / "saved", source / "tokenizer.json")
    sources, hypotheses, references = zip(*tiny().OWN, strict=True)
    found = Predictor(load(saved), decoder="exact").predict(hypotheses, sources, references)
    np.testing.assert_allclose(found.values, reference()[name]["own"]["scores"], atol=1e-5, rtol=0)


def test_the_saved_folder_is_its_own_encoder(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """unbabel-comet asks transformers for the encoder's shape and tokenizer under the name in the hyperparameters."""
    import yaml
    from transformers import XLMRobertaConfig, XLMRobertaTokenizerFast

    from assay.models.heads.checkpoint import save

    source = unpack("unified", place)
    loaded = load(source)
    saved = save(loaded.model, tmp_path / "saved", source / "tokenizer.json")
    monkeypatch.chdir(saved)
    inside = torch.load("checkpoints/model.ckpt", weights_only=True)["hyper_parameters"]["pretrained_model"]
    named = yaml.safe_load(Path("hparams.yaml").read_text(encoding="utf-8"))["pretrained_model"]
    assert inside == named
    shape = XLMRobertaConfig.from_pretrained(named, local_files_only=True)
    assert (shape.hidden_size, shape.num_hidden_layers) == (
        loaded.model.encoder_config.hidden,
        loaded.model.encoder_config.layers,
    )
    theirs = XLMRobertaTokenizerFast.from_pretrained(named, local_files_only=True)
    text = tiny().OWN[0][1]
    assert theirs(text)["input_ids"] == loaded.tokenizer.encode([text], 100)[0].ids


def test_the_hash_follows_the_weights(folder: Path) -> None:
    from assay.models.files.comet import fingerprint, locate

    before = fingerprint(locate(folder))
    assert fingerprint(locate(folder / "checkpoints" / "model.ckpt")) == before

    def nudge(content: Any) -> None:
        content["state_dict"]["hidden2tag.bias"][0] += 1e-6

    rewrite(folder, nudge)
    assert fingerprint(locate(folder)) != before


def test_weights_in_a_folder_called_model(tmp_path: Path) -> None:
    """MS-COMET's layout: hparams.yaml, and the checkpoint one folder below, under another name."""
    from assay.models.files.comet import locate

    place = unpack("regression", tmp_path)
    (place / "checkpoints").rename(place / "model")
    weights = (place / "model" / "model.ckpt").rename(place / "model" / "MS-COMET-22.ckpt")
    assert locate(place).weights == locate(weights).weights == weights
    assert locate(weights).hparams == place / "hparams.yaml"
