"""A file of ACES's official size and form, made up here, runs through every ACES analysis in one command."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.data.aces import aces_score, phenomena

ROWS = 36_476
PAIRS = ["de-en", "en-de", "ru-en", "fr-de", "fr-ja", "en-ja", "ko-en", "is-en", "uk-pl", "en-hy"]


def write(path: Path) -> None:
    names = list(phenomena())
    assert len(names) == 68
    rng = random.Random(1)
    words = [f"w{i}" for i in range(400)]
    with path.open("w", encoding="utf-8") as out:
        out.write("source\tgood-translation\tincorrect-translation\treference\tphenomena\tlangpair\n")
        for i in range(ROWS):
            reference = rng.choices(words, k=10)
            good, bad = list(reference), list(reference)
            good[rng.randrange(10)] = rng.choice(words)
            for _ in range(rng.choice((1, 1, 2))):
                bad[rng.randrange(10)] = rng.choice(words)
            texts = [" ".join(rng.choices(words, k=10)), " ".join(good), " ".join(bad), " ".join(reference)]
            out.write("\t".join([*texts, names[i % 68], PAIRS[i // 68 % 10]]) + "\n")


@pytest.mark.slow
def test_every_aces_table_comes_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "aces.tsv")
    arguments = [
        "run",
        "aces",
        "--data-dir",
        str(tmp_path),
        "-m",
        "chrf",
        "-m",
        "bleu",
        "-m",
        "ter",
        "--format",
        "json",
    ]
    assert main([*arguments, "--quiet"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    wanted = {
        "phenomena",
        "categories",
        "aces_score",
        "sublevels",
        "language_groups",
        "source_sensitivity",
        "correlation_gain",
    }
    wanted |= {"levels", "reference_copied", "unseen_pairs", "untranslated_sentence"}
    assert wanted <= set(tables)
    assert len(tables["phenomena"]) == 68 * 3
    assert sum(row["n"] for row in tables["phenomena"]) == 3 * ROWS
    for row in tables["aces_score"]:
        parts = {r["category"]: r["tau"] for r in tables["categories"] if r["metric"] == row["metric"]}
        assert row["aces_score"] == pytest.approx(aces_score(parts), abs=1e-12)
