"""`scripts/soak.py` in small: a few kills of cheap verbs, four writers, a full disk; and it sees what is lost."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.soak import Soak
from scripts.soak_jobs import Job

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_few_kills_lose_nothing() -> None:
    jobs = [part for name in ("score stored", "make", "fetch") for part in ("--only", name)]
    command = [sys.executable, str(ROOT / "scripts" / "soak.py"), "--kills", "4", "--seed", "1", "--small", *jobs]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    *lines, closing = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    facts = [json.loads(line) for line in lines]
    assert {fact["what"] for fact in facts} >= {"unbroken", "kills", "four writers", "all"}
    assert all(fact["same"] == (4 if fact["what"] == "four writers" else True) for fact in facts if "same" in fact)
    kills = sum(fact["kills"] for fact in facts if fact["what"] in ("kills", "four writers"))
    assert kills >= 4 and closing == f"soak: {kills} kills, 0 lost"


def test_what_is_lost_is_seen(tmp_path: Path) -> None:
    """An output that differs, a run that fails, and a half-written file after a kill."""
    (tmp_path / "mt").write_text("a\nb\n")
    (tmp_path / "ref").write_text("a\nb\n")
    texts = ["--mt", str(tmp_path / "mt"), "--ref", str(tmp_path / "ref"), "--quiet", "--format", "jsonl"]
    job = Job("score", lambda out: ["score", "-m", "chrf", *texts, "--out", str(out / "out.jsonl")])
    soak = Soak(tmp_path, random.Random(1), dict(os.environ))
    soak.unbroken(job)
    out, cache = soak.fresh("round")
    assert soak.finish(job, out, cache, "first") and soak.lost == []
    soak.whole["score"]["out.jsonl"] += b" "
    assert not soak.finish(job, out, cache, "second")
    soak.took["score"] = 0.0
    soak.kill(job, soak.start(job, out, cache), out)
    (tmp_path / "mt").write_text("a\n")
    assert not soak.finish(job, out, cache, "third")
    assert [line.split(":")[0] for line in soak.lost] == ["second", "score", "third"]
    assert "differing ['out.jsonl']" in soak.lost[0] and "half-written" in soak.lost[1] and "status 2" in soak.lost[2]
