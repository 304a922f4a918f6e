"""Benchmark: segments per second of one CPU core, metric by metric, for the table in docs/metrics.md.

    python benchmarks/speeds.py --demetr ../shared/data/demetr      # metrics without weights, on DEMETR's perturbed translations
    python benchmarks/speeds.py --networks                          # neural metrics with random weights in the published shapes
    python benchmarks/speeds.py --networks --only comet-22

Time is processor time, so that other work on the machine does not count; torch uses one thread. Neural metrics read the texts of
`benchmarks/neural.py`: words of random letters, 26 on average, two translations per source. Needs torch and tokenizers.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))  # as a script or as a module
from comet_cpu import segments
from neural import made_texts, write_bleurt, write_tokenizer
from neural_cases import Texts

from assay.core.batch import Batch
from assay.metrics import metric
from assay.models.encoders.config import EncoderConfig, ModelConfig
from assay.models.heads.checkpoint import save
from assay.models.heads.comet import build_model

READY = (
    "bleu", "chrf", "chrf++", "ter", "cer", "wer", "rouge1", "rouge2", "rougeL", "meteor", "bertscore-mini", "e5-qe",
    "random", "length", "copy-source",
)  # fmt: skip
LARGE = {"hidden": 1024, "layers": 24, "heads": 16, "feed_forward": 4096}
BASE = {"hidden": 768, "layers": 12, "heads": 12, "feed_forward": 3072}
REMBERT = {"hidden_size": 1152, "num_hidden_layers": 32, "num_attention_heads": 18, "intermediate_size": 4608}
TINY = {"hidden": 32, "layers": 2, "heads": 2, "feed_forward": 64}
PARTS, LEAST = 8, 2.0
"""Number of parts in which texts are scored, until the measured seconds suffice."""


def comet(kind: str) -> Callable[[Path, Texts, bool], str]:
    """Write a COMET on XLM-R large."""

    def made(folder: Path, texts: Texts, tiny: bool) -> str:
        words = write_tokenizer(folder, texts)
        encoder = EncoderConfig("xlm-roberta", **(TINY if tiny else LARGE), vocabulary=words)
        segments = {"input_segments": ["mt", "src"]} if kind == "unified_metric" else {}
        torch.manual_seed(0)
        model = build_model(ModelConfig.from_hparams({"class_identifier": kind, **segments}), encoder)
        return str(save(model, folder / "model", folder / "tokenizer.json"))

    return made


def encoder_of(name: str, more: str = "") -> Callable[[Path, Texts, bool], str]:
    """Write a metric on an encoder of XLM-R base's shape."""

    def made(folder: Path, texts: Texts, tiny: bool) -> str:
        from safetensors.torch import save_file

        from assay.models.encoders.encoder import Encoder
        from assay.models.encoders.pretrained import to_official

        words = write_tokenizer(folder, texts)
        shape = EncoderConfig("xlm-roberta", **(TINY if tiny else BASE), vocabulary=words)
        torch.manual_seed(0)
        state = to_official({f"encoder.{key}": value for key, value in Encoder(shape).state_dict().items()}, shape)
        save_file(
            {key.removeprefix("encoder.model."): value for key, value in state.items()}, folder / "model.safetensors"
        )
        (folder / "config.json").write_text(json.dumps(shape.to_json()))
        return f"{name}:model={folder}{'' if tiny else more}"

    return made


def bleurt(folder: Path, texts: Texts, tiny: bool) -> str:
    """Write a BLEURT-20."""
    small = dict(zip(REMBERT, (32, 2, 2, 64), strict=True))
    write_bleurt(folder / "bleurt", small if tiny else REMBERT, texts)
    return f"bleurt:path={folder / 'bleurt'}"


NETWORKS: dict[str, Callable[[Path, Texts, bool], str]] = {
    "bertscore": encoder_of("bertscore", ",layer=9"),
    "yisi1": encoder_of("yisi1", ",layer=9"),
    "labse-sim": encoder_of("labse-sim"),
    "comet-22": comet("regression_metric"),
    "comet-qe": comet("referenceless_regression_metric"),
    "cometkiwi-22": comet("unified_metric"),
    "bleurt-20": bleurt,
}
"""Functions that write the weights of a metric and return its specification."""


def speed(spec: str, texts: Texts) -> float:
    """Return segments per second of processor time.

    No text is used twice, because scores may be cached; the first part is scored before and not counted.
    """
    made = metric(spec)
    batch = Batch(texts.hypotheses, sources=texts.sources, references=(texts.references,))
    size = len(batch) // PARTS
    made.score(batch.select(list(range(size))))
    done, spent = 0, 0.0
    for part in range(1, PARTS):
        rows = batch.select(list(range(part * size, (part + 1) * size)))
        started = time.process_time()
        made.score(rows)
        done, spent = done + size, spent + time.process_time() - started
        if spent > LEAST:
            break
    made.release()
    return done / spent


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--demetr", type=Path, help="folder with DEMETR's .jsonl.gz files")
    what.add_argument("--networks", action="store_true")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--segments", type=int, default=0, help="(default: 16,000 of DEMETR, 128 for networks)")
    parser.add_argument("--tiny", action="store_true", help="tiny models, for a test run")
    given = parser.parse_args(argv)
    torch.set_num_threads(1)
    if given.demetr is not None:
        rows = segments(given.demetr, given.segments or 16_000)
        texts = Texts(*([row[side] for row in rows] for side in ("src", "mt", "ref")))
    else:
        texts = made_texts((given.segments or 128) // 2, 2)
    for name in given.only or (NETWORKS if given.networks else READY):
        with tempfile.TemporaryDirectory() as folder:
            spec = NETWORKS[name](Path(folder), texts, given.tiny) if given.networks else name
            print(f"{name:16} {speed(spec, texts):12,.1f} segments/s", flush=True)


if __name__ == "__main__":
    main()
