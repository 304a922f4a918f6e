"""The networks beside transformers' own, and the likelihood of texts whose languages are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from assay.core.batch import Batch  # noqa: E402
from assay.metrics import metric  # noqa: E402
from assay.models.seq2seq.folder import find_model  # noqa: E402
from assay.models.seq2seq.likelihood import Likelihood  # noqa: E402
from assay.models.seq2seq.texts import Target  # noqa: E402

_SIDES = {
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48, "decoder_ffn_dim": 64, "vocab_size": 100, "max_position_embeddings": 64,
}  # fmt: skip
_T5 = {
    "vocab_size": 100,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 48,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 3,
}
_GPT2 = {
    "vocab_size": 100,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 64,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
NETWORKS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "t5": ("T5Config", "T5ForConditionalGeneration", _T5),
    "mt5": ("MT5Config", "MT5ForConditionalGeneration", _T5),
    "bart": ("BartConfig", "BartForConditionalGeneration", _SIDES),
    "mbart": ("MBartConfig", "MBartForConditionalGeneration", {**_SIDES, "scale_embedding": True}),
    "m2m_100": ("M2M100Config", "M2M100ForConditionalGeneration", {**_SIDES, "activation_function": "relu"}),
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", _GPT2),
}


def _made(name: str, folder: Path, **further: Any) -> Any:
    config, model, values = NETWORKS[name]
    torch.manual_seed(3)
    made = getattr(transformers, model)(getattr(transformers, config)(**values, **further)).eval()
    for weight in made.parameters():
        weight.data.add_(torch.randn_like(weight) * 0.1)
    made.save_pretrained(folder)
    return made


def _theirs(made: Any, source: tuple[int, ...], target: Target) -> float:
    read = torch.tensor([target.read])
    with torch.no_grad():
        found = made(input_ids=torch.tensor([source]), decoder_input_ids=read) if source else made(input_ids=read)
    shares = torch.log_softmax(found.logits[0], -1)[range(len(target.asked)), list(target.asked)]
    return float(shares[target.counted_from :].mean())


@pytest.mark.parametrize("name", NETWORKS)
def test_likelihoods_are_those_of_transformers(name: str, tmp_path: Path) -> None:
    made = _made(name, tmp_path)
    draw = np.random.default_rng(0)
    pairs = []
    for _ in range(12):
        source = () if name == "gpt2" else tuple(draw.integers(4, 100, draw.integers(1, 20)).tolist())
        for _ in range(2):
            size = int(draw.integers(1, 25))
            read, asked = (tuple(draw.integers(4, 100, size).tolist()) for _ in range(2))
            pairs.append((source, Target(read, asked, size // 3)))
    scorer = Likelihood(find_model(tmp_path).model(dtype=torch.float32, device=torch.device("cpu")))
    scorer.runner.budget = 150  # several batches
    expected = [_theirs(made, *pair) for pair in pairs]
    np.testing.assert_allclose(scorer.means(pairs), expected, atol=2e-5)


def _letters(folder: Path, tags: list[str], special: list[str]) -> dict[str, int]:
    """A tokenizer of single letters with language tags; the number of each token."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    names = [*special, *tags, *"abcdefghijklmnopqrstuvwxyz."]
    vocabulary = {name: i for i, name in enumerate(names)}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made.add_special_tokens([*special, *tags])
    made.save(str(folder / "tokenizer.json"))
    return vocabulary


@pytest.mark.parametrize("name", ["mbart", "mbart50", "m2m_100"])
def test_languages_are_told_and_do_not_count(name: str, tmp_path: Path) -> None:
    made = _made(name.removesuffix("50"), tmp_path)
    tags = {"mbart": ["de_DE", "en_XX"], "mbart50": ["de_DE", "en_XX", "af_ZA"], "m2m_100": ["__de__", "__en__"]}[name]
    ids = _letters(tmp_path, tags, ["<s>", "<pad>", "</s>", "<unk>"])
    german, english, end = ids[tags[0]], ids[tags[1]], ids["</s>"]
    letters = tuple(ids[one] for one in "abc."), tuple(ids[one] for one in "xyz.")
    if name == "mbart":  # text, end, language; the decoder begins with the language
        source, target = (*letters[0], end, german), Target((english, *letters[1]), (*letters[1], end))
    else:  # language, text, end; the decoder begins with the end token and is given the language
        source, target = (german, *letters[0], end), Target((end, english, *letters[1]), (english, *letters[1], end), 1)
    batch = Batch(["xyz."], sources=["abc."], langpairs=["de-en"])
    found = metric(f"bartscore:path={tmp_path},value=faithfulness").score(batch)
    assert found.values[0] == pytest.approx(_theirs(made, source, target), abs=1e-5)


def test_a_language_model_reads_the_translation_alone(tmp_path: Path) -> None:
    made = _made("gpt2", tmp_path)
    ids = _letters(tmp_path, [], ["<s>", "<pad>", "</s>", "<unk>"])
    letters = tuple(ids[one] for one in "abc.")
    batch = Batch(["abc.", "a" * 90])
    found = metric(f"hwtsc-tlm:path={tmp_path}").score(batch)
    expected = _theirs(made, (), Target((1, *letters), (*letters, 2)))
    assert found.values[0] == pytest.approx(expected, abs=1e-5)
    assert found.flags["truncated"].tolist() == [False, True]


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    _made("bart", tmp_path)
    _letters(tmp_path, [f"<{i}>" for i in range(200)], ["<s>", "<pad>", "</s>", "<unk>"])
    with pytest.raises(Exception, match="it belongs to another model"):
        metric(f"bartscore:path={tmp_path}")
    (tmp_path / "tokenizer.json").write_text(json.dumps({"version": "1.0"}))
    with pytest.raises(Exception, match="not a readable tokenizer"):
        metric(f"bartscore:path={tmp_path}")
