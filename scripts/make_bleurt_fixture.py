"""Test fixture: two small random BLEURT checkpoints with scores by google-research/bleurt (tests/fixtures/bleurt).

Run in a separate environment with TensorFlow, and a checkout of google-research/bleurt::

    pip install tensorflow-cpu tf_slim tf_keras sentencepiece pandas scipy
    python scripts/make_bleurt_fixture.py --bleurt /path/to/bleurt

`bert` is BLEURT's own network (`create_model`) with a WordPiece vocabulary, as in BLEURT-base. `rembert` has the shape of
BLEURT-20: the same functions of its `modeling.py`, with narrow embeddings that a dense layer widens, and a sentencepiece
vocabulary. The weights are drawn from a wider distribution than usual, so that an error is visible in the scores.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

os.environ |= {"TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
HOME = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "bleurt"
WORDS = (  # noqa: SIM905
    "the a cat dog house tree river red green old young sat ran saw slept near under over on in and but not never two three "
    "Haus Baum Fluss rot grün alt jung saß lief sah schlief neben unter über auf und aber nicht nie zwei drei "
    "кот дом река красный старый бежал спал на под и не 猫 家 河 赤い 古い 走った 眠った"
).split()
ODD = [
    ("", ""),
    ("The cat sat.", ""),
    ("", "The cat sat."),
    ("The  cat\tsat on\u00a0the tree. ", " the cat sat on the tree"),
    ("[CLS] the cat [SEP] the dog", "[UNK] [PAD] <unk> [MASK]"),
    ("ﬁne ＡＢＣ ½ Ångström", "fine ABC 1/2 Angstrom"),
    ("家の猫が眠った。", "猫は走った、家で。"),
    ("кот не спал на доме", "кот спал под домом 🙂"),
    ("zero\u200bwidth\u00adsoft\ufffd", "\ue000 private \u0301combining"),
    (" ".join(WORDS), "short"),
    ("short", " ".join(WORDS)),
    (" ".join(WORDS), " ".join(reversed(WORDS))),
]
LIMIT = 48


def pairs() -> list[tuple[str, str]]:
    """Return references and candidates: unusual ones, then sentences with some words changed."""
    draw = random.Random(20)
    made = list(ODD)
    for _ in range(48):
        reference = draw.choices(WORDS, k=draw.randrange(1, 24))
        candidate = [draw.choice(WORDS) if draw.random() < 0.3 else word for word in reference if draw.random() < 0.9]
        made.append((" ".join(reference), " ".join(candidate)))
    return made


def vocabulary(place: Path) -> None:
    """Write a WordPiece vocabulary of the lower-cased words and their letters."""
    words = list(dict.fromkeys(word.lower() for word in WORDS))
    letters = sorted({letter for word in words for letter in word})
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        ".",
        ",",
        "[",
        "]",
        *letters,
        *(f"##{one}" for one in letters),
    ]
    (place / "vocab.txt").write_text("".join(f"{piece}\n" for piece in [*pieces, *(w for w in words if len(w) > 1)]))


def sentencepieces(place: Path) -> None:
    """Write a sentencepiece model with RemBERT's numbering: padding first, other special tokens later."""
    import sentencepiece

    draw = random.Random(3)
    corpus = place / "corpus.txt"
    corpus.write_text("".join(" ".join(draw.choices(WORDS, k=12)) + ".\n" for _ in range(400)))
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(place / "sent_piece"), vocab_size=120, model_type="unigram",
        normalization_rule_name="identity", pad_id=0, unk_id=1, bos_id=2, eos_id=3, pad_piece="<pad>", unk_piece="<unk>",
        control_symbols=["[MASK]"], user_defined_symbols=["[CLS]", "[SEP]"], num_threads=1, minloglevel=2,
    )  # fmt: skip
    corpus.unlink()


