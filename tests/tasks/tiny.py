"""Very small models with random weights, written as checkpoints: they say nonsense, always the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WORDS = [f"w{number}" for number in range(40)]
_SIZES: dict[str, Any] = {
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
    "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 300, "init_std": 0.6,
}  # fmt: skip


def word_tokenizer(folder: Path, words: list[str], template: str, pair: str | None = None, **special: Any) -> None:
    """A tokenizer of whole words; `template` says what goes around a text (or two), `special` what the pad token … is."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    marks = [(word, words.index(word)) for word in template.split() if not word.startswith("$")]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, pair=pair, special_tokens=marks)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", **special).save_pretrained(folder)


def m2m100(folder: Path) -> Path:
    """M2M100 that knows Spanish and English."""
    import torch
    from transformers import M2M100Config, M2M100ForConditionalGeneration

    words = ["<s>", "<pad>", "</s>", "<unk>", *WORDS, "__es__", "__en__"]
    word_tokenizer(folder, words, "__es__ $A </s>", bos_token="<s>", pad_token="<pad>", eos_token="</s>")
    torch.manual_seed(0)
    M2M100ForConditionalGeneration(M2M100Config(vocab_size=len(words), **_SIZES)).save_pretrained(folder)
    return folder


def marian(folder: Path) -> Path:
    """Marian, whose padding token is the last of its vocabulary."""
    import torch
    from transformers import MarianConfig, MarianMTModel

    words = ["</s>", "<unk>", *WORDS, "<pad>"]
    word_tokenizer(folder, words, "$A </s>", pad_token="<pad>", eos_token="</s>")
    last = len(words) - 1
    torch.manual_seed(0)
    config = MarianConfig(
        vocab_size=len(words), pad_token_id=last, decoder_start_token_id=last, eos_token_id=0, forced_eos_token_id=None,
        **_SIZES,
    )  # fmt: skip
    model = MarianMTModel(config)
    model.generation_config.bad_words_ids = [[last]]  # as in the published models: padding is never said
    model.save_pretrained(folder)
    return folder
