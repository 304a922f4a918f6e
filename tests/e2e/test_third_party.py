"""A metric by entry point, one by module and class, and one by a file of scores stand in one table with ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

METRIC = """
import numpy as np
from assay.core import Batch, Card, Metric, Scores, Signature

class Length(Metric):
    card = Card("{name}", "{name}", "reference", {higher}, (None, None), "shorter is better", stored=False)
    @property
    def signature(self):
        return Signature.of("{name}", 1)
    def score(self, batch):
        return Scores(np.array([{sign}float(len(h)) for h in batch.hypotheses]))
"""

PAIRS = """source\tgood-translation\tincorrect-translation\treference\tphenomena\tlangpair
ein Hund\ta dog\ta large dog\tone dog\taddition\tde-en
drei Katzen\tthree cats\tcats\tthree cats\tomission\tde-en
kein Regen\tno rain\train\tno rain\tomission\tde-en
"""


def test_all_three_appear_in_one_table(tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "third_party-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[assay.metrics]\nplugged = plugged_metric:Length\n")
    (site / "plugged_metric.py").write_text(METRIC.format(name="plugged", higher=False, sign=""))
    (site / "own_metric.py").write_text(METRIC.format(name="own", higher=True, sign="-"))
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    (tmp_path / "theirs.tsv").write_text("id\tgood\tincorrect\n1\t0.9\t0.1\n2\t0.2\t0.3\n3\tnan\t0.1\n")
    env = {**os.environ, "PYTHONPATH": str(site), "ASSAY_CACHE_DIR": str(tmp_path / "cache")}
    metrics = ["-m", "chrf", "-m", "plugged", "-m", "own_metric:Length", "--metric-file", "theirs.tsv"]
    command = [sys.executable, "-m", "assay", "run", "pairs.tsv", *metrics, "--format", "json", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = {row["metric"]: row for row in json.loads(done.stdout)["tables"]["summary"]}
    # "a dog" (5) against "a large dog" (11): shorter is better, one hit; the two omissions are shorter, two losses.
    assert rows["plugged"]["accuracy"] == rows["own_metric:Length"]["accuracy"] == 1 / 3
    # theirs: one hit, one loss, one that could not be scored and counts as neither.
    assert (rows["theirs"]["accuracy"], rows["theirs"]["n"], rows["theirs"]["unscored"]) == (0.5, 2, 1)
    assert rows["chrf"]["accuracy"] == 1.0
