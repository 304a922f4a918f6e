"""Encoders from folders as the hub has them: transformers' own states, family by family, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

from assay.core.errors import InputError, MissingPart  # noqa: E402
from assay.models.encoders.pretrained import load_encoder  # noqa: E402
from assay.models.runtime.packing import pack  # noqa: E402

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghij", *(f"##{letter}" for letter in "abcdefghij")]
SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": 40,
}
KINDS: dict[str, dict[str, Any]] = {
    "bert": {"max_position_embeddings": 64},
    "roberta": {"max_position_embeddings": 66, "pad_token_id": 1, "type_vocab_size": 1},
    "xlm-roberta": {"max_position_embeddings": 66, "pad_token_id": 1, "type_vocab_size": 1},
    "mpnet": {"max_position_embeddings": 202, "pad_token_id": 1},
    "rembert": {"max_position_embeddings": 64, "input_embedding_size": 16, "pad_token_id": 0},
}


def folder_of(kind: str, place: Path, **more: Any) -> tuple[Path, Any]:
    """A folder with a small random encoder that transformers saved, and that encoder."""
    torch.manual_seed(7)
    config = transformers.AutoConfig.for_model(kind, **SIZES, **KINDS[kind], initializer_range=0.3, **more)
    model = transformers.AutoModel.from_config(config).eval()
    folder = place / kind
    model.save_pretrained(folder)
    names = PIECES if KINDS[kind].get("pad_token_id") != 1 else ["<s>", "<pad>", "</s>", "<unk>", *PIECES[5:]]
    backend = _tokenizer(names)
    backend.save(str(folder / "tokenizer.json"))
    return folder, model


def _tokenizer(names: list[str]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    first, last, unknown = ("[CLS]", "[SEP]", "[UNK]") if "[CLS]" in names else ("<s>", "</s>", "<unk>")
    vocabulary = {name: number for number, name in enumerate(names)}
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [(first, vocabulary[first]), (last, vocabulary[last])]
    backend.post_processor = processors.TemplateProcessing(single=f"{first} $A {last}", special_tokens=ends)
    return backend


@pytest.mark.parametrize("kind", KINDS)
def test_states_are_those_of_transformers(kind: str, tmp_path: Path) -> None:
    folder, model = folder_of(kind, tmp_path)
    loaded = load_encoder(folder)
    lengths = (
        [60, 9, 9, 2] if kind != "mpnet" else [180, 60, 9, 9]
    )  # MPNet's distances beyond the last that it tells apart
    generator = torch.Generator().manual_seed(1)
    sequences = [[2, *torch.randint(5, 25, (n - 2,), generator=generator).tolist(), 3] for n in lengths]
    found = list(loaded.encoder.states(pack(sequences, pad=loaded.tokenizer.pad)))
    with torch.no_grad():
        for at, ids in enumerate(sequences):
            start = sum(lengths[:at])
            expected = model(torch.tensor([ids]), output_hidden_states=True).hidden_states
            for ours, theirs in zip(found, expected, strict=True):
                assert torch.allclose(ours[start : start + len(ids)], theirs[0], atol=2e-5)


def test_half_precision_stays_near(tmp_path: Path) -> None:
    folder, _ = folder_of("mpnet", tmp_path)
    packed = pack([[0, 5, 6, 7, 8, 2], [0, 9, 2]], pad=1)
    *_, wide = load_encoder(folder).encoder.states(packed)
    *_, narrow = load_encoder(folder, dtype=torch.bfloat16).encoder.states(packed)
    assert 0 < float((wide - narrow).abs().max()) < 0.1


def test_weights_under_any_name(tmp_path: Path) -> None:
    """Inside a larger model, in torch's format, with the norms' old names, and in parts: the same encoder."""
    from safetensors.torch import load_file, save_file

    folder, _ = folder_of("bert", tmp_path)
    packed = pack([[2, 5, 6, 3]], pad=0)
    expected = list(load_encoder(folder).encoder.states(packed))[-1]
    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    old = {f"bert.{name}".replace("LayerNorm.weight", "LayerNorm.gamma"): tensor for name, tensor in state.items()}
    torch.save({**old, "cls.predictions.bias": torch.zeros(40)}, folder / "pytorch_model.bin")
    loaded = load_encoder(folder)
    assert torch.equal(list(loaded.encoder.states(packed))[-1], expected)
    assert "pooler.dense.weight" in loaded.rest and "cls.predictions.bias" in loaded.rest
    half = len(state) // 2
    for number, names in enumerate((list(state)[:half], list(state)[half:]), 1):
        save_file({name: state[name] for name in names}, folder / f"model-0000{number}-of-00002.safetensors")
    assert torch.equal(list(load_encoder(folder).encoder.states(packed))[-1], expected)
    (folder / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(MissingPart, match=r"has 1 of 00002 parts of its weights"):
        load_encoder(folder)


def test_wordpieces_from_a_list(tmp_path: Path) -> None:
    """Hand-split: case is folded unless the configuration beside the list says otherwise."""
    folder, _ = folder_of("bert", tmp_path)
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(PIECES), encoding="utf-8")
    assert load_encoder(folder).tokenizer.encode(["Ab c"], 9)[0].ids == [2, 5, 16, 7, 3]
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}))
    assert load_encoder(folder).tokenizer.encode(["Ab c"], 9)[0].ids == [2, 1, 7, 3]


def test_no_code_is_run(tmp_path: Path) -> None:
    class Hostile:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    folder, _ = folder_of("bert", tmp_path)
    (folder / "model.safetensors").unlink()
    torch.save({"embeddings.word_embeddings.weight": Hostile()}, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"contains Python objects besides its weights, and assay runs no code"):
        load_encoder(folder)
    assert not (tmp_path / "ran").exists()


def test_what_is_refused(tmp_path: Path) -> None:
    folder, _ = folder_of("bert", tmp_path)
    with pytest.raises(MissingPart, match=r"the encoder folder .* does not exist"):
        load_encoder(tmp_path / "nowhere")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        InputError, match=r"model.safetensors is incomplete or not a safetensors file .*Download it again"
    ):
        load_encoder(folder)
    (folder / "model.safetensors").write_bytes(whole)
    about = json.loads((folder / "config.json").read_text())
    for changed, said in (
        ({"num_hidden_layers": 4}, r"lacks encoder\.layer\.3\..*it is incomplete, or not the bert encoder"),
        (
            {"intermediate_size": 64},
            r"intermediate\.dense\.weight has the shape \(48, 32\), which does not match its config\.json",
        ),
        ({"vocab_size": 20}, r"word_embeddings\.weight has the shape \(40, 32\)"),
    ):
        (folder / "config.json").write_text(json.dumps(about | changed))
        with pytest.raises(InputError, match=said):
            load_encoder(folder)
    (folder / "config.json").unlink()
    with pytest.raises(MissingPart, match=r"has no config\.json: it is not an encoder folder"):
        load_encoder(folder)


@pytest.mark.slow
def test_a_bert_through_transformers_and_through_ours() -> None:
    from assay.models.encoders.config import EncoderConfig
    from assay.models.encoders.encoder import Encoder
    from assay.models.encoders.pretrained import TransformersEncoder, official_names
    from assay.models.runtime.packing import pack

    ours = EncoderConfig("bert", 32, 2, 4, 64, 100, 64, 2, 1e-12, 0)
    raw = ours.to_json()
    theirs = EncoderConfig.from_json(raw)
    foreign = TransformersEncoder(EncoderConfig("other", 32, 2, 4, 64, 100, 64, 2, 1e-12, 0, raw=raw)).eval()
    assert theirs == ours
    weights = {f"encoder.{name}": tensor for name, tensor in foreign.state_dict().items()}
    encoder = Encoder(ours).eval()
    state = {
        name: torch.cat([weights[each] for each in official_names(f"encoder.{name}", ours)])
        for name in encoder.state_dict()
    }
    encoder.load_state_dict(state)
    packed = pack([[2, 9, 10, 11, 3], [2, 12, 3]], pad=0, first_type=[3, 2])
    with torch.inference_mode():
        for a, b in zip(foreign.states(packed), encoder.states(packed), strict=True):
            torch.testing.assert_close(a, b, atol=1e-5, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["deberta-v2", "rembert"])
def test_packed_texts_come_out_as_from_transformers_one_by_one(kind: str) -> None:
    from assay.models.encoders.config import EncoderConfig
    from assay.models.encoders.pretrained import TransformersEncoder
    from assay.models.runtime.packing import pack

    raw = EncoderConfig("bert", 32, 2, 4, 64, 100, 64, 0 if kind == "deberta-v2" else 2, 1e-7, 0).to_json()
    further = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8, "share_att_key": True}
    if kind == "rembert":
        further = {"input_embedding_size": 16, "output_embedding_size": 24}
    config = EncoderConfig.from_json({**raw, "model_type": kind, **further})
    assert config.family == "other"
    torch.manual_seed(3)
    encoder = TransformersEncoder(config).eval()
    texts = [[2, 9, 10, 11, 3], [2, 12, 3], [2, *range(13, 40), 3]]
    with torch.inference_mode():
        together = list(encoder.states(pack(texts, pad=0)))
        alone = [encoder.model(torch.tensor([ids]), output_hidden_states=True).hidden_states for ids in texts]
    assert len(together) == 3
    for layer, found in enumerate(together):
        torch.testing.assert_close(found, torch.cat([states[layer][0] for states in alone]), atol=1e-5, rtol=0)
