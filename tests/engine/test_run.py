from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.core import Batch
from assay.core.batch import regroup
from assay.core.chunk import Retained
from assay.core.errors import InputError
from assay.engine.inputs import from_files
from assay.engine.progress_file import ProgressFile
from assay.engine.run import score_stream
from assay.metrics import metric


def rows(n: int, systems: tuple[str, ...] = ("a", "b")) -> Batch:
    rng = random.Random(n)
    hypotheses = [" ".join(rng.choices(["ab", "cd", "e"], k=rng.randrange(6))) for _ in range(n)]
    references = [" ".join(rng.choices(["ab", "cd", "e"], k=5)) for _ in range(n)]
    return Batch(hypotheses, references=(references,), systems=[systems[i % len(systems)] for i in range(n)])


def chunks(batch: Batch, size: int) -> list[Batch]:
    return [batch.slice(start, start + size) for start in range(0, len(batch), size)]


@pytest.mark.parametrize("size", [7, 50, 1000])
def test_chunks_change_nothing(size: int, tmp_path: Path) -> None:
    batch = rows(300)
    metrics = {name: metric(name) for name in ("chrf", "rouge1", "ter")}
    result = score_stream(
        chunks(batch, size),
        metrics,
        open_progress_file=lambda: ProgressFile.open(str(size), tmp_path),
        retain=Retained(stats=True),
    )
    assert result.segments == {"a": 150, "b": 150}
    for code, system in enumerate(result.systems):
        mine = batch.select(list(range(code, 300, 2)))
        alone = assay.score(mine.hypotheses, mine.references, metrics=list(metrics))  # type: ignore[arg-type]
        for name, built in metrics.items():
            assert np.concatenate(list(result.values(system, name))).tolist() == alone.segments[name].tolist()
            assert float(built.combine(result.totals[system][name])) == alone.system[name]
            assert len(result.stats(system, name)) == 150


def test_totals_are_exact_however_the_rows_are_cut() -> None:
    batch = rows(500, ("only",))
    metrics = {"rouge1": metric("rouge1")}
    totals = [
        score_stream(chunks(batch, size), metrics).totals["only"]["rouge1"].tolist() for size in (500, 499, 31, 3)
    ]
    assert totals.count(totals[0]) == 4


def test_a_kept_chunk_is_not_taken_for_other_systems(tmp_path: Path) -> None:
    """The second chunk is the same text, but the first one now brings another system, so its numbers would be wrong."""
    metrics = {"chrf": metric("chrf")}
    first, second = rows(20, ("x",)), rows(20, ("y", "z"))
    progress_file = ProgressFile.open("run", tmp_path)
    score_stream([first, second], metrics, open_progress_file=lambda: progress_file)
    progress_file.close()
    changed = Batch(first.hypotheses, references=first.references, systems=["z"] * 20)
    again = score_stream([changed, second], metrics, open_progress_file=lambda: ProgressFile.open("run", tmp_path))
    assert again.segments == {"z": 30, "y": 10}
    assert again.reused == 0


@pytest.mark.parametrize("systems", [1, 2])
def test_a_chunk_of_files_is_the_first_pieces_that_have_20_000_rows(tmp_path: Path, systems: int) -> None:
    """What a kill may cost: 313 pieces of 64 lines, or 157 of 64 lines of two systems."""
    lines = 41_000 // systems
    for name in [*(f"mt{k}" for k in range(systems)), "ref"]:
        (tmp_path / name).write_text("text\n" * lines)
    inputs = from_files([tmp_path / f"mt{k}" for k in range(systems)], [tmp_path / "ref"])
    assert [len(chunk) for chunk in inputs.chunks] == {1: [20_032, 20_032, 936], 2: [20_096, 20_096, 808]}[systems]


def test_regroup_bounds_rows_and_characters() -> None:
    pieces = chunks(rows(100), 10)
    assert [len(batch) for batch in regroup(pieces, 25, 10**9)] == [30, 30, 30, 10]
    long = [Batch(["x" * 600], references=(["y" * 600],)) for _ in range(5)]
    assert [len(batch) for batch in regroup(long, 100, 2000)] == [2, 2, 1]


@pytest.mark.parametrize("size", [4, 9])
def test_a_segment_without_a_reference_adds_nothing_and_is_flagged(size: int) -> None:
    batch = Batch(["same"] * 8 + ["other"], references=(["same"] * 8 + [None], ["one", *[None] * 8]))
    run = score_stream(chunks(batch, size), {"chrf": metric("chrf")})
    assert run.corpus == {"": {"chrf": 100.0}} and run.flags == {"missing_reference": 1}
    assert np.isnan(np.concatenate(list(run.values("", "chrf")))).tolist() == [False] * 8 + [True]
    alone = Batch(["a", "b"], references=([None, None],))
    with pytest.raises(InputError, match="chrf needs references, but no segment has one"):
        score_stream([alone], {"chrf": metric("chrf")})
