"""Reduction of a trained model and its texts to what a machine with only torch needs to compare precisions::

    PYTHONPATH=. python benchmarks/cut_model.py MODEL TEXTS.tsv cut.pt      # lines of source, translation and reference

Weights are rounded to float16, embeddings are those of the subwords in the texts, and texts are subword indices.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from assay.models.encoders.config import EncoderConfig, ModelConfig
from assay.models.encoders.tokenizer import Tokens
from assay.models.heads.checkpoint import LoadedCheckpoint, load
from assay.models.heads.comet import CometModel, build_model

Texts = tuple[list[str], list[str], list[str]]
"""Read sources, translations and references."""


class Ids:
    """Tokenizer stub: a "text" is its subword indices."""

    first, last, pad, between = 0, 2, 1, (2, 2)

    def encode(self, texts: Sequence[str], limit: int, *, offsets: bool = False) -> list[Tokens]:
        found = []
        for text in texts:
            ids = self.pieces(text)[:limit]
            places = [(0, 0), *((0, 1) for _ in ids), (0, 0)] if offsets else None
            found.append(Tokens([self.first, *ids, self.last], places, False))
        return found

    def pieces(self, text: str) -> list[int]:
        return [int(number) for number in text.split()]

    def join(self, first: Tokens, *others: Tokens, limit: int) -> tuple[list[int], bool]:
        ids = list(first.ids[1:-1])
        for other in others:
            ids += [*self.between, *other.ids[1:-1]]
        return [self.first, *ids, self.last][:limit], False


def cut(folder: str, rows: Texts, out: Path) -> None:
    """Write the model in `folder` (an XLM-R vocabulary) with what `rows` need."""
    loaded = load(folder)
    encoded = [[one.ids[1:-1] for one in loaded.tokenizer.encode(column, 510)] for column in rows]
    sources, hypotheses, references = ([" ".join(map(str, ids)) for ids in column] for column in encoded)
    write(loaded.model, (sources, hypotheses, references), out)


def write(model: CometModel, rows: Texts, out: Path) -> None:
    """Do the same for texts that are subword indices, which are renumbered."""
    special = (0, 1, 2, 3)
    used = [*special, *sorted({int(n) for column in rows for text in column for n in text.split()} - {*special})]
    new = {str(old): str(number) for number, old in enumerate(used)}
    state = {name: weights.half() for name, weights in model.state_dict().items()}
    state["encoder.words.weight"] = state["encoder.words.weight"][used].clone()
    content = {
        "hparams": model.config.to_hparams(),
        "encoder": asdict(replace(model.encoder_config, vocabulary=len(used))),
        "state": state,
        "rows": [[" ".join(new[number] for number in text.split()) for text in column] for column in rows],
    }
    torch.save(content, out)


def read(path: str) -> tuple[LoadedCheckpoint, Texts]:
    """Return the model in float32, and its rows."""
    content: dict[str, Any] = torch.load(path, weights_only=True)
    encoder = EncoderConfig(**content["encoder"])
    model: CometModel = build_model(ModelConfig.from_hparams(content["hparams"]), encoder)
    model.load_state_dict({name: weights.float() for name, weights in content["state"].items()})
    sources, hypotheses, references = content["rows"]
    return LoadedCheckpoint(model, Ids(), "cut"), (sources, hypotheses, references)  # type: ignore[arg-type]


def main() -> None:
    _, folder, texts, out = sys.argv
    lines = [line.split("\t") for line in Path(texts).read_text("utf-8").rstrip("\n").split("\n")]
    sources, hypotheses, references = (list(column) for column in zip(*lines, strict=True))
    cut(folder, (sources, hypotheses, references), Path(out))


if __name__ == "__main__":
    main()
