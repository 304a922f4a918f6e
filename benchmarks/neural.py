"""Benchmark: segments per second of each class of neural metric, assay and the original code alternating in one run.

    python benchmarks/neural.py --peer bert_score=peer/lib/python3.11/site-packages      # every case whose peer is available
    python benchmarks/neural.py --only bertscore --size large --precision fp16 --device cuda

Weights are random, generated in the shape of the published encoders, so nothing is downloaded. Texts are words of random
letters, as long as those of news (or the lines of --texts SOURCE HYPOTHESIS REFERENCE). The peer is imported from the path
given with --peer NAME=PATH, or from Python's path; if it cannot be imported, assay runs alone. Both sides must agree on the
scores.

Needs torch, transformers (for the peers), tokenizers and safetensors. assay can run from its sources (PYTHONPATH=src); its
compiled kernels are not used. Peers: bert-score and bleurt-pytorch from PyPI (the latter needs transformers 4), and checkouts
of google-research/metricx (metricx24) and neulab/BARTScore (bart_score).

A case is a class: `prepare` writes the weights, `ours` and `peer` return the scores of all rows. `CASES` names them all.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))  # as a script or as a module
from neural_cases import DTYPES, Case, Setting, Texts
from neural_sequences import SEQUENCE_CASES

SIZES: dict[str, dict[str, int]] = {
    "tiny": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64},
    "base": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072},
    "large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
}
LAYERS = {"tiny": 2, "base": 9, "large": 17}
"""The layer of XLM-R that BERTScore uses, by size."""


class BertscoreCase(Case):
    """BERTScore on an XLM-R, compared with bert-score."""

    name, peer_module = "bertscore", "bert_score"

    def prepare(self, texts: Texts) -> None:
        """Write an encoder that both sides load from the same folder."""
        from transformers import XLMRobertaConfig, XLMRobertaModel

        from assay.metrics.embedding.bertscore import Bertscore

        folder = self.setting.folder / f"xlmr-{self.setting.size}"
        if not (folder / "config.json").is_file():
            words = write_tokenizer(folder, texts)
            torch.manual_seed(0)
            about = XLMRobertaConfig(
                **SIZES[self.setting.size],
                vocab_size=words,
                max_position_embeddings=514,
                pad_token_id=1,
                type_vocab_size=1,
            )
            XLMRobertaModel(about, add_pooling_layer=False).save_pretrained(folder)
        self.folder, self.layer = folder, LAYERS[self.setting.size]
        self.metric = Bertscore(
            model=str(folder), layer=self.layer, precision=self.setting.precision, device=self.setting.device
        )
        self.scorer: Any = None

    def ours(self, texts: Texts) -> Sequence[float]:
        """Return F1."""
        from assay.core.batch import Batch

        found = self.metric.score(Batch(tuple(texts.hypotheses), references=(tuple(texts.references),)))
        return found.values.tolist()

    def peer(self, texts: Texts) -> Sequence[float]:
        """Return F1; the encoder is loaded once and set to the same precision."""
        if self.scorer is None:
            from bert_score import BERTScorer

            self.scorer = BERTScorer(
                model_type=str(self.folder),
                num_layers=self.layer,
                batch_size=self.setting.batch,
                device=self.setting.device,
                use_fast_tokenizer=True,
            )
            self.scorer._model.to(DTYPES[self.setting.precision])
        return self.scorer.score(texts.hypotheses, texts.references)[2].float().tolist()


class BleurtCase(Case):
    """BLEURT on a RemBERT (narrow embeddings), compared with the PyTorch port (bleurt-pytorch)."""

    name, peer_module = "bleurt", "bleurt_pytorch"

    def prepare(self, texts: Texts) -> None:
        """Write a port's folder, which both sides load."""
        from assay.metrics import METRICS

        self.folder = self.setting.folder / f"rembert-{self.setting.size}"
        if not (self.folder / "config.json").is_file():
            write_bleurt(self.folder, SIZES[self.setting.size], texts)
        self.metric = METRICS.resolve("bleurt")(
            path=str(self.folder), precision=self.setting.precision, device=self.setting.device
        )
        self.network: Any = None

    def ours(self, texts: Texts) -> Sequence[float]:
        """Return the scores."""
        from assay.core.batch import Batch

        found = self.metric.score(Batch(tuple(texts.hypotheses), references=(tuple(texts.references),)))
        return found.values.tolist()

    def peer(self, texts: Texts) -> Sequence[float]:
        """Return the scores as in the port's own documentation, one batch at a time."""
        if self.network is None:
            from bleurt_pytorch import BleurtForSequenceClassification
            from bleurt_pytorch.bleurt.tokenization_bleurt_sp import BleurtSPTokenizer

            self.words = BleurtSPTokenizer(str(self.folder / "spm.model"), do_lower_case=False)
            network = BleurtForSequenceClassification.from_pretrained(self.folder).eval()
            self.network = network.to(self.setting.device, DTYPES[self.setting.precision])
        found: list[float] = []
        with torch.no_grad():
            for at in range(0, len(texts), self.setting.batch):
                part = slice(at, at + self.setting.batch)
                inputs = self.words(
                    texts.references[part], texts.hypotheses[part], padding="longest", return_tensors="pt"
                )
                found += self.network(**inputs.to(self.setting.device)).logits.flatten().float().tolist()
        return found


