"""Test fixture: numbers of bert-score for small random encoders (tests/metrics/embedding).

    python -m venv peer && peer/bin/pip install bert-score==0.3.13 torch==2.13.0 'transformers<5' safetensors
    peer/bin/python scripts/make_bertscore_fixture.py tests/fixtures/bertscore

Writes an encoder folder for each family (weights in half precision, a few kB) and ``reference.json`` with precision, recall and
F1 of every text, with and without idf and rescaling.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from bert_score import score
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

TEXTS = [
    ("The cat sat on the mat.", "A cat was sitting on the mat.", "The cat sat on a mat."),
    ("He did not come yesterday", "He came yesterday.", "Yesterday he did not come."),
    ("Der Vertrag wurde 1979 unterzeichnet.", "Der Vertrag wurde im Jahr 1979 unterschrieben.", "1979 unterzeichnet"),
    ("yes", "no", "perhaps"),
    ("?", "nothing was said", "nothing"),
    ("  Two words  ", "two words", "Two  words"),
    ("Unrelated text entirely, long and winding, with many words in it.", "Short one.", "Another short one."),
    ("the the the the the", "the cat", "cat the"),
    ("The cat sat on the mat.", "The cat sat on the mat.", "The cat sat on the mat."),
    ("Äpfel und Birnen", "Apfel und Birne", "Obst"),
]
SHAPE: dict[str, Any] = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 32}
KINDS: dict[str, dict[str, Any]] = {
    "bert": {"max_position_embeddings": 40},
    "xlm-roberta": {"max_position_embeddings": 42, "pad_token_id": 1, "type_vocab_size": 1},
    "mpnet": {"max_position_embeddings": 42, "pad_token_id": 1},
}
LAYER = 2
BASELINE = "LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.21,0.2\n2,0.3,0.31,0.305\n3,0.4,0.4,0.4\n"


def tokenizer(kind: str) -> Any:
    """Train BERT's or sentencepiece's subwords on the texts."""
    texts = [text for row in TEXTS for text in row]
    if kind == "bert":
        backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        backend.normalizer = normalizers.BertNormalizer(lowercase=False)
        backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        backend.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=140, special_tokens=special))
        names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    else:
        backend = Tokenizer(models.BPE(unk_token="<unk>"))
        backend.pre_tokenizer = pre_tokenizers.Metaspace()
        backend.decoder = decoders.Metaspace()
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        backend.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=140, special_tokens=special))
        names = {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>"}
    first, last = names["cls_token"], names["sep_token"]
    ends = [(first, backend.token_to_id(first)), (last, backend.token_to_id(last))]
    backend.post_processor = processors.TemplateProcessing(single=f"{first} $A {last}", special_tokens=ends)
    return backend, PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=40, **names)


def main(place: Path) -> None:
    """Write the folders and the numbers."""
    place.mkdir(parents=True, exist_ok=True)
    baseline = place / "baseline.tsv"
    baseline.write_text(BASELINE)
    found: dict[str, Any] = {"texts": TEXTS, "layer": LAYER, "scores": {}}
    for kind, more in KINDS.items():
        folder = place / kind
        backend, wrapped = tokenizer(kind)
        torch.manual_seed(3)
        about = AutoConfig.for_model(kind, **SHAPE, **more, vocab_size=backend.get_vocab_size(), initializer_range=0.4)
        model = AutoModel.from_config(about)
        if getattr(model, "pooler", None) is not None:
            model.pooler = None
        model.half().float().save_pretrained(folder)
        wrapped.save_pretrained(folder)
        for case in ("plain", "idf", "rescaled", "several"):
            options: dict[str, Any] = {"idf": case in ("idf", "rescaled"), "nthreads": 0}
            if case == "rescaled":
                options |= {"rescale_with_baseline": True, "baseline_path": str(baseline), "lang": "xx"}
            hypotheses, first, second = ([row[i] for row in TEXTS] for i in range(3))
            references = [[a, b] for a, b in zip(first, second, strict=True)] if case == "several" else first
            numbers = score(
                hypotheses, references, model_type=str(folder), num_layers=LAYER, batch_size=1, device="cpu", **options
            )
            found["scores"].setdefault(kind, {})[case] = torch.stack(numbers, 1).tolist()
        narrow = {
            name: tensor.half().contiguous()
            for name, tensor in model.state_dict().items()
            if "position_ids" not in name
        }
        save_file(narrow, folder / "model.safetensors")
        for file in folder.iterdir():
            if file.name not in ("config.json", "tokenizer.json", "model.safetensors"):
                file.unlink()
    (place / "reference.json").write_text(json.dumps(found, ensure_ascii=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
