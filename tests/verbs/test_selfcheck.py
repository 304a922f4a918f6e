"""The self-check: what holds, what a metric that drifts looks like, and what is remembered."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import assay
from assay.cli.main import main
from assay.core.batch import Batch
from assay.core.metric import Card, Metric, Scores, Signature
from assay.engine import drifts
from assay.engine.scoring import PART
from assay.verbs.selfcheck import selfcheck
from assay.verbs.selfcheck_paths import batch_of, crossed, data, drift
from tests.models.official import unpack

ROOT = Path(__file__).resolve().parents[2]
STRINGS = ["bleu", "chrf", "chrf++", "ter", "cer", "wer", "rouge1", "rouge2", "rougeL", "meteor"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    return tmp_path / "cache"


class Moody(Metric):
    """A metric that breaks every promise: a score depends on the row's place and on how many rows there are."""

    card = Card("moody", "Moody", "reference", True, (None, None), "nothing")

    @property
    def signature(self) -> Signature:
        return Signature.of("moody", 1)

    def score(self, batch: Batch) -> Scores:
        return Scores(np.arange(len(batch)) / 4)


class Calm(Moody):
    """The same within a network's tolerance: places move a score by a ten-thousandth at most."""

    card = Card("calm", "Calm", "reference", True, (None, None), "nothing", kind="learned")

    def score(self, batch: Batch) -> Scores:
        return Scores(np.arange(len(batch)) * 2.0**-20)


def test_every_string_metric_gives_the_same_bits_by_every_way_and_the_originals_numbers() -> None:
    result = selfcheck()
    assert [name for name in result.signatures if name in STRINGS] == STRINGS
    assert not result.failed
    ways = {(one.metric, one.way): one.drift for one in result.drifts}
    for name in STRINGS:
        for way in ("order", "batch size", "workers", "Python", "command line"):
            assert ways[name, way] == 0, (name, way)
        assert ways[name, "original"] <= 1e-9
    assert {row["verdict"] for row in result.table().rows} == {"holds"}


# 24 rows scored 0, 1/4, 2/4 … by their place. Backwards the first row moves by 23/4; seven at a time the last of the 24 rows is
# the third of its part, so it moves by 21/4, one at a time by 23/4. Crossed rows are cut into parts by several workers only.
def test_a_metric_that_depends_on_its_batch_is_found_out() -> None:
    result = selfcheck(Moody())
    ways = {one.way: one.drift for one in result.drifts}
    assert ways["order"] == ways["batch size"] == 23 / 4
    assert ways["workers"] > 0
    assert ways["Python"] == 0
    assert "command line" not in ways and "original" not in ways
    assert [one.way for one in result.failures][-1] and {one.way for one in result.failures} == {
        "order",
        "batch size",
        "workers",
    }
    assert result.table().rows[0]["verdict"] == "out: order, batch size, workers"


def test_a_network_may_move_by_the_tolerance_of_its_card() -> None:
    result = selfcheck([Calm()])
    ways = {one.way: (one.drift, one.tolerance) for one in result.drifts}
    assert ways["order"] == (23 * 2.0**-20, 2e-3)
    assert "workers" not in ways
    assert not result.failed


def test_there_are_enough_different_requests_to_be_spread_over_threads() -> None:
    pairs = crossed(batch_of(data("texts")))
    rows = set(zip(pairs.hypotheses, *(pairs.references or ()), strict=True))
    assert len(rows) == len(pairs) > PART // 2


def test_a_number_that_vanishes_is_an_infinite_drift() -> None:
    one, gap = np.array([1.0, 2.0]), np.array([1.0, np.nan])
    assert drift({"values": one}, {"values": one + 0.25}) == 0.25
    assert drift({"values": gap}, {"values": gap}) == 0
    assert drift({"values": one}, {"values": gap}) == math.inf
    assert drift({"values": one}, {"values": one[:1]}) == math.inf
    assert drift({"flag odd": np.zeros(2)}, {}) == 0
    assert drift({"flag odd": np.ones(2)}, {}) == math.inf


