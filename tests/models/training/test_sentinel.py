"""Sentinels: trained on one text alone, and blind to every other when they score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")

from assay.core.batch import Batch  # noqa: E402
from assay.core.errors import InputError  # noqa: E402
from assay.metrics import metric  # noqa: E402
from assay.models.training.config import parse_config  # noqa: E402
from assay.models.training.encoding import TextEncoder  # noqa: E402
from assay.models.training.evaluation import predict  # noqa: E402
from assay.models.training.toy import toy_records, write_example  # noqa: E402
from assay.models.training.trainer import Trainer  # noqa: E402


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """Small matrices gain nothing from threads, and lose much on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def trained(folder: Path, reads: str, **phase: Any) -> tuple[Trainer, str]:
    write_example(folder, 100)
    config = parse_config(
        {
            "output": "run",
            "name": f"sentinel-{reads}",
            "model": {
                "reads": reads,
                "tiny_hidden": 16,
                "tiny_vocabulary": 100,
                "encoder_dropout": 0.0,
                "dropout": 0.0,
            },
            "phases": [
                {
                    "data": [{"path": "toy.jsonl", "format": "spans", "limit": 64}],
                    "max_steps": 4,
                    "encoder_learning_rate": 1e-3,
                    "nr_frozen_epochs": 0.0,
                    "batch_size": 16,
                    "learning_rate": 1e-3,
                    **phase,
                }
            ],
        },
        folder=folder,
    )
    trainer = Trainer(config)
    trainer.run()
    return trainer, str(folder / "run" / "model")


@pytest.mark.parametrize("reads", ["candidate", "source"])
def test_it_is_trained_and_scores_by_one_text_alone(reads: str, tmp_path: Path) -> None:
    trainer, folder = trained(tmp_path, reads)
    records = toy_records(12, seed=5)
    texts, sources = [one.hypothesis for one in records], [one.source for one in records]
    made = metric(folder)
    assert (
        made.card.needs == ("translation" if reads == "candidate" else "source")
        and "sentinel" in made.card.meaning.lower()
    )
    found = made.score(Batch(texts, sources=sources)).values
    other = Batch(texts, sources=sources[::-1]) if reads == "candidate" else Batch(texts[::-1], sources=sources)
    assert np.allclose(made.score(other).values, found, atol=1e-6) and np.ptp(found) > 1e-4
    if reads == "candidate":
        assert np.allclose(made.score(Batch(texts)).values, found, atol=1e-6)
    encoder: TextEncoder = trainer.encoder
    expected, _ = predict(trainer.model, encoder, encoder.examples(records))
    assert np.allclose(found, expected, atol=1e-5)


def test_a_sentinel_of_translations_may_tag_and_one_of_sources_may_not(tmp_path: Path) -> None:
    _, folder = trained(tmp_path, "candidate", curriculum=2)
    found = metric(f"{folder}:threshold=0.01").score(Batch(["mala nefi"], sources=["x"]))
    assert found.spans is not None and found.spans[0]
    with pytest.raises(InputError, match=r"has no translation to tag"):
        trained(tmp_path / "b", "source", curriculum=2)