def write(place: Path, kind: str) -> None:
    """Write a checkpoint folder as BLEURT exports it."""
    import tensorflow.compat.v1 as tf
    from bleurt import model as bleurt_model
    from bleurt.lib import modeling

    place.mkdir()
    (vocabulary if kind == "bert" else sentencepieces)(place)
    file = place / ("vocab.txt" if kind == "bert" else "sent_piece.vocab")
    size = len(file.read_text(encoding="utf-8").splitlines())
    shape: dict[str, Any] = {
        "vocab_size": size, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40,
        "hidden_act": "gelu", "max_position_embeddings": 64, "type_vocab_size": 2, "initializer_range": 0.4,
        "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
    }  # fmt: skip
    if kind == "rembert":
        shape["embedding_size"] = 12
    (place / "bert_config.json").write_text(json.dumps(shape))
    about = {
        "name": f"tiny_{kind}", "bert_config_file": "bert_config.json", "max_seq_length": LIMIT, "dynamic_seq_length": True,
        "vocab_file": "vocab.txt" if kind == "bert" else None, "do_lower_case": True if kind == "bert" else None,
        "sp_model": None if kind == "bert" else "sent_piece",
    }  # fmt: skip
    (place / "bleurt_config.json").write_text(json.dumps(about))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(7)
        ids, mask, segments = (tf.placeholder(tf.int64, [None, None], name=name) for name in INPUTS)
        config = modeling.BertConfig.from_dict(shape)
        arguments = [tf.cast(one, tf.int32) for one in (ids, mask, segments)]
        if kind == "bert":
            _, _, scores = bleurt_model.create_model(
                config, False, *arguments, tf.zeros(tf.shape(ids)[0]), False, 0, 128, 0.0
            )
        else:
            scores = rembert(config, *arguments)
        session.run(tf.global_variables_initializer())
        for variable in tf.global_variables():  # biases and norms other than 0 and 1
            if variable.name.rsplit("/", 1)[-1] in ("bias:0", "beta:0", "gamma:0"):
                session.run(
                    variable.assign_add(tf.random.normal(variable.shape, stddev=0.2, seed=hash_of(variable.name)))
                )
        export = place / "export"
        tf.saved_model.simple_save(
            session, str(export), dict(zip(INPUTS, (ids, mask, segments), strict=True)), {"predictions": scores}
        )
    for part in export.iterdir():
        shutil.move(part, place / part.name)
    export.rmdir()


INPUTS = ("input_ids", "input_mask", "segment_ids")


def hash_of(name: str) -> int:
    """Return a small number that is the same in every run."""
    return sum(ord(letter) * (i + 1) for i, letter in enumerate(name))


def rembert(config: Any, ids: Any, mask: Any, segments: Any) -> Any:
    """Build BLEURT's network with narrow embeddings: its own functions, and a dense layer between embeddings and blocks."""
    import tensorflow.compat.v1 as tf
    from bleurt.lib import modeling

    with tf.variable_scope("bert"):
        with tf.variable_scope("embeddings"):
            looked_up, _ = modeling.embedding_lookup(
                ids, config.vocab_size, config.embedding_size, config.initializer_range
            )
            embedded = modeling.embedding_postprocessor(
                looked_up, True, segments, config.type_vocab_size, initializer_range=config.initializer_range,
                max_position_embeddings=config.max_position_embeddings, dropout_prob=0.0,
            )  # fmt: skip
        with tf.variable_scope("encoder"):
            wide = modeling.dense_layer_2d(
                embedded, config.hidden_size, modeling.create_initializer(0.4), None, "embedding_hidden_mapping_in"
            )
            layers = modeling.transformer_model(
                wide, modeling.create_attention_mask_from_input_mask(ids, mask), config.hidden_size,
                config.num_hidden_layers, config.num_attention_heads, config.intermediate_size, modeling.gelu, 0.0, 0.0, 0.4,
                True,
            )  # fmt: skip
        with tf.variable_scope("pooler"):
            pooled = tf.layers.dense(
                layers[-1][:, 0], config.hidden_size, tf.tanh, kernel_initializer=modeling.create_initializer(0.4)
            )
    return tf.squeeze(tf.layers.dense(pooled, 1), 1)


def main() -> None:
    """Write the checkpoints and their scores."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bleurt", required=True, help="a checkout of google-research/bleurt")
    sys.path.insert(0, parser.parse_args().bleurt)
    import tensorflow.compat.v1 as tf

    if not hasattr(tf, "estimator"):  # removed in TensorFlow 2.16; BLEURT's module imports it only for training
        tf.estimator = types.SimpleNamespace(ModeKeys=None)
    from bleurt.score import BleurtScorer

    tf.flags.FLAGS(["make"])
    texts = pairs()
    kept: dict[str, Any] = {"references": [a for a, _ in texts], "candidates": [b for _, b in texts], "scores": {}}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("bert", "rembert"):
            place = Path(folder) / kind
            write(place, kind)
            scorer = BleurtScorer(str(place))
            kept["scores"][kind] = scorer.score(references=kept["references"], candidates=kept["candidates"])
            for graph in place.glob("*.pb"):
                graph.unlink()
            target = HOME / kind
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(place, target)
            for empty in (one for one in target.iterdir() if one.is_dir() and not any(one.iterdir())):
                empty.rmdir()
    with gzip.GzipFile(HOME / "reference.json.gz", "wb", mtime=0) as out:
        out.write(json.dumps(kept, ensure_ascii=False).encode())


if __name__ == "__main__":
    main()
