"""The model in torch, batched, against the description of its arithmetic text by text, at the shape of the shipped weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")

import torch

from assay.io.files.tensors import read_tensors
from assay.models.mini.config import parse_mini
from assay.models.mini.model import MiniModel
from assay.models.mini.pack import packed_tensors, round_all
from assay.models.mini.prepare import prepare
from assay.models.mini.stage import Stage
from assay.models.mini.subwords import SubwordModel
from assay.models.training.toy import toy_groups
from tests.models.mini.test_features import description


def described(model: MiniModel, pieces: SubwordModel, idf: np.ndarray):  # type: ignore[no-untyped-def]
    """The description's model with the packed tensors of ours."""
    told = description()
    matrices, embeddings = packed_tensors(model)
    theirs = told.Model.__new__(told.Model)
    tokenizer = told.Tokenizer.__new__(told.Tokenizer)
    tokenizer.pieces, tokenizer.norm, tokenizer.unk = (
        list(pieces.subwords),
        dict(pieces.replacements),
        pieces.unknown_score,
    )
    tokenizer.table = {p: (i, float(s)) for i, (p, s) in enumerate(zip(pieces.subwords, pieces.scores, strict=True))}
    tokenizer.longest = max(map(len, pieces.subwords))
    theirs.tok, theirs.cache, theirs.w = tokenizer, {}, {"idf": torch.from_numpy(idf)}
    for name, value in matrices.items():
        if name.endswith(".q"):
            scale = matrices[f"{name[:-2]}.s"].astype(np.float32)[:, None]
            theirs.w[name[:-2]] = torch.from_numpy(value.astype(np.float32) * scale)
        elif not name.endswith(".s"):
            theirs.w[name] = torch.from_numpy(value.astype(np.float32))
    theirs.codes = embeddings["codes"].reshape(-1, 12, 16)
    theirs.scale = embeddings["scales"].reshape(-1, 12, 1).astype(np.float32)
    theirs.group = theirs.w["sg"].long()
    return theirs


@pytest.mark.real
@pytest.mark.slow
def test_batches_give_what_the_description_gives(tmp_path: Path) -> None:
    groups = toy_groups(40)
    groups[0]["refs"].append("fe ly")
    groups[1]["src"] = ""
    groups[2]["refs"] = []
    groups[3]["hyps"][0]["text"] = groups[3]["hyps"][0]["text"] + " 12,5 ☃☃  3.4"
    groups[3]["refs"] = ["12,5 fe  3,4"]
    (tmp_path / "toy.jsonl").write_text("\n".join(map(json.dumps, groups)))
    shape = {"name": "tiny", "tiny_hidden": 384, "tiny_layers": 12, "tiny_heads": 12, "tiny_vocabulary": 90}
    config = parse_mini(
        {
            "architecture": "mini",
            "output": "run",
            "encoder": shape,
            "data": [{"path": "toy.jsonl"}],
            "stages": [{"name": "only", "steps": 1, "dropout": 0.0}],
        },
        folder=tmp_path,
    )
    corpus = prepare(config)
    stage = Stage(config, 0, corpus)
    model = stage.fresh()
    with torch.no_grad():
        for name, value in model.named_parameters():
            if not name.startswith("encoder.") and "norm" not in name and name != "temperature":
                value.add_(torch.randn(value.shape, generator=torch.Generator().manual_seed(len(name))) * 0.05)
        model.scalar_mean.normal_(0.3, 0.2, generator=torch.Generator().manual_seed(5))
        model.scalar_deviation.uniform_(0.5, 2, generator=torch.Generator().manual_seed(6))
    round_all(model)
    model.eval()
    arrays = read_tensors(config.prepared_folder / "pieces.safetensors")
    theirs = described(model, SubwordModel.of_tensors(arrays), np.array(arrays["idf"]))
    rows = np.arange(24)
    found, values, tags = stage.predicted(model, stage.planned(rows), 3)
    texts = [(group["src"], (group["refs"] or [""])[0], one["text"]) for group in groups for one in group["hyps"]]
    ends = np.cumsum(corpus.lengths(corpus.row_text[found]))
    seen = 0
    for place, row in enumerate(found.tolist()):
        source, reference, hypothesis = texts[row]
        if hypothesis == reference:
            reference = ""
        pairs = [(source, reference), ("" if reference else source, reference), (source, "" if source else reference)]
        for view, (shown_source, shown_reference) in enumerate(pairs):
            log_mu, heads, marks, _ = theirs.score(shown_source, hypothesis, shown_reference)
            assert np.abs(values[place, view] - np.array([log_mu, *heads])).max() < 1e-3, (row, view)
            if view == 0:
                mine = tags[ends[place] - len(marks) : ends[place]] / 255
                assert np.abs(mine - marks).max() < 0.005
                seen += 1
    assert seen == 24
