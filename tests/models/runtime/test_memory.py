"""Networks of several metrics in one run: kept together while they fit, one after the other where they do not."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("sentencepiece")

import assay  # noqa: E402
from assay.core.batch import Batch  # noqa: E402
from assay.core.errors import InputError, MissingPart, OutOfMemory  # noqa: E402
from assay.corpus.bisection import BisectingScorer  # noqa: E402
from assay.engine.run import score_stream  # noqa: E402
from assay.metrics import build_metrics, metric  # noqa: E402
from assay.metrics.neural import NeuralMetric, free_memory  # noqa: E402
from assay.models.runtime.memory import with_memory  # noqa: E402
from tests.metrics.test_bartscore import tiny as seq2seq  # noqa: E402
from tests.models.official import unpack  # noqa: E402

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TEXTS = [f"the cat number {i} sat on the mat" for i in range(12)]


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A metric of each class that loads a model; matese is built as bleurt is."""
    place = tmp_path_factory.mktemp("room")
    seq2seq.bart(place / "bart")
    return [
        f"{unpack('regression', place)}:precision=fp32",
        f"bleurt:path={FIXTURES / 'bleurt' / 'rembert'}",
        f"bertscore:model={FIXTURES / 'bertscore' / 'bert'},layer=2",
        f"bartscore:path={place / 'bart'}",
    ]


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """How often each metric began to score without its model."""
    counted: dict[str, int] = {}

    def counting(one: NeuralMetric, call: Any) -> Any:
        counted[one.card.name] = counted.get(one.card.name, 0) + (one._loaded is None)
        return with_memory(one, call)

    monkeypatch.setattr("assay.metrics.neural.with_memory", counting)
    yield counted


def chunks() -> list[Batch]:
    whole = Batch(TEXTS, sources=TEXTS[::-1], references=([*TEXTS[1:], "a dog"],))
    return [whole.slice(start, start + 4) for start in (0, 4, 8)]


def streamed(specs: list[str]) -> tuple[dict[str, list[float]], list[NeuralMetric]]:
    built = build_metrics(specs)
    run = score_stream(chunks(), built)
    return {name: np.concatenate(list(run.values("", name))).tolist() for name in built}, list(built.values())  # type: ignore[arg-type]


def test_a_stream_keeps_what_fits_and_loads_the_rest_by_turns(
    specs: list[str], loads: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.core.memory.available", lambda: 1 << 50)
    roomy, held = streamed(specs)
    assert set(loads.values()) == {1} and all(one._loaded is not None for one in held)

    loads.clear()
    monkeypatch.setattr("assay.core.memory.available", lambda: 0)
    tight, held = streamed(specs)
    assert set(loads.values()) == {3}, "in each of three chunks"
    assert [one._loaded is not None for one in held] == [False, False, False, True]
    assert tight == roomy

    left = [1 << 50]
    monkeypatch.setattr("assay.core.memory.available", lambda: left[0])
    first, second, third = (metric(spec) for spec in specs[:3])
    first.score(chunks()[0]), second.score(chunks()[0]), first.score(chunks()[1])
    monkeypatch.setattr(
        type(second), "release", lambda self: (setattr(self, "_loaded", None), left.__setitem__(0, 1 << 50))
    )
    left[0] = 0
    third.score(chunks()[0])  # the second was used longest ago, and with it gone there is room
    assert [one._loaded is not None for one in (first, second, third)] == [True, False, True]  # type: ignore[attr-defined]


def test_where_memory_runs_out_all_the_same_the_others_go(specs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.core.memory.available", lambda: 1 << 50)
    batch = chunks()[0]
    first, second = metric(specs[0]), metric(specs[3])
    expected = second.score(batch).values
    second.release()
    first.score(batch)
    plain = type(second)._score

    def crowded(self: Any, batch: Batch) -> Any:
        if first._loaded is not None:  # type: ignore[attr-defined]
            try:
                raise torch.OutOfMemoryError("CUDA out of memory")
            except RuntimeError:
                raise InputError("one segment of 9 tokens does not fit into the memory of cuda.") from None
        return plain(self, batch)

    monkeypatch.setattr(type(second), "_score", crowded)
    assert second.score(batch).values.tolist() == expected.tolist()
    assert first._loaded is None  # type: ignore[attr-defined]

    def never(self: Any, *_: Any) -> Any:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9437184 bytes.")

    monkeypatch.setattr(type(second), "_score", never)
    with pytest.raises(InputError, match=r"^bartscore does not fit into the memory of cpu\. Use a smaller model\.$"):
        second.score(batch)
    monkeypatch.setattr(type(second), "_load", never)
    second.release()
    tried: list[int] = []

    def counted(rows: Batch) -> Any:
        tried.append(len(rows))
        return second.score(rows)

    with pytest.raises(OutOfMemory, match="does not fit"):
        BisectingScorer(counted).scored(batch, 0)
    assert tried == [4], "no row is to blame, and a model is not loaded for each half of them"


def test_a_network_that_another_thread_uses_stays(specs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.core.memory.available", lambda: 0)
    first, second = metric(specs[0]), metric(specs[1])
    first.score(chunks()[0])
    begun, end = threading.Event(), threading.Event()

    def scoring() -> None:
        with first._lock:  # type: ignore[attr-defined]
            begun.set()
            end.wait(60)

    thread = threading.Thread(target=scoring)
    thread.start()
    begun.wait(60)
    try:
        second.score(chunks()[0])
        assert first._loaded is not None  # type: ignore[attr-defined]
    finally:
        end.set()
        thread.join()


def test_what_was_built_for_a_call_is_gone_with_it(specs: list[str]) -> None:
    """The result is kept for its numbers; nobody could score with its model again. One's own metric stays loaded."""
    result = assay.score(TEXTS, TEXTS, sources=TEXTS, metrics=[specs[0]], store=False)
    assert result.metrics[specs[0]]._loaded is None  # type: ignore[attr-defined]
    own = metric(specs[0])
    assay.score(TEXTS, TEXTS, sources=TEXTS, metrics=[own], store=False)
    assert own._loaded is not None  # type: ignore[attr-defined]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_goes_back_to_the_system() -> None:
    """The C library keeps freed pieces below 128 KB for itself: after a model went, a process had as much as before."""

    def held() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    pieces = [bytearray(100_000) for _ in range(2_000)]
    before = held()
    some = pieces[::100]
    del pieces
    free_memory()
    assert len(some) == 20 and held() < before - 150_000_000


@pytest.mark.parametrize(
    ("name", "said"),
    [("tpu", "unknown device 'tpu'"), ("meta", "is not available to torch"), ("cuda:", "unknown device 'cuda:'")],
)
def test_a_device_that_is_none_is_refused_in_a_line(specs: list[str], name: str, said: str) -> None:
    for spec in specs:
        with pytest.raises(InputError, match=said):
            metric(f"{spec},device={name}").score(chunks()[0])


def test_a_folder_of_another_kind_is_told_where_it_goes(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(MissingPart, match=r"no hparams\.yaml.*bertscore:model=FOLDER"):
        metric(str(tmp_path))