def test_the_command_line_names_what_moved_and_leaves_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "moody_metric.py").write_text(
        "from itertools import count\n"
        "import numpy as np\n"
        "from assay.core import Card, Metric, Scores, Signature\n"
        "class Moody(Metric):\n"
        "    card = Card('moody', 'Moody', 'reference', True, (None, None), 'nothing')\n"
        "    calls = count()\n"
        "    signature = Signature.of('moody', 1)\n"
        "    def score(self, batch):\n"
        "        return Scores(np.full(len(batch), float(next(self.calls))))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    assert main(["selfcheck", "-m", "moody_metric:Moody"]) == 1
    printed = capsys.readouterr()
    assert "out: order, batch size, workers, Python" in printed.out
    assert printed.err.startswith("assay: some scores deviate by more than their tolerance: moody_metric:Moody by ")
    assert len(printed.err.splitlines()) == 1


def test_json_has_every_drift_as_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selfcheck", "-m", "chrf", "--format", "json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["failed"] is False and whole["signatures"]["chrf"].startswith("chrF2|")
    rows = whole["tables"]["ways"]
    assert [row["way"] for row in rows] == ["order", "batch size", "workers", "Python", "command line", "original"]
    assert rows[0] == {"metric": "chrf", "way": "order", "drift": 0.0, "tolerance": 0.0, "failed": False}


def test_the_largest_drift_is_kept_and_listed(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = selfcheck([Moody(), "bleu"])
    kept = json.loads((cache / "selfcheck.json").read_text())
    assert set(kept) == {result.machine}
    assert kept[result.machine]["moody|v:1"]["drift"] == result.largest("moody") >= 23 / 4
    assert [found.signature for found in drifts.measured("bleu")] == [result.signatures["bleu"]]
    assert main(["list", "metrics", "bleu"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "measured on this machine" in line]
    assert "drift 0 (BLEU|" in line
    selfcheck("cer")
    assert len(json.loads((cache / "selfcheck.json").read_text())[result.machine]) == 3


@pytest.mark.parametrize("content", ["", "[]", "{", '{"m": 1}', '{"m": {"s": {"drift": "x"}}}', "[" * 100_000])
def test_a_damaged_memory_is_no_memory(cache: Path, content: str) -> None:
    cache.mkdir()
    (cache / "selfcheck.json").write_text(content)
    assert drifts.measured("bleu") == []
    drifts.save_drifts([("bleu", "BLEU|v:1", 0.5)])
    assert [found.drift for found in drifts.measured("bleu")] == [0.5]


def test_a_checkpoint_is_measured_by_precision_too(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    spec = f"{unpack('xcomet', tmp_path)}:precision=fp32"
    result = selfcheck([spec])
    assert not result.failed
    ways = {one.way: one for one in result.drifts}
    assert set(ways) >= {"order", "batch size", "Python", "command line", "precision"}
    assert ways["precision"].tolerance is None and ways["precision"].drift > 0
    assert all(one.tolerance == 2e-3 for one in result.drifts if one.way != "precision")


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_selfcheck", ROOT / "scripts" / "make_selfcheck.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_vectors_are_what_the_originals_say_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = maker()
    texts = made.DATA / "selfcheck_texts.json"
    (tmp_path / texts.name).write_bytes(texts.read_bytes())
    monkeypatch.setattr(made, "DATA", tmp_path)
    made.main()
    fresh, kept = json.loads((tmp_path / "selfcheck_vectors.json").read_text()), data("vectors")
    assert fresh.keys() == kept.keys()
    for spec, vector in kept.items():
        for references, numbers in vector["references"].items():
            again = fresh[spec]["references"][references]
            assert numbers["segments"] == pytest.approx(again["segments"], abs=1e-9), spec
            assert numbers["corpus"] == pytest.approx(again["corpus"], abs=1e-9), spec


def test_it_is_a_public_name() -> None:
    assert assay.selfcheck is selfcheck
