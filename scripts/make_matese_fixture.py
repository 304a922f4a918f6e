"""Test fixture: a small random MaTESe checkpoint with spans by SapienzaNLP/MaTESe's own code (tests/fixtures/matese).

Run in an environment with torch and transformers 4, with a checkout of that repository::

    python scripts/make_matese_fixture.py --matese /path/to/MaTESe

The encoder and its vocabulary are the small ones of tests/fixtures/comet/tiny.py. The head is drawn so that all labels occur.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import io
import json
import random
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1] / "tests" / "fixtures"
LABELS = ["O", "B-Major", "I-Major", "B-Minor", "I-Minor"]
ODD = [
    ("", ""),
    ("", "the cat"),
    ("the cat", ""),
    ("the  cat\tsat ", " the cat sat"),
    ("a <reference> b <source> c", "<candidate> d"),
    ("кот спал 猫", "кот не спал"),
    ("word " * 300, "word " * 10),
    ("word " * 10, "word " * 300),
]


def texts() -> list[tuple[str, str]]:
    """Return translations and the texts to compare them with: unusual ones, then sentences with some words changed."""
    draw = random.Random(11)
    words = [
        "the", "a", "cat", "dog", "house", "tree", "river", "red", "green", "old", "young", "sat", "ran", "saw", "slept", "near",
        "under", "over", "in", "and", "not", "two",
    ]  # fmt: skip
    made = list(ODD)
    for _ in range(40):
        other = draw.choices(words, k=draw.randrange(1, 20))
        made.append((" ".join(draw.choice(words) if draw.random() < 0.3 else word for word in other), " ".join(other)))
    return made


def main() -> None:
    """Write the checkpoints and the spans found with them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matese", required=True, help="a checkout of SapienzaNLP/MaTESe")
    sys.path.insert(0, str(Path(parser.parse_args().matese) / "src"))
    import torch
    from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

    lightning = types.ModuleType("pytorch_lightning")
    lightning.LightningModule = torch.nn.Module  # type: ignore[attr-defined]  # all that its inference needs of it
    sys.modules["pytorch_lightning"] = lightning
    from matese.metric import MaTESe
    from matese.model.model import MateseModule
    from matese.utils import utils

    spec = importlib.util.spec_from_file_location("tiny", ROOT / "comet" / "tiny.py")
    assert spec is not None and spec.loader is not None
    tiny = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tiny)
    pairs, found = texts(), {}
    for name in ("matese", "matese-qe"):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            tiny.write_encoder(place, "xlm-roberta")
            torch.manual_seed(5)
            shape = AutoConfig.from_pretrained(place, initializer_range=0.3, max_position_embeddings=514)
            AutoModel.from_config(shape).save_pretrained(place)
            special = {
                "bos_token": "<s>",
                "eos_token": "</s>",
                "pad_token": "<pad>",
                "unk_token": "<unk>",
                "cls_token": "<s>",
            }
            PreTrainedTokenizerFast(
                tokenizer_file=str(place / "tokenizer.json"), sep_token="</s>", **special
            ).save_pretrained(place)
            tokenizer = utils.get_tokenizer(str(place))
            config: dict[str, Any] = {
                "reference_less": name == "matese-qe", "transformer_model_name": str(place), "encoder_layers": 2,
                "encoder_attention_heads": 4, "dropout_rate": 0.1, "use_last_n_layers": 2,
            }  # fmt: skip
            module = MateseModule(**config, tokenizer=tokenizer, ordered_labels=LABELS)
            module.device = torch.device("cpu")
            torch.nn.init.normal_(module.classification_head[1].weight, std=0.6)
            for parameter in module.parameters():
                parameter.data = parameter.data.half().float()  # as stored
            module.eval()
            metric = MaTESe(module)
            other = "sources" if config["reference_less"] else "references"
            found[name] = metric.evaluate([a for a, _ in pairs], **{other: [b for _, b in pairs]})
            content = {
                "state_dict": {key: tensor.half() for key, tensor in module.state_dict().items()},
                "hyper_parameters": {"ordered_labels": LABELS},
            }
            out = io.BytesIO()
            torch.save(content, out)
            with gzip.GzipFile(ROOT / "matese" / "matese.ckpt.gz", "wb", mtime=0) as file:
                file.write(out.getvalue())  # the same weights for both
            (ROOT / "matese" / f"{name}.json").write_text(
                json.dumps({**config, "transformer_model_name": "tiny"}) + "\n"
            )
    with gzip.GzipFile(ROOT / "matese" / "reference.json.gz", "wb", mtime=0) as file:
        file.write(json.dumps({"pairs": pairs, "found": found}, ensure_ascii=False).encode())


if __name__ == "__main__":
    main()
