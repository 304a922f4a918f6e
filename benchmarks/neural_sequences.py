"""Cases of `benchmarks/neural.py`: MetricX and BARTScore, on random weights in the shape of the published ones.

MetricX's own ``models.py`` was written for transformers 4.30. With a later version, its stack of layers gets the arguments it
was written for (`_stack`); nothing else is changed. Its script scores one segment at a time; here it gets padded batches of
--batch, which favours it. There is no case for Prism, because its peer is fairseq, which current Python versions cannot
import.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from neural_cases import DTYPES, Case, Texts

T5 = {
    "tiny": {"d_model": 32, "d_kv": 16, "d_ff": 48, "num_layers": 2, "num_heads": 2},
    "base": {"d_model": 768, "d_kv": 64, "d_ff": 2048, "num_layers": 12, "num_heads": 12},
    "large": {"d_model": 1024, "d_kv": 64, "d_ff": 2816, "num_layers": 24, "num_heads": 16},
}
BART = {"tiny": (32, 2, 2, 64), "base": (768, 6, 12, 3072), "large": (1024, 12, 16, 4096)}
"""Hidden size, layers, heads, size of the feed-forward network."""
REGRESSION_WORD = 250_089


class MetricxCase(Case):
    """MetricX-24 with source and reference, compared with its own models.py."""

    name, peer_module, tolerance = "metricx", "metricx24", 2e-2

    def prepare(self, texts: Texts) -> None:
        """Write an mT5 that both sides load from the same folder."""
        from assay.metrics import metric

        folder = self.setting.folder / f"mt5-{self.setting.size}"
        if not (folder / "config.json").is_file():
            write_pieces(folder, texts)
            write_mt5(folder, T5[self.setting.size])
        self.folder = folder
        told = f"path={folder},precision={self.setting.precision},device={self.setting.device}"
        self.metric: Any = metric(f"metricx-24-large:{told}")
        self.model: Any = None

    def ours(self, texts: Texts) -> Sequence[float]:
        """Return scores from 0 to 25."""
        from assay.core.batch import Batch

        batch = Batch(texts.hypotheses, sources=texts.sources, references=(texts.references,))
        return self.metric.score(batch).values.tolist()

    def peer(self, texts: Texts) -> Sequence[float]:
        """Run the original model on padded batches in the order of the texts."""
        if self.model is None:
            from transformers import PreTrainedTokenizerFast

            self.words = PreTrainedTokenizerFast(
                tokenizer_file=str(self.folder / "tokenizer.json"), pad_token="<pad>", eos_token="</s>"
            )
            _stack()
            made = importlib.import_module("metricx24.models").MT5ForRegression.from_pretrained(self.folder)
            made.config.tie_word_embeddings = made.config.use_cache = False
            self.model = made.to(self.setting.device, DTYPES[self.setting.precision]).eval()
        rows = zip(texts.sources, texts.hypotheses, texts.references, strict=True)
        told = [f"source: {s} candidate: {h} reference: {r}" for s, h, r in rows]
        found: list[float] = []
        for first in range(0, len(told), self.setting.batch):
            ids = [
                self.words(text, max_length=1536, truncation=True)["input_ids"][:-1]
                for text in told[first : first + self.setting.batch]
            ]
            longest = max(map(len, ids))
            padded = torch.tensor([one + [0] * (longest - len(one)) for one in ids])
            mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in ids])
            with torch.no_grad():
                answer = self.model(padded.to(self.setting.device), mask.to(self.setting.device))
            found += answer.predictions.float().tolist()
        return found


class BartscoreCase(Case):
    """BARTScore in both directions on a BART, compared with neulab/BARTScore."""

    name, peer_module, tolerance = "bartscore", "bart_score", 1e-2

    def prepare(self, texts: Texts) -> None:
        """Write a BART that both sides load from the same folder."""
        from assay.metrics import metric

        folder = self.setting.folder / f"bart-{self.setting.size}"
        if not (folder / "config.json").is_file():
            write_bytes(folder, texts)
            write_bart(folder, self.setting.size)
        self.folder = folder
        told = f"path={folder},precision={self.setting.precision},device={self.setting.device}"
        self.metric: Any = metric(f"bartscore:{told}")
        self.scorer: Any = None

    def ours(self, texts: Texts) -> Sequence[float]:
        """Return F1."""
        from assay.core.batch import Batch

        return self.metric.score(Batch(texts.hypotheses, references=(texts.references,))).values.tolist()

    def peer(self, texts: Texts) -> Sequence[float]:
        """Return the mean of both directions."""
        if self.scorer is None:
            theirs = importlib.import_module("bart_score")
            self.scorer = theirs.BARTScorer(device=self.setting.device, checkpoint=str(self.folder))
            self.scorer.model.to(DTYPES[self.setting.precision])
        size = self.setting.batch
        there = self.scorer.score(texts.references, texts.hypotheses, batch_size=size)
        back = self.scorer.score(texts.hypotheses, texts.references, batch_size=size)
        return [(a + b) / 2 for a, b in zip(there, back, strict=True)]


SEQUENCE_CASES: tuple[type[Case], ...] = (MetricxCase, BartscoreCase)


def write_pieces(folder: Path, texts: Texts) -> None:
    """Train a tokenizer like T5's on the texts."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    folder.mkdir(parents=True, exist_ok=True)
    backend = Tokenizer(models.BPE(unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=8000, special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False)
    backend.train_from_iterator([*texts.hypotheses, *texts.references, *texts.sources], trainer)
    backend.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    backend.save(str(folder / "tokenizer.json"))


def write_bytes(folder: Path, texts: Texts) -> None:
    """Train a tokenizer like BART's (byte pairs) on the texts."""
    from tokenizers import ByteLevelBPETokenizer

    folder.mkdir(parents=True, exist_ok=True)
    made = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made.train_from_iterator(
        [*texts.hypotheses, *texts.references], vocab_size=8000, special_tokens=special, show_progress=False
    )
    made.save_model(str(folder))


def write_mt5(folder: Path, size: dict[str, int]) -> None:
    """Write random weights of an mT5, with a logit that is usually between 0 and 25."""
    from safetensors.torch import save_file

    words, hidden, inner = 250_112, size["d_model"], size["d_ff"]
    width = size["d_kv"] * size["num_heads"]
    torch.manual_seed(0)
    state = {"shared.weight": torch.randn(words, hidden), "lm_head.weight": torch.zeros(words, hidden)}
    state["lm_head.weight"][REGRESSION_WORD] = torch.randn(hidden) * 0.1
    for stack in ("encoder", "decoder"):
        for i in range(size["num_layers"]):
            block = f"{stack}.block.{i}.layer"
            attentions = ["0.SelfAttention", "1.EncDecAttention"][: 1 + (stack == "decoder")]
            for attention in attentions:
                for name, scale in (("q", (hidden * size["d_kv"]) ** -0.5), ("k", hidden**-0.5), ("v", hidden**-0.5)):
                    state[f"{block}.{attention}.{name}.weight"] = torch.randn(width, hidden) * scale
                state[f"{block}.{attention}.o.weight"] = torch.randn(hidden, width) * width**-0.5
            last = len(attentions)
            for name in ("wi_0", "wi_1"):
                state[f"{block}.{last}.DenseReluDense.{name}.weight"] = torch.randn(inner, hidden) * hidden**-0.5
            state[f"{block}.{last}.DenseReluDense.wo.weight"] = torch.randn(hidden, inner) * inner**-0.5
            for norm in range(last + 1):
                state[f"{block}.{norm}.layer_norm.weight"] = torch.ones(hidden)
        first = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        state[first] = torch.randn(32, size["num_heads"]) * 0.5
        state[f"{stack}.final_layer_norm.weight"] = torch.ones(hidden)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    about = {**size, "num_decoder_layers": size["num_layers"], "vocab_size": words, "feed_forward_proj": "gated-gelu"}
    about |= {"model_type": "mt5", "tie_word_embeddings": False, "pad_token_id": 0, "eos_token_id": 1}
    about |= {"decoder_start_token_id": 0, "layer_norm_epsilon": 1e-6, "is_encoder_decoder": True}
    (folder / "config.json").write_text(json.dumps(about))


def write_bart(folder: Path, size: str) -> None:
    """Write random weights of a BART with the vocabulary of the published one."""
    from transformers import BartConfig, BartForConditionalGeneration

    hidden, layers, heads, inner = BART[size]
    torch.manual_seed(0)
    about = BartConfig(
        d_model=hidden, encoder_layers=layers, decoder_layers=layers, encoder_attention_heads=heads,
        decoder_attention_heads=heads, encoder_ffn_dim=inner, decoder_ffn_dim=inner, vocab_size=50_265,
        decoder_start_token_id=2,
    )  # fmt: skip
    BartForConditionalGeneration(about).save_pretrained(folder)


def _stack() -> None:
    """Give MetricX's models.py the stack of layers it was written for, from a later transformers."""
    from transformers.models.mt5 import modeling_mt5

    name = "__HEAD_MASK_WARNING_MSG"
    if hasattr(modeling_mt5, name):
        return

    class Stack(modeling_mt5.MT5Stack):
        """Run the stack as in transformers 4.30, which takes embeddings and head masks."""

        def __init__(self, config: Any, words: Any) -> None:
            super().__init__(config)
            self.set_input_embeddings(words)

        def forward(self, **given: Any) -> Any:
            dropped = ("head_mask", "cross_attn_head_mask", "output_attentions", "output_hidden_states", "return_dict")
            return super().forward(**{key: value for key, value in given.items() if key not in dropped})

    modeling_mt5.MT5Stack = Stack
    setattr(modeling_mt5, name, "")