def write_bleurt(folder: Path, size: dict[str, int], texts: Texts) -> None:
    """Write a port of a random BLEURT: config.json, Hugging Face's names, a sentencepiece model trained on the texts."""
    import sentencepiece
    from safetensors.torch import save_file

    from assay.models.encoders.config import EncoderConfig
    from assay.models.encoders.pretrained import to_official
    from assay.models.heads.bleurt import BleurtModel

    folder.mkdir(parents=True)
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join([*texts.references, *texts.hypotheses]) + "\n", encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(folder / "spm"), vocab_size=8000, hard_vocab_limit=False, pad_id=0, unk_id=1, bos_id=2,
        eos_id=3, pad_piece="[PAD]", unk_piece="[UNK]", bos_piece="[CLS]", eos_piece="[SEP]", user_defined_symbols=["[MASK]"],
        minloglevel=2,
    )  # fmt: skip
    words = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spm.model")).get_piece_size()
    narrow = min(256, size["hidden_size"] // 2)
    about = {**size, "embedding_size": narrow, "vocab_size": words, "hidden_act": "gelu_new", "model_type": "bleurt"}
    (folder / "config.json").write_text(json.dumps({**about, "layer_norm_eps": 1e-12, "type_vocab_size": 2}))
    torch.manual_seed(0)
    shape = EncoderConfig(
        "bert", size["hidden_size"], size["num_hidden_layers"], size["num_attention_heads"], size["intermediate_size"], words,
        512, 2, 1e-12, 0, embedding=narrow,
    )  # fmt: skip
    model = BleurtModel(shape)
    inside = to_official({f"encoder.{name}": value for name, value in model.encoder.state_dict().items()}, shape)
    state = {
        name.replace("encoder.model.", "bleurt.").replace("embedding_hidden_mapping_in", "embedding_projection"): value
        for name, value in inside.items()
    }
    for ours, theirs in (("pooler", "bleurt.pooler.dense"), ("head", "classifier")):
        state |= {f"{theirs}.{kind}": model.get_parameter(f"{ours}.{kind}").detach() for kind in ("weight", "bias")}
    plain = {name: value.contiguous() for name, value in state.items()}
    save_file(plain, folder / "model.safetensors", metadata={"format": "pt"})


CASES: dict[str, type[Case]] = {case.name: case for case in (BertscoreCase, BleurtCase, *SEQUENCE_CASES)}


def write_tokenizer(folder: Path, texts: Texts) -> int:
    """Train a tokenizer like XLM-R's on the texts; return its number of tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    folder.mkdir(parents=True, exist_ok=True)
    backend = Tokenizer(models.BPE(unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(vocab_size=8000, special_tokens=special, show_progress=False)
    backend.train_from_iterator([*texts.hypotheses, *texts.references, *texts.sources], trainer)
    ends = [("<s>", 0), ("</s>", 2)]
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=ends
    )
    backend.save(str(folder / "tokenizer.json"))
    names = {"bos_token": "<s>", "cls_token": "<s>", "sep_token": "</s>", "eos_token": "</s>", "unk_token": "<unk>"}
    about = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512, "pad_token": "<pad>", **names}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    return int(backend.get_vocab_size())


def made_texts(segments: int, systems: int, seed: int = 1) -> Texts:
    """Generate sentences of 6 to 60 words (26 on average, as in news); each system changes some words of the reference."""
    draw = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbg"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 9))) for _ in range(3000)]

    def sentence() -> list[str]:
        return draw.choices(words, k=min(60, max(6, round(draw.lognormvariate(3.15, 0.45)))))

    sources, hypotheses, references = [], [], []
    for _ in range(segments):
        source, reference = sentence(), sentence()
        for _ in range(systems):
            changed = [draw.choice(words) if draw.random() < 0.2 else word for word in reference]
            sources.append(" ".join(source))
            references.append(" ".join(reference))
            hypotheses.append(" ".join(changed))
    return Texts(sources, hypotheses, references)


def timed(call: Any, texts: Texts) -> tuple[tuple[float, float], np.ndarray]:
    """Return seconds by the clock and of the processors, and the scores."""
    started, spent = time.perf_counter(), time.process_time()
    scores = np.array(call(texts), np.float64)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return (time.perf_counter() - started, time.process_time() - spent), scores


def compare(case: Case, texts: Texts, rounds: int, with_peer: bool) -> dict[str, Any]:
    """Return the best of some alternating rounds, after a first one with a few rows that is not counted."""
    case.prepare(texts)
    sides = {"ours": case.ours, **({"peer": case.peer} if with_peer else {})}
    few = Texts(texts.sources[:32], texts.hypotheses[:32], texts.references[:32])
    best: dict[str, tuple[float, float]] = {}
    scores: dict[str, np.ndarray] = {}
    for call in sides.values():
        timed(call, few)
    for _ in range(rounds):
        for side, call in sides.items():
            seconds, scores[side] = timed(call, texts)
            best[side] = (
                seconds if side not in best else (min(best[side][0], seconds[0]), min(best[side][1], seconds[1]))
            )
    line: dict[str, Any] = {"case": case.name, "segments": len(texts), **vars(case.setting)}
    line["folder"] = None
    line |= {f"{side} segments/s": round(len(texts) / clock, 2) for side, (clock, _) in best.items()}
    if with_peer:
        line["times"], line["times, processor"] = (
            round(theirs / ours, 2) for theirs, ours in zip(best["peer"], best["ours"], strict=True)
        )
        line["differs by"] = float(np.nanmax(np.abs(scores["ours"] - scores["peer"])))
        allowed = case.tolerance * (1 if case.setting.precision == "fp32" else 10)
        line["agrees"] = line["differs by"] <= allowed
    return line


def importable(module: str) -> bool:
    """Return whether the original code can be imported."""
    try:
        importlib.import_module(module)
    except Exception as error:  # any error of an old package
        print(
            f"{module} cannot be imported ({type(error).__name__}: {str(error)[:120]}): assay runs alone",
            file=sys.stderr,
        )
        return False
    return True


def run(
    only: Sequence[str],
    *,
    size: str,
    precision: str,
    device: str,
    segments: int,
    systems: int = 2,
    rounds: int = 2,
    batch: int = 64,
    texts: Texts | None = None,
    peers: bool = True,
) -> list[dict[str, Any]]:
    """Run all requested cases in one setting and print one line for each."""
    wanted = texts or made_texts(-(-segments // systems), systems)
    lines = []
    for name in only:
        with tempfile.TemporaryDirectory() as folder:
            case = CASES[name](Setting(Path(folder), size, precision, device, batch))
            lines.append(compare(case, wanted, rounds, peers and importable(case.peer_module)))
            del case
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=list(CASES), default=list(CASES))
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PATH", help="folder of a peer's module")
    parser.add_argument("--size", default="base", choices=list(SIZES))
    parser.add_argument("--precision", nargs="*", default=["fp32"], choices=list(DTYPES))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--segments", type=int, default=256)
    parser.add_argument("--systems", type=int, default=2, help="translations per source")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64, help="the peer's batch size (its default: 64)")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--texts", nargs=3, type=Path, metavar=("SOURCE", "HYPOTHESIS", "REFERENCE"))
    parser.add_argument("--out", type=Path, help="JSON file for the results")
    given = parser.parse_args(argv)
    if given.threads:
        torch.set_num_threads(given.threads)
    for one in given.peer:
        sys.path.append(one.partition("=")[2])
    texts = None
    if given.texts:
        columns = [path.read_text(encoding="utf-8").splitlines()[: given.segments] for path in given.texts]
        texts = Texts(*columns)
    lines = []
    for precision in given.precision:
        lines += run(
            given.only,
            size=given.size,
            precision=precision,
            device=given.device,
            segments=given.segments,
            systems=given.systems,
            rounds=given.rounds,
            batch=given.batch,
            texts=texts,
        )
    for line in lines:
        print(json.dumps({key: value for key, value in line.items() if value is not None}))
    if given.out:
        given.out.write_text(json.dumps(lines, indent=1))
    return 0 if all(line.get("agrees", True) for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
