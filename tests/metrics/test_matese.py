"""MaTESe: the spans and scores of its authors' own code on a small random checkpoint, and what is refused."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")

from assay.core.batch import Batch  # noqa: E402
from assay.core.errors import InputError, MissingPart  # noqa: E402
from assay.metrics import metric  # noqa: E402
from assay.testing import check_metric  # noqa: E402
from assay.testing.contract import Contract  # noqa: E402
from tests.models.official import tiny  # noqa: E402

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "matese"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("matese")
    tiny().write_encoder(place, "xlm-roberta")
    shape = json.loads((place / "config.json").read_text()) | {"max_position_embeddings": 514}
    (place / "config.json").write_text(json.dumps(shape))
    weights = gzip.decompress((FIXTURES / "matese.ckpt.gz").read_bytes())
    for name in ("matese", "matese-qe"):
        (place / f"{name}.ckpt").write_bytes(weights)
        shutil.copyfile(FIXTURES / f"{name}.json", place / f"{name}.json")
    return place


def reference() -> Any:
    with gzip.open(FIXTURES / "reference.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


@pytest.mark.parametrize("name", ["matese", "matese-qe"])
def test_the_spans_and_scores_of_the_original(name: str, folder: Path) -> None:
    kept = reference()
    texts, others = ([pair[side] for pair in kept["pairs"]] for side in (0, 1))
    batch = Batch(texts, sources=others) if name == "matese-qe" else Batch(texts, references=(others,))
    found = metric(f"{name}:path={folder}").score(batch)
    assert found.values.tolist() == [one["score"] for one in kept["found"][name]]
    assert found.spans is not None
    for text, spans, one in zip(texts, found.spans, kept["found"][name], strict=True):
        expected = [(max(0, s["offset"][0]), min(s["offset"][1], len(text)), s["error"].lower()) for s in one["spans"]]
        assert [(span.start, span.end, span.severity) for span in spans] == expected
    assert found.flags["truncated"].nonzero()[0].tolist() == [6, 7]


def test_the_contract_and_precisions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Contract, "direction", lambda self: None)  # random weights know no better
    check_metric(metric(f"matese:path={folder}"))
    kept = reference()["pairs"][8:]
    batch = Batch([a for a, _ in kept], references=([b for _, b in kept],))
    exact = metric(f"matese:path={folder}").score(batch).values
    for precision in ("fp16", "bf16"):
        near = metric(f"matese:path={folder},precision={precision}").score(batch).values
        assert np.corrcoef(near, exact)[0, 1] > 0.8


def test_what_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingPart, match=r"matese cannot be downloaded by assay\. Download matese\.ckpt"):
        metric("matese")
    with pytest.raises(MissingPart, match=r"has no weights: matese\.ckpt is missing"):
        metric(f"matese:path={tmp_path}")
    place = Path(shutil.copytree(folder, tmp_path / "m"))
    one = Batch(["a cat"], references=(["the cat"],))
    whole = (place / "matese.ckpt").read_bytes()
    (place / "matese.ckpt").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"is incomplete or not a torch checkpoint .*Download it again"):
        metric(f"matese:path={place}").score(one)
    torch.save({"state_dict": {"a": torch.zeros(1)}, "hyper_parameters": {}}, place / "matese.ckpt")
    with pytest.raises(InputError, match=r"lacks the order of its five labels"):
        metric(f"matese:path={place}").score(one)
    (place / "matese.ckpt").write_bytes(whole)
    (place / "matese.json").write_text(
        json.dumps({"reference_less": True, "encoder_attention_heads": 4, "use_last_n_layers": 2})
    )
    with pytest.raises(InputError, match=r"is the configuration of matese-qe: -m matese-qe:path="):
        metric(f"matese:path={place}").score(one)
    (place / "matese.json").write_text(json.dumps({"encoder_layers": 3, "encoder_attention_heads": 4}))
    with pytest.raises(InputError, match=r"lacks encoder\.layers\.2\.self_attn\.in_proj_weight"):
        metric(f"matese:path={place}").score(one)
    (place / "tokenizer.json").unlink()
    with pytest.raises(MissingPart, match=r"has no tokenizer\. Put the tokenizer\.json of microsoft/infoxlm-large"):
        metric(f"matese:path={place}")
