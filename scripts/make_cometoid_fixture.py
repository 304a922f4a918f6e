"""Test fixture: small random COMET models made and scored by Marian NMT (tests/fixtures/cometoid).

Run in a separate environment::

    pip install pymarian sentencepiece numpy
    python scripts/make_cometoid_fixture.py

Marian trains each model for one step, so that names, shapes and settings are its own. The weights are then redrawn from a
wider distribution, so that an error is visible in the scores. Marian packs the file and scores with it, one pair at a time,
because its CPU scores depend on the batch. `plain` is Marian's task `comet-qe`: the mean of the last layer, and a sigmoid at
the end. `mixed` weights all layers, each normalised.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
import tempfile
from pathlib import Path

import _pymarian
import numpy as np
import pymarian
import sentencepiece

HOME = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "cometoid"
WORDS = (  # noqa: SIM905
    "the a cat dog house tree river red green old young sat ran saw slept near under over on in and but not never "
    "Haus Baum Fluss rot alt jung lief sah schlief neben unter auf und aber nicht кот дом река спал на под и не 猫 家 河"
).split()
ODD = [
    ("", ""),
    ("the cat sat.", ""),
    ("", "das Haus"),
    ("  the  cat sat ", "the cat sat"),
    ("<s> the </s> cat <unk>", "<pad> ▁the"),
    ("ﬁne ＡＢＣ ½ Ångström 🙂", "家の猫。"),
    (" ".join(WORDS), "Haus"),
    ("кот", " ".join(WORDS * 2)),
    (" ".join(WORDS), " ".join(reversed(WORDS))),
]
LIMIT = 40
KINDS = {"plain": {}, "mixed": {"comet_mix": True, "comet_mix_norm": True, "comet_final_sigmoid": False}}


def sentence(draw: random.Random, longest: int) -> str:
    """Return a sequence of random words."""
    return " ".join(draw.choices(WORDS, k=draw.randrange(1, longest)))


def vocabulary(place: Path) -> Path:
    """Train a sentencepiece model with XLM-R's numbering."""
    draw = random.Random(3)
    corpus = place / "corpus.txt"
    corpus.write_text("".join(sentence(draw, 12) + ".\n" for _ in range(400)))
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(place / "vocab"), vocab_size=96, model_type="unigram",
        normalization_rule_name="identity", unk_id=0, bos_id=1, eos_id=2, num_threads=1, minloglevel=2,
    )  # fmt: skip
    return (place / "vocab.model").rename(place / "vocab.spm")


def make(place: Path, words: Path, kind: str) -> Path:
    """Write a packed Marian model with random weights."""
    draw = random.Random(5)
    (place / "classes.yml").write_text('"</s>": 0\n"<unk>": 1\n"0.5": 2\n')
    (place / "train.tsv").write_text("".join(f"0.5\t{sentence(draw, 6)}\t{sentence(draw, 6)}\n" for _ in range(16)))
    settings = {
        "task": "comet-qe", "input_types": ["class", "sequence", "sequence"], "tsv": True, "tsv_fields": 3,
        "train_sets": [place / "train.tsv"], "vocabs": [place / "classes.yml", words, words], "dim_vocabs": [3, 96, 96],
        "dim_emb": 16, "enc_depth": 2, "transformer_heads": 4, "transformer_dim_ffn": 24, "comet_pooler_ffn": [12, 8],
        "max_length": LIMIT, "valid_max_length": LIMIT, "max_length_crop": True, "mini_batch": 8, "mini_batch_fit": False,
        "maxi_batch": 1, "after": "1u", "learn_rate": 0.001, "seed": 7, "cpu_threads": 1, "workspace": 64, "quiet": True,
        **KINDS[kind],
    }  # fmt: skip
    made, wide, packed = (place / name for name in ("model.npz", "wide.npz", "model.bin"))
    pymarian.Trainer(model=made, **settings).train()
    numbers = np.random.default_rng(11)
    with np.load(made) as content:
        tensors = dict(content)
    for name, tensor in tensors.items():
        if not name.startswith("special:"):
            middle = 1.0 if "norm->weight" in name or name.endswith("gamma") else 0.0
            tensors[name] = (middle + numbers.normal(0, 0.4, tensor.shape)).astype(np.float32)
    np.savez(wide, **tensors)
    _pymarian.main(["convert", "--from", str(wide), "--to", str(packed)])
    return packed


def main() -> None:
    """Make both models, score with them, and write what the tests read."""
    draw = random.Random(20)
    pairs = [*ODD, *((sentence(draw, 20), sentence(draw, 20)) for _ in range(40))]
    HOME.mkdir(parents=True, exist_ok=True)
    scores = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        words = vocabulary(place)
        shutil.copyfile(words, HOME / "vocab.spm")
        for kind in KINDS:
            (place / kind).mkdir()  # Marian would continue with an existing model
            model = make(place / kind, words, kind)
            evaluator = pymarian.Evaluator.new(
                model, words, cpu_threads=1, workspace=64, max_length=LIMIT, mini_batch=1, maxi_batch=1, quiet=""
            )
            scores[kind] = [both[0] for both in _pymarian.Evaluator.evaluate(evaluator, [list(pair) for pair in pairs])]
            (HOME / f"{kind}.bin.gz").write_bytes(gzip.compress(model.read_bytes(), mtime=0))
    about = {"pymarian": pymarian.__version__, "limit": LIMIT, "pairs": pairs, "scores": scores}
    (HOME / "reference.json").write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
